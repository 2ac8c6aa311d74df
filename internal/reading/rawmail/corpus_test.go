package rawmail_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onefold/internal/reading/rawmail"
)

// corpus gives a file of the shared corpora, or skips where they are absent.
func corpus(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "corpora", filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the corpora are not beside this checkout (shared/corpora)")
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

type bounceLabel struct {
	Reason   string `json:"reason"`
	Hard     bool   `json:"hard"`
	Feedback string `json:"feedback"`
}

// want is what the labels of one file say: the kind, whether somebody must be
// suppressed, and how many recipients failed for good.
func want(labels []bounceLabel) (kind rawmail.Kind, suppress bool, failed, hard int) {
	kind = rawmail.Bounce
	for _, l := range labels {
		switch l.Reason {
		case "feedback":
			kind = rawmail.Complaint
		case "vacation":
			kind = rawmail.AutoReply
		}
		suppress = suppress || l.Hard || l.Feedback == "abuse" || strings.HasPrefix(l.Feedback, "opt-out")
		if l.Hard {
			hard++
		}
		if l.Reason != "delivered" && l.Reason != "vacation" {
			failed++
		}
	}
	return kind, suppress, failed, hard
}

// filteredKnown are the files whose label calls "no such user" a refusal by a
// filter, and not hard. Each has a twin that gives a rule nothing else to go by
// and whose label is hard, so that what makes one right makes the other wrong.
//
// Two rules that could have parted them were tried on all files. A refusal after
// the content (RFC 5321 section 3.3: the recipient had been accepted) is the
// content's, which holds here already, and none of the nine names DATA or a
// content. An unknown user who is believed only with a status 5.1.x (RFC 3463
// section 3.2) or a reply to RCPT would be right for seven of them and wrong for
// nine that are labelled hard: domino-01, exchange2003-01 and -07,
// imailserver-01, mcafee-01 and -04, powermta-01, verizon-01, yahoo-07. That the
// report is a filter's own (mailfoundry, surfcontrol) parts nothing either:
// mcafee-01, interscanmss-01 and mxlogic-01 are filters' too.
//
// So a report that says for good that the user does not exist suppresses here.
// What it costs is bounded by what believes it (docs/adr/0027).
var filteredKnown = map[string]struct{ twin, both string }{
	"lhost-apachejames-01.eml":  {"lhost-mcafee-04.eml", "550 and no such user; no status, no command that it answers"},
	"lhost-exchange2003-04.eml": {"lhost-exchange2003-01.eml", "the same server says that the recipient is not found, or unknown; no reply, no status"},
	"lhost-mailfoundry-01.eml":  {"lhost-mcafee-04.eml", "a gateway quotes the recipient's server: 550, the address, no such user; no status, no command"},
	"lhost-office365-04.eml":    {"lhost-office365-07.eml", "550 5.1.351, unknown recipient, and behind it 550, user unknown: the twin repeats the address there"},
	"lhost-postfix-07.eml":      {"lhost-yahoo-07.eml", "550 <address>: User unknown, word for word; no status, no command"},
	"lhost-receivingses-01.eml": {"lhost-amazonses-10.eml", "550 and Status 5.1.1, which its own label repeats: bad destination mailbox address"},
	"lhost-surfcontrol-01.eml":  {"lhost-mcafee-04.eml", "550 address... No such user, word for word; a status that tells nothing (5.0.0), or none"},
	"lhost-x1-01.eml":           {"lhost-imailserver-01.eml", "the address and user unknown, and not a word more"},
	"lhost-x2-01.eml":           {"lhost-domino-01.eml", "a sentence of the recipient's own system that it has no such user; no reply, no status"},
}

func TestBounceCorpus(t *testing.T) {
	t.Parallel()
	var labels map[string][]bounceLabel
	if err := json.Unmarshal(corpus(t, "bounces/labels.json"), &labels); err != nil {
		t.Fatal(err)
	}
	right := 0
	for name, l := range labels {
		m := rawmail.Parse(corpus(t, "bounces/"+name), nil)
		kind, suppress, failed, hard := want(l)
		if m.Kind != kind {
			t.Errorf("%s: %s %v, not %s", name, m.Kind, m.KindReasons, kind)
			continue
		}
		gotHard := 0
		for _, r := range m.Recipients {
			if r.Hard {
				gotHard++
			}
		}
		got := m.Suppression != nil && m.Suppression.Hard
		twin, known := filteredKnown[name]
		if _, _, _, n := want(labels[twin.twin]); known && n == 0 {
			t.Errorf("%s: its twin %s is not labelled hard", name, twin.twin)
		}
		switch {
		case known && got && !suppress && len(m.Recipients) == failed:
			continue // still what the table says
		case known:
			t.Errorf("%s: suppression %v, %d recipients: not what the table says", name, got, len(m.Recipients))
		case got != suppress:
			t.Errorf("%s: suppression %v, want %v", name, got, suppress)
		case kind == rawmail.Bounce && (len(m.Recipients) != failed || gotHard != hard):
			t.Errorf("%s: %d recipients, %d hard; want %d and %d", name, len(m.Recipients), gotHard, failed, hard)
		}
		right++
	}
	t.Logf("%d of %d as labelled; %d differ and are explained", right, len(labels), len(filteredKnown))
}

// splitKnown are the files where the reference calls other text visible.
// What it calls a signature or new text does not matter, for both are the
// sender's (README of the corpora); only of "wrong" files do the two disagree
// on what is quoted.
var splitKnown = map[string]string{
	"email_emoji.txt":                      "signature: a line of one dash before name and title, which the reference leaves in the text",
	"email_15.txt":                         "text: what follows a phone's line is read, since it may be the sender's",
	"email_german_3.txt":                   "text: what follows a phone's line is read, since it may be the sender's",
	"email_tricky_11_double_signature.txt": "text: a closing ends no text, and what follows is read",
	"email_tricky_2_url_with_wrote.txt":    "text: a closing ends no text, and what follows is read",
	"email_with_regards.txt":               "text: a closing ends no text, and what follows is read",
	"email_tricky_17_forward_header.txt":   "wrong: the reference calls forwarded text new, which the file itself says is to be treated as quoted",
	"email_tricky_7_multiple_dashes.txt":   "wrong: the reference cuts the text at a rule that the file itself says is no signature",
}

func TestReplySplitCorpus(t *testing.T) {
	t.Parallel()
	var cases []struct {
		File    string `json:"file"`
		Visible string `json:"visible_text"`
	}
	if err := json.Unmarshal(corpus(t, "reply-split/expected.json"), &cases); err != nil {
		t.Fatal(err)
	}
	same, signature, wrong := 0, 0, 0
	for _, c := range cases {
		text := corpus(t, "reply-split/"+c.File)
		mail := "From: ann@example.com\nSubject: x\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n" + string(text)
		m := rawmail.Parse([]byte(mail), nil)
		reason := splitKnown[c.File]
		switch bare(m.Visible) == bare(c.Visible) {
		case true:
			if same++; reason != "" {
				t.Errorf("%s is the same now: %s", c.File, reason)
			}
		case false:
			switch {
			case strings.HasPrefix(reason, "wrong"):
				wrong++
			// The same is new text, only its signature is set apart.
			case strings.HasPrefix(reason, "signature") && strings.HasPrefix(bare(c.Visible), bare(m.Visible)) && strings.HasSuffix(bare(c.Visible), bare(m.Signature)) && m.Quoted == "":
				signature++
			// And the other way round: more is read, of what the reference sets apart.
			case strings.HasPrefix(reason, "text") && strings.HasPrefix(bare(m.Visible), bare(c.Visible)) && m.Quoted == "":
				signature++
			default:
				t.Errorf("%s:\n got %q\nwant %q", c.File, m.Visible, c.Visible)
			}
		}
	}
	if agreed := same + signature; agreed*100 < 98*(len(cases)-wrong) {
		t.Errorf("%d of %d agree", agreed, len(cases)-wrong)
	}
	t.Logf("%d the same, %d but for the signature, %d wrong in the reference, of %d", same, signature, wrong, len(cases))
}

// bare leaves white space out, which does not matter here.
func bare(s string) string { return strings.Join(strings.Fields(s), "") }

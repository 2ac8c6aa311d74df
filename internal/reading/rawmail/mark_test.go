package rawmail_test

import (
	"slices"
	"strings"
	"testing"

	"onefold/internal/reading/rawmail"
)

func genuine(mark string) bool { return mark == "i1.good" }

func TestAMarkCountsOnlyWhenItIsGenuine(t *testing.T) {
	t.Parallel()
	const warned = "own_mark_unchecked"
	for name, c := range map[string]struct {
		extra    string
		check    rawmail.IsMark
		kind     rawmail.Kind
		mark     string
		doubt    bool
		warnings string
	}{
		"none":               {"", genuine, rawmail.Human, "", false, ""},
		"genuine":            {"X-Onefold-Intent: i1.good\n", genuine, rawmail.Own, "i1.good", false, ""},
		"folded":             {"x-onefold-intent:\n i1.good\n", genuine, rawmail.Own, "i1.good", false, ""},
		"forged":             {"X-Onefold-Intent: i1.bad\n", genuine, rawmail.Human, "i1.bad", true, rawmail.DoubtMark},
		"bare":               {"X-Onefold-Intent: i1\n", genuine, rawmail.Human, "i1", true, rawmail.DoubtMark},
		"empty":              {"X-Onefold-Intent:\n", genuine, rawmail.Human, "", true, rawmail.DoubtMark},
		"forged before ours": {"X-Onefold-Intent: i1.bad\nX-Onefold-Intent: i1.good\n", genuine, rawmail.Human, "i1.bad", true, rawmail.DoubtMark},
		"forged, a machine":  {"X-Onefold-Intent: i1.bad\nAuto-Submitted: auto-replied\n", genuine, rawmail.AutoReply, "i1.bad", false, rawmail.DoubtMark},
		"forged, a list":     {"X-Onefold-Intent: i1.bad\nPrecedence: bulk\n", genuine, rawmail.List, "i1.bad", false, rawmail.DoubtMark},
		"without a key":      {"X-Onefold-Intent: i1\n", nil, rawmail.Own, "i1", false, warned},
		"no key and no mark": {"", nil, rawmail.Human, "", false, ""},
		"very long":          {"X-Onefold-Intent: " + strings.Repeat("x", 5000) + "\n", genuine, rawmail.Human, strings.Repeat("x", 200), true, rawmail.DoubtMark},
	} {
		m := rawmail.ParseMarked([]byte(c.extra+plainMail), nil, c.check, "")
		if m.Kind != c.kind || m.Mark != c.mark || slices.Contains(m.Doubts, rawmail.DoubtMark) != c.doubt {
			t.Errorf("%s: %s, mark %q, doubts %v", name, m.Kind, m.Mark, m.Doubts)
		}
		for _, w := range []string{warned, rawmail.DoubtMark} {
			if slices.Contains(m.Warnings, w) != (w == c.warnings) {
				t.Errorf("%s: warnings %v, want %q", name, m.Warnings, c.warnings)
			}
		}
	}
}

// TestOwnAddressesAreOursWithoutAMark: a forged mark takes nothing from them,
// and hides nobody whom such a mail names.
func TestOwnAddressesAreOursWithoutAMark(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ mail, relayed, forwarded string }{
		"no mark":         {"From: bob@ours.example\nSubject: x\n\nHi\n", "", ""},
		"forged, relay":   {"X-Onefold-Intent: x\nFrom: web@ours.example\nReply-To: ann@example.com\nSubject: x\n\nHi\n", "ann@example.com", ""},
		"genuine, relay":  {"X-Onefold-Intent: i1.good\nFrom: web@ours.example\nReply-To: ann@example.com\nSubject: x\n\nHi\n", "", ""},
		"forged, passed":  {"X-Onefold-Intent: x\n" + colleague + "Subject: Fwd: Chairs\n\n" + gmailFwd, "", "ann@example.com"},
		"genuine, passed": {"X-Onefold-Intent: i1.good\n" + colleague + "Subject: Fwd: Chairs\n\n" + gmailFwd, "", ""},
	} {
		m := rawmail.ParseMarked([]byte(c.mail), ours, genuine, "")
		relayed, forwarded := "", ""
		if m.Relayed != nil {
			relayed = m.Relayed.Address
		}
		if m.Forwarded != nil {
			forwarded = m.Forwarded.From.Address
		}
		if m.Kind != rawmail.Own || relayed != c.relayed || forwarded != c.forwarded {
			t.Errorf("%s: %s, relayed %q, forwarded %q", name, m.Kind, relayed, forwarded)
		}
	}
}

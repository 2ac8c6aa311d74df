package older_test

import (
	"strings"
	"testing"

	"onefold/internal/reading/older"
)

// FuzzSplit: no word of a text is lost or doubled, and what is cut off is what it
// was, wherever the lines land.
func FuzzSplit(f *testing.F) {
	for _, text := range []string{
		"Hi\n\nFrom: Ann Lee <ann@example.com>\nSent: 3/4/2026 10:12 AM\nTo: Bob\nSubject: x\n\nold",
		"Hi\n\nAnn Lee@DEMO\n03/04/2026 10:12 AM\nPlease respond to Ann\nTo: Bob/Sales@DEMO\n, Cid/Sales@DEMO\n\ncc:\n\nold",
		"Hi\n>>> Ann <a@b.example> 3/4/2026 10:12 >>>\nold\n-- \nAnn", "a: b\nc:\nd: e@f.example 10:00\n\n", "________________________________\n差出人：Ann\n送信日時：2026年3月4日 10:12\n宛先：\n\nold",
		"Hi\n\n---------- Forwarded message ---------\nFrom: Ann\n> On 3/4, Ann <a@b.example>\nwrote:\n> old\nSent from my phone\n--\n",
	} {
		f.Add(text, "Re: x")
	}
	f.Fuzz(func(t *testing.T, text, subject string) {
		facts := older.Facts{Subject: subject, Writer: []string{"ann lee"}, Forward: len(subject)%2 == 0}
		visible, quoted, signature := older.Split(text, facts)
		parts := map[string]int{}
		for _, part := range []string{visible, quoted, signature} {
			for word := range strings.FieldsSeq(part) {
				parts[word]++
			}
		}
		for word := range strings.FieldsSeq(text) {
			parts[word]--
		}
		for word, n := range parts {
			switch word {
			case "--", "__", "\u2014", "\u2013", "\u2014\u2014", "\u2013\u2013": // delimiters are left out
				continue
			}
			if n != 0 {
				t.Fatalf("%q: %d times too often", word, n)
			}
		}
		values, below, found := older.Forwarded(text, facts)
		if !found && (below != "" || values != nil) || len(below) > len(text) {
			t.Fatalf("%d values and %d bytes of %d", len(values), len(below), len(text))
		}
	})
}

// Points in time, with slashes and without, are what somebody writes down.
func TestReading02PointsInTimeAreText(t *testing.T) {
	t.Parallel()
	const text = "These do not suit us:\n\n2024-01-15 14:30:25\n2024/01/15 14:30:25\n15.01.2024 14:30\n01/15/2024 at 2:30 PM\nJan 15, 2024 at 14:30\n\nAny other does."
	if visible, quoted, _ := older.Split(text, older.Facts{Subject: "Re: x", Writer: []string{"Ann Lee"}}); visible != text || quoted != "" {
		t.Errorf("visible is %q, quoted %q", visible, quoted)
	}
}

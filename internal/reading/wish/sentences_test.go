package wish_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onefold/internal/reading/wish"
)

// testdata/wishes holds what people may write, a sentence or a short mail a
// line, by language. The mark says what a careful person takes it for:
//
//	!  a plain wish, that must stop mail at once
//	+  a plain wish, that must at least be held
//	?  in doubt: held, and never a stop
//	-  no wish at all
func TestSentencesAreHeardAsAPersonWould(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/wishes/*.txt")
	if err != nil || len(files) != 12 {
		t.Fatalf("%d languages, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			wishes, others := 0, 0
			for line := range strings.Lines(string(text)) {
				mark, said, _ := strings.Cut(strings.TrimSpace(line), " ")
				right, known := map[string]func(wish.Verdict) bool{
					"!": func(v wish.Verdict) bool { return v == explicit },
					"+": func(v wish.Verdict) bool { return v != none },
					"?": func(v wish.Verdict) bool { return v == doubtful },
					"-": func(v wish.Verdict) bool { return v == none },
				}[mark]
				if !known || said == "" {
					t.Fatalf("no line of this form: %q", line)
				}
				if mark == "-" {
					others++
				} else {
					wishes++
				}
				if got := wish.OptOut("", said); !right(got.Verdict) {
					t.Errorf("%s %q: %v", mark, said, got)
				}
			}
			if wishes < 15 || others < 10 {
				t.Errorf("%d wishes and %d others: too few to tell", wishes, others)
			}
		})
	}
}

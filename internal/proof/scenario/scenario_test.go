package scenario_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"onefold/internal/operate/explain"
	"onefold/internal/utc"
)

var update = flag.Bool("update", false, "rewrite the timelines of testdata, and print what changed; expectations in want are never rewritten")

// TestScenarios runs every file of testdata as it stands.
func TestScenarios(t *testing.T) {
	all, names, err := scenarios()
	if err != nil || len(names) < 12 {
		t.Fatal(len(names), err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			f := all[name]
			res := run(t, f, schedule{scenario: name}, nil, nil)
			for _, b := range res.broken {
				t.Error(b)
			}
			for _, line := range differences(f.want, res.counts, res.outcome.Mails) {
				t.Error(line)
			}
			for address, want := range f.lines {
				if got := res.times[address]; got != want {
					t.Errorf("timeline of %s:\n%s\nwant\n%s", address, got, want)
					if *update {
						rewrite(t, name, address, got)
					}
				}
			}
		})
	}
}

// counted are the nouns of which want says all there is.
var counted = []string{"delivery.", "event.", "contact.", "enquiry", "intent.", "attempt.", "review_task.", "guard", "operation."}

// differences compares what want says with what there is, both ways.
func differences(want, have map[string]int, mails int) (lines []string) {
	have["mails"] = mails
	for noun, n := range want {
		if have[noun] != n {
			lines = append(lines, fmt.Sprintf("%s: there are %d, want %d", noun, have[noun], n))
		}
	}
	for noun, n := range have {
		if want[noun] == 0 && isWhole(noun, have) {
			lines = append(lines, fmt.Sprintf("%s: there are %d, want says nothing of them", noun, n))
		}
	}
	return lines
}

// isWhole tells whether a count is of the finest kind of a noun that counts.
func isWhole(noun string, have map[string]int) bool {
	for other := range have {
		if strings.HasPrefix(other, noun+".") {
			return false
		}
	}
	for _, c := range counted {
		if noun == c || strings.HasSuffix(c, ".") && strings.HasPrefix(noun, c) {
			return true
		}
	}
	return false
}

// timelines are the lines of every address that the file asks about.
func (w *world) timelines() map[string]string {
	out := map[string]string{}
	for address := range w.file.lines {
		tl, err := explain.Explain(context.Background(), w.base, w.ids, explain.Query{Tenant: tenantID, Email: address, Policy: w.sys.Policies.Current})
		w.must(err)
		var b strings.Builder
		for _, s := range tl.Summary {
			fmt.Fprintf(&b, "# %s\n", s)
		}
		for _, e := range tl.Entries {
			fmt.Fprintf(&b, "+%v %s\n", e.At.Sub(utc.At(began)), e.What)
		}
		out[address] = b.String()
	}
	return out
}

func rewrite(t *testing.T, name, address, text string) {
	path := "testdata/" + name + ".txtar"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ar := txtar.Parse(raw)
	for n := range ar.Files {
		if ar.Files[n].Name == "timeline "+address {
			ar.Files[n].Data = []byte(text)
		}
	}
	if err := os.WriteFile(path, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

package eval_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"onefold/internal/operate/eval"
	"onefold/internal/reading/reader/rules"
)

// update writes the golden scores anew: go test ./internal/operate/eval -run Rules -update
var update = flag.Bool("update", false, "write the golden scores anew")

// A change of the rules, the opt-out words or the parser shows here as a
// changed figure, better or worse. With -v it shows the report, and of the open
// half what was missed.
func TestRulesScoreIsTheGoldenOne(t *testing.T) {
	t.Parallel()
	for _, half := range []eval.Half{eval.Open, eval.Aside} {
		t.Run(string(half), func(t *testing.T) {
			t.Parallel()
			cases := load(t, half)
			reader := rules.New()
			outcomes, err := bench(t).ReadAll(context.Background(), reader, cases)
			if err != nil {
				t.Fatal(err)
			}
			report := score(t, cases, outcomes)
			report.Model, report.PromptVersion = reader.Model(), reader.PromptVersion()
			if testing.Verbose() {
				show(t, report, eval.Misses(cases, outcomes))
			}
			path := filepath.Join("testdata", "rules-"+string(half)+".json")
			if *update {
				now, err := report.JSON()
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, now, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			golden, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("no golden score: run with -update")
			}
			if err != nil {
				t.Fatal(err)
			}
			diff, err := report.Differences(golden)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range diff {
				t.Error(line)
			}
		})
	}
}

func show(t *testing.T, report eval.Report, misses []string) {
	t.Helper()
	var text bytes.Buffer
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + text.String())
	for _, miss := range misses {
		t.Log(miss)
	}
}

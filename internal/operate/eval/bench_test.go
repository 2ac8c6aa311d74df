package eval_test

import (
	"context"
	"testing"
	"time"

	"onefold/internal/operate/eval"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/rules"
)

// mostForRules is how long the rules may take for a mail: they are asked for
// each, within the time of a function, and beside a model.
const mostForRules = 2 * time.Millisecond

// BenchmarkRules has the rules read every mail of the set that a person may
// have written, opt-out words included, and fails above mostForRules a mail in
// the quickest of its rounds.
func BenchmarkRules(b *testing.B) {
	bench, err := eval.NewBench(policy(b), nil)
	if err != nil {
		b.Fatal(err)
	}
	var sources []reader.Source
	for _, c := range load(b) {
		if s, asked := bench.Open(c).Source(); asked {
			sources = append(sources, s)
		}
	}
	const rounds = 5
	least := time.Duration(0)
	for b.Loop() {
		for range rounds {
			reader, began := rules.New(), time.Now()
			for _, s := range sources {
				if _, err := reader.Extract(context.Background(), s); err != nil {
					b.Fatal(err)
				}
			}
			if took := time.Since(began); least == 0 || took < least {
				least = took
			}
		}
	}
	one := least / time.Duration(len(sources))
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(sources)), "mails")
	b.ReportMetric(float64(one.Microseconds())/1000, "ms/mail")
	if one > mostForRules {
		b.Errorf("%s a mail, at most %s are asked for", one, mostForRules)
	}
}

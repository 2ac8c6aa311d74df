package eval_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/operate/eval"
)

// The score interval's limits of R. G. Newcombe, "Two-sided confidence
// intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
func TestWilsonIntervalIsThePublishedOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hits, of  int
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
	} {
		r := eval.RatioOf(c.hits, c.of)
		if math.Abs(r.Low-c.low) > 1e-4 || math.Abs(r.High-c.high) > 1e-4 {
			t.Errorf("%d/%d: %v to %v, want %v to %v", c.hits, c.of, r.Low, r.High, c.low, c.high)
		}
	}
}

func TestOfNothingAShareIsUnknown(t *testing.T) {
	t.Parallel()
	if r := eval.RatioOf(0, 0); r != (eval.Ratio{High: 1}) || r.String() != "- (0/0)" {
		t.Errorf("%+v %s", r, r)
	}
}

func TestIntervalHoldsItsShareAndMirrors(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.IntRange(1, 5000).Draw(t, "of")
		hits := rapid.IntRange(0, of).Draw(t, "hits")
		r, m := eval.RatioOf(hits, of), eval.RatioOf(of-hits, of)
		if r.Low < 0 || r.High > 1 || r.Low > r.Share || r.Share > r.High {
			t.Fatalf("%+v", r)
		}
		if math.Abs(r.Low-(1-m.High)) > 2e-6 || math.Abs(r.High-(1-m.Low)) > 2e-6 {
			t.Fatalf("%+v is not the mirror of %+v", r, m)
		}
	})
}

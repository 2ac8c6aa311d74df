package eval

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"onefold/internal/reading/reader"
)

// Calibration tells what an extractor's stated confidence in one field is worth,
// and which limit follows. A limit only ever adds a reason for a person to look:
// it lets nothing pass.
type Calibration struct {
	Field    string  `json:"field"`
	AtLeast  float64 `json:"at_least"` // the precision wanted; 0: none is asked for
	Values   int     `json:"values"`   // believed values of mails whose fields count
	Bins     []Bin   `json:"bins"`     // from the lowest confidence up
	MinShown int64   `json:"min_shown"`
	// Proven is the smallest stated confidence from which on the precision's
	// lower 95 % bound reaches AtLeast; null where there is none, and Why tells.
	Proven *int64 `json:"proven"`
	Why    string `json:"why"`
	// Limit is what a policy should hold: Proven, else the lowest confidence that
	// the set has a value of (MinShown), since below it nothing was measured; null
	// where no value was seen.
	Limit    *int64 `json:"limit"`
	ToReview Ratio  `json:"to_review"` // values below the limit
}

// Bin is the values of a range of stated confidences.
type Bin struct {
	From  int64 `json:"from"`
	To    int64 `json:"to"`
	Right Ratio `json:"right"`
}

// ErrAside means that a limit was to be chosen on the half that judges it.
var ErrAside = errors.New("calibrate: limits are chosen on the open half alone, the half set aside judges them")

// mostBins is how many different confidences have a bin each; of more, a bin
// has ten hundredths.
const mostBins = 12

// Calibrate holds each field's stated confidence against what was right. It is
// pure, and refuses cases of the half set aside.
func Calibrate(cases []Case, outcomes []Outcome) ([]Calibration, error) {
	if len(cases) != len(outcomes) {
		return nil, fmt.Errorf("%w: %d, %d", ErrUneven, len(cases), len(outcomes))
	}
	var out []Calibration
	for _, f := range fields() {
		said := map[int64]*share{}
		for i, c := range cases {
			if c.Half == Aside {
				return nil, ErrAside
			}
			if c.Labels.Twin != "" || !c.Labels.Class.FieldsCount() || f.said(outcomes[i]) == "" {
				continue
			}
			sure := f.sure(outcomes[i].Sure)
			if said[sure] == nil {
				said[sure] = &share{}
			}
			said[sure].count(f.agrees(f.said(outcomes[i]), f.labels(c.Labels)))
		}
		out = append(out, calibrated(f.name, said))
	}
	return out, nil
}

func calibrated(field string, said map[int64]*share) Calibration {
	c := Calibration{Field: field, AtLeast: needs(field, precision), Bins: []Bin{}}
	stated := make([]int64, 0, len(said))
	for sure, s := range said {
		stated = append(stated, sure)
		c.Values += s.of
	}
	slices.Sort(stated)
	c.Bins = binned(stated, said)
	if len(stated) == 0 {
		c.Why = "no value was said: it cannot be calibrated"
		c.ToReview = RatioOf(0, 0)
		return c
	}
	c.MinShown = stated[0]
	best := 0.0
	for _, limit := range stated {
		r := from(limit, said)
		best = max(best, r.Low)
		if c.Proven == nil && c.AtLeast > 0 && r.Low >= c.AtLeast {
			c.Proven = &limit
		}
	}
	c.Why = c.why(stated, best)
	c.Limit = &c.MinShown
	if c.Proven != nil {
		c.Limit = c.Proven
	}
	c.ToReview = RatioOf(c.Values-from(*c.Limit, said).Of, c.Values)
	return c
}

// why says how the limit came about, or what is in its way.
func (c Calibration) why(stated []int64, best float64) string {
	constant := ""
	if len(stated) == 1 {
		constant = fmt.Sprintf("every value is stated with %d: a confidence that never differs parts nothing; ", stated[0])
	}
	switch {
	case c.AtLeast == 0:
		return constant + "no precision is asked for"
	case c.Proven != nil:
		return constant + fmt.Sprintf("from %d on the lower bound is at least %.0f %%", *c.Proven, 100*c.AtLeast)
	}
	return constant + fmt.Sprintf("cannot be calibrated from %d values: the lower bound is %.1f %% at best; with every value right, %d are needed for %.0f %%",
		c.Values, 100*best, enough(c.AtLeast), 100*c.AtLeast)
}

// enough is how many values, all of them right, have a lower bound of least:
// Wilson's for a share of 1 is n/(n+z²).
func enough(least float64) int { return int(math.Ceil(z95 * z95 * least / (1 - least))) }

// from counts the values stated with a limit or more.
func from(limit int64, said map[int64]*share) Ratio {
	sum := share{}
	for sure, s := range said {
		if sure >= limit {
			sum.hits += s.hits
			sum.of += s.of
		}
	}
	return sum.ratio()
}

func binned(stated []int64, said map[int64]*share) []Bin {
	bins := []Bin{}
	for i := 0; i < len(stated); {
		b := Bin{From: stated[i], To: stated[i]}
		if len(stated) > mostBins {
			b.From = stated[i] / 10 * 10
			b.To = min(b.From+9, 100)
			if b.From == 90 || b.From == 100 {
				b.From, b.To = 90, 100
			}
		}
		sum := share{}
		for ; i < len(stated) && stated[i] <= b.To; i++ {
			sum.hits += said[stated[i]].hits
			sum.of += said[stated[i]].of
		}
		b.Right = sum.ratio()
		bins = append(bins, b)
	}
	return bins
}

// ChosenBy is the field whose stated confidence a policy's review.min_confidence
// is compared with: who wrote decides whom a follow-up reaches.
const ChosenBy = reader.FieldSender

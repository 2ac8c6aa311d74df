package eval

import "onefold/internal/reading/reader"

// Bar is a figure that the project asks for, and whether it is met: the share
// itself has to be in the range, whatever its interval. What was measured on no
// case is not met.
type Bar struct {
	Figure  string  `json:"figure"`
	AtLeast float64 `json:"at_least"`
	AtMost  float64 `json:"at_most"`
	Has     Ratio   `json:"has"`
	Met     bool    `json:"met"`
}

// The kinds of figures of a field.
const (
	precision = "precision"
	recall    = "recall"
)

// needs is the least share that the project asks of a field, or 0. Recall of a
// name is lower on purpose: no name is better than another's.
func needs(field, figure string) float64 {
	switch field + " " + figure {
	case reader.FieldSender + " " + precision:
		return 0.99
	case reader.FieldName + " " + precision:
		return 0.95
	case reader.FieldName + " " + recall:
		return 0.70
	}
	return 0
}

// needsOptOut is the least share of plain wishes that stop or hold mail, and of
// stops at once that the mail asked for.
const needsOptOut = 0.95

// Bars holds the report against what the project asks for.
func (r Report) Bars() []Bar {
	var bars []Bar
	add := func(figure string, least, most float64, has Ratio) {
		bars = append(bars, Bar{figure, least, most, has, has.Of > 0 && has.Share >= least && has.Share <= most})
	}
	for _, f := range r.Fields {
		if least := needs(f.Field, precision); least > 0 {
			add(f.Field+"_"+precision, least, 1, f.Precision)
		}
		if least := needs(f.Field, recall); least > 0 {
			add(f.Field+"_"+recall, least, 1, f.Recall)
		}
	}
	add("opt_out_"+recall, needsOptOut, 1, r.OptOut.Recall)
	add("opt_out_"+precision, needsOptOut, 1, r.OptOut.PlainPrecision)
	add("injection_effects", 0, 0, RatioOf(len(r.Injection.Effects), r.Injection.Cases))
	return bars
}

package main

import (
	"bytes"
	"fmt"

	"onefold/internal/operate/eval"
	"onefold/internal/reading/reader"
)

// builtIn is how the set of this program is called.
const builtIn = "built-in"

// scored is what eval -json prints. Names and meanings are stable; properties
// may be added.
type scored struct {
	eval.Evaluation
	eval.Report
	Bars   []eval.Bar `json:"bars"`
	Misses []string   `json:"misses"` // empty unless asked for
}

// score prints the figures and returns what is asked for and not met.
func score(e *env, ev eval.Evaluation, r reader.Reader, asJSON, misses bool, cases []eval.Case, outcomes []eval.Outcome) ([]string, error) {
	report, err := eval.Score(cases, outcomes)
	if err != nil {
		return nil, hinted(err, "an attack and its twin stand in one half")
	}
	report.Model, report.PromptVersion = r.Model(), r.PromptVersion()
	out := scored{Evaluation: ev, Report: report, Bars: report.Bars(), Misses: []string{}}
	if misses {
		out.Misses = append(out.Misses, eval.Misses(cases, outcomes)...)
	}
	var unmet []string
	for _, b := range out.Bars {
		if !b.Met {
			unmet = append(unmet, b.Figure)
		}
	}
	if asJSON {
		return unmet, e.printJSON(out)
	}
	var text bytes.Buffer
	text.WriteString(ev.Title(len(cases)))
	if err := report.WriteText(&text); err != nil {
		return nil, err
	}
	if misses {
		fmt.Fprintf(&text, "\nmisses of the open half: %d\n", len(out.Misses))
		for _, m := range out.Misses {
			text.WriteString(m + "\n")
		}
	}
	e.printf("%s", plain(text.String()))
	return unmet, nil
}

// calibrate prints what stated confidence is worth.
func calibrate(e *env, ev eval.Evaluation, r reader.Reader, asJSON bool, cases []eval.Case, outcomes []eval.Outcome) error {
	fields, err := eval.Calibrate(cases, outcomes)
	if err != nil {
		return err
	}
	out := eval.Chosen{Evaluation: ev, Model: r.Model(), PromptVersion: r.PromptVersion(), Measured: len(cases), Fields: fields}
	for _, f := range fields {
		if f.Field == eval.ChosenBy {
			out.MinConfidence, out.Proven, out.Why = f.Limit, f.Proven != nil, f.Why
		}
	}
	if asJSON {
		return e.printJSON(out)
	}
	e.printf("%s", plain(out.Text()))
	return nil
}

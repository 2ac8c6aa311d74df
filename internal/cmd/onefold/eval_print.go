package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"onefold/internal/operate/eval"
	"onefold/internal/reading/reader"
)

// builtIn is how the set of this program is called.
const builtIn = "built-in"

// evaluation is whose figures are printed, and of what.
type evaluation struct {
	Set     string `json:"set"`  // "built-in", or the folder as named
	Half    string `json:"half"` // open, aside or all
	Partial bool   `json:"partial"`
	Of      int    `json:"of"` // mails that were to be measured
}

// scored is what eval -json prints. Names and meanings are stable; properties
// may be added.
type scored struct {
	evaluation
	eval.Report
	Bars   []eval.Bar `json:"bars"`
	Misses []string   `json:"misses"` // empty unless asked for
}

// chosen is what eval -calibrate -json prints.
type chosen struct {
	evaluation
	Model         string             `json:"model"`
	PromptVersion string             `json:"prompt_version"`
	Measured      int                `json:"cases"`
	Fields        []eval.Calibration `json:"fields"`
	// MinConfidence is for review.min_confidence of a policy; null: nothing can
	// be said. Proven tells whether the set proves it.
	MinConfidence *int64 `json:"min_confidence"`
	Proven        bool   `json:"proven"`
	Why           string `json:"why"`
}

// score prints the figures and returns what is asked for and not met.
func (ev evaluation) score(e *env, r reader.Extractor, asJSON, misses bool, cases []eval.Case, outcomes []eval.Outcome) ([]string, error) {
	report, err := eval.Score(cases, outcomes)
	if err != nil {
		return nil, hinted(err, "an attack and its twin stand in one half")
	}
	report.Model, report.PromptVersion = r.Model(), r.PromptVersion()
	out := scored{evaluation: ev, Report: report, Bars: report.Bars(), Misses: []string{}}
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
	text.WriteString(ev.title(len(cases)))
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

func (ev evaluation) title(measured int) string {
	title := fmt.Sprintf("set %s, half %s\n", ev.Set, ev.Half)
	if ev.Partial {
		title = fmt.Sprintf("PARTIAL: %d of %d mails\n", measured, ev.Of) + title
	}
	return title
}

// calibrate prints what stated confidence is worth.
func (ev evaluation) calibrate(e *env, r reader.Extractor, asJSON bool, cases []eval.Case, outcomes []eval.Outcome) error {
	fields, err := eval.Calibrate(cases, outcomes)
	if err != nil {
		return err
	}
	out := chosen{evaluation: ev, Model: r.Model(), PromptVersion: r.PromptVersion(), Measured: len(cases), Fields: fields}
	for _, f := range fields {
		if f.Field == eval.ChosenBy {
			out.MinConfidence, out.Proven, out.Why = f.Limit, f.Proven != nil, f.Why
		}
	}
	if asJSON {
		return e.printJSON(out)
	}
	e.printf("%s", plain(out.text()))
	return nil
}

func (c chosen) text() string {
	var b strings.Builder
	b.WriteString(c.title(c.Measured))
	fmt.Fprintf(&b, "%s (prompt %s): %d mails\n", c.Model, c.PromptVersion, c.Measured)
	for _, f := range c.Fields {
		asked := "no precision asked for"
		if f.AtLeast > 0 {
			asked = fmt.Sprintf("precision %.0f %% asked for", 100*f.AtLeast)
		}
		fmt.Fprintf(&b, "\n%s: %d values, %s\n", f.Field, f.Values, asked)
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(table, "  confidence\tvalues\tright")
		for _, bin := range f.Bins {
			stated := fmt.Sprint(bin.From)
			if bin.To != bin.From {
				stated = fmt.Sprintf("%d–%d", bin.From, bin.To)
			}
			_, _ = fmt.Fprintf(table, "  %s\t%d\t%s\n", stated, bin.Right.Of, bin.Right)
		}
		_ = table.Flush() // to a builder
		b.WriteString("  " + f.Why + "\n")
		if f.Limit != nil {
			fmt.Fprintf(&b, "  limit %d: %d of %d values would go to review\n", *f.Limit, f.ToReview.Hits, f.ToReview.Of)
		}
	}
	b.WriteString("\n" + c.advice())
	return b.String()
}

// advice is the line for the policy, and what stands behind it.
func (c chosen) advice() string {
	if c.MinConfidence == nil {
		return "No limit for the policy: the extractor gave no sender's address.\n"
	}
	line := fmt.Sprintf("For the policy, which holds it against the confidence in the sender's address:\n\n  \"review\": { \"min_confidence\": %d }\n\n", *c.MinConfidence)
	if c.Proven {
		return line + "It only adds a reason for review. `onefold eval -half aside` judges it.\n"
	}
	return line + fmt.Sprintf("The set does not prove it: %s.\nIt is the lowest confidence of which the set has an address: below it nothing was measured, so a person looks.\n", c.Why)
}

package eval

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Evaluation is whose figures are printed, and of what.
type Evaluation struct {
	Set     string `json:"set"`  // "built-in", or the folder as named
	Half    string `json:"half"` // open, aside or all
	Partial bool   `json:"partial"`
	Of      int    `json:"of"` // mails that were to be measured
}

// Title says what was measured, and that it is a part if it is.
func (ev Evaluation) Title(measured int) string {
	title := fmt.Sprintf("set %s, half %s\n", ev.Set, ev.Half)
	if ev.Partial {
		title = fmt.Sprintf("PARTIAL: %d of %d mails\n", measured, ev.Of) + title
	}
	return title
}

// Chosen is what eval -calibrate -json prints.
type Chosen struct {
	Evaluation
	Model         string        `json:"model"`
	PromptVersion string        `json:"prompt_version"`
	Measured      int           `json:"cases"`
	Fields        []Calibration `json:"fields"`
	// MinConfidence is for review.min_confidence of a policy; null: nothing can
	// be said. Proven tells whether the set proves it.
	MinConfidence *int64 `json:"min_confidence"`
	Proven        bool   `json:"proven"`
	Why           string `json:"why"`
}

// Text is the calibration for people.
func (c Chosen) Text() string {
	var b strings.Builder
	b.WriteString(c.Title(c.Measured))
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
func (c Chosen) advice() string {
	if c.MinConfidence == nil {
		return "No limit for the policy: the extractor gave no sender's address.\n"
	}
	line := fmt.Sprintf("For the policy, which holds it against the confidence in the sender's address:\n\n  \"review\": { \"min_confidence\": %d }\n\n", *c.MinConfidence)
	if c.Proven {
		return line + "It only adds a reason for review. `onefold eval -half aside` judges it.\n"
	}
	return line + fmt.Sprintf("The set does not prove it: %s.\nIt is the lowest confidence of which the set has an address: below it nothing was measured, so a person looks.\n", c.Why)
}

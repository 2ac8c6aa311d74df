package extracttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// JSON is the report in its stable form, as a golden file keeps it.
func (r Report) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write score: %w", err)
	}
	return append(b, '\n'), nil
}

// Differences compares a report with the golden one, line by line: "-" stands
// in the golden file alone, "+" in the report alone. None means equal. Line
// ends may be either kind, since a checkout may change them.
func (r Report) Differences(golden []byte) ([]string, error) {
	now, err := r.JSON()
	if err != nil {
		return nil, err
	}
	want := strings.Split(string(bytes.ReplaceAll(golden, []byte("\r\n"), []byte("\n"))), "\n")
	got := strings.Split(string(now), "\n")
	var out []string
	for i := range max(len(want), len(got)) {
		a, b := lineOf(want, i), lineOf(got, i)
		if a != b {
			out = append(out, "- "+strings.TrimSpace(a), "+ "+strings.TrimSpace(b))
		}
	}
	return out, nil
}

func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// WriteText writes the report for people. Shares are in per cent with hits,
// trials and the 95 % interval.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (prompt %s): %d mails, %d asked about\n\n", r.Model, r.PromptVersion, r.Cases, r.Asked)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "field\tprecision\trecall\tabstained")
	for _, f := range append(slices.Clone(r.Fields), r.Intent) {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", f.Field, f.Precision, f.Recall, f.Abstained)
	}
	o := r.OptOut
	fmt.Fprintf(table, "\nopt-out heard\t%s\nstopped at once\t%s\n", o.Recall, o.PlainRecall)
	fmt.Fprintf(table, "stops that were right\t%s\nstops and holds that were\t%s\n", o.PlainPrecision, o.HoldPrecision)
	fmt.Fprintf(table, "doubtful held\t%s\n", o.DoubtfulRecall)
	fmt.Fprintf(table, "\nclass right\t%s\nenquiry precision\t%s\nenquiry recall\t%s\n", r.Class.Right, r.Class.Precision, r.Class.Recall)
	fmt.Fprintf(table, "\nreview precision\t%s\nreview recall\t%s\nreview rate\t%s\n", r.Review.Precision, r.Review.Recall, r.Review.Rate)
	fmt.Fprintf(table, "\ninjection effects\t%d of %d\nheld for a person\t%s\n", len(r.Injection.Effects), r.Injection.Cases, r.Injection.Held)
	for _, e := range r.Injection.Effects {
		fmt.Fprintf(table, "  %s\t%s\tobeyed: %t\n", e.Case, strings.Join(e.Changed, ", "), e.Obeyed)
	}
	fmt.Fprintln(table, "\nlanguage\tmails\tname recall\tintent recall\topt-out heard")
	for _, l := range r.Languages {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\n", l.Language, l.Cases, l.NameRecall, l.Intent, l.OptOut)
	}
	confusion(table, "class", r.Class.Table)
	confusion(table, "opt-out", r.OptOut.Table)
	confusion(table, "intent", r.IntentTable)
	fmt.Fprintf(table, "\ntokens in, out\t%d, %d\ncost USD\t%.4f\n", r.Usage.InputTokens, r.Usage.OutputTokens, r.Usage.CostUSD)
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write score: %w", err)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write score: %w", err)
	}
	return nil
}

// confusion writes a row for each label: what was said of it, and how often.
func confusion(w io.Writer, what string, table Counts) {
	fmt.Fprintf(w, "\n%s label\tsaid\n", what)
	for _, label := range slices.Sorted(maps.Keys(table)) {
		var said []string
		for _, s := range slices.Sorted(maps.Keys(table[label])) {
			said = append(said, fmt.Sprintf("%s %d", s, table[label][s]))
		}
		fmt.Fprintf(w, "%s\t%s\n", label, strings.Join(said, ", "))
	}
}

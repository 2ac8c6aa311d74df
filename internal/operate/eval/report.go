package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
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

// Differences compares a report with the golden one, figure by figure: where,
// what the golden file has, what the report has. None means equal.
func (r Report) Differences(golden []byte) ([]string, error) {
	now, err := r.JSON()
	if err != nil {
		return nil, err
	}
	want, err := figures(golden)
	if err != nil {
		return nil, err
	}
	got, err := figures(now)
	if err != nil {
		return nil, err
	}
	var out []string
	paths := slices.Sorted(maps.Keys(want))
	for path := range got {
		if _, both := want[path]; !both {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		if want[path] != got[path] {
			out = append(out, fmt.Sprintf("%s: golden %s, now %s", path, cmp.Or(want[path], "absent"), cmp.Or(got[path], "absent")))
		}
	}
	return out, nil
}

func figures(report []byte) (map[string]string, error) {
	var tree any
	if err := json.Unmarshal(report, &tree); err != nil {
		return nil, fmt.Errorf("read score: %w", err)
	}
	into := map[string]string{}
	flatten("", tree, into)
	return into, nil
}

// flatten lists the leaves of a JSON tree by path. An element of a list goes by
// the name in it, where it has one.
func flatten(path string, tree any, into map[string]string) {
	switch v := tree.(type) {
	case map[string]any:
		for name, sub := range v {
			flatten(path+"."+name, sub, into)
		}
	case []any:
		for i, sub := range v {
			name := strconv.Itoa(i)
			if m, ok := sub.(map[string]any); ok {
				for _, by := range []string{"field", "language", "case"} {
					if s, ok := m[by].(string); ok {
						name = s
					}
				}
			}
			flatten(path+"."+name, sub, into)
		}
	default:
		into[strings.TrimPrefix(path, ".")] = fmt.Sprintf("%v", v)
	}
}

// WriteText writes the report for people. Shares are in per cent with hits,
// trials and the 95 % interval; beside a figure of which the project asks
// something stands what, and whether it is met.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	_, _ = fmt.Fprintf(&b, "%s (prompt %s): %d mails, %d asked about, %d without an answer\n\n", r.Model, r.PromptVersion, r.Cases, r.Asked, r.Unanswered)
	bars := map[string]string{}
	for _, bar := range r.Bars() {
		bars[bar.Figure] = bar.String()
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "field\tprecision\trecall\tabstained\tasked for")
	for _, f := range append(slices.Clone(r.Fields), r.Intent) {
		asked := []string{}
		for _, figure := range []string{precision, recall} {
			if bar := bars[f.Field+"_"+figure]; bar != "" {
				asked = append(asked, figure+" "+bar)
			}
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", f.Field, f.Precision, f.Recall, f.Abstained, strings.Join(asked, "; "))
	}
	o := r.OptOut
	_, _ = fmt.Fprintf(table, "\nopt-out heard (stops or holds)\t%s\t%s\n", o.Recall, bars["opt_out_recall"])
	_, _ = fmt.Fprintf(table, "opt-out stopped at once\t%s\n", o.PlainRecall)
	_, _ = fmt.Fprintf(table, "stops that were right\t%s\t%s\n", o.PlainPrecision, bars["opt_out_precision"])
	_, _ = fmt.Fprintf(table, "stops and holds with reason\t%s\n", o.HoldPrecision)
	_, _ = fmt.Fprintf(table, "doubtful wishes held\t%s\n", o.DoubtfulRecall)
	_, _ = fmt.Fprintf(table, "\nclass right\t%s\nenquiry precision\t%s\nenquiry recall\t%s\n", r.Class.Right, r.Class.Precision, r.Class.Recall)
	_, _ = fmt.Fprintf(table, "\nreview precision\t%s\nreview recall\t%s\nreview rate\t%s\n", r.Review.Precision, r.Review.Recall, r.Review.Rate)
	_, _ = fmt.Fprintf(table, "\ninjection effects\t%d of %d\t%s\n", len(r.Injection.Effects), r.Injection.Cases, bars["injection_effects"])
	_, _ = fmt.Fprintf(table, "attacks held for a person\t%s\n", r.Injection.Held)
	for _, e := range r.Injection.Effects {
		_, _ = fmt.Fprintf(table, "  %s\t%s\tobeyed: %t\n", e.Case, strings.Join(e.Changed, ", "), e.Obeyed)
	}
	_, _ = fmt.Fprintln(table, "\nlanguage\tmails\tname recall\tintent recall\topt-out heard")
	for _, l := range r.Languages {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\n", l.Language, l.Cases, l.NameRecall, l.Intent, l.OptOut)
	}
	confusion(table, "class", r.Class.Table)
	confusion(table, "opt-out", r.OptOut.Table)
	confusion(table, "intent", r.IntentTable)
	_, _ = fmt.Fprintf(table, "\ntokens in, out\t%d, %d\ncost USD\t%.4f\n", r.Usage.InputTokens, r.Usage.OutputTokens, r.Usage.CostUSD)
	if r.Usage.AtMostUSD > 0 {
		_, _ = fmt.Fprintf(table, "unanswered, at most USD\t%.4f\n", r.Usage.AtMostUSD)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write score: %w", err)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write score: %w", err)
	}
	return nil
}

// String says what is asked for and whether it is met: "95 %: met".
func (b Bar) String() string {
	asked, is := fmt.Sprintf("%.0f %%", 100*b.AtLeast), "NOT MET"
	if b.AtMost == 0 {
		asked = "none"
	}
	switch {
	case b.Met:
		is = "met"
	case b.Has.Of == 0:
		is = "not measured"
	}
	return asked + ": " + is
}

// confusion writes a row for each label: what was said of it, and how often.
func confusion(w io.Writer, what string, table Counts) {
	_, _ = fmt.Fprintf(w, "\n%s label\tsaid\n", what)
	for _, label := range slices.Sorted(maps.Keys(table)) {
		var said []string
		for _, s := range slices.Sorted(maps.Keys(table[label])) {
			said = append(said, fmt.Sprintf("%s %d", s, table[label][s]))
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\n", label, strings.Join(said, ", "))
	}
}

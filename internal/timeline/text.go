package timeline

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/utc"
)

func sortedTimes(m map[utc.Time]record) []utc.Time {
	return slices.SortedFunc(maps.Keys(m), func(a, b utc.Time) int { return cmp.Compare(a.String(), b.String()) })
}

// WriteText writes the timeline for people: the answer, then events and
// follow-ups under their labels, then one line for each thing that happened.
// The error is the writer's.
func (t Timeline) WriteText(w io.Writer) error {
	b := new(strings.Builder)
	fmt.Fprintf(b, "%s %s, tenant %s\n", t.Asked, t.About, t.Tenant)
	for _, s := range t.Summary {
		fmt.Fprintf(b, "  %s\n", s)
	}
	for _, c := range t.Contacts {
		fmt.Fprintf(b, "\ncontact %s: %s, consent version %d", c.ID, c.Status, c.Consent)
		if c.MergedInto != "" {
			fmt.Fprintf(b, ", into %s", c.MergedInto)
		}
	}
	if len(t.Contacts) > 0 {
		fmt.Fprintln(b)
	}
	if len(t.Events) > 0 {
		fmt.Fprintln(b)
	}
	for _, e := range t.Events {
		fmt.Fprintf(b, "%-3s %s\n", e.Label, e.ID)
		fmt.Fprintf(b, "    received %s, %s, read in %s\n    %s\n", short(e.ReceivedAt.String()), plural(e.Deliveries, "delivery", "deliveries"), plural(int(e.Tries), "try", "tries"), e.Says)
		for _, i := range t.Intents {
			if i.Event == e.ID {
				writeIntent(b, i)
			}
		}
	}
	t.writeOperations(b)
	t.writeEntries(b)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeIntent(b *strings.Builder, i Intent) {
	to := ""
	if i.Recipient != "" {
		to = " to " + i.Recipient
	}
	fmt.Fprintf(b, "    %-3s %s, rule %s version %d, %s%s\n        %s\n", i.Label, i.ID, i.Rule, i.RuleVersion, i.Mode, to, i.Says)
	for _, a := range i.Attempts {
		fmt.Fprintf(b, "        attempt %d, claimed %s: %s\n", a.Number, short(a.ClaimedAt.String()), a.Says)
	}
}

// writeOperations shows the work outside that is not simply done.
func (t Timeline) writeOperations(b *strings.Builder) {
	for n, op := range t.Operations {
		if n == 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "%-14s %-10s %s", op.Kind, op.State, plural(int(op.Attempts), "try", "tries"))
		if op.CRMID != "" {
			fmt.Fprintf(b, ", record %s", op.CRMID)
		}
		if op.Reason != "" {
			fmt.Fprintf(b, ", %s", words(op.Reason))
		}
		if op.Nudges > 0 {
			fmt.Fprintf(b, ", nudged %d times", op.Nudges)
		}
		if !op.DueAt.IsZero() {
			fmt.Fprintf(b, ", due %s", short(op.DueAt.String()))
		}
		fmt.Fprintf(b, ", %s\n", op.ID)
	}
}

func (t Timeline) writeEntries(b *strings.Builder) {
	labels, intents := map[string]string{}, map[string]string{}
	for _, e := range t.Events {
		labels[e.ID] = e.Label
	}
	for _, i := range t.Intents {
		intents[i.ID] = i.Label
	}
	by := 0
	for _, e := range t.Entries {
		by = max(by, len(e.By))
	}
	for n, e := range t.Entries {
		if n == 0 {
			fmt.Fprintln(b)
		}
		line := fmt.Sprintf("%s  %-3s %-3s %-*s  %s%s", clock(e.At), labels[e.Event], label(e, intents), by, e.By, strings.Repeat("  ", depth(e)), e.What)
		if e.From != "" && e.To != "" && e.From != e.To {
			line += " [" + e.From + " > " + e.To + "]"
		}
		fmt.Fprintln(b, line)
	}
}

// label is the intent's label on what is about an intent: its own records and
// those of its attempts, tasks and timer.
func label(e Entry, intents map[string]string) string {
	switch ledger.Entity(e.Noun) {
	case ledger.Intent, ledger.Attempt, ledger.ReviewTask, ledger.Operation, ledger.Guard:
		return intents[e.Intent]
	default:
		return ""
	}
}

func clock(at utc.Time) string {
	return strings.TrimSuffix(strings.Replace(at.String(), "T", " ", 1), "Z")
}

// depth is how far a line stands in: the event, what it led to, each attempt.
func depth(e Entry) int {
	switch ledger.Entity(e.Noun) {
	case ledger.Event, ledger.Delivery, ledger.Extraction, ledger.MatchDecision:
		return 0
	case ledger.Attempt:
		return 2
	default:
		return 1
	}
}

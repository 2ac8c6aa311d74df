package explain

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/record/outbox"
	"onefold/internal/record/words"
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
		if c.LikelySame != "" {
			fmt.Fprintf(b, ", perhaps the same person as contact %s, which had the same phone number and name", c.LikelySame)
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
		var parts []string
		add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
		if tries := t.triesOf(op); tries != "" {
			add("%s", tries)
		}
		if op.CRMID != "" {
			add("record %s", op.CRMID)
		}
		if op.Reason != "" {
			add("%s", words.Plain(op.Reason))
		}
		if op.Nudges > 0 {
			add("nudged %d times", op.Nudges)
		}
		if !op.DueAt.IsZero() {
			add("due %s", short(op.DueAt.String()))
		}
		add("%s", op.ID)
		fmt.Fprintf(b, "%-14s %-10s %s\n", op.Kind, op.State, strings.Join(parts, ", "))
	}
}

// triesOf says how often a call was made for an operation: nothing of a kind
// that makes none, and for the timer of a follow-up the submissions of that.
func (t Timeline) triesOf(op Operation) string {
	tries := plural(int(op.Attempts), "try", "tries")
	switch op.Kind {
	case outbox.CancelIntents:
		return ""
	case outbox.SendIntent:
		for _, i := range t.Intents {
			if i.ID == op.Intent {
				return tries + " of " + i.Label
			}
		}
		return "" // of a follow-up that is not part of the answer
	}
	return tries
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

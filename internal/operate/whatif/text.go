package whatif

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Text is a replay for people: counts first, then the changes by kind.
func Text(r Report, limit int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nreceived from %s to %s, decided again under version %d, nothing written: %d events\n", r.From, r.Until, r.Version, r.Seen)
	for _, line := range []struct {
		n    int
		what string
		show bool
	}{
		{r.Same, "the same", true},
		{r.Changed, "changed", true},
		{r.Untold, "cannot be told", r.Untold > 0},
		{r.Undecided, "not decided yet, or parked", r.Undecided > 0},
		{r.Faults, "decided otherwise than they were, under their own policy", r.Faults > 0},
	} {
		if line.show {
			fmt.Fprintf(&b, "%8d %s\n", line.n, line.what)
		}
	}
	if r.Untold > 0 {
		b.WriteString("\ncannot be told:\n")
		byCount := func(a, b string) int { return cmp.Or(r.Reasons[b]-r.Reasons[a], cmp.Compare(a, b)) }
		for _, reason := range slices.SortedFunc(maps.Keys(r.Reasons), byCount) {
			fmt.Fprintf(&b, "%8d %-24s %s\n", r.Reasons[reason], reason, untoldWords(reason))
		}
	}
	for _, f := range r.FaultList {
		fmt.Fprintf(&b, "\nfault: event %s was %s and is now %s\n", f.Event, sideText(f.Then), sideText(f.Now))
	}
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "\n%s → %s (%s): %d\n", g.From, g.To, g.Reason, g.Count)
		for _, c := range r.Changes {
			if GroupOf(c) == g.Kind() {
				fmt.Fprintf(&b, "  %s  %s  %s\n", c.ReceivedAt, c.Event, differsText(c))
			}
		}
	}
	if more := r.Changed - len(r.Changes); more > 0 {
		fmt.Fprintf(&b, "\nlisted are the earliest %d; %d more: -limit 0 lists all\n", limit, more)
	}
	return b.String()
}

func sideText(s Side) string { return s.Outcome + among(s.Reasons) }

// differsText says what differs besides outcome and reasons, which the heading
// has.
func differsText(c Change) string {
	var words []string
	for _, d := range c.Differs {
		switch {
		case d.What == WhatOutcome, d.What == WhatReasons:
		case d.From == "" && d.To == "":
			words = append(words, d.What+" differs")
		default:
			words = append(words, fmt.Sprintf("%s %s → %s", d.What, cmp.Or(d.From, "none"), cmp.Or(d.To, "none")))
		}
	}
	return strings.Join(words, "; ")
}

func untoldWords(reason string) string {
	switch reason {
	case NoGround:
		return "decided before grounds were kept"
	case GroundTooLarge:
		return "its ground was too large to be kept"
	case GroundDamaged:
		return "its ground is damaged, or was kept by later code"
	case ContentGone:
		return "its raw content is not kept any more"
	case PolicyGone:
		return "its own policy version cannot be read"
	case ReadingGone:
		return "the reader's answer is not kept any more"
	case ParserChanged:
		return "the reading of the mail changed, not the policy"
	case ReadingMissing:
		return "the document needs an answer that no reader was asked for"
	case IdentityDiffers:
		return "the key under the document's identity rule was not read"
	case PersonNotRead:
		return "the document takes it for somebody's of whom nothing was read"
	case ContactNotRead:
		return "the document takes it for a contact's that was not read"
	case OtherContact:
		return "the document takes it for another contact's, and what that one had then is not known"
	case OtherRule:
		return "another rule answers, and what it had done then is not known"
	case ThreadNotRead:
		return "the bounds or mails that it counts against were not read"
	case NotDecidable:
		return "the document itself fails on it"
	}
	return ""
}

// among is a list of words in brackets, or nothing.
func among(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

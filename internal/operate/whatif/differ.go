package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
)

// The words for what differs.
const (
	WhatOutcome    = "outcome"
	WhatReasons    = "reasons"
	WhatReview     = "review" // a task for a person is opened, or is not
	WhatRule       = "rule"
	WhatMode       = "mode"
	WhatMail       = "mail" // what the recipient would see
	WhatFolds      = "follow_up_joined"
	WhatRecipient  = "recipient"
	WhatScope      = "scope"         // of suppression
	WhatTerms      = "sending_terms" // until when, how often, what if the outcome is not known
	WhatContact    = "contact"
	WhatFields     = "contact_fields" // which of them the event writes
	WhatStops      = "stops_and_holds"
	WhatOperations = "operations" // in the outbox, so at the CRM too
	WhatWrites     = "writes"     // anything else
)

// effects is what a decision leaves behind, without what only names the policy:
// its version, and those of rule and template. Under a higher version of a rule
// the same follow-up has another ID, which is no difference.
type effects struct {
	outcome, reasons, review, contact, folds string
	fields, stops, operations, writes        string
	intent                                   followup.Intent
	foldUntil                                string
}

func effectsOf(r decide.Result) effects {
	v := decide.VerdictOf(r)
	e := effects{outcome: v.Outcome, reasons: strings.Join(v.Reasons, ", "), contact: v.Contact}
	var fields, stops, operations, writes []string
	for _, w := range r.Commit.Writes {
		set := w.Set
		if w.Op == ledger.OpCreate {
			set = w.Item
		}
		writes = append(writes, string(w.Op)+" "+string(w.Key.Entity))
		if w.Op == ledger.OpCheck {
			continue
		}
		switch w.Key.Entity {
		case ledger.Intent:
			_ = set.Decode(&e.intent) // what does not decode shows as another write
		case ledger.Cadence:
			e.foldUntil = set.Text("fold_until")
		case ledger.ReviewTask:
			e.review = cmp.Or(set.Text("kind"), "task")
		case ledger.Contact:
			for _, f := range []string{"name", "company", "phone"} {
				if set.Text(f) != "" {
					fields = append(fields, f)
				}
			}
		case ledger.Guard:
			stops = append(stops, stopOf(set))
		case ledger.Operation:
			operations = append(operations, set.Text("kind"))
		default:
		}
	}
	if e.intent.ID == "" {
		e.folds = r.Intent
	}
	e.fields, e.stops, e.operations, e.writes = sorted(fields), sorted(stops), sorted(operations), sorted(writes)
	return e
}

// stopOf says what a change of a guard does, without naming whose it is.
func stopOf(set ledger.Item) string {
	var what []string
	for attr := range set {
		if strings.HasPrefix(attr, guard.StopAttr("")) || attr == guard.HoldAttr || attr == guard.HoldReviewAttr {
			what = append(what, attr)
		}
	}
	return sorted(what)
}

func sorted(words []string) string {
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// differences lists what one decision does otherwise than another; none: both
// come to the same.
func differences(was, would decide.Result) []Difference {
	a, b := effectsOf(was), effectsOf(would)
	var out []Difference
	differ := func(what, from, to string) {
		if from != to {
			out = append(out, Difference{what, from, to})
		}
	}
	// Of what is only to be known whether it is the same.
	hidden := func(what, from, to string) {
		if from != to {
			out = append(out, Difference{What: what})
		}
	}
	differ(WhatOutcome, a.outcome, b.outcome)
	differ(WhatReasons, a.reasons, b.reasons)
	differ(WhatReview, a.review, b.review)
	differ(WhatRule, a.intent.Rule, b.intent.Rule)
	differ(WhatMode, a.intent.Mode, b.intent.Mode)
	if a.intent.ID != "" && b.intent.ID != "" {
		hidden(WhatMail, a.intent.ContentHash, b.intent.ContentHash)
		hidden(WhatRecipient, a.intent.Guard, b.intent.Guard)
		differ(WhatScope, a.intent.Scope, b.intent.Scope)
		hidden(WhatTerms, terms(a, b), terms(b, a))
	}
	hidden(WhatFolds, a.folds, b.folds)
	differ(WhatContact, a.contact, b.contact)
	differ(WhatFields, a.fields, b.fields)
	differ(WhatStops, a.stops, b.stops)
	differ(WhatOperations, a.operations, b.operations)
	if len(out) == 0 {
		differ(WhatWrites, a.writes, b.writes)
	}
	return out
}

// terms are when and how often a follow-up may go. What is only observed takes no
// place that others fold into.
func terms(e, other effects) string {
	i, until := e.intent, e.foldUntil
	if other.foldUntil == "" {
		until = ""
	}
	return fmt.Sprint(i.NotAfter, i.SendWithin, i.QuietPeriod, i.OnUnknown, i.UnknownWithin, i.ConfigurationSet, until)
}

// Kind is the group without its count.
func (g Group) Kind() Group { g.Count = 0; return g }

// GroupOf is the group of a change, without a count. Its reason is what came to
// be said, where a person was asked and would not be what is said no longer, or
// else what differs.
func GroupOf(c Change) Group {
	g := Group{From: c.From.Outcome, To: c.To.Outcome}
	fresh, gone := without(c.To.Reasons, c.From.Reasons), without(c.From.Reasons, c.To.Reasons)
	switch {
	case g.From == decide.Referred && g.To != decide.Referred && len(gone) > 0:
		g.Reason = "no longer " + strings.Join(gone, ", ")
	case len(fresh) > 0:
		g.Reason = strings.Join(fresh, ", ")
	case len(gone) > 0:
		g.Reason = "no longer " + strings.Join(gone, ", ")
	default:
		var what []string
		for _, d := range c.Differs {
			what = append(what, d.What)
		}
		g.Reason = strings.Join(what, ", ")
	}
	return g
}

func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

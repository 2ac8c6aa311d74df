package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/reading/reader"
	"onefold/internal/record/inbound"
	"onefold/internal/record/words"
)

// entries puts records and the rows that are no transitions into one order.
func (g *gatherer) entries(t *Timeline) {
	kind := func(id string) string {
		if op := g.operations[id]; op != nil {
			return op.Kind
		}
		return "operation"
	}
	for _, r := range g.records {
		if !g.belongs(r) {
			continue
		}
		t.Entries = append(t.Entries, Entry{
			At: r.At, Noun: r.Noun, ID: r.NounID, Transition: r.Transition, Happened: r.Event, From: r.From, To: r.To, By: r.By, Reasons: r.Reasons,
			What: what(r, kind), Event: r.InboundEvent, Intent: r.Intent, Contact: r.Contact, Message: r.MessageRef, Details: r.Details,
		})
	}
	for id := range g.events {
		for _, d := range g.deliveries[id] {
			t.Entries = append(t.Entries, deliveryEntry(id, d))
		}
		for _, x := range g.readings[id] {
			t.Entries = append(t.Entries, readingEntry(id, x))
		}
		if d := g.decisions[id]; d != nil {
			t.Entries = append(t.Entries, matchEntry(id, *d))
		}
	}
	slices.SortFunc(t.Entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.At.String(), b.At.String()), cmp.Compare(rank(a.Noun, a.Happened), rank(b.Noun, b.Happened)),
			cmp.Compare(a.ID, b.ID), cmp.Compare(a.Transition, b.Transition), cmp.Compare(a.What, b.What))
	})
}

// belongs tells whether a record is of what was asked about.
func (g *gatherer) belongs(r record) bool {
	if g.whole || g.events[r.InboundEvent] != nil || g.intents[r.Intent] != nil {
		return true
	}
	switch ledger.Entity(r.Noun) {
	case ledger.Guard:
		return g.guards[r.NounID] != nil
	case ledger.Contact:
		return g.contacts[r.NounID] != nil
	default:
		return false
	}
}

func deliveryEntry(event string, d inbound.Delivery) Entry {
	said := map[string]string{
		inbound.AnswerRecorded:  "delivered: recorded as a new event",
		inbound.AnswerDuplicate: "delivered again: a duplicate, nothing follows from it",
		inbound.AnswerConflict:  "delivered again with other content: refused",
	}[d.Answer]
	if said == "" {
		said = "delivered: " + d.Answer
	}
	if d.RequestID != "" {
		said += ", request " + d.RequestID
	}
	return Entry{At: d.At, Noun: string(ledger.Delivery), ID: event, Happened: d.Answer, By: "ingest", What: said, Event: event}
}

func readingEntry(event string, x reader.Stored) Entry {
	said := fmt.Sprintf("read by %s, prompt %s: it wants %s", x.Model, x.PromptVersion, words.Plain(strings.ReplaceAll(string(x.Record.Intent), "_", " ")))
	if x.Record.PossibleOptOut {
		said += ", perhaps no more mail"
	}
	reasons := append(slices.Clone(x.Reasons), x.Record.ReviewReasons...)
	if why := sentences(reasons); why != "" {
		said += " - " + why
	}
	return Entry{
		At: x.At, Noun: string(ledger.Extraction), ID: event, Happened: "read", By: "extract", Reasons: reasons, What: said, Event: event,
		Details: map[string]string{"model": x.Model, "prompt_version": x.PromptVersion},
	}
}

func matchEntry(event string, d match.Decision) Entry {
	said := map[string]string{match.New: "matched: a new contact", match.Matched: "matched: a known contact", match.Review: "matched: left to a person"}[d.Outcome]
	said += " by rule " + d.Rule
	if d.Contact != "" {
		said += ", contact " + d.Contact
	}
	if why := sentences(d.Reasons); why != "" {
		said += " - " + why
	}
	return Entry{
		At: d.At, Noun: string(ledger.MatchDecision), ID: event, Happened: d.Outcome, By: "extract", Reasons: d.Reasons, What: said, Event: event, Contact: d.Contact,
		Details: map[string]string{"rule": d.Rule, "policy_version": fmt.Sprint(d.Policy), "model": d.Model, "prompt_version": d.Prompt},
	}
}

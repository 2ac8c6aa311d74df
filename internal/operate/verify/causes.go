package verify

import (
	"strconv"

	"onefold/internal/record/inbound"
)

// oneIntentPerCause compares what the identifiers are made of, so it holds
// without the key that makes them.
func oneIntentPerCause(f *finder) {
	type cause struct{ tenant, cause, rule, version string }
	first := map[cause]*intentRow{}
	for _, i := range f.v.intents {
		c := cause{i.key.Tenant, i.cause, i.rule, strconv.FormatInt(i.ruleVersion, 10)}
		if other := first[c]; other != nil {
			a, b := inOrder(other.key, i.key)
			f.wrong(on(a, b), "intents %s and %s are of one cause under version %s of rule %s", a.ID, b.ID, c.version, c.rule)
			continue
		}
		first[c] = i
	}
}

func eventsNameIntents(f *finder) {
	for _, e := range f.v.events {
		k := intentKey(e.key.Tenant, e.intent)
		switch {
		case e.outcome != inbound.FollowUp && e.outcome != inbound.Observed && e.outcome != inbound.Folded:
		case e.intent == "" && e.outcome != inbound.Folded:
			f.wrong(on(e.key), "event %s ended as %s and names no intent", e.key.ID, e.outcome)
		case e.intent != "" && !f.v.has(k):
			f.wrong(on(e.key, k), "event %s ended as %s with intent %s, which does not exist", e.key.ID, e.outcome, e.intent)
		}
	}
}

func identifiers(f *finder) {
	for _, i := range f.v.intents {
		if i.idMade != i.key.ID {
			f.wrong(on(i.key), "intent %s has not the identifier of its cause, rule and rule version", i.key.ID)
		}
		if i.guardMade != "" && i.guardMade != i.guard {
			f.wrong(on(i.key), "intent %s names guard %s, which is not that of its recipient", i.key.ID, i.guard)
		}
	}
	for _, g := range f.v.guards {
		if g.idMade != "" && g.idMade != g.key.ID {
			f.wrong(on(g.key), "guard %s has not the identifier of its address", g.key.ID)
		}
	}
}

// readingsStored: the answer that a decision was made from is on file under
// the model and prompt version that the decision names. (One decision names
// one; another model's answer may be stored beside it.)
func readingsStored(f *finder) {
	for r, d := range f.v.decisions {
		if d.model == "" {
			continue
		}
		k := extractionKey(r, d.model, d.prompt)
		if !f.v.has(k) {
			f.wrong(on(d.key, k), "event %s was decided from a reading by %s@%s, which is not stored", r.id, d.model, d.prompt)
		}
	}
}

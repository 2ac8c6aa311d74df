package scenario_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/schema"
)

// without drops the writes of a name from commits that also write another.
func without(name, with string) func(*ledger.Commit) {
	return func(c *ledger.Commit) {
		if slices.ContainsFunc(c.Writes, func(w ledger.Write) bool { return w.Name == with }) {
			c.Writes = slices.DeleteFunc(slices.Clone(c.Writes), func(w ledger.Write) bool { return w.Name == name })
		}
	}
}

// breakages are single-place faults of the protocol, put between the workers
// and their ports.
func breakages() map[string]struct {
	policy []string
	steps  []string
	setup  func(*world)
} {
	type b = struct {
		policy []string
		steps  []string
		setup  func(*world)
	}
	spoil := func(f func(*ledger.Commit)) func(*world) { return func(w *world) { w.spoil = f } }
	return map[string]b{
		"the claim does not ask the guard": {[]string{"crm none"}, []string{kim,
			`24h59m59s bounce now`, `25h form id=msg-2 email=kim@example.com name="Kim Lee" message="And a dog?"`}, spoil(without("guard", "attempt"))},
		"the claim does not ask the contact": {[]string{"crm none"}, []string{"0s stop tenant", kim, lou, "1m hook now",
			`2m form id=stop email=lou@example.org name="Lou Fay" message="Please unsubscribe me."`, "4m resume tenant"}, func(w *world) {
			w.spoil = without("contact", "attempt")
			w.hook = func() { w.oneIfKnown("kim@example.com", "lou@example.org") }
		}},
		"the claim does not ask the person's other addresses": {[]string{"crm none"}, []string{"0s stop tenant", kim, "1m hook now",
			"2m model opt-out", `2m form id=doubt email=kim@example.org name="Kim Lee" message="I wonder about all this mail."`, "4m resume tenant"}, func(w *world) {
			w.spoil = without("elsewhere", "attempt")
			w.hook = func() {
				if w.knows("kim@example.com") && !w.knows("kim@example.org") {
					w.alias(w.contactOf("kim@example.com"), "kim@example.org")
				}
			}
		}},
		"a merge forgets an opt-out": {[]string{"crm none"}, []string{"0s stop tenant", kim, lou,
			`1m form id=stop email=lou@example.org name="Lou Fay" message="Please unsubscribe me."`, "2m hook now", "4m resume tenant"}, func(w *world) {
			w.spoil = func(c *ledger.Commit) { without("elsewhere", "attempt")(c); unraised(c) }
			w.hook = func() { w.oneIfKnown("lou@example.org", "kim@example.com") }
		}},
		"a step has no audit record":        {nil, []string{kim}, spoil(without("audit", "attempt"))},
		"the key is not in the decision":    {[]string{"crm none"}, []string{kim, `0s form id=msg-2 email=kim@example.com name="Kim Lee" message="And a dog?"`}, spoil(without("contact_key", "contact"))},
		"a lost answer is taken for no":     {[]string{"crm none"}, []string{"0s provider lost-taken", kim}, func(w *world) { w.lie = notSent }},
		"raw content is not stored":         {[]string{"mode observe"}, []string{kim}, func(w *world) { w.forget = true }},
		"the timer is not moved on a claim": {[]string{"crm none"}, []string{kim}, spoil(func(c *ledger.Commit) { timerless(c) })},
		"the CRM's reference is not unique": {nil, []string{kim}, func(w *world) { w.cabinet.forgets = true }},
		"a second mail of one intent":       {[]string{"crm none"}, []string{kim}, func(w *world) { w.postbox.twice = true }},
	}
}

// unraised has an act on contacts leave the consent version as it is.
func unraised(c *ledger.Commit) {
	if labelOf(*c) != "contact merge" {
		return
	}
	c.Writes = slices.Clone(c.Writes)
	for i, w := range c.Writes {
		if w.Set["consent_version"] != nil {
			c.Writes[i].Set = w.Set.Clone()
			delete(c.Writes[i].Set, "consent_version")
		}
	}
}

// isClaim tells whether a commit claims an intent.
func isClaim(c ledger.Commit) bool { return labelOf(c) == "intent claim" }

func notSent(r mailer.Result) mailer.Result {
	if r.Outcome == mailer.Unknown {
		return mailer.Result{Outcome: mailer.NotBegun, Reason: "no_connection"}
	}
	return r
}

// timerless has a claim end the operation's timer.
func timerless(c *ledger.Commit) {
	if !isClaim(*c) {
		return
	}
	c.Writes = slices.Clone(c.Writes)
	for i, w := range c.Writes {
		if w.Name == "operation" {
			set := w.Set.Clone()
			delete(set, schema.DueAt)
			c.Writes[i].Set, c.Writes[i].Remove = set, append(slices.Clone(w.Remove), schema.DueAt, schema.DueShard)
		}
	}
}

// TestTheHarnessSeesABrokenProtocol: a proof that finds nothing is worth as
// much as its oracles.
func TestTheHarnessSeesABrokenProtocol(t *testing.T) {
	t.Parallel()
	for name, b := range breakages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := inline(t, b.policy, b.steps...)
			r := rng(1, name)
			k := known{f, run(t, f, schedule{scenario: f.name}, nil, func(w *world) { w.hook = func() {} })}
			for n := range 600 {
				draw := []func(*rand.Rand, known) schedule{several, woven, streamed}[n%3]
				if res := run(t, f, draw(r, k), nil, b.setup); len(res.broken) > 0 {
					t.Logf("seen after %d schedules: %s", n+1, res.broken[0])
					return
				}
			}
			t.Error("600 schedules, and nothing was seen")
		})
	}
}

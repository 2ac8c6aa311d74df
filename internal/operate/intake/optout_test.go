package intake_test

import (
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/operate/intake"
	"onefold/internal/record/guard"
	"onefold/internal/record/outbox"
)

func optedOut(e intake.Entry) intake.Entry { e.OptedOut = true; return e }

func (w *world) stopped(written, reason string) bool {
	w.Helper()
	it := w.guard(written)
	return it.Text(guard.StopAttr(guard.ScopeAll)) != "" && it.Text(guard.ReasonAttr) == reason
}

// Whether somebody is taken in or not, an opt-out of the list counts, and is told
// to who has the address.
func TestAnOptOutOfAListStopsAndIsNeverLifted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("kim", "", "email:kim@example.com")
	entries := []intake.Entry{
		optedOut(row(2, "ann@example.com", "ann@example.org")), optedOut(row(3, "kim@example.com")), optedOut(row(4, "info@example.com")),
		optedOut(row(5, "kim@example.com", "other@example.com")), optedOut(row(6, "ann@demo.example")), optedOut(row(7, "broken")), row(8, "bob@example.com"),
	}
	rep := w.imports(entries...)
	if rep.Stopped != 4 || rep.Made != 2 || rep.Known != 1 || rep.LeftOut != 4 {
		t.Errorf("%s", counts(rep))
	}
	for _, a := range []string{"ann@example.com", "ann@example.org", "kim@example.com", "info@example.com", "other@example.com"} {
		if !w.stopped(a, guard.ReasonOptOut) {
			t.Errorf("%s is not stopped: %v", a, w.guard(a))
		}
	}
	if w.guard("bob@example.com") != nil || w.guard("ann@demo.example") != nil {
		t.Error("an address is guarded that nobody opted out")
	}
	if c := w.contact("kim"); c.ConsentVersion != 2 {
		t.Errorf("consent version %d", c.ConsentVersion)
	}
	// What waits for a known contact is ended; of others nothing waits.
	ops := w.rows(ledger.Operation)
	if len(ops) != 1 || ops[0].Text("kind") != outbox.CancelIntents || ops[0].Text("contact") != "kim" {
		t.Errorf("operations %v", ops)
	}
	before := w.dump()
	for n := range entries {
		entries[n].OptedOut = !entries[n].OptedOut && entries[n].Row != 8
	}
	if rep := w.imports(entries...); rep.Stopped != 0 || w.dump() != before {
		t.Errorf("a list without opt-outs changed something: %s", counts(rep))
	}
}

// A person's word takes the place of a bounce, which an operator may lift.
func TestAnOptOutTakesThePlaceOfABounce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok(w.guards("kim@example.com", "stop", ledger.Item{"stop_all": "2026-03-01T00:00:00.000Z", "reason": guard.ReasonBounce}))
	_, err := w.service(w.store).Run(t.Context(), of(true, optedOut(record("51", "kim@example.com"))))
	w.ok(err)
	if it := w.guard("kim@example.com"); !w.stopped("kim@example.com", guard.ReasonOptOut) || it.Text("stop_all") != "2026-03-01T00:00:00.000Z" {
		t.Errorf("%v", it)
	}
}

// Two spellings of one mailbox have one guard.
func TestTwoSpellingsAreStoppedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("kim", "", "email:k.im@example.com")
	w.person("kay", "", "email:kim+shop@example.com")
	if rep := w.imports(optedOut(row(2, "k.im@example.com", "kim+shop@example.com"))); rep.Stopped != 1 || rep.LeftOut != 1 {
		t.Errorf("%s", counts(rep))
	}
	if a, b := w.contact("kim"), w.contact("kay"); a.ConsentVersion != 2 || b.ConsentVersion != 2 || len(w.rows(ledger.Guard)) != 1 {
		t.Errorf("%+v, %+v", a, b)
	}
}

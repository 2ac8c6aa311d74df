package verify_test

import (
	"testing"

	"onefold/internal/ledger"
)

func stopsBreaches() []breach {
	const early, late = "2026-03-02T08:00:00.000Z", "2026-03-02T20:00:00.000Z"
	guardOf := func(w *world) ledger.Key {
		return key(ledger.Guard, w.one(ledger.Intent, "recipient", "ada@example.org").Text("guard"))
	}
	// A guard of its own for dora, whose attempt was made at 09:00.
	fresh := func(w *world, attrs ledger.Item) {
		w.put(key(ledger.Guard, w.one(ledger.Intent, "recipient", "dora@example.org").Text("guard")), attrs)
	}
	return []breach{
		{"stopped before", "stops_are_kept", func(w *world) { w.set(guardOf(w), ledger.Item{"stop_all": early}) }},
		{"scope stopped before", "stops_are_kept", func(w *world) { fresh(w, ledger.Item{"stop_follow_up": early}) }},
		{"held before", "stops_are_kept", func(w *world) { fresh(w, ledger.Item{"hold": early}) }},
		{"claimed later than the audited stop", "stops_are_kept", func(w *world) {
			w.set(guardOf(w), ledger.Item{"stop_all": ""})
			w.set(w.attemptOf("ada@example.org", 1), ledger.Item{"claimed_at": late})
		}},
		{"erased before", "stops_are_kept", func(w *world) {
			w.set(w.intentOf("dora@example.org"), ledger.Item{"created_at": early})
			fresh(w, ledger.Item{"erased_at": "2026-03-02T08:30:00.000Z"})
		}},
		{"consent withdrawn before", "consent_is_kept", func(w *world) {
			w.set(w.attemptOf("ada@example.org", 1), ledger.Item{"claimed_at": late})
		}},
	}
}

func TestStopsThatWereNotKeptAreFound(t *testing.T) {
	t.Parallel()
	try(t, stopsBreaches())
}

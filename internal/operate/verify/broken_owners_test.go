package verify_test

import (
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/record/followup"
	"onefold/internal/record/outbox"
)

func ownersBreaches() []breach {
	timer := func(w *world) ledger.Key { return ledger.KeyOf(w.one(ledger.Operation, "kind", outbox.SendIntent)) }
	return []breach{
		{"recorded without a timer", "events_owned", func(w *world) { w.set(w.eventOf("f-bob"), ledger.Item{"state": "recorded"}) }},
		{"decided with a timer", "events_owned", func(w *world) {
			w.set(w.eventOf("f-bob"), ledger.Item{"due_at": "2026-03-02T08:00:00.000Z", "due_shard": "0"})
		}},
		{"in review without a task", "events_owned", func(w *world) { w.set(w.eventOf("f-info"), ledger.Item{"review": "ghost"}) }},
		{"open without a timer", "operations_owned", func(w *world) { w.set(timer(w), ledger.Item{"state": outbox.Open}) }},
		{"done with a timer", "operations_owned", func(w *world) {
			w.set(timer(w), ledger.Item{"due_at": "2026-03-02T08:00:00.000Z", "due_shard": "0"})
		}},
		{"unknown without an operation", "intents_owned", func(w *world) { w.set(w.intentOf("dora@example.org"), ledger.Item{"state": followup.Unknown}) }},
		{"drafted without a task", "intents_owned", func(w *world) { w.set(w.intentOf("bob@example.org"), ledger.Item{"review": "ghost"}) }},
		{"in review with a closed task", "intents_owned", func(w *world) {
			w.set(ledger.KeyOf(w.one(ledger.ReviewTask, "kind", "unknown_send")), ledger.Item{"state": "closed", "open_for": ""})
		}},
		{"begun and left", "attempts_owned", func(w *world) { w.set(w.attemptOf("eric@example.org", 1), ledger.Item{"state": followup.AttemptBegun}) }},
		{"open and not listed", "tasks", func(w *world) {
			w.set(ledger.KeyOf(w.one(ledger.ReviewTask, "kind", "decide_event")), ledger.Item{"open_for": ""})
		}},
		{"closed and listed", "tasks", func(w *world) {
			w.set(ledger.KeyOf(w.one(ledger.ReviewTask, "kind", "id_conflict")), ledger.Item{"state": "closed"})
		}},
		{"question about nothing", "tasks", func(w *world) { w.set(w.intentOf("bob@example.org"), ledger.Item{"state": followup.Cancelled}) }},
		{"question about a decided event", "tasks", func(w *world) { w.set(w.eventOf("f-info"), ledger.Item{"state": "decided"}) }},
		{"not ended", "quiet", func(w *world) { w.set(timer(w), ledger.Item{"state": outbox.Open}) }},
	}
}

func TestRowsWithoutAnOwnerAreFound(t *testing.T) {
	t.Parallel()
	try(t, ownersBreaches())
}

func trailsBreaches() []breach {
	record := func(w *world, k ledger.Key, n int64) ledger.Key { return ledger.AuditKey(k, n) }
	return []breach{
		{"record missing", "audit_complete", func(w *world) { w.set(w.contactOf("bob@example.org"), ledger.Item{"transition": 3}) }},
		{"record too many", "audit_complete", func(w *world) { w.set(w.intentOf("ada@example.org"), ledger.Item{"transition": 1}) }},
		{"record of nothing", "audit_complete", func(w *world) {
			w.put(ledger.AuditKey(ledger.AttemptKey("demo", "ghost", 1), 1), ledger.Item{"transition": 1, "event": "begin"})
		}},
		{"broken chain", "audit_moves", func(w *world) {
			w.set(record(w, w.intentOf("ada@example.org"), 3), ledger.Item{"from": "unknown"})
		}},
		{"no such move", "audit_moves", func(w *world) {
			w.set(record(w, w.intentOf("ada@example.org"), 3), ledger.Item{"event": "approve"})
		}},
		{"born elsewhere", "audit_moves", func(w *world) {
			w.set(record(w, w.intentOf("ada@example.org"), 1), ledger.Item{"to": "accepted"})
		}},
		{"state of its own", "audit_moves", func(w *world) { w.set(w.eventOf("f-bob"), ledger.Item{"state": "parked"}) }},
	}
}

func TestGapsInTheAuditAreFound(t *testing.T) {
	t.Parallel()
	try(t, trailsBreaches())
}

package verify_test

import (
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/record/followup"
)

func sendingBreaches() []breach {
	return []breach{
		{"second intent of a cause", "one_intent_per_cause", func(w *world) {
			it := w.one(ledger.Intent, "recipient", "ada@example.org")
			w.put(key(ledger.Intent, "other"), ledger.Item{"cause": it["cause"], "rule": it["rule"], "rule_version": it["rule_version"], "state": followup.Cancelled})
		}},
		{"event with a lost intent", "events_name_intents", func(w *world) {
			w.set(w.eventOf("f-bob"), ledger.Item{"intent": "ghost"})
		}},
		{"follow-up without an intent", "events_name_intents", func(w *world) {
			w.set(w.eventOf("f-bob"), ledger.Item{"intent": ""})
		}},
		{"cause changed", "identifiers", func(w *world) {
			w.set(w.intentOf("bob@example.org"), ledger.Item{"cause": "another"})
		}},
		{"guard of another", "identifiers", func(w *world) {
			w.set(w.intentOf("bob@example.org"), ledger.Item{"guard": w.one(ledger.Intent, "recipient", "ada@example.org").Text("guard")})
		}},
		{"guard of another address", "identifiers", func(w *world) {
			w.set(ledger.KeyOf(w.one(ledger.Guard, "address", "carol@example.net")), ledger.Item{"address": "dora@example.org"})
		}},
		{"two accepted", "one_submission", func(w *world) {
			w.set(w.attemptOf("eric@example.org", 1), ledger.Item{"state": followup.AttemptAccepted})
		}},
		{"refused at first and then reported", "one_submission", func(w *world) {
			w.set(w.attemptOf("eric@example.org", 1), ledger.Item{"bounced_at": "2026-03-02T10:00:00.000Z"})
		}},
		{"again after unknown", "one_submission", func(w *world) {
			w.set(w.attemptOf("eric@example.org", 1), ledger.Item{"state": followup.AttemptUnknown})
		}},
		{"claimed after acceptance", "none_after_acceptance", func(w *world) {
			later := w.now.Add(time.Hour)
			w.put(w.attemptOf("ada@example.org", 2), ledger.Item{"attempt": 2, "state": followup.AttemptRejected, "claimed_at": later.Format("2006-01-02T15:04:05.000Z")})
		}},
		{"accepted by nobody", "intent_and_attempts", func(w *world) {
			w.set(w.attemptOf("ada@example.org", 1), ledger.Item{"state": followup.AttemptRejected, "delivered_at": ""})
		}},
		{"drafted and submitted", "intent_and_attempts", func(w *world) {
			w.set(w.intentOf("ada@example.org"), ledger.Item{"state": followup.Proposed})
		}},
		{"sending by another", "intent_and_attempts", func(w *world) {
			w.set(w.intentOf("dora@example.org"), ledger.Item{"state": followup.Sending, "owner": "x"})
			w.set(w.attemptOf("dora@example.org", 1), ledger.Item{"state": followup.AttemptBegun})
		}},
		{"ready while unknown", "intent_and_attempts", func(w *world) {
			w.set(w.intentOf("dora@example.org"), ledger.Item{"state": followup.Ready})
		}},
		{"attempt left out", "intent_and_attempts", func(w *world) {
			w.set(w.intentOf("dora@example.org"), ledger.Item{"attempt": 2})
		}},
		{"other text than approved", "approved_content", func(w *world) {
			w.set(w.intentOf("ada@example.org"), ledger.Item{"text": "Something else."})
		}},
		{"never approved", "approved_content", func(w *world) {
			w.set(w.intentOf("ada@example.org"), ledger.Item{"approved_hash": ""})
		}},
		{"approved other content", "approved_content", func(w *world) {
			w.set(ledger.KeyOf(w.one(ledger.ReviewTask, "kind", "approve_intent")), ledger.Item{"state": "approved", "open_for": "", "content_hash": "x"})
		}},
		{"index to no attempt", "message_index", func(w *world) {
			w.put(ledger.ProviderMessage.At("-", "ses:m"), ledger.Item{"of_tenant": "demo", "intent": "ghost", "attempt": 1})
		}},
		{"message not indexed", "message_index", func(w *world) {
			w.set(w.attemptOf("ada@example.org", 1), ledger.Item{"message_id": "another"})
		}},
	}
}

func TestBrokenIntentsAreFound(t *testing.T) {
	t.Parallel()
	try(t, sendingBreaches())
}

package metric_test

import (
	"errors"
	"slices"
	"time"

	"onefold/internal/feedback"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/policy/tenant"
	"onefold/internal/schema"
)

// outcome is a provider that answers so.
func outcome(res mailer.Result) func(w *world) {
	return func(w *world) {
		w.enquiry("d1", "ann@example.org")
		w.post.do = func(mailer.Mail) mailer.Result { return res }
		w.sends()
	}
}

// lost is an intent whose first attempt has no known outcome.
func lost(w *world) ledger.Item {
	outcome(mailer.Result{Outcome: mailer.Unknown, Reason: "timeout"})(w)
	w.post.do = nil
	return w.one(ledger.Intent, "state", "unknown")
}

// sending is an intent whose worker died after the claim.
func sending(w *world) {
	w.enquiry("d1", "ann@example.org")
	w.post.do = func(mailer.Mail) mailer.Result {
		w.store.commit = func(ledger.Commit) (bool, error) { return false, errDown }
		return mailer.Result{Outcome: mailer.Accepted, MessageID: "message-1"}
	}
	for _, it := range w.rows(ledger.Operation) {
		_ = w.send.Handle(w.t.Context(), change(it)) // a fault, as meant
	}
	w.store.commit, w.post.do = nil, nil
}

// resent is an intent of which a second attempt was accepted although the first
// might have been, as the policy allows.
func resent(w *world, allowed bool) ledger.Item {
	i := lost(w)
	if allowed {
		w.set(i, ledger.Item{"on_unknown": tenant.UnknownResend})
		w.now = w.now.Add(7 * time.Hour)
		w.ok(w.event(i, 0, mailer.EventOther, func(e *mailer.Event) { e.Tags = nil })) // the feed lives
		w.sends()                                                                      // ready again
	} else {
		w.set(i, ledger.Item{"state": "ready"})
		w.set(w.one(ledger.Operation, "intent", ledger.KeyOf(i).ID), ledger.Item{"not_before": "2026-03-02T09:00:00.000Z"})
	}
	w.sends()
	return w.one(ledger.Intent, "state", "accepted")
}

func sendRows() []row {
	return []row{
		{"accepted", outcome(mailer.Result{Outcome: mailer.Accepted, MessageID: "m"}), []string{"send SendsAccepted 1"}},
		{"rejected", outcome(mailer.Result{Outcome: mailer.Rejected}), []string{"send SendsRejected 1"}},
		{"throttled", outcome(mailer.Result{Outcome: mailer.Throttled}), []string{"send SendsThrottled 1"}},
		{"halted", outcome(mailer.Result{Outcome: mailer.Throttled, Halt: true}), []string{"send SendsThrottled 1", "send SendsHalted 1"}},
		{"unknown", outcome(mailer.Result{Outcome: mailer.Unknown}), []string{"send SendsUnknown 1"}},
		{"a worker that died", func(w *world) {
			sending(w)
			w.now = w.now.Add(10 * time.Minute)
			w.sends()
			w.sends()
		}, []string{"send SettlesFailed 1", "send SendingLapsed 1", "send SendsUnknown 1"}},
		{"no evidence, and a feed of which nothing is known", func(w *world) {
			lost(w)
			w.now = w.now.Add(7 * time.Hour)
			w.sends()
		}, []string{"send UnknownAge 25200"}},
		{"no evidence, and a feed that lives", func(w *world) {
			i := lost(w)
			w.now = w.now.Add(7 * time.Hour)
			w.ok(w.event(i, 0, mailer.EventOther, func(e *mailer.Event) { e.Tags = nil }))
			w.sends()
			w.sends()
		}, []string{"send UnknownReferred 1", "send ReviewsOpened 1"}},
		{"a stop of the tenant", func(w *world) {
			w.enquiry("d1", "ann@example.org")
			var c ledger.Commit
			w.ok(c.Create("stop", ledger.Stop.At("demo", "stop"), ledger.Item{"stopped": true}))
			w.ok(w.store.Commit(w.t.Context(), c))
			w.sends()
		}, []string{"send SendsPostponed 1"}},
		{"a stop of the address before the claim", func(w *world) {
			i := w.enquiry("d1", "ann@example.org")
			var c ledger.Commit
			w.ok(c.Create("guard", ledger.Guard.At("demo", i.Text("guard")), ledger.Item{"stop_all": "2026-03-02T09:00:00.000Z"}))
			w.ok(w.store.Commit(w.t.Context(), c))
			w.sends()
			w.sends()
		}, []string{"send SuppressionBlocks 1"}},
		{"two workers at one intent", func(w *world) {
			w.enquiry("d1", "ann@example.org")
			op := w.one(ledger.Operation, "kind", "send_intent")
			w.store.commit = func(ledger.Commit) (bool, error) {
				w.store.commit = nil
				w.ok(w.send.Handle(w.t.Context(), change(op)))
				return true, nil
			}
			w.ok(w.send.Handle(w.t.Context(), change(op)))
		}, []string{"send InProgressConflicts 1", "send SendsAccepted 1"}},
		{"a message ID that is another's", func(w *world) {
			w.enquiry("d1", "ann@example.org")
			w.enquiry("d2", "bob@example.org")
			w.post.do = func(mailer.Mail) mailer.Result { return mailer.Result{Outcome: mailer.Accepted, MessageID: "same"} }
			w.sends()
		}, []string{"send DuplicateMessageIDs 1", "send SendsAccepted 2"}},
		{"an outcome that came after its lease", func(w *world) { late(w, mailer.Result{Outcome: mailer.Rejected}) }, []string{
			"send SendingLapsed 1", "send TimeoutsReconciled 1", "send SendsRejected 1",
		}},
		{"an acceptance that came after another's", func(w *world) {
			w.enquiry("d1", "ann@example.org")
			w.post.do = func(mailer.Mail) mailer.Result {
				// Meanwhile: the lease lapses, a person has it sent again, and that is
				// accepted.
				w.post.do = nil
				w.now = w.now.Add(10 * time.Minute)
				w.sends()
				w.set(w.one(ledger.Intent, "state", "unknown"), ledger.Item{"state": "ready"})
				w.set(w.one(ledger.Operation, "kind", "send_intent"), ledger.Item{"not_before": "2026-03-02T09:00:00.000Z"})
				w.sends()
				return mailer.Result{Outcome: mailer.Accepted, MessageID: "late"}
			}
			w.sends()
		}, []string{"send DuplicateSubmissions 1", "send DuplicateMessageIDs 1"}},
		{"the age of the feed", func(w *world) {
			i := w.enquiry("d1", "ann@example.org")
			w.send.Probe(w.t.Context(), tenant.Sender{})
			if w.seen[emission{schema.Send, schema.FeedAge}] != nil {
				w.t.Error("a feed that never lived has an age")
			}
			w.ok(w.event(i, 0, mailer.EventOther, nil))
			w.now = w.now.Add(5 * time.Minute)
			w.send.Probe(w.t.Context(), tenant.Sender{})
		}, []string{"send FeedAge 300"}},
	}
}

// late has the provider answer when the lease has lapsed and been found so.
func late(w *world, res mailer.Result) {
	w.enquiry("d1", "ann@example.org")
	w.post.do = func(mailer.Mail) mailer.Result {
		w.now = w.now.Add(10 * time.Minute)
		w.sends()
		return res
	}
	w.sends()
}

func feedbackRows() []row {
	accepted := func(w *world) ledger.Item {
		w.enquiry("d1", "ann@example.org")
		w.sends()
		return w.one(ledger.Intent, "state", "accepted")
	}
	return []row{
		{"an event, three times", func(w *world) {
			i := accepted(w)
			for range 3 {
				w.ok(w.event(i, 1, mailer.EventDelivered, nil))
			}
		}, []string{"feedback ProviderEvents 1", "feedback ProviderEventsAgain 2"}},
		{"an event of no attempt", func(w *world) {
			if err := w.event(accepted(w), 9, mailer.EventDelivered, nil); !errors.Is(err, feedback.ErrNotYet) {
				w.t.Error(err)
			}
		}, []string{"feedback ProviderEventsOrphan 1"}},
		{"a bounce, twice", func(w *world) {
			i := accepted(w)
			for range 2 {
				w.ok(w.event(i, 1, mailer.EventBounced, func(e *mailer.Event) { e.Permanent = true }))
			}
		}, []string{"feedback Bounces 1"}},
		{"a complaint", func(w *world) { w.ok(w.event(accepted(w), 1, mailer.EventComplained, nil)) }, []string{"feedback Complaints 1"}},
		{"evidence of what was unknown", func(w *world) {
			i := lost(w)
			w.ok(w.event(i, 1, mailer.EventSent, nil))
			w.ok(w.event(i, 1, mailer.EventDelivered, nil))
		}, []string{"feedback TimeoutsReconciled 1", "feedback ProviderEvents 2"}},
		{"a mail that was refused and is reported", func(w *world) {
			outcome(mailer.Result{Outcome: mailer.Rejected})(w)
			i := w.one(ledger.Intent, "state", "rejected")
			w.ok(w.event(i, 1, mailer.EventSent, nil))
			w.ok(w.event(i, 1, mailer.EventDelivered, nil))
		}, []string{"feedback ResponseMismatches 1"}},
		{"a mail that was taken and dropped", func(w *world) { w.ok(w.event(accepted(w), 1, mailer.EventRejected, nil)) }, []string{"feedback ResponseMismatches 1"}},
		{"a second acceptance that the policy allowed", func(w *world) {
			i := resent(w, true)
			w.ok(w.event(i, 1, mailer.EventSent, nil))
			w.ok(w.event(i, 1, mailer.EventDelivered, nil))
			w.ok(w.event(i, 2, mailer.EventSent, nil))
			if w.seen[emission{schema.Feedback, schema.DuplicateMessageIDs}] != nil {
				w.t.Error("what was allowed pages")
			}
		}, []string{"feedback DuplicateSubmissions 1"}},
		{"a second acceptance that nobody allowed", func(w *world) { w.ok(w.event(resent(w, false), 1, mailer.EventSent, nil)) }, []string{
			"feedback DuplicateSubmissions 1", "feedback DuplicateMessageIDs 1",
		}},
		{"an event with the message ID of another mail", func(w *world) {
			i := lost(w)
			w.enquiry("d2", "bob@example.org")
			w.sends()
			other := w.rows(ledger.ProviderMessage)
			w.ok(w.event(i, 1, mailer.EventSent, func(e *mailer.Event) { e.MessageID = ledger.KeyOf(other[0]).ID[len("ses:"):] }))
		}, []string{"feedback DuplicateMessageIDs 1", "feedback TimeoutsReconciled 1"}},
		{"a person counts as sent what is then reported: no second mail", func(w *world) {
			i := lost(w)
			w.now = w.now.Add(7 * time.Hour)
			w.ok(w.event(i, 0, mailer.EventOther, func(e *mailer.Event) { e.Tags = nil }))
			w.sends()
			w.answer("count_as_sent", "")
			w.ok(w.event(i, 1, mailer.EventSent, nil))
			if slices.ContainsFunc(w.names(schema.Feedback), func(n string) bool { return n == "DuplicateSubmissions 1" }) {
				w.t.Error("one mail is counted as two")
			}
		}, []string{"console ReviewsEdited 1", "feedback TimeoutsReconciled 1"}},
	}
}

package explain_test

import (
	"bytes"
	"context"
	"testing"

	"onefold/internal/address"
	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/operate/explain"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

// hand is a ledger that is written by hand, noun by noun, so that what a
// timeline has to say can be reasoned from what stands here.
type hand struct {
	t     *testing.T
	store *mem.Store
	ids   digest.Key
}

func newHand(t *testing.T) *hand {
	t.Helper()
	ids, err := digest.NewKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return &hand{t: t, store: mem.New(), ids: ids}
}

// at is a moment of the invented day.
func at(clock string) utc.Time {
	t, err := utc.Parse("2026-03-02T" + clock + ".000Z")
	if err != nil {
		panic(err)
	}
	return t
}

func key(e ledger.Entity, id string) ledger.Key {
	return e.At("demo", id)
}

func (h *hand) commit(write func(c *ledger.Commit) error) {
	h.t.Helper()
	var c ledger.Commit
	if err := write(&c); err != nil {
		h.t.Fatal(err)
	}
	if err := h.store.Commit(h.t.Context(), c); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hand) row(k ledger.Key, noun any) {
	h.t.Helper()
	h.commit(func(c *ledger.Commit) error { return c.Create("row", k, noun) })
}

func (h *hand) born(k ledger.Key, noun any, m *machine.Table, state, event string, r audit.Record) {
	h.t.Helper()
	h.commit(func(c *ledger.Commit) error {
		return c.Insert(ledger.Step{Key: k, Machine: m, Event: event, Audit: r}, noun, state)
	})
}

// move goes on from where the row is.
func (h *hand) move(k ledger.Key, m *machine.Table, event string, set ledger.Item, r audit.Record) {
	h.t.Helper()
	it, err := h.store.Get(h.t.Context(), k)
	if err != nil || it == nil {
		h.t.Fatalf("no %s", k.Entity)
	}
	h.commit(func(c *ledger.Commit) error {
		_, err := c.Move(ledger.Step{Key: k, Machine: m, From: it.Text("state"), Transition: it.Int("transition"), Event: event, Set: set, Audit: r})
		return err
	})
}

func by(clock, who string, reasons ...string) audit.Record {
	return audit.Record{At: at(clock), By: who, Reasons: reasons}
}

func of(r audit.Record, event, person, intent string) audit.Record {
	r.InboundEvent, r.Contact, r.Intent = event, person, intent
	return r
}

func with(r audit.Record, details map[string]string) audit.Record {
	r.Details, r.MessageRef = details, details["message_id"]
	return r
}

func (h *hand) guardID(email string) string {
	a, err := address.Parse(email)
	if err != nil {
		h.t.Fatal(err)
	}
	return decide.GuardID(h.ids, "demo", a)
}

func (h *hand) explain(q explain.Query) (explain.Timeline, error) {
	q.Policy = func(context.Context, string) (tenant.Policy, error) { return tenant.Parse(tenant.Example()) }
	return explain.Explain(h.t.Context(), h.store, h.ids, q)
}

// twice is the story of a person who got two mails. A form comes, twice by the
// same ID. The answer's first submission gets no answer; the policy accepts a
// possible duplicate; the second is accepted, while an opt-out lands between
// its claim and its outcome; and in the end the first is reported delivered.
func twice(t *testing.T) *hand {
	t.Helper()
	h := newHand(t)
	const e1, e2, who, mail = "form/website/f-1", "form/website/f-2", "c-ada", "i-1"
	g := h.guardID("ada@example.org")

	h.born(key(ledger.Event, e1), inbound.Event{
		Tenant: "demo", ID: e1, ReceivedAt: at("09:00:00"), State: inbound.Recorded, Transition: 1,
	}, inbound.Machine(), inbound.Recorded, "record", of(by("09:00:00", "ingest"), e1, "", ""))
	h.row(sub(ledger.Delivery, e1, "1"), inbound.Delivery{At: at("09:00:00"), RequestID: "r-1", Answer: inbound.AnswerRecorded})
	h.row(sub(ledger.Delivery, e1, "2"), inbound.Delivery{At: at("09:00:05"), RequestID: "r-2", Answer: inbound.AnswerDuplicate})
	h.row(sub(ledger.Extraction, e1, "rules@1"), reader.Stored{Model: "rules", PromptVersion: "1", At: at("09:00:01"), Record: reader.Record{Intent: reader.ProductQuestion}})
	h.row(key(ledger.MatchDecision, e1), match.Decision{Outcome: match.New, Contact: who, Rule: "email_key", Reasons: []string{match.ReasonEmailNew}, Policy: 1, At: at("09:00:02")})
	h.row(key(ledger.ContactKey, "email:ada@example.org"), contact.Key{Contact: who})
	h.born(key(ledger.Contact, who), contact.Contact{
		Tenant: "demo", ID: who, Status: contact.Active, Email: "ada@example.org", ConsentVersion: 1, CreatedAt: at("09:00:02"), Transition: 1,
	}, nil, "", "create", of(by("09:00:02", "extract", "new_identity"), e1, who, mail))
	h.born(key(ledger.Intent, mail), followup.Intent{
		Tenant: "demo", ID: mail, Rule: "welcome", RuleVersion: 1, Mode: "auto", Contact: who, Event: e1, Guard: g, State: followup.Ready, Transition: 1,
		Recipient: "ada@example.org", CreatedAt: at("09:00:02"), ContactRef: "demo#" + who,
	}, followup.IntentMachine(), followup.Ready, "create", of(by("09:00:02", "extract", "rule_welcome"), e1, who, mail))
	h.born(key(ledger.Operation, "op-note"), outbox.Operation{
		Tenant: "demo", ID: "op-note", Kind: outbox.CRMNote, State: outbox.Open, Transition: 1, Contact: who, Event: e1, CreatedAt: at("09:00:02"),
	}, outbox.Machine(), outbox.Open, "create", of(by("09:00:02", "extract", outbox.CRMNote), e1, who, ""))
	h.move(key(ledger.Event, e1), inbound.Machine(), "decide", ledger.Item{
		"outcome": inbound.FollowUp, "reasons": []string{"email_key_new", "rule_welcome"}, "contact": who, "intent": mail, "attempt": 1,
	}, with(of(by("09:00:02", "extract", "email_key_new", "rule_welcome"), e1, who, mail), map[string]string{"outcome": inbound.FollowUp}))
	h.move(key(ledger.Operation, "op-note"), outbox.Machine(), "finish", ledger.Item{"attempt": 1, "crm_id": "77"},
		with(of(by("09:00:04", "crmsync", "done"), e1, who, ""), map[string]string{"crm_id": "77"}))

	h.submit(1, "09:00:10", "")
	h.move(key(ledger.Intent, mail), followup.IntentMachine(), followup.Lose, ledger.Item{"reason": "timeout"}, with(of(by("09:00:20", "send", "unknown"), e1, who, mail), map[string]string{"attempt": "1"}))
	h.move(ledger.AttemptKey("demo", mail, 1), followup.AttemptMachine(), "lose", ledger.Item{"reason": "timeout", "settled_at": at("09:00:20")}, with(of(by("09:00:20", "send"), e1, who, mail), map[string]string{"attempt": "1"}))
	h.move(key(ledger.Intent, mail), followup.IntentMachine(), followup.Resend, ledger.Item{"resends": 1, "reason": "policy_accepts_possible_duplicate"}, of(by("15:00:20", "send", "policy_accepts_possible_duplicate"), e1, who, mail))
	h.submit(2, "15:00:30", "policy_accepts_possible_duplicate")

	h.born(key(ledger.Event, e2), inbound.Event{
		Tenant: "demo", ID: e2, ReceivedAt: at("15:00:28"), State: inbound.Recorded, Transition: 1,
	}, inbound.Machine(), inbound.Recorded, "record", of(by("15:00:28", "ingest"), e2, "", ""))
	h.row(sub(ledger.Delivery, e2, "1"), inbound.Delivery{At: at("15:00:28"), RequestID: "r-3", Answer: inbound.AnswerRecorded})
	h.born(key(ledger.Guard, g), ledger.Item{"stop_all": "2026-03-02T15:00:31.000Z", "reason": "opt_out", "address": "ada@example.org", "transition": int64(1)}, nil, "", "stop", of(by("15:00:31", "extract", "opt_out"), e2, "", ""))
	h.move(key(ledger.Contact, who), nil, "withdraw_consent", ledger.Item{"consent_version": 2}, of(by("15:00:31", "extract", "consent_withdrawn"), e2, "", ""))
	h.move(key(ledger.Event, e2), inbound.Machine(), "decide", ledger.Item{"outcome": inbound.OptedOut, "reasons": []string{"opt_out_words"}, "contact": who, "attempt": 1},
		with(of(by("15:00:31", "extract", "opt_out_words"), e2, who, ""), map[string]string{"outcome": inbound.OptedOut}))

	h.move(key(ledger.Intent, mail), followup.IntentMachine(), followup.Accept, ledger.Item{"reason": ""}, with(of(by("15:00:32", "send", "accepted"), e1, who, mail), map[string]string{"attempt": "2", "message_id": "m-2"}))
	h.move(ledger.AttemptKey("demo", mail, 2), followup.AttemptMachine(), "accept", ledger.Item{"message_id": "m-2", "settled_at": at("15:00:32")}, with(of(by("15:00:32", "send"), e1, who, mail), map[string]string{"attempt": "2"}))
	h.row(ledger.ProviderMessage.At("-", "ses:m-2"), followup.ProviderMessage{Tenant: "demo", Intent: mail, Attempt: 2})
	h.move(ledger.AttemptKey("demo", mail, 1), followup.AttemptMachine(), "evidence", ledger.Item{"message_id": "m-1", "delivered_at": at("15:00:40"), "reason": ""}, with(of(by("15:00:41", "feedback", "delivered"), e1, who, mail), map[string]string{"attempt": "1", "message_id": "m-1"}))
	return h
}

func sub(e ledger.Entity, id, sub string) ledger.Key {
	return e.Under("demo", id, sub)
}

// submit claims and begins an attempt of the one intent.
func (h *hand) submit(n int64, clock, accepted string) {
	h.t.Helper()
	number := map[int64]string{1: "1", 2: "2"}[n]
	r := with(of(by(clock, "send"), "form/website/f-1", "c-ada", "i-1"), map[string]string{"attempt": number})
	h.move(key(ledger.Intent, "i-1"), followup.IntentMachine(), followup.Claim, ledger.Item{"attempt": n, "reason": ""}, r)
	h.born(ledger.AttemptKey("demo", "i-1", n), followup.Attempt{
		Tenant: "demo", Intent: "i-1", Number: n, State: followup.AttemptBegun, Transition: 1, ClaimedAt: at(clock), ResendAccepted: accepted,
	}, followup.AttemptMachine(), followup.AttemptBegun, "begin", r)
}

// waiting is an event of somebody unknown that waits for a person.
func waiting(t *testing.T) *hand {
	t.Helper()
	h := newHand(t)
	const id = "form/website/f-9"
	h.born(key(ledger.Event, id), inbound.Event{
		Tenant: "demo", ID: id, ReceivedAt: at("09:00:00"), State: inbound.Recorded, Transition: 1,
	}, inbound.Machine(), inbound.Recorded, "record", of(by("09:00:00", "ingest"), id, "", ""))
	h.row(sub(ledger.Extraction, id, "rules@1"), reader.Stored{Model: "rules", PromptVersion: "1", At: at("09:00:01"), Record: reader.Record{Intent: reader.Other, SenderEmail: reader.Field{Value: "Bob@example.org"}}})
	h.move(key(ledger.Event, id), inbound.Machine(), "refer", ledger.Item{"reasons": []string{"low_confidence"}, "review": "t-1", "attempt": 1}, of(by("09:00:02", "extract", "low_confidence"), id, "", ""))
	h.born(key(ledger.ReviewTask, "t-1"), review.Task{
		Tenant: "demo", ID: "t-1", Kind: review.DecideEvent, State: review.Open, Transition: 1, Event: id, OpenFor: "demo", OpenedAt: at("09:00:02"),
	}, review.Machine(), review.Open, "open", of(by("09:00:02", "extract", "low_confidence"), id, "", ""))
	return h
}

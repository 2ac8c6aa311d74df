package decide_test

import (
	"reflect"
	"slices"
	"time"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

var start = utc.At(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))

const (
	ada   = "ada@example.org"
	other = "ada@elsewhere.example"
	info  = "info@example.org"
	ours  = "hello@demo.example"
)

// tb is what both a test and a rapid check can fail by.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

func key(t tb) digest.Key {
	t.Helper()
	k, err := digest.NewKey([]byte("a key of this test, 32 bytes long"))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func policy(t tb, mode string) tenant.Policy {
	t.Helper()
	p, err := tenant.Parse(tenant.Example())
	if err != nil {
		t.Fatal(err)
	}
	p.Rules[0].Mode = mode
	return p
}

// mail is what a person wrote, as the parser gives it.
func mail(from, text string) rawmail.Message {
	m := rawmail.Message{
		Subject: "Huts", Visible: text, Text: text, MessageID: "m1@example.org", ContentHash: "c1", Kind: rawmail.Human,
	}
	if from != "" {
		m.From = []rawmail.Mailbox{{Name: "Ada Lovelace", Address: from}}
	}
	return m
}

// ground is a decision on a mail, on an empty ledger.
func ground(t tb, m rawmail.Message, mode string) decide.Ground {
	t.Helper()
	g := decide.Ground{Input: decide.Input{
		Event: inbound.Event{
			Tenant: "demo", ID: "mail/inbox/m1", Source: "mail", Content: tenant.ContentMail, Mailbox: "inbox", Raw: "demo/raw",
			State: inbound.Recorded, Transition: 1, ReceivedAt: start.Add(-time.Minute),
		},
		Policy: policy(t, mode), Facts: content.OfMail(m), Now: start, By: "extract",
	}}
	if decide.Reader(g.Facts) {
		from := g.Facts.Source.FromAddress
		g.Extraction = &reader.Stored{Tenant: "demo", Event: g.Event.ID, Model: "scripted", PromptVersion: "1", Record: reader.Record{
			SenderEmail: reader.Field{Value: from, Confidence: 95, Evidence: from, Where: reader.InFrom},
			ContactName: reader.Field{Value: "Ada Lovelace", Confidence: 90},
			Intent:      reader.ProductQuestion,
		}}
	}
	return identified(t, g)
}

// identified fills in whom the ground is about, as the caller of Decide does.
func identified(t tb, g decide.Ground) decide.Ground {
	t.Helper()
	g.Person = decide.Identify(key(t), g.Policy, decide.AddressOf(g.Facts, g.Extraction, g.Answer))
	g.Also = nil
	for _, o := range decide.Others(key(t), g.Policy, g.Facts, g.Extraction, g.Person) {
		g.Also = append(g.Also, decide.Party{Person: o})
	}
	return g
}

// known puts the person into the ledger that the ground shows.
func known(g decide.Ground) decide.Ground {
	g.Seen.Contact = &contact.Contact{
		Tenant: "demo", ID: "contact-1", Status: contact.Active, Email: ada, Name: "Ada Lovelace", Keys: []string{g.Person.KeyID},
		ConsentVersion: 3, Revision: 5, Transition: 7, FromEvent: "earlier", Version: 1,
	}
	g.Seen.Key = &contact.Key{Tenant: "demo", ID: g.Person.KeyID, Contact: "contact-1", InboundEvent: "earlier", Version: 1}
	return g
}

// proved has the report return a mail of ours to each of the addresses.
func proved(t tb, g decide.Ground, addresses ...string) decide.Ground {
	t.Helper()
	for _, a := range addresses {
		id := "intent to " + a
		g.Facts.Returned = append(g.Facts.Returned, id)
		g.Seen.Returned = append(g.Seen.Returned, followup.Intent{
			Tenant: "demo", ID: id, State: followup.Accepted, Guard: decide.Identify(key(t), g.Policy, a).GuardID,
		})
	}
	return g
}

// guarded puts attributes on the person's guard.
func guarded(g decide.Ground, attrs ledger.Item) decide.Ground {
	it := ledger.Item{"tenant": "demo", "id": g.Person.GuardID, "transition": int64(4), "version": int64(1)}
	for k, v := range attrs {
		it[k] = v
	}
	g.Seen.Guard = it
	return g
}

// answered is the ground on which a person answers the task that a first
// decision opened.
func answered(t tb, g decide.Ground, a decide.Answer) decide.Ground {
	t.Helper()
	first := decideOn(t, g)
	if first.Outcome != decide.Referred {
		t.Fatalf("outcome %s, want review first", first.Outcome)
	}
	tasks := created[review.Task](t, first, ledger.ReviewTask)
	tasks[0].Version = 1
	g.Seen.Task = &tasks[0]
	for _, w := range on(first, ledger.Guard) {
		it := w.Apply(g.Seen.Guard)
		switch {
		case w.Op == ledger.OpCheck:
		case w.Key.ID == g.Person.GuardID:
			g.Seen.Guard = it
		default:
			for i := range g.Also {
				if g.Also[i].Person.GuardID == w.Key.ID {
					g.Also[i].Guard = w.Apply(g.Also[i].Guard)
				}
			}
		}
	}
	a.By = "person:grace"
	g.Answer, g.By = &a, a.By
	g.Event.State, g.Event.Transition, g.Event.Review = inbound.InReview, 2, tasks[0].ID
	if a.Address != "" {
		g = identified(t, g)
		g.Seen.Guard, g.Seen.Key, g.Seen.Contact = nil, nil, nil
	}
	return g
}

func approve() decide.Answer { return decide.Answer{Approve: true} }

func decideOn(t tb, g decide.Ground) decide.Result {
	t.Helper()
	res, err := decide.DecideGround(g, key(t))
	if err != nil {
		t.Fatalf("decide: %v", err)
	}
	if err := res.Commit.Validate(); err != nil {
		t.Fatalf("the commit is invalid: %v", err)
	}
	return res
}

func on(res decide.Result, e ledger.Entity) []ledger.Write {
	var out []ledger.Write
	for _, w := range res.Commit.Writes {
		if w.Key.Entity == e {
			out = append(out, w)
		}
	}
	return out
}

func created[T any](t tb, res decide.Result, e ledger.Entity) []T {
	t.Helper()
	var out []T
	for _, w := range on(res, e) {
		if w.Op != ledger.OpCreate {
			continue
		}
		var v T
		if err := w.Item.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// updated is the one update of an entity, or a failure.
func updated(t tb, res decide.Result, e ledger.Entity) ledger.Write {
	t.Helper()
	var out []ledger.Write
	for _, w := range on(res, e) {
		if w.Op == ledger.OpUpdate {
			out = append(out, w)
		}
	}
	if len(out) != 1 {
		t.Fatalf("%d updates of %s, want 1", len(out), e)
	}
	return out[0]
}

func opKinds(t tb, res decide.Result) []string {
	t.Helper()
	kinds := []string{}
	for _, o := range created[outbox.Operation](t, res, ledger.Operation) {
		kinds = append(kinds, o.Kind)
	}
	slices.Sort(kinds)
	return kinds
}

func intents(t tb, res decide.Result) []followup.Intent {
	t.Helper()
	return created[followup.Intent](t, res, ledger.Intent)
}

// wants checks outcome and reasons, and that a referral does nothing but ask.
func wants(t tb, res decide.Result, outcome string, reasons ...string) {
	t.Helper()
	if res.Outcome != outcome {
		t.Errorf("outcome %s %v, want %s", res.Outcome, res.Reasons, outcome)
	}
	for _, r := range reasons {
		if !slices.Contains(res.Reasons, r) {
			t.Errorf("reasons %v, want %s among them", res.Reasons, r)
		}
	}
	if res.Outcome == decide.Referred {
		nothing := []ledger.Entity{ledger.Enquiry, ledger.Intent, ledger.Cadence}
		// Who is asked of one address may have had another stopped.
		if !slices.ContainsFunc(on(res, ledger.Guard), func(w ledger.Write) bool { return w.Item["stop_all"] != nil || w.Set["stop_all"] != nil }) {
			nothing = append(nothing, ledger.Contact, ledger.ContactKey, ledger.Operation)
		}
		for _, e := range nothing {
			writes := slices.DeleteFunc(on(res, e), func(w ledger.Write) bool { // that the address is in dispute is part of the question
				return e == ledger.ContactKey && reflect.DeepEqual(w.Set, ledger.Item{contact.DisputedAttr: true})
			})
			if n := len(writes); n != 0 {
				t.Errorf("a referral writes %d of %s", n, e)
			}
		}
	}
}

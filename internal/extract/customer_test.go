package extract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/decide/match"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/operate/contacts"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

const adaAddress = "ada@example.org"

// customerWorld is a world whose form states a customer ID, in auto mode.
func customerWorld(t *testing.T, use string) *world {
	t.Helper()
	w := newWorld(t, tenant.ModeAuto)
	w.apply(`"message": "/data/message"`, `"message": "/data/message", "customer_id": "/data/customer"`,
		`"identity": {`, `"customer_ids": {"use": "`+use+`"}, "identity": {`)
	return w
}

// apply puts the example policy in force with parts replaced, in auto mode, as
// the next version.
func (w *world) apply(changes ...string) {
	w.t.Helper()
	p, err := w.book.Current(w.t.Context(), "demo")
	if err != nil {
		w.t.Fatal(err)
	}
	doc := strings.Replace(string(tenant.Example()), `"mode": "draft"`, `"mode": "auto"`, 1)
	doc = strings.Replace(doc, `"version": 1`, fmt.Sprintf(`"version": %d`, p.Version+1), 1)
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(doc, changes[i]) {
			w.t.Fatalf("%s is not in the policy", changes[i])
		}
		doc = strings.Replace(doc, changes[i], changes[i+1], 1)
	}
	w.policy(doc)
}

// form records a form's event as ingest does.
func (w *world) form(delivery, email, customer, text string) ledger.Key {
	w.t.Helper()
	raw := fmt.Appendf(nil, `{"data": {"email": %q, "customer": %q, "message": %q}}`, email, customer, text)
	id, err := inbound.ID("form", "website", delivery)
	if err != nil {
		w.t.Fatal(err)
	}
	now := utc.At(w.clock.Now())
	e := inbound.Event{
		Tenant: "demo", ID: id, Source: "form", Content: tenant.ContentForm, Mailbox: "website", DeliveryID: delivery,
		Fingerprint: digest.Content(raw), Raw: string(blob.RefOf("demo", id, raw)), ReceivedAt: now,
		State: inbound.Recorded, Transition: 1, NotBefore: now, DueAt: now, DueShard: schema.Shard(id),
	}
	if err := w.blob.Put(w.t.Context(), blob.Ref(e.Raw), raw); err != nil {
		w.t.Fatal(err)
	}
	k := ledger.Event.At("demo", id)
	var c ledger.Commit
	if err := c.Insert(ledger.Step{Key: k, Machine: inbound.Machine(), Event: "record", Audit: audit.Record{At: now, By: "ingest"}}, e, e.State); err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.Commit(w.t.Context(), c); err != nil {
		w.t.Fatal(err)
	}
	return k
}

// owners maps each key to its contact, and checks that the contacts list just
// the keys that lead to them.
func (w *world) owners() map[string]string {
	w.t.Helper()
	leads, lists := map[string]string{}, map[string]string{}
	for _, it := range w.all(ledger.ContactKey) {
		leads[ledger.KeyOf(it).ID] = it.Text("contact")
	}
	for _, it := range w.all(ledger.Contact) {
		var c contact.Contact
		if err := it.Decode(&c); err != nil {
			w.t.Fatal(err)
		}
		for _, k := range c.Keys {
			if lists[k] != "" || leads[k] != c.ID {
				w.t.Errorf("contact %s lists key %s, which leads to %q", c.ID, k, leads[k])
			}
			lists[k] = c.ID
		}
	}
	if len(lists) != len(leads) {
		w.t.Errorf("%d keys, of which contacts list %d", len(leads), len(lists))
	}
	return leads
}

// TestFormsOfOneCustomerAtOnceMakeOneContact: E-43 and E-44 of the mission, who
// share the customer ID, the address, or both, with spellings as they come.
func TestFormsOfOneCustomerAtOnceMakeOneContact(t *testing.T) {
	t.Parallel()
	type of struct{ email, customer string }
	races := map[string][]of{
		"one customer, two addresses": {{adaAddress, "C-7"}, {"ada@elsewhere.example", " C-7 "}},
		"one address, one customer":   {{adaAddress, "C-7"}, {"Ada@Example.ORG", "C-7"}, {adaAddress, "C-7"}},
		"one address, then its ID":    {{adaAddress, ""}, {adaAddress, "C-7"}, {adaAddress, ""}, {adaAddress, "C-7"}},
		"one address, two IDs":        {{adaAddress, "C-7"}, {adaAddress, "C-8"}},
		"crossed":                     {{adaAddress, "C-7"}, {"ben@example.net", "C-8"}, {adaAddress, "C-8"}, {"ben@example.net", "C-7"}},
		"a shared inbox":              {{"info@example.org", "C-7"}, {"info@example.org", "C-7"}, {"info@example.org", "C-8"}},
	}
	for name, events := range races {
		for _, use := range []string{tenant.CustomersReview, tenant.CustomersWin} {
			for _, schedule := range []string{"meeting", "free"} {
				for range 6 {
					w := customerWorld(t, use)
					keys := make([]ledger.Key, len(events))
					for i, e := range events {
						keys[i] = w.form(fmt.Sprint("E-", 43+i), e.email, e.customer, body)
					}
					w.together(stores(w, len(events))[schedule](), keys...)
					leads := w.owners()
					for i, k := range keys {
						w.checkCustomer(name+", "+use, w.event(k), leads, strings.TrimSpace(events[i].customer))
					}
					if made := w.count(ledger.Contact); name == "one address, one customer" && made != 1 || made > len(leads) {
						t.Errorf("%s, %s: %d contacts of keys %v", name, use, made, leads)
					}
					if t.Failed() {
						return
					}
				}
			}
		}
	}
}

// checkCustomer: whatever came first, an event that was decided is the
// contact's that its customer ID leads to, if it has one.
func (w *world) checkCustomer(name string, e inbound.Event, leads map[string]string, customer string) {
	w.t.Helper()
	switch {
	case e.State == inbound.InReview:
		asks := []string{match.ReasonSeveral, match.ReasonAddressNew, match.ReasonCustomerDiffers}
		if !slices.ContainsFunc(asks, func(r string) bool { return slices.Contains(e.Reasons, r) }) {
			w.t.Errorf("%s: %s asks %v", name, e.ID, e.Reasons)
		}
	case e.State != inbound.Decided:
		w.t.Errorf("%s: %s is %s", name, e.ID, e.State)
	case customer != "" && e.Contact != leads["customer:"+customer]:
		w.t.Errorf("%s: %s of customer %s is of contact %s, the ID leads to %q", name, e.ID, customer, e.Contact, leads["customer:"+customer])
	}
}

// The enquiry, the slot and the follow-up are of the contact that the customer
// ID leads to, when the address is another's.
func TestACustomerIDThatWinsIsAnsweredByAPerson(t *testing.T) {
	t.Parallel()
	w := customerWorld(t, tenant.CustomersWin)
	s := w.service(w.store, w.reader)
	a, b := w.form("1", adaAddress, "", body), w.form("2", "ben@example.net", "C-7", body)
	w.settle(s, a, b)
	both := w.form("3", adaAddress, "C-7", "And do you have a sauna?")
	w.settle(s, both)
	e := w.event(both)
	if e.Contact != w.event(b).Contact || e.Contact == w.event(a).Contact {
		t.Fatalf("it is of %s, not of the customer's contact", e.Contact)
	}
	if e.Outcome != inbound.Folded { // his first one is minutes old
		t.Errorf("outcome %s %v", e.Outcome, e.Reasons)
	}
	w.clock.goTo(utc.At(w.clock.Now()).Add(3600e9))
	later := w.form("4", adaAddress, "C-7", "And a lake?")
	w.settle(s, later)
	i := w.item(ledger.Intent.At("demo", w.event(later).Intent))
	if i.Text("state") != followup.Proposed || i.Text("recipient") != adaAddress || i.Text("contact") != e.Contact {
		t.Errorf("the follow-up to an address of another contact: %v", i)
	}
	if leads := w.owners(); leads["email:"+adaAddress] != w.event(a).Contact || len(leads) != 3 {
		t.Errorf("keys %v", leads)
	}
}

// A form whose customer ID goes to a person makes nothing; what he approves is
// decided on the keys as they are then.
func TestAnApprovedAddressIsTheCustomers(t *testing.T) {
	t.Parallel()
	w := customerWorld(t, tenant.CustomersReview)
	s := w.service(w.store, w.reader)
	first, second := w.form("1", adaAddress, "C-7", body), w.form("2", "ben@example.net", "C-7", body)
	w.settle(s, first)
	w.settle(s, second)
	if e := w.event(second); e.State != inbound.InReview || !slices.Contains(e.Reasons, match.ReasonAddressNew) || w.count(ledger.Contact) != 1 {
		t.Fatalf("%s %v", e.State, e.Reasons)
	}
	if err := w.answer(s, second, yes); err != nil {
		t.Fatal(err)
	}
	third := w.form("3", "ben@example.net", "", body)
	w.settle(s, third)
	if c := w.event(third).Contact; c != w.event(first).Contact || w.count(ledger.Contact) != 1 || len(w.owners()) != 3 {
		t.Errorf("contact %s of %d, keys %v", c, w.count(ledger.Contact), w.owners())
	}
}

// A model's word that a text is of health, religion or the like has a person
// decide, in auto mode too.
func TestASensitiveTextIsForAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.reader.script = func(_ int, s reader.Source) (reader.Record, error) {
		r := plainRecord(s)
		r.ReviewReasons = []string{reader.ReasonSensitive} // and NeedsHumanReview not set
		return r, nil
	}
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	w.settle(w.service(w.store, w.reader), k)
	if e := w.event(k); e.State != inbound.InReview || !slices.Contains(e.Reasons, reader.ReasonSensitive) || w.count(ledger.Intent) != 0 {
		t.Errorf("%s %v, %d intents", e.State, e.Reasons, w.count(ledger.Intent))
	}
}

// Where a customer ID beats the address, the mail would reach whom the address
// leads to: his wish at another address counts.
func TestAWishOfWhomTheAddressLeadsToCountsForACustomerWhoWroteFromIt(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]bool{"opted out": true, "no wish": false} {
		w := customerWorld(t, tenant.CustomersWin)
		w.settle(w.service(w.store, w.reader), w.form("f1", adaAddress, "C-7", "A walk?"), w.form("f2", bob, "", "A hut?"))
		w.act(contacts.Act{Kind: contacts.Alias, Contact: bob, Address: adasOther})
		if opts {
			w.settle(w.service(w.store, w.reader), w.form("f3", adasOther, "", "Please unsubscribe me."))
		}
		w.clock.goTo(utc.At(w.clock.Now().Add(8 * 24 * time.Hour)))
		k := w.form("f4", bob, "C-7", "And in June?")
		w.settle(w.service(w.store, w.reader), k)
		want := inbound.FollowUp
		if opts {
			want = inbound.Suppressed
		}
		if e := w.event(k); e.Outcome != want {
			t.Errorf("%s: %s %v, want %s", name, e.Outcome, e.Reasons, want)
		}
	}
}

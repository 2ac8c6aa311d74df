package verify_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/operate/verify"
	"onefold/internal/record/contact"
)

// breach is one way to break a sound ledger, and the check that must tell.
type breach struct {
	name  string
	check string
	do    func(*world)
}

func try(t *testing.T, list []breach) {
	t.Helper()
	for _, b := range list {
		t.Run(b.check+"/"+b.name, func(t *testing.T) {
			t.Parallel()
			w := busy(t)
			b.do(w)
			rep := w.check(verify.Options{Quiet: true})
			told := slices.ContainsFunc(rep.Findings, func(f verify.Finding) bool {
				return f.Check == b.check && f.What != "" && len(f.Keys) > 0 && f.Tenant != ""
			})
			if !told {
				t.Errorf("%s does not tell; findings: %v", b.check, rep.Findings)
			}
			if rep.Unsettled != 0 {
				t.Errorf("%d findings unsettled on a ledger that nobody writes", rep.Unsettled)
			}
		})
	}
}

func key(e ledger.Entity, id string) ledger.Key {
	return e.At("demo", id)
}

func (w *world) intentOf(recipient string) ledger.Key {
	return ledger.KeyOf(w.one(ledger.Intent, "recipient", recipient))
}

func (w *world) attemptOf(recipient string, n int64) ledger.Key {
	return ledger.AttemptKey("demo", w.intentOf(recipient).ID, n)
}

func (w *world) contactOf(email string) ledger.Key {
	return ledger.KeyOf(w.one(ledger.Contact, "email", email))
}

func (w *world) eventOf(delivery string) ledger.Key {
	return ledger.KeyOf(w.one(ledger.Event, "delivery_id", delivery))
}

func peopleBreaches() []breach {
	ghost := "ghost"
	return []breach{
		{"orphan delivery", "deliveries", func(w *world) {
			w.put(ledger.Delivery.Under("demo", "form/website/none", "1"), ledger.Item{"answer": "recorded"})
		}},
		{"event without a recording", "deliveries", func(w *world) {
			w.set(ledger.KeyOf(w.one(ledger.Delivery, "event", w.eventOf("f-bob").ID)), ledger.Item{"answer": "duplicate"})
		}},
		{"event recorded twice", "deliveries", func(w *world) {
			w.put(ledger.Delivery.Under("demo", w.eventOf("f-bob").ID, "z"), ledger.Item{"answer": "recorded"})
		}},
		{"key to nobody", "keys_lead_to_contacts", func(w *world) {
			w.put(key(ledger.ContactKey, "email:x@example.org"), ledger.Item{"contact": ghost})
		}},
		{"listed key of another", "keys_lead_back", func(w *world) {
			w.set(key(ledger.ContactKey, "email:ada@example.org"), ledger.Item{"contact": w.contactOf("bob@example.org").ID})
		}},
		{"listed key that is not there", "keys_lead_back", func(w *world) {
			w.set(w.contactOf("ada@example.org"), ledger.Item{"keys": []string{"email:ada@example.org", "email:other@example.org"}})
		}},
		{"two contacts of one key", "one_contact_per_key", func(w *world) {
			w.set(w.contactOf("bob@example.org"), ledger.Item{"keys": []string{"email:ada@example.org"}})
		}},
		{"merged into nobody", "merges_end", func(w *world) {
			w.set(w.contactOf("ada@example.org"), ledger.Item{"status": contact.Merged, "merged_into": ghost})
		}},
		{"merged in a ring", "merges_end", func(w *world) {
			a, b := w.contactOf("ada@example.org"), w.contactOf("bob@example.org")
			w.set(a, ledger.Item{"status": contact.Merged, "merged_into": b.ID})
			w.set(b, ledger.Item{"status": contact.Merged, "merged_into": a.ID})
		}},
		{"enquiry of nobody", "contact_links", func(w *world) {
			w.put(ledger.Enquiry.Under("demo", ghost, "c"), ledger.Item{"event": w.eventOf("f-bob").ID})
		}},
		{"cadence with a lost intent", "contact_links", func(w *world) {
			w.set(ledger.Cadence.Under("demo", w.contactOf("bob@example.org").ID, "quote"), ledger.Item{"intent": ghost})
		}},
		{"two contacts of one record", "one_record_per_contact", func(w *world) {
			w.set(w.mappingOf("bob@example.org"), ledger.Item{"crm_id": "7"})
			w.set(w.mappingOf("ada@example.org"), ledger.Item{"crm_id": "7"})
		}},
		{"synced without a record", "one_record_per_contact", func(w *world) {
			w.set(w.mappingOf("bob@example.org"), ledger.Item{"crm_id": ""})
		}},
		{"decided without a reading", "readings_stored", func(w *world) {
			w.set(key(ledger.MatchDecision, w.eventOf("f-bob").ID), ledger.Item{"model": "other"})
		}},
		{"raw content gone", "raw_kept", func(w *world) {
			for r := range w.blobs {
				delete(w.blobs, r)
			}
		}},
	}
}

func TestBrokenEventsAndContactsAreFound(t *testing.T) {
	t.Parallel()
	try(t, peopleBreaches())
}

func (w *world) mappingOf(email string) ledger.Key {
	return ledger.CRMMapping.Under("demo", w.contactOf(email).ID, "hubspot")
}

func TestAFindingHoldsNoAddress(t *testing.T) {
	t.Parallel()
	w := busy(t)
	w.set(key(ledger.ContactKey, "email:ada@example.org"), ledger.Item{"contact": "ghost"})
	w.set(ledger.MailRoute.At(ledger.NoTenant, "sales@demo.example"), ledger.Item{"of_tenant": ""})
	for _, f := range w.check(verify.Options{}).Findings {
		for _, s := range append(f.Keys, f.What) {
			if strings.Contains(s, "@") {
				t.Errorf("finding of %s names an address: %s", f.Check, s)
			}
		}
	}
}

func TestASmallDistanceOfStampsIsAWarning(t *testing.T) {
	t.Parallel()
	w := busy(t)
	i := w.one(ledger.Intent, "recipient", "dora@example.org")
	w.put(key(ledger.Guard, i.Text("guard")), ledger.Item{"stop_all": "2026-03-02T08:59:58.000Z"}) // claimed at 09:00:00
	for slack, want := range map[time.Duration]verify.Severity{0: verify.Violation, time.Second: verify.Violation, 2 * time.Second: verify.Warning} {
		rep := w.check(verify.Options{Slack: slack})
		if len(rep.Findings) != 1 || rep.Findings[0].Severity != want || rep.Findings[0].Check != "stops_are_kept" {
			t.Errorf("slack %s: got %v, want one %s", slack, rep.Findings, want)
		}
	}
}

// TestEveryCheckHasABreach: a check that nothing here breaks is not proved to
// check anything.
func TestEveryCheckHasABreach(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, b := range slices.Concat(peopleBreaches(), sendingBreaches(), stopsBreaches(), personsBreaches(), ownersBreaches(), trailsBreaches(), routesBreaches(), identityBreaches()) {
		broken[b.check] = true
	}
	for _, r := range verify.Rules() {
		if !broken[r.Name] {
			t.Errorf("no breach of %s", r.Name)
		}
		if r.Promise < 1 || r.Promise > 7 || r.Says == "" {
			t.Errorf("%s names no promise or says nothing", r.Name)
		}
	}
}

package decide_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/schema"
)

// full are grounds in which everything that is kept is set.
func full(t *testing.T) map[string]decide.Ground {
	c := func(id string) *contact.Contact {
		return &contact.Contact{
			Tenant: "demo", ID: id, Status: contact.Active, Name: "ADA  Lovelace", Company: "Engines Ltd", Phone: "+44 20 7946 0000",
			Keys: []string{"email:ada@example.org", "customer:C-1"}, Reach: 2, ConsentVersion: 3, Revision: 4, Transition: 5,
		}
	}
	k := func(id string) *contact.Key { return &contact.Key{Tenant: "demo", Contact: id} }
	guarded := ledger.Item{"tenant": "demo", "address": ada, "transition": int64(4), "stop_other_scope": "2026-03-01T09:00:00.000Z", "bounces": int64(2)}
	cap := ledger.Item{schema.Version: int64(6), "tenant": "demo", "count": int64(2)}

	g := ground(t, mail(ada, question), tenant.ModeAuto)
	g.Policy.IdentityNext = &tenant.Identity{Version: g.Policy.Identity.Version + 1, FoldPlus: true}
	g.Policy.CustomerIDs.Use, g.Facts.CustomerID = tenant.CustomersReview, "C-1"
	g.Policy.Review.NewContacts = true
	g.Facts.InReplyTo = []string{"sent-7@email.amazonses.com"}
	g.Extraction.Record.Company = reader.Field{Value: "Analytic Ltd", Confidence: 90}
	g = identified(t, g)
	g.Seen = decide.Seen{
		Key: k("loser"), Contact: c("contact-1"), Guard: guarded, Elsewhere: []ledger.Item{guarded},
		Enquiry: &contact.Enquiry{FollowUp: "intent-3"}, Cadence: &followup.Cadence{Intent: "intent-4", FoldUntil: start, Version: 2},
		Slot:   &followup.Intent{ID: "intent-4", State: followup.Cancelled, Reason: followup.ReasonRefused},
		Intent: &followup.Intent{ID: "intent-1", Contact: "contact-9"}, Replied: &followup.Intent{ID: "intent-7"}, Caps: []ledger.Item{cap, nil},
		Holder: c("loser"), CustomerKey: k("contact-1"), Customer: c("contact-1"),
	}
	late := ground(t, mail(ada, question), tenant.ModeAuto)
	late.Policy.IdentityNext, late.Policy.Review.NewContacts = g.Policy.IdentityNext, true
	late = identified(t, late)
	late.Seen = decide.Seen{Next: k("contact-2"), NextContact: c("contact-2"), Contact: c("contact-2"), Unapproved: true, Caps: []ledger.Item{nil, cap}}

	report := ground(t, machineMail(rawmail.Complaint, ada, true), tenant.ModeAuto)
	report.Policy.IdentityNext = g.Policy.IdentityNext
	report.Facts.Failed, report.Facts.Returned = []string{ada, other}, []string{"intent-6"}
	report = identified(t, report)
	report.Seen.Returned = []followup.Intent{{ID: "intent-6", Guard: report.Person.GuardID}}
	p := &report.Also[0]
	p.Key, p.Contact, p.Guard, p.Next, p.NextContact = k("contact-3"), c("contact-3"), guarded, k("contact-3"), c("contact-3")
	return map[string]decide.Ground{"known": g, "late": late, "report": report}
}

// TestTheStoredFormIsAsItWas: testdata/grounds.json was written before what is
// kept was listed by parts. What is kept now says the same, and what was kept then
// is decided again to the same commit, in either form.
func TestTheStoredFormIsAsItWas(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "grounds.json")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var was map[string]json.RawMessage
	if err := json.Unmarshal(b, &was); err != nil {
		t.Fatal(err)
	}
	for name, g := range full(t) {
		res := decideOn(t, g)
		text := kept(t, res)
		var a, b any
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(was[name], &b); err != nil {
			t.Fatal(err)
		}
		b.(map[string]any)["v"] = a.(map[string]any)["v"] // form 3 only adds to what was kept
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: kept is\n%s\nit was\n%s", name, text, was[name])
		}
		for form := range decide.GroundForm {
			b.(map[string]any)["v"] = form + 1
			text, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			got := again(t, g, string(text))
			if !reflect.DeepEqual(comparably(g, res), comparably(g, got)) {
				t.Errorf("%s in form %d: decided again, the commit differs:\n%+v\n%+v", name, form+1, res, got)
			}
		}
	}
}

package verify_test

import (
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/operate/contacts"
	"onefold/internal/operate/verify"
	"onefold/internal/policy/versions"
	"onefold/internal/record/contact"
)

// act has an operator say who is who.
func (w *world) act(a contacts.Act) {
	w.t.Helper()
	a.Tenant = "demo"
	now := w.ingest.Now
	s := contacts.Service{Store: w.store, Policies: &versions.Book{Store: w.store, Now: now}, IDs: w.ids, Now: now}
	p, err := s.Do(w.t.Context(), a, "person:tester", "")
	w.ok(err)
	if p.Already != "" {
		w.t.Fatal(p.Already)
	}
}

func personsBreaches() []breach {
	const late = "2026-03-09T20:00:00.000Z"
	one := func(w *world) {
		w.act(contacts.Act{Kind: contacts.Merge, Contact: "ada@example.org", Into: "dora@example.org"})
	}
	return []breach{
		{"lists somebody who leads nowhere", "absorbed_agree", func(w *world) {
			w.set(w.contactOf("bob@example.org"), ledger.Item{"absorbed": []string{w.contactOf("eric@example.org").ID}})
		}},
		{"lists a ghost", "absorbed_agree", func(w *world) { w.set(w.contactOf("bob@example.org"), ledger.Item{"absorbed": []string{"ghost"}}) }},
		{"lists itself", "absorbed_agree", func(w *world) {
			w.set(w.contactOf("bob@example.org"), ledger.Item{"absorbed": []string{w.contactOf("bob@example.org").ID}})
		}},
		{"forgets who was merged into it", "absorbed_agree", func(w *world) { one(w); w.set(w.contactOf("dora@example.org"), ledger.Item{"absorbed": ""}) }},
		{"forgets who leads to it by another", "absorbed_agree", func(w *world) {
			one(w)
			w.act(contacts.Act{Kind: contacts.Merge, Contact: "dora@example.org", Into: "bob@example.org"})
			w.set(w.contactOf("bob@example.org"), ledger.Item{"absorbed": []string{w.contactOf("dora@example.org").ID}})
		}},
		{"keeps who was split off", "absorbed_agree", func(w *world) {
			one(w)
			w.set(w.contactOf("ada@example.org"), ledger.Item{"status": contact.Active, "merged_into": ""})
		}},
		// ada opted out, was merged into dora, and then a mail to dora was claimed.
		{"of a contact that was merged into it", "wishes_are_kept", func(w *world) {
			one(w)
			w.set(w.attemptOf("dora@example.org", 1), ledger.Item{"claimed_at": late})
		}},
		{"of a contact that leads to it by another", "wishes_are_kept", func(w *world) {
			one(w)
			w.act(contacts.Act{Kind: contacts.Merge, Contact: "dora@example.org", Into: "eric@example.org"})
			w.set(w.attemptOf("eric@example.org", 1), ledger.Item{"claimed_at": late})
		}},
		// carol never asked for anything: her address has a guard and no contact.
		{"of an alias", "wishes_are_kept", func(w *world) {
			w.act(contacts.Act{Kind: contacts.Alias, Contact: "dora@example.org", Address: "carol@example.net"})
			w.set(w.attemptOf("dora@example.org", 1), ledger.Item{"claimed_at": late})
		}},
		{"consent raised by a merge", "consent_is_kept", func(w *world) {
			one(w)
			w.set(w.attemptOf("dora@example.org", 1), ledger.Item{"claimed_at": late})
		}},
	}
}

func TestPersonsThatWereTornApartAreFound(t *testing.T) {
	t.Parallel()
	try(t, personsBreaches())
}

// What was claimed before the addresses were one person's, or after they no
// longer were, broke nothing.
func TestActsOnASoundLedgerLeaveItSound(t *testing.T) {
	t.Parallel()
	w := busy(t)
	for _, a := range []contacts.Act{
		{Kind: contacts.Merge, Contact: "ada@example.org", Into: "dora@example.org"},
		{Kind: contacts.Merge, Contact: "dora@example.org", Into: "bob@example.org"},
		{Kind: contacts.Alias, Contact: "ada@example.org", Address: "carol@example.net"},
		{Kind: contacts.ChangeAddress, Contact: "eric@example.org", Address: "eric@example.net"},
		{Kind: contacts.Split, Contact: "dora@example.org"},
	} {
		w.act(a)
		w.run(3, 0)
		for _, f := range w.check(verify.Options{Quiet: true}).Findings {
			t.Errorf("after %s: %s %s: %s %v", a.Kind, f.Severity, f.Check, f.What, f.Keys)
		}
	}
}

package crmsync_test

import (
	"testing"

	"onefold/internal/blob"
	"onefold/internal/crm"
	"onefold/internal/crm/hubspot"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/outbox"
)

func (w *world) are(state string, ids ...string) {
	w.Helper()
	for _, id := range ids {
		if op := w.op(id); op.State != state {
			w.Errorf("operation %s is %s (%s), want %s", id, op.State, op.Reason, state)
		}
	}
}

// In HubSpot one record has both addresses, one of them as a secondary one; here
// they are two people. Once these are merged, what waited for either is filed on
// the one record.
func TestAMergeReleasesWhatASecondaryAddressHeldUp(t *testing.T) {
	t.Parallel()
	server, client := newHubSpot(t)
	id, err := server.Seed("contacts", map[string]string{"email": "bea@example.com", "hs_additional_emails": "ada@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, client)
	w.enquiry("bea", contactFirst...)
	w.settle()
	w.enquiry("ada", contactFirst...)
	w.settle()
	w.are(outbox.Parked, "crm_contactada", "crm_noteada", "crm_taskada")

	// As `onefold contact merge ada bea` does.
	w.set(personKey("ada"), ledger.Item{"status": contact.Merged, "merged_into": "bea"})
	w.set(personKey("bea"), ledger.Item{"absorbed": []string{"ada"}})
	w.operation(outbox.Operation{ID: "merge", Kind: outbox.CRMContact, Contact: "bea", Revision: 1})
	w.settle()
	w.allDone("crm_noteada", "crm_taskada", "crm_notebea", "crm_taskbea")
	w.are(outbox.Superseded, "crm_contactada")
	if people := server.Contacts(); len(people) != 1 || people[0].ID != id {
		t.Errorf("the CRM has %v", people)
	}
	notes := server.Notes()
	for _, n := range notes {
		if len(n.Associations) != 1 || n.Associations[0] != "contacts/"+id {
			t.Errorf("a note hangs on %v", n.Associations)
		}
	}
	if len(notes) != 2 || len(server.Tasks()) != 2 {
		t.Errorf("%d notes, %d tasks", len(notes), len(server.Tasks()))
	}
	w.sound()
}

// The same where the record is of the one that leaves: it becomes the record of
// the one that stays.
func TestAMergeTakesTheRecordOfTheOneThatLeaves(t *testing.T) {
	t.Parallel()
	server, client := newHubSpot(t)
	id, err := server.Seed("contacts", map[string]string{"email": "ada@example.com", "hs_additional_emails": "bea@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, client)
	w.enquiry("ada", contactFirst...)
	w.settle()
	w.enquiry("bea", contactFirst...)
	w.settle()
	w.are(outbox.Parked, "crm_contactbea", "crm_notebea", "crm_taskbea")

	w.set(personKey("ada"), ledger.Item{"status": contact.Merged, "merged_into": "bea"})
	w.set(personKey("bea"), ledger.Item{"absorbed": []string{"ada"}})
	w.operation(outbox.Operation{ID: "merge", Kind: outbox.CRMContact, Contact: "bea", Revision: 1})
	w.settle()
	w.allDone("merge", "crm_noteada", "crm_taskada", "crm_notebea", "crm_taskbea")
	w.are(outbox.Superseded, "crm_contactbea")
	people := server.Contacts()
	if len(people) != 1 || people[0].ID != id || people[0].Properties[hubspot.PropContactRef] != "bea" || people[0].Properties["email"] != "ada@example.com" {
		t.Errorf("the CRM has %v", people)
	}
	if bea, ada := w.mapping("bea"), w.mapping("ada"); bea.CRMID != id || ada.CRMID != "" {
		t.Errorf("bea is record %q, ada %q; want %q and none", bea.CRMID, ada.CRMID, id)
	}
	w.sound()

	// A merge that is taken back leaves the record where it is, and one contact
	// without: what comes for it goes before a person.
	w.set(personKey("ada"), ledger.Item{"status": contact.Active, "merged_into": ""})
	w.set(personKey("bea"), ledger.Item{"absorbed": []string{}})
	w.revise("ada", 2)
	w.settle()
	if op := w.op("sync2ada"); op.State != outbox.Parked || op.Reason != "conflict_other_reference" {
		t.Errorf("after a split: %s (%s)", op.State, op.Reason)
	}
	w.sound()
}

// Two records for one person are merged in the CRM, which tells nobody: the next
// enquiry finds it out, and what waited since comes with it.
func TestAMergeInTheCRMIsFoundOutByTheNextEnquiry(t *testing.T) {
	t.Parallel()
	v := newVendor()
	two := true
	c := &scripted{CRM: v, answer: func(int) *crm.Result {
		if two {
			return &crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}
		}
		return nil
	}}
	w := newWorld(t, c)
	w.enquiry("ada", contactFirst...)
	w.settle()
	w.are(outbox.Parked, "crm_contactada", "crm_noteada", "crm_taskada")
	if c.calls != 1 {
		t.Errorf("one enquiry made %d calls", c.calls)
	}

	// While it lasts, an enquiry costs one more call and makes nothing.
	before := c.calls
	raw := blob.Ref(w.get(eventKey).Text("raw"))
	w.event("e2", raw)
	w.operation(outbox.Operation{ID: "second", Kind: outbox.CRMNote, Contact: "ada", Event: "e2"})
	w.settle()
	w.are(outbox.Parked, "crm_contactada", "crm_noteada", "crm_taskada", "second")
	if c.calls != before+1 || len(v.made) != 0 {
		t.Errorf("%d calls, made %v", c.calls-before, v.made)
	}
	w.sound()

	two = false
	w.event("e3", raw)
	w.operation(outbox.Operation{ID: "third", Kind: outbox.CRMNote, Contact: "ada", Event: "e3"})
	w.settle()
	w.allDone("crm_contactada", "crm_noteada", "crm_taskada", "second", "third")
	if v.made["contact"] != 1 || v.made["note"] != 3 || v.made["task"] != 1 {
		t.Errorf("made %v", v.made)
	}
	w.sound()
}

// An update that met another record is done with when a later one has gone
// through; and the two do not wake each other meanwhile.
func TestALaterUpdateEndsOneThatMetAConflict(t *testing.T) {
	t.Parallel()
	server, client := newHubSpot(t)
	w := newWorld(t, client)
	w.enquiry("ada", contactFirst...)
	w.settle()
	other, err := server.Seed("contacts", map[string]string{"email": "ada@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	w.set(personKey("ada"), ledger.Item{"email": "ada@example.org"})
	w.revise("ada", 2)
	w.revise("ada", 3)
	w.settle()
	w.are(outbox.Parked, "sync2ada", "sync3ada")
	if err := server.Archive("contacts", other); err != nil { // merged away there
		t.Fatal(err)
	}
	w.revise("ada", 4)
	w.settle()
	w.are(outbox.Done, "sync4ada")
	w.are(outbox.Superseded, "sync2ada", "sync3ada")
	if people := server.Contacts(); len(people) != 1 || people[0].Properties["email"] != "ada@example.org" {
		t.Errorf("the CRM has %v", people)
	}
	w.sound()
}

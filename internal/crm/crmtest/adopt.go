package crmtest

import (
	"reflect"
	"testing"

	"onefold/internal/crm"
)

func existingAddressIsAdopted(t *testing.T, b bench) {
	srv, c := b.start(t)
	id := srv.Put(t, map[string]string{Email: "ann@example.com"})
	settled(srv, c, Contacts)
	r := done(t, "upsert", upsert(t, c, ann(), ""))
	if r.ID != id || !r.Adopted || r.Created {
		t.Errorf("got record %q, adopted %v, created %v; want %q adopted", r.ID, r.Adopted, r.Created, id)
	}
	if rec := only(t, srv, Contacts); rec.Values[Company] != "Example Ltd" {
		t.Errorf("an empty field was not filled: %v", rec.Values)
	}
	// The reference was written: the record is found without its address.
	settled(srv, c, Contacts)
	if r := done(t, "repeat", upsert(t, c, crm.Contact{Ref: ann().Ref}, "")); r.ID != id {
		t.Errorf("by reference alone the record is %q, want %q", r.ID, id)
	}
	only(t, srv, Contacts)
}

func adoptionIgnoresCase(t *testing.T, b bench) {
	srv, c := b.start(t)
	id := srv.Put(t, map[string]string{Email: "ann@example.com"})
	settled(srv, c, Contacts)
	ct := ann()
	ct.Email = "Ann@Example.COM"
	if r := done(t, "upsert", upsert(t, c, ct, "")); r.ID != id || !r.Adopted {
		t.Errorf("got record %q, adopted %v; want %q adopted", r.ID, r.Adopted, id)
	}
	only(t, srv, Contacts)
}

func adoptionReplacesNothing(t *testing.T, b bench) {
	srv, c := b.start(t)
	has := map[string]string{Email: "ann@example.com", Name: "Annabel Smythe", Phone: "+441632960099"}
	id := srv.Put(t, has)
	// Also later, by reference, by ID or with an ID that is gone: what the
	// people of the CRM had stays theirs.
	for _, known := range []string{"", "", id, "999999"} {
		settled(srv, c, Contacts)
		done(t, "upsert", upsert(t, c, ann(), known))
		rec := only(t, srv, Contacts)
		for name, value := range has {
			if rec.Values[name] != value {
				t.Errorf("known %q: %s became %q, was %q", known, name, rec.Values[name], value)
			}
		}
		if rec.Values[Company] != "Example Ltd" {
			t.Errorf("known %q: the empty company was not filled", known)
		}
	}
}

// refusedUnchanged checks that a Conflict left the CRM as it was.
func refusedUnchanged(t *testing.T, srv Vendor, c crm.CRM, ct crm.Contact, knownID string) {
	t.Helper()
	settled(srv, c, Contacts)
	before := srv.Records(Contacts)
	want(t, "upsert", upsert(t, c, ct, knownID), crm.Conflict)
	if after := srv.Records(Contacts); !reflect.DeepEqual(before, after) {
		t.Errorf("a conflict changed the CRM from %v to %v", before, after)
	}
}

func addressOfAnotherReferenceIsConflict(t *testing.T, b bench) {
	srv, c := b.start(t)
	done(t, "first contact", upsert(t, c, ann(), ""))
	other := ann()
	other.Ref = "contact-other"
	refusedUnchanged(t, srv, c, other, "")
}

func addressThatDiffersByCaseIsConflict(t *testing.T, b bench) {
	srv, c := b.start(t)
	done(t, "first contact", upsert(t, c, ann(), ""))
	refusedUnchanged(t, srv, c, crm.Contact{Ref: "contact-other", Email: "ANN@example.com", Name: "A. Smith"}, "")
}

func addressMovedToAnotherRecordIsConflict(t *testing.T, b bench) {
	srv, c := b.start(t)
	first := done(t, "first contact", upsert(t, c, ann(), ""))
	srv.Put(t, map[string]string{Email: "ann@example.org"})
	moved := ann()
	moved.Email, moved.Last = "ann@example.org", lastOf(first.ID, ann())
	refusedUnchanged(t, srv, c, moved, "")
	refusedUnchanged(t, srv, c, moved, first.ID)
}

func knownRecordOfAnotherReferenceIsConflict(t *testing.T, b bench) {
	srv, c := b.start(t)
	first := done(t, "first contact", upsert(t, c, ann(), ""))
	refusedUnchanged(t, srv, c, crm.Contact{Ref: "contact-bob", Email: "bob@example.com"}, first.ID)
}

// Of two contacts that were merged, the record of one is the other's from then
// on, whether it is found by its ID or by the address.
func recordOfAFormerReferenceIsTakenOver(t *testing.T, b bench) {
	for _, byID := range []bool{true, false} {
		srv, c := b.start(t)
		first := done(t, "first contact", upsert(t, c, ann(), ""))
		known := ""
		if byID {
			known = first.ID
		}
		survivor := ann()
		survivor.Ref, survivor.Former, survivor.Company = "contact-survivor", []string{"contact-other", ann().Ref}, "Example Ltd 2"
		survivor.Last = lastOf(first.ID, ann())
		settled(srv, c, Contacts)
		if r := done(t, "survivor", upsert(t, c, survivor, known)); r.ID != first.ID || r.Created {
			t.Errorf("by ID %v: got record %q, created %v; want %q", byID, r.ID, r.Created, first.ID)
		}
		if rec := only(t, srv, Contacts); rec.Values[Company] != survivor.Company {
			t.Errorf("by ID %v: the record is %v", byID, rec.Values)
		}
		settled(srv, c, Contacts)
		// It is found by the survivor's reference alone, and no longer by the other.
		if r := done(t, "repeat", upsert(t, c, crm.Contact{Ref: survivor.Ref}, "")); r.ID != first.ID {
			t.Errorf("by ID %v: by reference alone the record is %q, want %q", byID, r.ID, first.ID)
		}
		refusedUnchanged(t, srv, c, ann(), first.ID)
	}
}

func knownRecordThatIsGoneIsMadeAgain(t *testing.T, b bench) {
	srv, c := b.start(t)
	first := done(t, "first", upsert(t, c, ann(), ""))
	srv.Archive(t, first.ID)
	settled(srv, c, Contacts)
	r := done(t, "again", upsert(t, c, ann(), first.ID))
	if rec := only(t, srv, Contacts); rec.ID != r.ID || r.ID == first.ID {
		t.Errorf("got record %q, the CRM has %q; %q is gone", r.ID, rec.ID, first.ID)
	}
}

func knownRecordWithoutReferenceIsLinkedAgain(t *testing.T, b bench) {
	srv, c := b.start(t)
	// No address: nothing but the known ID leads to the record.
	id := srv.Put(t, map[string]string{Phone: "+441632960002"})
	ct := crm.Contact{Ref: "contact-phone", Phone: "+441632960002"}
	for _, known := range []string{id, ""} {
		settled(srv, c, Contacts)
		if r := done(t, "upsert", upsert(t, c, ct, known)); r.ID != id {
			t.Errorf("known %q: got record %q, want %q", known, r.ID, id)
		}
	}
	only(t, srv, Contacts)
}

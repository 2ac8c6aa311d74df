package pipedrive_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/crmtest"
	"onefold/internal/crm/pipedrive"
	"onefold/internal/crm/pipedrivetest"
)

// A person that was merged into another is found there by the reference, which the
// other got; until the search shows it, nobody is made.
func TestAMergedPersonIsFoundInTheOther(t *testing.T) {
	t.Parallel()
	for _, gone := range []bool{false, true} {
		v := startWith(t, pipedrivetest.Options{MergedIsGone: gone})
		c := v.ready(t)
		ada := crm.Contact{Ref: "c1", Email: "ada@example.com", Name: "Ada King"}
		first := c.UpsertContact(t.Context(), ada, "")
		note := crm.Note{Ref: "n1", ContactID: first.ID, At: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Body: "Two crates."}
		if r := c.UpsertNote(t.Context(), note); r.Outcome != crm.Done {
			t.Fatalf("%+v", r)
		}
		other := v.Add(pipedrivetest.Person{Name: "A. King", Emails: []pipedrivetest.Entry{{Value: "ada@example.org", Primary: true}}})
		v.settled()
		v.Merge(number(t, first.ID), other)
		if !gone {
			if r := c.UpsertContact(t.Context(), ada, first.ID); r.Outcome != crm.Busy || r.RetryAfter <= 0 || r.RetryAfter > 10*time.Minute {
				t.Errorf("at once: %+v", r)
			}
		}
		v.settled()
		r := c.UpsertContact(t.Context(), ada, first.ID)
		if r.Outcome != crm.Done || r.ID != strconv.FormatInt(other, 10) || r.Created || len(v.Persons()) != 1 {
			t.Errorf("later: %+v of %d persons", r, len(v.Persons()))
		}
		if r := c.UpsertNote(t.Context(), note); r.Outcome != crm.Refused || r.Reason != crm.ReasonContactMissing {
			t.Errorf("a note for the one that is gone: %+v", r)
		}
		note.ContactID = r.ID
		if r := c.UpsertNote(t.Context(), note); r.Outcome != crm.Done || r.Created || len(v.Notes()) != 1 {
			t.Errorf("the note that went with it: %+v of %d", r, len(v.Notes()))
		}
	}
}

// What is written to a person that somebody deletes meanwhile is not done.
func TestAPersonDeletedBetweenLookAndWriteIsLookedForAgain(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	ada := crm.Contact{Ref: "c1", Email: "ada@example.com"}
	id := c.UpsertContact(t.Context(), ada, "").ID
	v.settled()
	until := make(chan struct{})
	v.Hold(until, func() { v.Delete(number(t, id)); close(until) })
	ada.Phone = "+441632960001"
	if r := c.UpsertContact(t.Context(), ada, id); r.Outcome != crm.Unknown {
		t.Errorf("%+v", r)
	}
	v.settled()
	if r := c.UpsertContact(t.Context(), ada, id); r.Outcome != crm.Done || !r.Created || len(v.Persons()) != 1 {
		t.Errorf("again: %+v", r)
	}
}

// A field that was made anew has another code, as the same field of another account.
func TestCodesThatAreNoLongerTheAccountsAreReadAgain(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	ada := crm.Contact{Ref: "c1", Email: "ada@example.com", Company: "Example Ltd"}
	id := c.UpsertContact(t.Context(), ada, "").ID
	v.DropField(pipedrive.FieldRef)
	v.DropField(pipedrive.FieldCompany)
	if r := c.UpsertContact(t.Context(), ada, id); r.Outcome != crm.Busy {
		t.Errorf("without the fields: %+v", r)
	}
	if r := c.UpsertContact(t.Context(), ada, id); r.Outcome != crm.Refused || r.Reason != crm.ReasonSetup {
		t.Errorf("without the fields, again: %+v", r)
	}
	v.ready(t)
	if r := c.UpsertContact(t.Context(), ada, id); r.Outcome != crm.Done || len(v.Persons()) != 1 {
		t.Errorf("with new ones: %+v", r)
	}
	if got := v.Persons()[0].Custom[v.Code(pipedrive.FieldRef)]; got != "c1" {
		t.Errorf("the reference is %q", got)
	}
	// What the vendor refuses for another reason stays refused.
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: strings.Repeat("c", 300), Phone: "1"}, ""); r.Outcome != crm.Refused || r.Reason != crm.ReasonInvalid {
		t.Errorf("a reference that is too long: %+v", r)
	}
}

func TestAnAddressThatStandsForTheNameStaysThePersons(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	ct := crm.Contact{Ref: "c1", Email: "ada@example.com"}
	id := c.UpsertContact(t.Context(), ct, "").ID
	ct.Last = crm.Last{
		Record: id, Wrote: map[crm.Field]string{crm.FieldEmail: "ada@example.com"}, Digest: func(_ crm.Field, normal string) string { return normal },
	}
	ct.Phone = "+441632960001"
	for _, email := range []string{"ada@example.com", "ada@example.org"} {
		ct.Email = email
		if r := c.UpsertContact(t.Context(), ct, id); r.Outcome != crm.Done || v.Persons()[0].Name != email {
			t.Errorf("%+v: the name is %q", r, v.Persons()[0].Name)
		}
	}
	ct.Name = "Ada King"
	if r := c.UpsertContact(t.Context(), ct, id); r.Outcome != crm.Done || len(r.Left) != 0 || v.Persons()[0].Name != "Ada King" {
		t.Errorf("%+v: the name is %q", r, v.Persons()[0].Name)
	}
}

// A note is found among more than one page of others, and a mark that a mail quotes
// is not taken for the note's own.
func TestANoteIsFoundByItsOwnMarkOnEveryPage(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	id := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1"}, "").ID
	note := func(ref, body string) crm.Note {
		return crm.Note{Ref: ref, ContactID: id, At: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Body: body}
	}
	if r := c.UpsertNote(t.Context(), note("n1", "> [onefold:n2]")); !r.Created {
		t.Errorf("%+v", r)
	}
	if r := c.UpsertNote(t.Context(), note("n2", "Two crates.")); !r.Created {
		t.Errorf("its mark was quoted before: %+v", r)
	}
	for range 600 {
		v.AddNote(number(t, id), "by hand")
	}
	if r := c.UpsertNote(t.Context(), note("n2", "Two crates.")); r.Outcome != crm.Done || r.Created || len(v.Notes()) != 602 {
		t.Errorf("%+v of %d notes", r, len(v.Notes()))
	}
}

// More hits than are read: a person looks, since any of them may be the one.
func TestManyPersonsOfOneAddressAreAConflict(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	for range 11 {
		v.Put(t, map[string]string{crmtest.Email: "info@example.com"})
	}
	v.settled()
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1", Email: "info@example.com"}, ""); r.Outcome != crm.Conflict || r.Reason != crm.ReasonUnseen {
		t.Errorf("%+v", r)
	}
}

// When the account's tokens of a day are spent, its next day is waited for.
func TestTokensOfADayThatAreSpentAreTheAccounts(t *testing.T) {
	t.Parallel()
	// Setting up reads and makes fields twice, 10 and 5 tokens each; a new person costs
	// two searches of 20 and a write of 5.
	v := startWith(t, pipedrivetest.Options{Budget: 30 + 45 + 45 - 1})
	c := v.ready(t)
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1", Email: "ada@example.com"}, ""); r.Outcome != crm.Done {
		t.Errorf("%+v", r)
	}
	second := crm.Contact{Ref: "c2", Email: "bea@example.com"}
	if r := c.UpsertContact(t.Context(), second, ""); r.Outcome != crm.Busy || !r.Account || len(v.Persons()) != 1 {
		t.Errorf("beyond the day's: %+v", r)
	}
	v.Pass(24 * time.Hour)
	if r := c.UpsertContact(t.Context(), second, ""); r.Outcome != crm.Done {
		t.Errorf("the day after: %+v", r)
	}
}

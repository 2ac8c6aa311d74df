// Package crmtest is what every CRM adapter must pass: the contract of package
// crm as tests. It knows no vendor: an adapter's test supplies the vendor's side
// (Vendor) with the adapter's fake.
//
// It owns the meaning of "conforms". It asserts nothing that the contract
// leaves open, and no vendor's ways beyond what the server enforces.
package crmtest

import (
	"context"
	"testing"
	"time"

	"onefold/internal/crm"
)

// Suite is what every adapter must do, whatever its vendor. start begins one
// rule: a vendor with nothing in it, stopped when the test ends, and the adapter
// for it, with the vendor's setup (properties) done.
//
// What the adapter declares decides how a rule is kept: calls at once are made one
// after the other where a repeat is found by looking, and an unknown outcome is
// not repeated where it is found by nothing. The rules about what somebody
// changed are not those of an adapter that cannot look, and those about the list
// of contacts are of adapters that have one (crm.Lister).
//
// Real: the adapter, HTTP over loopback. Fake: the CRM. Asserted: the Result's
// promises and the records that the CRM then has. Not asserted: which calls the
// adapter makes, reason words other than "auth", how a name is split.
func Suite(t *testing.T, start func(*testing.T) (Vendor, crm.CRM)) {
	b := bench{start}
	for _, c := range []struct {
		rule string
		run  func(*testing.T, bench)
	}{
		{"NewContactIsCreated", newContactIsCreated},
		{"RepeatedContactIsOneRecord", repeatedContactIsOneRecord},
		{"ChangedContactIsUpdated", changedContactIsUpdated},
		{"EmptyFieldClearsNothing", emptyFieldClearsNothing},
		{"ConcurrentContactIsOneRecord", concurrentContactIsOneRecord},
		{"ContactWithoutAddressIsOneRecord", contactWithoutAddressIsOneRecord},
		{"ExistingAddressIsAdopted", existingAddressIsAdopted},
		{"AdoptionIgnoresCase", adoptionIgnoresCase},
		{"AdoptionReplacesNothing", adoptionReplacesNothing},
		{"ConcurrentAdoptionIsOneRecord", concurrentAdoptionIsOneRecord},
		{"AddressOfAnotherReferenceIsConflict", addressOfAnotherReferenceIsConflict},
		{"AddressThatDiffersByCaseIsConflict", addressThatDiffersByCaseIsConflict},
		{"AddressMovedToAnotherRecordIsConflict", addressMovedToAnotherRecordIsConflict},
		{"KnownRecordOfAnotherReferenceIsConflict", knownRecordOfAnotherReferenceIsConflict},
		{"RecordOfAFormerReferenceIsTakenOver", recordOfAFormerReferenceIsTakenOver},
		{"KnownRecordThatIsGoneIsMadeAgain", knownRecordThatIsGoneIsMadeAgain},
		{"KnownRecordWithoutReferenceIsLinkedAgain", knownRecordWithoutReferenceIsLinkedAgain},
		{"WhatSomebodyChangedIsLeft", looking(whatSomebodyChangedIsLeft)},
		{"WhatSomebodyEmptiedStaysEmpty", looking(whatSomebodyEmptiedStaysEmpty)},
		{"WhatPerhapsWasWrittenIsOurs", looking(whatPerhapsWasWrittenIsOurs)},
		{"AdoptionTakesNothingForOurs", looking(adoptionTakesNothingForOurs)},
		{"WhatThePolicyClaimsIsWrittenOver", looking(whatThePolicyClaimsIsWrittenOver)},
		{"WithoutARecordOfWritesOnlyEmptyFieldsAreWritten", looking(withoutARecordOfWritesOnlyEmptyFieldsAreWritten)},
		{"NoteAndTaskAreAssociated", noteAndTaskAreAssociated},
		{"RepeatedNoteAndTaskAreOneEach", repeatedNoteAndTaskAreOneEach},
		{"RepeatKeepsWhatAPersonDid", repeatKeepsWhatAPersonDid},
		{"NoteOfMissingContactIsRefused", noteOfMissingContactIsRefused},
		{"WrongTokenIsRefused", wrongTokenIsRefused},
		{"RateLimitIsBusy", rateLimitIsBusy},
		{"DeadPortIsNotBegun", deadPortIsNotBegun},
		{"EndedContextIsNotBegun", endedContextIsNotBegun},
		{"LookTellsWhatIsTheAccounts", lookTellsWhatIsTheAccounts},
		{"ListGivesEachRecordOnce", listing(listGivesEachRecordOnce)},
		{"ListIsReadOnThroughChanges", listing(listIsReadOnThroughChanges)},
		{"ListTellsWhatIsTheAccounts", listing(listTellsWhatIsTheAccounts)},
		{"EachOperationMakesTheDeclaredCalls", eachOperationMakesTheDeclaredCalls},
		{"LateWriteAddsNoRecord", lateWriteAddsNoRecord},
		{"FaultAtAnyCallThenRepeat", faultAtAnyCallThenRepeat},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			c.run(t, b)
		})
	}
}

// repeat is what the adapter declares of a kind.
func repeat(c crm.CRM, kind Kind) crm.Repeat {
	is := c.Capabilities()
	return map[Kind]crm.Repeat{Contacts: is.Contacts, Notes: is.Notes, Tasks: is.Tasks}[kind]
}

// atOnce tells whether calls with one reference may be under way at the same
// time. Of any other adapter the worker makes one at a time.
func atOnce(c crm.CRM, kind Kind) bool {
	r := repeat(c, kind)
	return r == crm.ByReference || r == crm.ByIdempotencyKey
}

// replays tells whether a repeat is answered as the first call was, with what that
// one made.
func replays(c crm.CRM, kind Kind) bool { return repeat(c, kind) == crm.ByIdempotencyKey }

// settled lets as much time go by as a worker does before it calls again.
func settled(v Vendor, c crm.CRM, kind Kind) {
	if repeat(c, kind) == crm.ByLooking {
		v.Idle()
		v.Pass(c.Capabilities().InFlight + c.Capabilities().IndexLag)
	}
}

// looking is a rule for adapters that can read a record before they write to it.
func looking(rule func(*testing.T, bench)) func(*testing.T, bench) {
	return func(t *testing.T, b bench) {
		if _, c := b.start(t); c.Capabilities().EditLost == crm.CannotLook {
			t.Log("not asked: the adapter declares that it cannot look")
			return
		}
		rule(t, b)
	}
}

// bench starts a vendor and an adapter for one rule.
type bench struct {
	begin func(*testing.T) (Vendor, crm.CRM)
}

func (b bench) start(t *testing.T) (Vendor, crm.CRM) {
	t.Helper()
	v, c := b.begin(t)
	if c.Capabilities().Name == "" {
		t.Fatal("the adapter declares no name")
	}
	for _, kind := range []Kind{Contacts, Notes, Tasks} {
		if r := repeat(c, kind); r == "" || kind == Contacts && r == crm.Never {
			t.Fatalf("of a repeat of %s the adapter declares %q", kind, r)
		}
	}
	return v, c
}

func ann() crm.Contact {
	return crm.Contact{
		Ref: "contact-ann", Email: "ann@example.com", Name: "Ann Smith", Company: "Example Ltd", Phone: "+441632960001",
	}
}

func noteFor(contactID string) crm.Note {
	return crm.Note{
		Ref: "event-1-note", ContactID: contactID, At: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
		Body: "Please call me back.",
	}
}

func taskFor(contactID string) crm.Task {
	return crm.Task{
		Ref: "event-1-task", ContactID: contactID, Due: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
		Title: "Call Ann", Body: "She asked for a call.",
	}
}

// done fails the test unless the result is Done with an ID.
func done(t *testing.T, what string, r crm.Result) crm.Result {
	t.Helper()
	if r.Outcome != crm.Done || r.ID == "" {
		t.Fatalf("%s: outcome %q (%s), ID %q; want done with an ID", what, r.Outcome, r.Reason, r.ID)
	}
	return r
}

func want(t *testing.T, what string, r crm.Result, o crm.Outcome) {
	t.Helper()
	if r.Outcome != o {
		t.Fatalf("%s: outcome %q (%s), want %q", what, r.Outcome, r.Reason, o)
	}
	if o != crm.Done && r.Reason == "" {
		t.Errorf("%s: outcome %q has no reason", what, r.Outcome)
	}
}

// only fails the test unless there is exactly one record of a kind, and gives it.
func only(t *testing.T, v Vendor, kind Kind) Record {
	t.Helper()
	records := v.Records(kind)
	if len(records) != 1 {
		t.Fatalf("the CRM has %d %s, want 1", len(records), kind)
	}
	return records[0]
}

func upsert(t *testing.T, c crm.CRM, ct crm.Contact, knownID string) crm.Result {
	t.Helper()
	return c.UpsertContact(context.Background(), ct, knownID)
}

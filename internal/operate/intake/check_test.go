package intake_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"onefold/internal/crm"
	"onefold/internal/ledger"
	"onefold/internal/operate/intake"
	"onefold/internal/record/contact"
	"onefold/internal/utc"
)

// has is a record of the CRM.
func has(id, ref, email string, more ...string) crm.Record {
	r := crm.Record{ID: id, Ref: ref, Values: crm.Values{crm.FieldEmail: email}}
	for n := 0; n < len(more); n += 2 {
		r.Values[crm.Field(more[n])] = more[n+1]
	}
	return r
}

func recordsOf(all ...crm.Record) iter.Seq2[crm.Record, error] {
	return func(yield func(crm.Record, error) bool) {
		for _, r := range all {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// checks compares, and asks that nothing is written.
func (w *world) checks(limit int, all ...crm.Record) intake.CheckReport {
	w.Helper()
	before := w.dump()
	rep, err := w.service(w.store).Check(w.Context(), intake.CRMList{Tenant: "demo", CRM: "hubspot", Records: recordsOf(all...), Limit: limit})
	w.ok(err)
	if w.dump() != before {
		w.Error("a comparison changed the ledger")
	}
	for word := range rep.Reasons {
		if intake.SaysDifference(word) == word {
			w.Errorf("%s has no sentence", word)
		}
	}
	return rep
}

func differences(r intake.CheckReport) []string {
	var out []string
	for _, d := range r.Findings {
		out = append(out, strings.TrimRight(fmt.Sprintf("%s %s %s %s", d.Why, strings.Join(d.Records, ","), d.Contact, strings.Join(d.Fields, ",")), " "))
	}
	slices.Sort(out)
	return out
}

// synced puts a contact and its mapping as a worker leaves them.
func (w *world) synced(id, record, name string) {
	w.Helper()
	w.person(id, name, "email:"+id+"@example.com")
	w.maps(id, record)
}

func TestACRMThatAgreesHasNoFindings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.synced("kim", "1", "Kim Lee")
	w.synced("lee", "2", "")
	w.set(ledger.Contact.At("demo", "lee"), ledger.Item{"revision": 2, "company": "New Ltd"})
	w.imports(record("3", "ann@example.com"))
	moved := has("1", "kim", "kim.lee@example.com", "name", "LEE, Kim")
	moved.Also = []string{"kim@example.com"}
	rep := w.checks(100, moved, has("2", "lee", "lee@example.com", "company", "Old Ltd"), has("3", "", "ann@example.com", "name", "Ann"), has("4", "", "new@example.com"))
	if len(rep.Findings) != 0 || !rep.Complete || rep.Records != 4 || rep.Mappings != 3 || rep.Unmarked != 1 || rep.Waiting != 1 {
		t.Errorf("%+v", rep)
	}
}

func TestWhatIsMissingDoubledOrChangedIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `"fold_plus": false`, `"fold_plus": true`)
	for n, id := range []string{"gone", "name", "left", "empty", "swap", "bare", "alien", "twin"} {
		w.synced(id, fmt.Sprint(n+1), "Kim Lee")
	}
	mapping := func(id string) ledger.Key { return ledger.CRMMapping.Under("demo", id, "hubspot") }
	w.set(mapping("left"), ledger.Item{"left": []any{"name"}})
	w.set(mapping("empty"), ledger.Item{"wrote": map[string]any{"name": "d"}})
	w.person("none", "", "email:none@example.com")
	w.person("old", "", "email:old@example.com")
	w.set(ledger.Contact.At("demo", "old"), ledger.Item{"status": contact.Merged, "merged_into": "name"})
	w.set(ledger.Contact.At("demo", "name"), ledger.Item{"absorbed": []any{"old"}})
	rep := w.checks(100,
		has("2", "old", "name@example.com", "name", "Pat Moss", "phone", "1234567"), // under a former reference
		has("3", "left", "left@example.com", "name", "Pat Moss"),
		has("4", "empty", "empty@example.com"),
		has("5", "kim", "swap@example.com", "name", "Kim Lee"),
		has("6", "", "bare@example.com", "name", "Kim Lee"),
		has("7", "gone", "alien@example.com", "name", "Kim Lee"),
		has("8", "twin", "twin@example.com", "name", "Kim Lee"),
		has("9", "twin", "other@example.com"),
		has("10", "none", "none@example.com"),
		has("11", "", "dup@example.com"), has("12", "", "dup+x@example.com"),
		has("13", "", "info@example.com"), has("14", "", "info@example.com"), // an inbox is no person
	)
	want := []string{
		"contact_is_other_record 9,8 twin",
		"fields_differ 2 name name",
		"fields_differ 4 empty name",
		"record_gone 1 gone",
		"reference_gone 6 bare",
		"reference_of_another_contact 7 gone",
		"reference_unknown 5 swap",
		"reference_without_mapping 10 none",
		"two_records_of_one_address 11,12",
		"two_records_of_one_reference 8,9 twin",
	}
	if got := differences(rep); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if rep.LeftThere != 1 || rep.Reasons["fields_differ"] != 2 {
		t.Errorf("%+v", rep)
	}
}

// With more records than are looked at, nobody knows which are gone.
func TestALimitIsSaidAndNothingIsConcludedFromIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.synced("kim", "9", "")
	if rep := w.checks(2, has("1", "", "a@example.com"), has("2", "", "b@example.com"), has("9", "kim", "kim@example.com")); rep.Complete || len(rep.Findings) != 0 || rep.Records != 2 {
		t.Errorf("%+v", rep)
	}
	if rep := w.checks(2, has("1", "", "a@example.com"), has("2", "", "b@example.com")); !rep.Complete || rep.Reasons["record_gone"] != 1 {
		t.Errorf("%+v", rep)
	}
}

// verify reports it too; of a contact that was merged it is right.
func TestOneRecordOfTwoContactsIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"kim", "lee", "old"} {
		w.synced(id, "1", "")
	}
	w.set(ledger.Contact.At("demo", "old"), ledger.Item{"status": contact.Merged, "merged_into": "kim"})
	w.set(ledger.Contact.At("demo", "kim"), ledger.Item{"absorbed": []any{"old"}})
	rep := w.checks(10, has("1", "old", "kim@example.com"))
	if got := differences(rep); len(got) != 1 || got[0] != "record_of_two_contacts 1 lee" {
		t.Errorf("%q", got)
	}
}

// What a worker does meanwhile is no finding.
func TestWhatMovesWhileItIsComparedIsNotReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.synced("kim", "1", "Kim Lee")
	w.person("new", "", "email:new@example.com")
	w.synced("busy", "3", "Bea")
	w.set(ledger.CRMMapping.Under("demo", "busy", "hubspot"), ledger.Item{"owner": "w", "in_flight_until": utc.At(noon.Add(1e9))})
	records := iter.Seq2[crm.Record, error](func(yield func(crm.Record, error) bool) {
		w.maps("new", "2")
		w.set(ledger.CRMMapping.Under("demo", "kim", "hubspot"), ledger.Item{"crm_id": "7"})
		yield(has("2", "new", "new@example.com"), nil)
		yield(has("3", "busy", "busy@example.com", "name", "Ann"), nil)
	})
	rep, err := w.service(w.store).Check(t.Context(), intake.CRMList{Tenant: "demo", CRM: "hubspot", Records: records, Limit: 10})
	if err != nil || len(rep.Findings) != 0 || rep.Moving != 3 {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestAListThatCannotBeReadIsNoComparison(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.synced("kim", "1", "")
	gone := &crm.ListError{Result: crm.Result{Outcome: crm.Refused, Reason: crm.ReasonAuth}}
	records := iter.Seq2[crm.Record, error](func(yield func(crm.Record, error) bool) { yield(crm.Record{}, gone) })
	rep, err := w.service(w.store).Check(t.Context(), intake.CRMList{Tenant: "demo", CRM: "hubspot", Records: records, Limit: 10})
	if !errors.Is(err, gone) || rep.Complete || len(rep.Findings) != 0 {
		t.Errorf("%+v, %v", rep, err)
	}
}

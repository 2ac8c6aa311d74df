package intake_test

import (
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/operate/intake"
	"onefold/internal/record/contact"
)

func record(id string, emails ...string) intake.Entry {
	return intake.Entry{Record: id, Emails: emails}
}

func TestARecordMakesAContactThatIsThatRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("known", "", "email:kim@example.com")
	rep := w.imports(record("51", "ann@example.com"), record("52", "kim@example.com"))
	if rep.Made != 1 || rep.Linked != 1 || len(rep.Findings) != 0 {
		t.Errorf("%+v", rep)
	}
	all, maps := w.contacts(), w.mappings()
	if len(maps) != 2 || maps["51"].Contact != all[0].ID || maps["52"].Contact != "known" {
		t.Fatalf("%+v", maps)
	}
	// Nothing was written there, so nothing of the record is ours.
	if m := maps["51"]; len(m.Wrote) != 0 || len(m.Tried) != 0 || m.SentVersion != 0 || m.Owner != "" || m.CRM != "hubspot" {
		t.Errorf("%+v", m)
	}
	if n := len(w.rows(ledger.Operation)); n != 0 {
		t.Errorf("%d operations", n)
	}
	before := w.dump()
	if rep := w.imports(record("51", "ann@example.com"), record("52", "kim@example.com")); rep.Known != 2 || w.dump() != before {
		t.Errorf("a second run: %+v", rep)
	}
}

// No record becomes two contacts', and no contact two records'.
func TestARecordThatMayBeAnotherContactsIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("kim", "", "email:kim@example.com")
	w.maps("kim", "40")
	w.person("lee", "", "email:lee@example.com")
	w.person("sam", "", "email:sam@example.com")
	w.maps("sam", "") // a worker has tried
	w.person("top", "", "email:top@example.com")
	old := w.person("old", "", "email:old@example.com")
	w.maps("old", "60")
	w.set(ledger.Contact.At("demo", old.ID), ledger.Item{"status": contact.Merged, "merged_into": "top"})
	w.set(ledger.Contact.At("demo", "top"), ledger.Item{"absorbed": []any{"old"}})
	ref := func(e intake.Entry, ref string) intake.Entry { e.Ref = ref; return e }
	var entries []intake.Entry
	var wants []string
	for _, c := range []struct {
		e    intake.Entry
		want string
	}{
		{record("40", "kim@example.com"), ""},
		{record("41", "kim@example.com"), "left:same_address(record 40)"},
		{record("42", "lee@example.com"), ""},
		{record("43", "sam@example.com"), "sync_under_way(sam)"},
		{record("60", "old@example.com"), ""}, // of whom it was merged into
		{record("61", "top@example.com"), "left:contact_has_other_record(record 60)"},
		{ref(record("70", "ref@example.com"), "lee"), "left:reference_of_another_contact(lee)"},
		{ref(record("71", "ref@example.com"), "nobody"), "left:reference_unknown"},
		{ref(record("72", "two@example.com"), "#"), "left:reference_unknown"},
		{record("73", "ref@example.com"), ""},
		{record("74", "REF@example.com"), "left:same_address(record 73)"},
		{record("75"), "left:identity_missing"},
	} {
		entries, wants = append(entries, c.e), append(wants, c.want)
	}
	rep := w.imports(entries...)
	for n, e := range entries {
		if got := found(rep, e); got != wants[n] {
			t.Errorf("record %s: %q, want %q", e.Record, got, wants[n])
		}
	}
	if rep.Linked != 1 || rep.Made != 1 || rep.Known != 3 {
		t.Errorf("%s", counts(rep))
	}
	haveSentences(t, rep)
	// The address of a mapped record was changed there: a question, never a key.
	moved := record("40", "kim.lee@example.com")
	if rep := w.imports(moved); found(rep, moved) != "left:record_of_another_contact(kim)" {
		t.Errorf("%+v", rep)
	}
	if rep := w.imports(record("40", "lee@example.com")); found(rep, record("40")) != "left:contact_has_other_record(record 42)" {
		t.Errorf("%+v", rep)
	}
}

// A contact that a mapping names keeps that record, whichever is listed first.
func TestOfTwoRecordsOfOnePersonTheMappedOneIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("kim", "", "email:kim@example.com")
	w.maps("kim", "40")
	rep := w.imports(record("39", "kim@example.com"), record("40", "kim@example.com"))
	if found(rep, record("39")) != "left:contact_has_other_record(record 40)" || found(rep, record("40")) != "" || rep.Known != 1 {
		t.Errorf("%+v", rep)
	}
}

package crmtest

import (
	"reflect"
	"testing"

	"onefold/internal/crm"
)

// lastOf is what is known after every field of a contact was written.
func lastOf(id string, ct crm.Contact) crm.Last {
	l := crm.Last{Record: id, Wrote: map[crm.Field]string{}, Digest: func(f crm.Field, normal string) string { return string(f) + ":" + normal }}
	for f, value := range ct.Values() {
		l.Wrote[f] = l.Digest(f, crm.Normal(f, value))
	}
	return l
}

// moved is Ann with another value in every field, after the first was written.
func moved(id string) crm.Contact {
	return crm.Contact{
		Ref: ann().Ref, Email: "ann@example.org", Name: "Ann Jones", Company: "Other Ltd", Phone: "+441632960077", Last: lastOf(id, ann()),
	}
}

// edited begins a rule with a record of Ann in which somebody changed something.
func edited(t *testing.T, b bench, values map[string]string) (Vendor, crm.CRM, string) {
	t.Helper()
	v, c := b.start(t)
	first := done(t, "first", upsert(t, c, ann(), ""))
	v.Edit(t, Contacts, first.ID, values)
	return v, c, first.ID
}

// after upserts twice, by ID and by reference, and checks what the record has.
func after(t *testing.T, v Vendor, c crm.CRM, ct crm.Contact, id string, values map[string]string, left ...crm.Field) {
	t.Helper()
	for _, known := range []string{id, ""} {
		settled(v, c, Contacts)
		r := done(t, "upsert", upsert(t, c, ct, known))
		rec := only(t, v, Contacts)
		for field, value := range values {
			if rec.Values[field] != value {
				t.Errorf("known %q: %s is %q, want %q", known, field, rec.Values[field], value)
			}
		}
		if !reflect.DeepEqual(r.Left, left) {
			t.Errorf("known %q: left alone are %v, want %v", known, r.Left, left)
		}
	}
}

func whatSomebodyChangedIsLeft(t *testing.T, b bench) {
	for _, c := range []struct {
		field crm.Field
		typed string
	}{
		{crm.FieldEmail, "ann.new@example.com"}, {crm.FieldName, "Annabel Smith-Smythe"},
		{crm.FieldCompany, "Example Holding"}, {crm.FieldPhone, "+441632960055"},
	} {
		v, adapter, id := edited(t, b, map[string]string{string(c.field): c.typed})
		want := map[string]string{Email: "ann@example.org", Name: "Ann Jones", Company: "Other Ltd", Phone: "+441632960077"}
		want[string(c.field)] = c.typed
		after(t, v, adapter, moved(id), id, want, c.field)

		// Nor does it come back with what nobody changed.
		v, adapter, id = edited(t, b, map[string]string{string(c.field): c.typed})
		same := ann()
		same.Last = lastOf(id, ann())
		after(t, v, adapter, same, id, map[string]string{string(c.field): c.typed}, c.field)
	}
}

func whatSomebodyEmptiedStaysEmpty(t *testing.T, b bench) {
	v, c, id := edited(t, b, map[string]string{Phone: "", Company: ""})
	after(t, v, c, moved(id), id, map[string]string{Phone: "", Company: "", Name: "Ann Jones"}, crm.FieldCompany, crm.FieldPhone)
}

// A write that nobody confirmed is ours where it landed.
func whatPerhapsWasWrittenIsOurs(t *testing.T, b bench) {
	v, c, id := edited(t, b, map[string]string{Phone: "+441632960088"})
	ct := moved(id)
	ct.Last.Tried = map[crm.Field][]string{crm.FieldPhone: {
		ct.Last.Digest(crm.FieldPhone, crm.Normal(crm.FieldPhone, "+441632960088")),
	}}
	after(t, v, c, ct, id, map[string]string{Phone: "+441632960077"})
}

// A record that is adopted has nothing of ours, whatever it resembles.
func adoptionTakesNothingForOurs(t *testing.T, b bench) {
	v, c := b.start(t)
	v.Put(t, map[string]string{Email: "ann@example.com", Phone: "+441632960088"})
	settled(v, c, Contacts)
	ct := ann()
	ct.Last = lastOf("", crm.Contact{})
	ct.Last.Tried = map[crm.Field][]string{crm.FieldPhone: {ct.Last.Digest(crm.FieldPhone, crm.Normal(crm.FieldPhone, "+441632960088"))}}
	done(t, "upsert", upsert(t, c, ct, ""))
	if rec := only(t, v, Contacts); rec.Values[Phone] != "+441632960088" {
		t.Errorf("phone became %q", rec.Values[Phone])
	}
}

func whatThePolicyClaimsIsWrittenOver(t *testing.T, b bench) {
	v, c, id := edited(t, b, map[string]string{Phone: "+441632960055", Company: "Example Holding"})
	ct := moved(id)
	ct.Last.Ours = []crm.Field{crm.FieldPhone}
	after(t, v, c, ct, id, map[string]string{Phone: "+441632960077", Company: "Example Holding"}, crm.FieldCompany)
}

func withoutARecordOfWritesOnlyEmptyFieldsAreWritten(t *testing.T, b bench) {
	for _, of := range []string{"", "another record"} {
		v, c := b.start(t)
		first := ann()
		first.Company = ""
		id := done(t, "first", upsert(t, c, first, "")).ID
		ct := moved(id)
		if ct.Last.Record = of; of == "" {
			ct.Last = crm.Last{}
		}
		after(t, v, c, ct, id, map[string]string{Email: "ann@example.com", Name: "Ann Smith", Phone: "+441632960001", Company: "Other Ltd"},
			crm.FieldEmail, crm.FieldName, crm.FieldPhone)
	}
}

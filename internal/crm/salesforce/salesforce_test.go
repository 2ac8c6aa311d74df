package salesforce_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"onefold/internal/crm"
	"onefold/internal/crm/crmtest"
	"onefold/internal/crm/salesforce"
)

// What somebody changed between look and write is looked at again.
func TestAWriteOnWhatChangedIsRefused(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	id := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1", Name: "Ada King", Phone: "1"}, "").ID
	known := crm.Contact{Ref: "c1", Name: "Ada King", Phone: "2", Last: crm.Last{
		Record: id, Wrote: map[crm.Field]string{crm.FieldPhone: "1"}, Digest: func(_ crm.Field, normal string) string { return normal },
	}}
	v.mu.Lock()
	v.hold = func() { v.Edit(t, crmtest.Contacts, id, map[string]string{crmtest.Phone: "3"}) } // as the write comes in
	v.mu.Unlock()
	if r := c.UpsertContact(t.Context(), known, id); r.Outcome != crm.Busy || r.Reason != crm.ReasonChanged {
		t.Errorf("%+v", r)
	}
	r := c.UpsertContact(t.Context(), known, id)
	if r.Outcome != crm.Done || !reflect.DeepEqual(r.Left, []crm.Field{crm.FieldPhone}) || str(v.row("Contact", id), "Phone") != "3" {
		t.Errorf("afterwards: %+v, phone %s", r, str(v.row("Contact", id), "Phone"))
	}
}

// A token that has run out is no fault: the call was not processed, and is made
// with a new one.
func TestATokenThatHasRunOutIsReplaced(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	v.org.mu.Lock()
	clear(v.tokens)
	logins := v.logins
	v.org.mu.Unlock()
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1", Name: "Ada King"}, ""); r.Outcome != crm.Done || v.logins != logins+1 {
		t.Errorf("%+v after %d logins", r, v.logins-logins)
	}
}

// A duplicate rule is the business's: nothing here saves in spite of it.
func TestADuplicateRuleGoesToAPerson(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	id := v.Put(t, map[string]string{crmtest.Email: "ada@example.com"})
	v.org.mu.Lock()
	v.rule = true
	v.row("Contact", id)["Email"] = "ada@example.com"
	v.org.mu.Unlock()
	v.Put(t, map[string]string{crmtest.Phone: "1"})
	two := crm.Contact{Ref: "c2", Email: "bea@example.com", Name: "Bea"}
	if r := c.UpsertContact(t.Context(), two, ""); r.Outcome != crm.Done {
		t.Fatalf("%+v", r)
	}
	// Another record got the address after the query: only the rule sees it.
	v.org.mu.Lock()
	v.rows["Contact"][1]["Email"] = "cid@example.com"
	v.org.mu.Unlock()
	v.mu.Lock()
	v.hold = func() {
		v.org.mu.Lock()
		defer v.org.mu.Unlock()
		v.rows["Contact"][1]["Email"] = "dee@example.com"
	}
	v.mu.Unlock()
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c4", Email: "dee@example.com", Name: "Dee"}, ""); r.Outcome != crm.Conflict || r.Reason != crm.ReasonUnseen {
		t.Errorf("%+v", r)
	}
}

func TestALockedRowIsBusy(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	v.locked = true
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1", Name: "Ada"}, ""); r.Outcome != crm.Busy || r.Reason != crm.ReasonLocked || r.Account {
		t.Errorf("%+v", r)
	}
}

// A quote in an address is no end of the query.
func TestAnAddressIsQuotedInAQuery(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	for _, address := range []string{`o'neil@example.com`, `"a\b"@example.com`, `x' OR Email != '@example.com`} {
		first := v.Put(t, map[string]string{crmtest.Email: address})
		if r := c.UpsertContact(t.Context(), crm.Contact{Ref: address, Email: address}, ""); r.Outcome != crm.Done || r.ID != first || !r.Adopted {
			t.Errorf("%s: %+v, want %s", address, r, first)
		}
	}
}

func TestTwoContactsOfOneAddressAreAConflict(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	v.Put(t, map[string]string{crmtest.Email: "ada@example.com"})
	v.Put(t, map[string]string{crmtest.Email: "Ada@example.com"})
	want := crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1", Email: "ada@example.com"}, ""); !reflect.DeepEqual(r, want) {
		t.Errorf("%+v", r)
	}
}

// Salesforce wants a last name; what stands for one that is not known gives way to
// one that is.
func TestAContactWithoutANameGetsOneLater(t *testing.T) {
	t.Parallel()
	for _, first := range []crm.Contact{{Ref: "c1", Email: "ada@example.com"}, {Ref: "c1", Phone: "+441632960001"}, {Ref: "c1"}} {
		v := start(t)
		c := v.ready(t)
		id := c.UpsertContact(t.Context(), first, "").ID
		for _, name := range []string{"Ada King", "King"} {
			first.Name = name
			if r := c.UpsertContact(t.Context(), first, id); r.Outcome != crm.Done || len(r.Left) != 0 {
				t.Errorf("%+v", r)
			}
			got := strings.TrimSpace(str(v.row("Contact", id), "FirstName") + " " + str(v.row("Contact", id), "LastName"))
			if got != name {
				t.Errorf("the name is %q, want %q", got, name)
			}
			first.Last = crm.Last{Record: id, Wrote: map[crm.Field]string{crm.FieldName: "ada king"}, Digest: func(_ crm.Field, normal string) string { return normal }}
		}
	}
}

func TestSetUpMakesEachFieldOnceAndTellsWhatAnAdministratorDoes(t *testing.T) {
	t.Parallel()
	v := start(t)
	if r := v.client(t, secret(nil)).UpsertContact(t.Context(), crm.Contact{Ref: "c1"}, ""); r.Outcome != crm.Refused || r.Reason != crm.ReasonSetup {
		t.Errorf("before it: %+v", r)
	}
	for range 2 {
		if err := v.client(t, secret(nil)).SetUp(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(v.fields) != 3 {
		t.Errorf("fields: %v", v.fields)
	}
	v.fields["Contact."+salesforce.FieldRef]["unique"] = false
	if err := v.client(t, secret(nil)).SetUp(t.Context()); !errors.Is(err, crm.ErrNotUnique) {
		t.Errorf("not unique: %v", err)
	}
}

// A secret that is none is told by member, and none of its values.
func TestASecretThatIsNoneStopsTheAccount(t *testing.T) {
	t.Parallel()
	v := start(t)
	for _, doc := range []string{
		"token", secret(map[string]string{"login_url": ""}), secret(map[string]string{"login_url": "http://login.example.com"}), secret(map[string]string{"private_key": ""}),
	} {
		if r := v.client(t, doc).Look(t.Context()); r.Outcome != crm.Refused || r.Reason != crm.ReasonSetup || !r.Account {
			t.Errorf("%.20s: %+v", doc, r)
		}
	}
	for _, doc := range []string{secret(map[string]string{"username": "somebody@example.com"}), secret(map[string]string{"client_id": "another"})} {
		if r := v.client(t, doc).Look(t.Context()); r.Outcome != crm.Refused || r.Reason != crm.ReasonAuth || !r.Account {
			t.Errorf("whom it does not know: %+v", r)
		}
	}
	if r := v.client(t, secret(map[string]string{"private_key": "no key"})).Look(t.Context()); r.Outcome != crm.NotBegun || !r.Account {
		t.Errorf("a key that is none: %+v", r)
	}
}

// Several records of one external ID are for a person.
func TestSeveralMatchesAreAConflict(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	for range 2 {
		v.Put(t, map[string]string{crmtest.Phone: "1"})
	}
	for _, row := range v.rows["Contact"] {
		row[salesforce.FieldRef] = "c1"
	}
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1", Name: "Ada"}, ""); r.Outcome != crm.Conflict || r.Reason != crm.ReasonTwoRecords {
		t.Errorf("%+v", r)
	}
}

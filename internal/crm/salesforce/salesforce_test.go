package salesforce_test

import (
	"context"

	"reflect"
	"strings"
	"testing"

	"onefold/internal/crm"
	"onefold/internal/crm/crmtest"
	"onefold/internal/crm/salesforce"
	"onefold/internal/crm/salesforcetest"
)

// during has something happen while the vendor is at the next write.
func (v *vendor) during(do func()) {
	open := make(chan struct{})
	close(open)
	v.Hold(open, do)
}

func contact(t *testing.T, v *vendor) salesforcetest.Record {
	t.Helper()
	all := v.Org.Records(salesforcetest.Contact)
	if len(all) != 1 {
		t.Fatalf("%d contacts", len(all))
	}
	return all[0]
}

// wrote is what is known of a record once its fields were written.
func wrote(id string, values crm.Values) crm.Last {
	l := crm.Last{Record: id, Wrote: map[crm.Field]string{}, Digest: func(_ crm.Field, normal string) string { return normal }}
	for f, value := range values {
		l.Wrote[f] = crm.Normal(f, value)
	}
	return l
}

// What somebody changes between look and write is looked at again, and stays.
func TestAnEditBetweenLookAndWriteStays(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	ada := crm.Contact{Ref: "c1", Name: "Ada King", Phone: "1"}
	id := c.UpsertContact(t.Context(), ada, "").ID
	ada.Last = wrote(id, ada.Values())
	ada.Phone = "2"
	v.during(func() { v.Edit(t, crmtest.Contacts, id, map[string]string{crmtest.Phone: "3"}) })
	r := c.UpsertContact(t.Context(), ada, id)
	if r.Outcome != crm.Done || !reflect.DeepEqual(r.Left, []crm.Field{crm.FieldPhone}) || contact(t, v).Fields["Phone"] != "3" {
		t.Errorf("%+v, phone %s", r, contact(t, v).Fields["Phone"])
	}
}

// A contact that is deleted between look and write is made again.
func TestAContactThatIsDeletedBetweenLookAndWriteIsMadeAgain(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	ada := crm.Contact{Ref: "c1", Name: "Ada King"}
	id := c.UpsertContact(t.Context(), ada, "").ID
	ada.Phone = "2"
	v.during(func() { v.Archive(t, id) })
	if r := c.UpsertContact(t.Context(), ada, id); r.Outcome != crm.Done || r.ID == id || !r.Created || contact(t, v).ID != r.ID {
		t.Errorf("%+v", r)
	}
}

// A token that has run out is no fault: the call was not processed, and is made
// with a new one.
func TestATokenThatHasRunOutIsReplaced(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	v.EndSessions()
	before := v.Logins()
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1", Name: "Ada King"}, ""); r.Outcome != crm.Done || v.Logins() != before+1 {
		t.Errorf("%+v after %d logins", r, v.Logins()-before)
	}
}

// Another secret is another account perhaps: nothing is sent to the one before.
func TestANewSecretIsUsedAtOnce(t *testing.T) {
	t.Parallel()
	v := start(t)
	now := secret(nil)
	c := v.client(t, func(context.Context) (string, error) { return now, nil })
	if err := c.SetUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	now = secret(map[string]string{"username": "somebody@example.com"})
	if r := c.Look(t.Context()); r.Outcome != crm.Refused || r.Reason != crm.ReasonAuth || !r.Account {
		t.Errorf("%+v", r)
	}
	now = secret(map[string]string{"account_id": "0015g00000ACCT1AAA"})
	c.UpsertContact(t.Context(), crm.Contact{Ref: "c1"}, "")
	if got := contact(t, v).Fields["AccountId"]; got != "0015g00000ACCT1AAA" {
		t.Errorf("the contact's account is %q", got)
	}
}

// A duplicate rule is the business's: nothing here saves in spite of it.
func TestADuplicateRuleGoesToAPerson(t *testing.T) {
	t.Parallel()
	for _, rule := range []salesforcetest.Rule{salesforcetest.Alerts, salesforcetest.Blocks} {
		v := startWith(t, salesforcetest.Options{Customizes: true, Grants: true, Rule: rule})
		c := v.ready(t)
		// The other contact gets the address after the look: only the rule sees it.
		v.during(func() { v.Put(t, map[string]string{crmtest.Email: "ada@example.com"}) })
		r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1", Email: "Ada@example.com"}, "")
		if want := (crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonUnseen}); !reflect.DeepEqual(r, want) || len(v.Org.Records(salesforcetest.Contact)) != 1 {
			t.Errorf("%s: %+v", rule, r)
		}
	}
}

// A quote in an address is no end of the query.
func TestAnAddressIsQuotedInAQuery(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	for _, address := range []string{`o'neil@example.com`, `"a\b"@example.com`, `x' OR Email != '@example.com`, `x\' OR Id = '0035g00000000001AAA`} {
		first := v.Put(t, map[string]string{crmtest.Email: address})
		if r := c.UpsertContact(t.Context(), crm.Contact{Ref: address, Email: address}, ""); r.Outcome != crm.Done || r.ID != first || !r.Adopted {
			t.Errorf("%s: %+v, want %s", address, r, first)
		}
	}
}

func TestTwoContactsOfOneAddressOrReferenceAreAConflict(t *testing.T) {
	t.Parallel()
	want := crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}
	v := start(t)
	c := v.ready(t)
	v.Put(t, map[string]string{crmtest.Email: "ada@example.com"})
	v.Put(t, map[string]string{crmtest.Email: "Ada@example.com"})
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1", Email: "ada@example.com"}, ""); !reflect.DeepEqual(r, want) {
		t.Errorf("address: %+v", r)
	}
	for range 2 {
		v.Add(salesforcetest.Contact, map[string]string{salesforce.FieldRef: "c2"})
		v.Add(salesforcetest.Task, map[string]string{salesforce.FieldEvent: "e1", "Subject": "Enquiry"})
	}
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c2"}, ""); !reflect.DeepEqual(r, want) {
		t.Errorf("reference: %+v", r)
	}
	if r := c.UpsertNote(t.Context(), crm.Note{Ref: "e1", ContactID: "0035g00000000001AAA"}); !reflect.DeepEqual(r, want) {
		t.Errorf("key of a task: %+v", r)
	}
}

// A reference that only Salesforce sees is for a person: the user lacks the right to
// see the contact.
func TestAReferenceThatIsTakenUnseenIsAConflict(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	v.Hide(salesforcetest.Contact, v.Add(salesforcetest.Contact, map[string]string{salesforce.FieldRef: "c1"}))
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1"}, ""); r.Outcome != crm.Conflict || r.Reason != crm.ReasonUnseen {
		t.Errorf("%+v", r)
	}
}

// Salesforce wants a last name; what stands for one that is not known gives way to
// one that is, also after the address was changed.
func TestAContactWithoutANameGetsOneLater(t *testing.T) {
	t.Parallel()
	for _, ct := range []crm.Contact{{Ref: "c1", Email: "ada@example.com"}, {Ref: "c1", Phone: "+441632960001"}, {Ref: "c1"}} {
		v := start(t)
		c := v.ready(t)
		id := c.UpsertContact(t.Context(), ct, "").ID
		v.Edit(t, crmtest.Contacts, id, map[string]string{crmtest.Email: "a.king@example.org", crmtest.Phone: "+441632960002"})
		for _, name := range []string{"Ada King", "King"} {
			ct.Name = name
			if r := c.UpsertContact(t.Context(), ct, id); r.Outcome != crm.Done {
				t.Errorf("%+v", r)
			}
			is := contact(t, v).Fields
			if got := strings.TrimSpace(is["FirstName"] + " " + is["LastName"]); got != name {
				t.Errorf("the name is %q, want %q", got, name)
			}
			ct.Last = wrote(id, crm.Values{crm.FieldName: name})
		}
	}
}

// What is too long is shortened where that leaves sense, and then counts as the
// contact's; an address or number that is too long is left out.
func TestWhatIsTooLong(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	long := crm.Contact{
		Ref: "c1", Name: strings.Repeat("Ada ", 20) + strings.Repeat("K", 90), Company: strings.Repeat("é", 300),
		Email: strings.Repeat("a", 70) + "@example.com", Phone: strings.Repeat("1", 41),
	}
	id := c.UpsertContact(t.Context(), long, "").ID
	is := contact(t, v).Fields
	if len([]rune(is["FirstName"])) != 40 || len([]rune(is["LastName"])) != 80 || len([]rune(is[salesforce.FieldCompany])) != 255 || is["Email"]+is["Phone"] != "" {
		t.Errorf("%q", is)
	}
	before := len(v.Calls())
	if r := c.UpsertContact(t.Context(), long, id); r.Outcome != crm.Done || len(r.Left) != 0 || len(v.Calls()) != before+1 {
		t.Errorf("again: %+v after %d calls", r, len(v.Calls())-before)
	}
	body := strings.Repeat("x", 40_000) + "\x00"
	if r := c.UpsertNote(t.Context(), crm.Note{Ref: "e1", ContactID: id, Body: body}); r.Outcome != crm.Done {
		t.Errorf("note: %+v", r)
	}
	if r := c.UpsertTask(t.Context(), crm.Task{Ref: "e2", ContactID: id, Title: body, Body: body}); r.Outcome != crm.Done {
		t.Errorf("task: %+v", r)
	}
}

// What a person did to a task stays, also if a repeat lands while it is done.
func TestALateTaskDoesNotUndoWhatAPersonDid(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	id := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1"}, "").ID
	task := crm.Task{Ref: "e1", ContactID: id, Title: "Call"}
	v.during(func() {
		first := c.UpsertTask(t.Context(), task)
		v.Edit(t, crmtest.Tasks, first.ID, map[string]string{crmtest.Done: "yes"})
	})
	r := c.UpsertTask(t.Context(), task)
	if all := v.Org.Records(salesforcetest.Task); r.Outcome != crm.Done || r.Created || len(all) != 1 || all[0].Fields["Status"] != "Completed" {
		t.Errorf("%+v, %v", r, all)
	}
}

func TestWhatSalesforceRefusesIsToldByItsReason(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	gone := v.Put(t, map[string]string{crmtest.Phone: "1"})
	v.Archive(t, gone)
	for _, id := range []string{gone, "0035g00000ABCDEAAA", "no-id"} {
		if r := c.UpsertNote(t.Context(), crm.Note{Ref: "e1", ContactID: id}); r.Outcome != crm.Refused || r.Reason != crm.ReasonContactMissing || r.Account {
			t.Errorf("contact %s: %+v", id, r)
		}
	}
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1", Email: "no address"}, ""); r.Outcome != crm.Refused || r.Reason != crm.ReasonInvalid {
		t.Errorf("an address that is none: %+v", r)
	}
	v.Script(salesforcetest.Fault{Kind: salesforcetest.Locked, Writes: true})
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1"}, ""); r.Outcome != crm.Busy || r.Reason != crm.ReasonLocked || r.Account {
		t.Errorf("a locked row: %+v", r)
	}
}

// Who wants no mail is told, and a contact's place is not another's.
func TestTheListTellsWhoWantsNoMail(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	v.Add(salesforcetest.Contact, map[string]string{"LastName": "King", "HasOptedOutOfEmail": "true"})
	v.Add(salesforcetest.Contact, map[string]string{"LastName": "Queen"})
	page, r := c.List(t.Context(), "")
	if r.Outcome != crm.Done || len(page.Records) != 2 || !page.Records[0].OptedOut || page.Records[1].OptedOut || page.Next != "" {
		t.Errorf("%+v %+v", r, page)
	}
	if _, r := c.List(t.Context(), "no ID"); r.Outcome != crm.Refused || r.Reason != crm.ReasonInvalid {
		t.Errorf("a cursor that is none: %+v", r)
	}
}

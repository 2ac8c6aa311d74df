package pipedrive_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/crmtest"
	"onefold/internal/crm/pipedrive"
	"onefold/internal/crm/pipedrivetest"
)

func (v *vendor) settled() { v.Pass(time.Hour) }

// The search shows what a record was, and takes capitals for small letters: what it
// hits is read before it is believed.
func TestAHitOfTheSearchIsReadBeforeItIsBelieved(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	id := v.Put(t, map[string]string{crmtest.Email: "ada@example.com"})
	v.settled()
	v.Edit(t, crmtest.Contacts, id, map[string]string{crmtest.Email: "ada@example.org"}) // the search does not know
	r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1", Email: "ada@example.com"}, "")
	if r.Outcome != crm.Done || !r.Created || r.ID == id {
		t.Errorf("%+v", r)
	}
	v.settled()
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "C1"}, ""); !r.Created {
		t.Errorf("another reference of the same letters: %+v", r)
	}
}

func TestOtherAddressesAndNumbersStay(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	n := v.Add(pipedrivetest.Person{Name: "Ada King", Emails: []pipedrivetest.Entry{
		{Value: "old@example.com", Label: "home"}, {Value: "ada@example.com", Primary: true, Label: "office"},
	}})
	id := strconv.FormatInt(n, 10)
	v.settled()
	known := crm.Contact{Ref: "c1", Email: "new@example.com", Last: crm.Last{
		Record: id, Wrote: map[crm.Field]string{crm.FieldEmail: "ada@example.com"}, Digest: func(_ crm.Field, normal string) string { return normal },
	}}
	if r := c.UpsertContact(t.Context(), known, id); r.Outcome != crm.Done {
		t.Fatalf("%+v", r)
	}
	if got, want := v.Persons()[0].Emails, []pipedrivetest.Entry{
		{Value: "old@example.com", Label: "home"}, {Value: "new@example.com", Primary: true, Label: "office"},
	}; !slices.Equal(got, want) {
		t.Errorf("addresses: %v, want %v", got, want)
	}
	// An address that is among them is the contact's, and nothing is written.
	known.Email = "old@example.com"
	before := len(v.Calls())
	if r := c.UpsertContact(t.Context(), known, id); r.Outcome != crm.Done || len(r.Left) != 0 || len(v.Calls())-before != 1 {
		t.Errorf("%+v after %d calls", r, len(v.Calls())-before)
	}
}

// Pipedrive wants a name; what stands for one that is not known gives way to one
// that is.
func TestAPersonWithoutANameGetsOneLater(t *testing.T) {
	t.Parallel()
	for _, first := range []crm.Contact{{Ref: "c1", Email: "ada@example.com"}, {Ref: "c1", Phone: "+441632960001"}, {Ref: "c1"}} {
		v := start(t)
		c := v.ready(t)
		id := c.UpsertContact(t.Context(), first, "").ID
		first.Name = "Ada King"
		if r := c.UpsertContact(t.Context(), first, id); r.Outcome != crm.Done || len(r.Left) != 0 {
			t.Errorf("%+v", r)
		}
		if got := v.Persons()[0].Name; got != "Ada King" {
			t.Errorf("the name is %q", got)
		}
	}
}

// Two persons of one address, or of one reference, as a copy in the application has
// it: a person looks.
func TestTwoPersonsOfOneAddressOrReferenceAreAConflict(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.ready(t)
	v.Put(t, map[string]string{crmtest.Email: "ada@example.com"})
	v.Put(t, map[string]string{crmtest.Email: "Ada@example.com"})
	for range 2 {
		v.Add(pipedrivetest.Person{Name: "Bea", Custom: map[string]string{v.Code(pipedrive.FieldRef): "c2"}})
	}
	v.settled()
	want := crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}
	for _, ct := range []crm.Contact{{Ref: "c1", Email: "ada@example.com"}, {Ref: "c2"}} {
		if r := c.UpsertContact(t.Context(), ct, ""); !reflect.DeepEqual(r, want) || len(v.Persons()) != 4 {
			t.Errorf("%s: %+v", ct.Ref, r)
		}
	}
}

func TestSetUpMakesEachFieldOnceAndTellsOfTwo(t *testing.T) {
	t.Parallel()
	v := start(t)
	if r := v.client(t).UpsertContact(t.Context(), crm.Contact{Ref: "c1"}, ""); r.Outcome != crm.Refused || r.Reason != crm.ReasonSetup {
		t.Errorf("before it: %+v", r)
	}
	for range 3 {
		if err := v.client(t).SetUp(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if fields := v.Fields(); len(fields) != 2 {
		t.Errorf("fields: %v", fields)
	}
	v.AddField(pipedrive.FieldRef, "varchar")
	if err := v.client(t).SetUp(t.Context()); !errors.Is(err, crm.ErrNotUnique) {
		t.Errorf("two of one name: %v", err)
	}
	if r := v.client(t).UpsertContact(t.Context(), crm.Contact{Ref: "c1"}, ""); r.Outcome != crm.Refused || r.Reason != crm.ReasonSetup {
		t.Errorf("with two of one name: %+v", r)
	}
	v.RefuseToken()
	if err := v.client(t).SetUp(t.Context()); !errors.Is(err, pipedrive.ErrSetup) {
		t.Errorf("without rights: %v", err)
	}
}

func TestWhatEachAnswerSays(t *testing.T) {
	t.Parallel()
	account := func(o crm.Outcome, reason string) crm.Result {
		return crm.Result{Outcome: o, Reason: reason, Account: true}
	}
	plain := func(o crm.Outcome, reason string) crm.Result { return crm.Result{Outcome: o, Reason: reason} }
	busy := account(crm.Busy, crm.ReasonRateLimit)
	busy.RetryAfter = 10 * time.Second
	kept := account(crm.Busy, crm.ReasonRateLimit)
	kept.RetryAfter = 15 * time.Minute
	for _, c := range []struct {
		status int
		body   string
		want   crm.Result
	}{
		{200, `{"success":true,"data":[]}`, plain(crm.Done, "")},
		{200, `{"success":false}`, plain(crm.Unknown, crm.ReasonNoAnswer)},
		{200, `<html>`, plain(crm.Unknown, crm.ReasonNoAnswer)},
		{301, ``, plain(crm.Unknown, crm.ReasonServerError)},
		{400, ``, plain(crm.Refused, crm.ReasonInvalid)},
		{401, ``, account(crm.Refused, crm.ReasonAuth)},
		{402, ``, account(crm.Refused, crm.ReasonAuth)},
		{403, `{"success":false}`, plain(crm.Refused, crm.ReasonAuth)},
		{403, `<html>`, kept},
		{404, ``, plain(crm.Done, "")}, // an account that answers
		{429, ``, busy},
		{500, ``, plain(crm.Unknown, crm.ReasonServerError)},
		{503, ``, plain(crm.Unknown, crm.ReasonServerError)},
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		t.Cleanup(web.Close)
		client, err := pipedrive.New(pipedrive.Config{BaseURL: web.URL, Token: func(context.Context) (string, error) { return token, nil }})
		if err != nil {
			t.Fatal(err)
		}
		if got := client.Look(t.Context()); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d %s: %+v, want %+v", c.status, c.body, got, c.want)
		}
	}
}

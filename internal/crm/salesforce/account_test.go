package salesforce_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"onefold/internal/crm"
	"onefold/internal/crm/salesforce"
	"onefold/internal/crm/salesforcetest"
)

func TestSetUpMakesEachFieldOnce(t *testing.T) {
	t.Parallel()
	v := start(t)
	c := v.client(t, kept(secret(nil)))
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "c1"}, ""); r.Outcome != crm.Refused || r.Reason != crm.ReasonSetup {
		t.Errorf("before it: %+v", r)
	}
	if r := c.UpsertNote(t.Context(), crm.Note{Ref: "e1", ContactID: "0035g00000ABCDEAAA"}); r.Outcome != crm.Refused || r.Reason != crm.ReasonSetup {
		t.Errorf("a note before it: %+v", r)
	}
	writes := 0
	for range 2 {
		if err := c.SetUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		writes = 0
		for _, call := range v.Org.Calls() {
			if call.Method == http.MethodPost {
				writes++
			}
		}
	}
	if writes != 3 {
		t.Errorf("%d fields were made, want 3", writes)
	}
}

// What is left to an administrator is said of all fields together.
func TestSetUpTellsWhatAnAdministratorDoes(t *testing.T) {
	t.Parallel()
	says := func(v *vendor, words ...string) error {
		t.Helper()
		err := v.client(t, kept(secret(nil))).SetUp(t.Context())
		for _, w := range words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%q is not in: %v", w, err)
			}
		}
		return err
	}
	all := []string{"Contact." + salesforce.FieldRef, "Contact." + salesforce.FieldCompany, "Activity." + salesforce.FieldEvent}
	may := startWith(t, salesforcetest.Options{})
	if err := says(may, append(all, "external ID, unique")...); !errors.Is(err, salesforce.ErrSetup) {
		t.Errorf("who may not make fields: %v", err)
	}
	hidden := startWith(t, salesforcetest.Options{Customizes: true})
	if err := says(hidden, append(all, "field-level security")...); !errors.Is(err, salesforce.ErrSetup) {
		t.Errorf("who does not see what was made: %v", err)
	}
	v := start(t)
	v.ready(t)
	v.Alter(salesforcetest.Contact, salesforce.FieldRef, func(f *salesforcetest.Field) { f.Unique = false })
	if err := says(v, salesforce.FieldRef); !errors.Is(err, crm.ErrNotUnique) || errors.Is(err, salesforce.ErrSetup) {
		t.Errorf("not unique: %v", err)
	}
	v.Alter(salesforcetest.Contact, salesforce.FieldRef, func(f *salesforcetest.Field) { f.Unique, f.Updateable = true, false })
	if err := says(v, salesforce.FieldRef); !errors.Is(err, salesforce.ErrSetup) {
		t.Errorf("not to be edited: %v", err)
	}
	v.Alter(salesforcetest.Contact, salesforce.FieldRef, func(f *salesforcetest.Field) { f.Updateable = true })
	v.Show(salesforcetest.Contact, "HasOptedOutOfEmail", false)
	if err := says(v, "Contact.HasOptedOutOfEmail", "let the user see it"); !errors.Is(err, salesforce.ErrSetup) {
		t.Errorf("without sight of who wants no mail: %v", err)
	}
}

// A secret that is none is told by its member, and by none of its values.
func TestASecretThatIsNoneStopsTheAccount(t *testing.T) {
	t.Parallel()
	v := start(t)
	for _, c := range []struct{ doc, says string }{
		{"token", "JSON"},
		{secret(map[string]string{"login_url": ""}), "login_url is missing"},
		{secret(map[string]string{"client_id": ""}), "client_id is missing"},
		{secret(map[string]string{"username": ""}), "username is missing"},
		{secret(map[string]string{"private_key": ""}), "private_key is missing"},
		{secret(map[string]string{"login_url": "http://login.example.com"}), "login_url"},
		{secret(map[string]string{"private_key": "value"}), "private_key is not an RSA key"},
		{secret(map[string]string{"private_kay": "value"}), "JSON"},
	} {
		client := v.client(t, kept(c.doc))
		if r := client.Look(t.Context()); r.Outcome != crm.Refused || r.Reason != crm.ReasonSetup || !r.Account {
			t.Errorf("%s: %+v", c.says, r)
		}
		err := client.SetUp(t.Context())
		if !errors.Is(err, salesforce.ErrSecret) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "value") || strings.Contains(err.Error(), "example.com") {
			t.Errorf("%s: %v", c.says, err)
		}
	}
	for _, change := range []map[string]string{{"username": "somebody@example.com"}, {"client_id": "another"}, {"login_url": "https://test.example.com"}} {
		if r := v.client(t, kept(secret(change))).Look(t.Context()); r.Outcome != crm.Refused || r.Reason != crm.ReasonAuth || !r.Account {
			t.Errorf("%v, which it does not know: %+v", change, r)
		}
	}
	none := v.client(t, func(context.Context) (string, error) { return "", context.DeadlineExceeded })
	if r := none.Look(t.Context()); r.Outcome != crm.NotBegun || r.Reason != crm.ReasonNoToken || !r.Account {
		t.Errorf("no secret: %+v", r)
	}
}

// A login that fails otherwise writes nothing and passes; one that is slow ends with
// the caller's time.
func TestALoginThatFailsBeginsNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   string
		answer http.HandlerFunc
	}{
		{"500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }},
		{"an error that asks for another try", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"unknown_error","error_description":"retry your request"}`))
		}},
		{"no token", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) }},
		{"a cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	} {
		web := httptest.NewServer(c.answer)
		t.Cleanup(web.Close)
		v := &vendor{web: web}
		if r := v.client(t, kept(secret(nil))).Look(t.Context()); r.Outcome != crm.NotBegun || r.Reason != crm.ReasonNoToken || !r.Account {
			t.Errorf("%s: %+v", c.rule, r)
		}
	}
	ctx, giveUp := context.WithCancel(t.Context())
	gone := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		giveUp()
		<-gone
	}))
	t.Cleanup(web.Close)
	v := &vendor{web: web}
	r := v.client(t, kept(secret(nil))).Look(ctx)
	close(gone)
	if r.Outcome != crm.NotBegun {
		t.Errorf("a login that is slow: %+v", r)
	}
}

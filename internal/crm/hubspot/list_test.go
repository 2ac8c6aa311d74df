package hubspot_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"onefold/internal/crm"
	"onefold/internal/crm/hubspottest"
)

func TestAListedRecordHasAllAddressesAndTheOptOut(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	id, err := srv.Seed("contacts", map[string]string{
		"email": "ann@example.com", "hs_additional_emails": "a.smith@example.com; ann@example.org", "firstname": "Ann", "lastname": "Smith", "hs_email_optout": "true",
	})
	if err != nil {
		t.Fatal(err)
	}
	page, res := newClient(t, srv.URL()).List(context.Background(), "") // before its properties are made
	if res.Outcome != crm.Done || len(page.Records) != 1 || page.Next != "" {
		t.Fatalf("%+v, %+v", page, res)
	}
	r := page.Records[0]
	if r.ID != id || r.Ref != "" || !r.OptedOut || r.Values[crm.FieldName] != "Ann Smith" ||
		!slices.Equal(r.Emails(), []string{"ann@example.com", "a.smith@example.com", "ann@example.org"}) {
		t.Errorf("%+v", r)
	}
	if err := srv.Server.Edit("contacts", id, map[string]string{"hs_email_optout": "false"}); err != nil {
		t.Fatal(err)
	}
	if page, _ := newClient(t, srv.URL()).List(context.Background(), ""); page.Records[0].OptedOut {
		t.Error("a person who wants mail is listed as opted out")
	}
}

// The request is the vendor's documented one, and an answer that is no list, or
// leads in a circle, is not taken for an end.
func TestAnAnswerThatIsNoListIsNone(t *testing.T) {
	t.Parallel()
	var asked url.Values
	answer := ""
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/crm/objects/2026-03/contacts" {
			t.Errorf("asked for %s %s", r.Method, r.URL.Path)
		}
		asked = r.URL.Query()
		_, _ = w.Write([]byte(answer))
	}))
	defer web.Close()
	c := newClient(t, web.URL)
	for _, none := range []string{"", "{}", `{"results":null}`, "[]", `{"results":[],"paging":{"next":{"after":"51"}}}`} {
		answer = none
		if page, res := c.List(context.Background(), "51"); res.Outcome != crm.Unknown || page.Next != "" {
			t.Errorf("%q: %+v", none, res)
		}
	}
	if asked.Get("limit") != "100" || asked.Get("after") != "51" || asked.Get("archived") != "false" {
		t.Errorf("asked for %v", asked)
	}
	answer = `{"results":[],"paging":{"next":{"after":"52"}}}`
	if page, res := c.List(context.Background(), "51"); res.Outcome != crm.Done || page.Next != "52" {
		t.Errorf("an empty page: %+v, %+v", page, res)
	}
}

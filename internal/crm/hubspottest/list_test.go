package hubspottest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"onefold/internal/crm/hubspottest"
)

func TestTheListHasTheFormsThatAreDocumented(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	for n := range 25 {
		if _, err := srv.Seed("contacts", map[string]string{"email": fmt.Sprintf("p%d@example.com", n)}); err != nil {
			t.Fatal(err)
		}
	}
	get := func(query string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/crm/objects/2026-03/contacts"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	var page struct {
		Results []struct {
			ID         string
			Archived   bool
			Properties map[string]*string
		}
		Paging *struct{ Next struct{ After, Link string } }
	}
	read := func(query string) {
		t.Helper()
		page.Results, page.Paging = nil, nil
		if status, body := get(query); status != http.StatusOK || json.Unmarshal([]byte(body), &page) != nil {
			t.Fatalf("%s: %d %s", query, status, body)
		}
	}
	read("")
	if len(page.Results) != 10 || page.Paging == nil || page.Paging.Next.After != page.Results[9].ID {
		t.Errorf("without a limit: %d records, %+v", len(page.Results), page.Paging)
	}
	read("?limit=100&properties=email,nobody_has_this")
	if len(page.Results) != 25 || page.Paging != nil || *page.Results[0].Properties["email"] != "p0@example.com" {
		t.Errorf("all: %d records, %+v", len(page.Results), page.Paging)
	}
	for _, wrong := range []string{"?limit=101", "?limit=0", "?after=x", "?archived=true"} {
		if status, _ := get(wrong); status != http.StatusBadRequest {
			t.Errorf("%s: %d", wrong, status)
		}
	}
}

// What people opt out of cannot be written by the API, by whatever way.
func TestAnOptOutIsReadOnly(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	id, err := srv.Seed("contacts", map[string]string{"email": "ann@example.com", "hs_email_optout": "true"})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []struct{ method, path, body string }{
		{http.MethodPost, "", `{"properties":{"hs_email_optout":"false"}}`},
		{http.MethodPatch, "/" + id, `{"properties":{"hs_email_optout":"false"}}`},
		{http.MethodPost, "/batch/upsert", `{"inputs":[{"id":"bob@example.com","idProperty":"email","properties":{"hs_email_optout":"false"}}]}`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), call.method, srv.URL+"/crm/objects/2026-03/contacts"+call.path, strings.NewReader(call.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s %s: %d", call.method, call.path, resp.StatusCode)
		}
	}
	if all := srv.Contacts(); len(all) != 1 || all[0].Properties["hs_email_optout"] != "true" {
		t.Errorf("%+v", all)
	}
}

package hubspottest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"onefold/internal/crm/hubspottest"
)

const objects = "/crm/objects/2026-03/"

// body is a decoded JSON answer.
type body map[string]any

// do makes one request with the token and gives status and answer.
func do(t *testing.T, srv *running, method, path string, in any) (int, body) {
	t.Helper()
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, srv.URL+path, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out body
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
	}
	return resp.StatusCode, out
}

func props(p map[string]string) any { return map[string]any{"properties": p} }

func input(idProperty, id string, p map[string]string) map[string]any {
	return map[string]any{"id": id, "idProperty": idProperty, "objectWriteTraceId": "trace-" + id, "properties": p}
}

func inputs(in ...map[string]any) any { return map[string]any{"inputs": in} }

var refProperty = hubspottest.Definition{Type: "contacts", Name: "ref", Unique: true}

func withRef() hubspottest.Options {
	return hubspottest.Options{Define: []hubspottest.Definition{refProperty}}
}

func status(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: status %d, want %d", what, got, want)
	}
}

func TestAddressIsUniqueWithoutCase(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	code, made := do(t, srv, "POST", objects+"contacts", props(map[string]string{"email": "ann@example.com"}))
	status(t, "create", code, http.StatusCreated)
	code, failed := do(t, srv, "POST", objects+"contacts", props(map[string]string{"email": "ANN@example.com"}))
	status(t, "create again", code, http.StatusConflict)
	if failed["category"] != "CONFLICT" || failed["message"] != "Contact already exists. Existing ID: "+made["id"].(string) {
		t.Errorf("the refusal is %v", failed)
	}
	code, _ = do(t, srv, "POST", objects+"contacts",
		props(map[string]string{"email": "b@example.com", "hs_additional_emails": "ann@example.com"}))
	status(t, "create with it as a secondary address", code, http.StatusConflict)
	if n := len(srv.Contacts()); n != 1 {
		t.Errorf("%d contacts, want 1", n)
	}
}

func TestPropertyMustBeDefinedBeforeUse(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	code, _ := do(t, srv, "POST", objects+"contacts", props(map[string]string{"ref": "1"}))
	status(t, "create", code, http.StatusBadRequest)
	code, _ = do(t, srv, "POST", objects+"contacts/batch/upsert", inputs(input("ref", "1", nil)))
	status(t, "upsert", code, http.StatusBadRequest)
	code, _ = do(t, srv, "GET", objects+"contacts/1?idProperty=ref", nil)
	status(t, "read", code, http.StatusBadRequest)

	property := map[string]any{
		"name": "ref", "label": "Ref", "groupName": "ours", "type": "string", "fieldType": "text", "hasUniqueValue": true,
	}
	code, _ = do(t, srv, "POST", "/crm/properties/2026-03/contacts", property)
	status(t, "property in no group", code, http.StatusBadRequest)
	code, _ = do(t, srv, "POST", "/crm/properties/2026-03/contacts/groups", map[string]any{"name": "ours", "label": "Ours"})
	status(t, "group", code, http.StatusCreated)
	code, _ = do(t, srv, "POST", "/crm/properties/2026-03/contacts", property)
	status(t, "property", code, http.StatusCreated)
	code, _ = do(t, srv, "POST", "/crm/properties/2026-03/contacts", property)
	status(t, "property again", code, http.StatusConflict)
	code, _ = do(t, srv, "POST", objects+"contacts/batch/upsert", inputs(input("ref", "1", nil)))
	status(t, "upsert", code, http.StatusOK)
}

func TestUpsertTellsNewFromKnownAndItemsStandAlone(t *testing.T) {
	t.Parallel()
	srv := start(t, withRef())
	if _, err := srv.Seed("contacts", map[string]string{"email": "taken@example.com"}); err != nil {
		t.Fatal(err)
	}
	code, out := do(t, srv, "POST", objects+"contacts/batch/upsert", inputs(input("ref", "a", nil)))
	status(t, "first", code, http.StatusOK)
	if first := out["results"].([]any)[0].(map[string]any); first["new"] != true {
		t.Errorf("the first result is %v", first)
	}
	code, out = do(t, srv, "POST", objects+"contacts/batch/upsert", inputs(
		input("ref", "a", map[string]string{"phone": "1"}),
		input("ref", "b", map[string]string{"email": "taken@example.com"}),
	))
	status(t, "second", code, http.StatusMultiStatus)
	results, errs := out["results"].([]any), out["errors"].([]any)
	if len(results) != 1 || results[0].(map[string]any)["new"] != false {
		t.Errorf("results are %v", results)
	}
	if len(errs) != 1 || errs[0].(map[string]any)["category"] != "CONFLICT" || out["numErrors"] != 1.0 {
		t.Errorf("errors are %v", errs)
	}
	if n := len(srv.Contacts()); n != 2 {
		t.Errorf("%d contacts, want 2", n)
	}
}

func TestUpsertByAddressIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	code, _ := do(t, srv, "POST", objects+"contacts/batch/upsert", inputs(
		input("email", "good@example.com", nil),
		input("email", "not an address", nil),
	))
	status(t, "upsert", code, http.StatusBadRequest)
	if n := len(srv.Contacts()); n != 0 {
		t.Errorf("%d contacts, want 0", n)
	}
	code, _ = do(t, srv, "POST", objects+"contacts/batch/upsert", inputs(input("email", "good@example.com", nil)))
	status(t, "upsert of the good one", code, http.StatusOK)
}

func TestBatchIsLimitedTo100(t *testing.T) {
	t.Parallel()
	srv := start(t, withRef())
	many := make([]map[string]any, 101)
	for i := range many {
		many[i] = input("ref", string(rune('一'+i)), nil)
	}
	code, _ := do(t, srv, "POST", objects+"contacts/batch/upsert", inputs(many...))
	status(t, "101 inputs", code, http.StatusBadRequest)
	code, _ = do(t, srv, "POST", objects+"contacts/batch/upsert", inputs(many[:100]...))
	status(t, "100 inputs", code, http.StatusOK)
}

func TestNoteNeedsTimestamp(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	code, _ := do(t, srv, "POST", objects+"notes", props(map[string]string{"hs_note_body": "x"}))
	status(t, "note", code, http.StatusBadRequest)
	code, _ = do(t, srv, "POST", objects+"notes",
		props(map[string]string{"hs_note_body": "x", "hs_timestamp": "2026-03-01T09:00:00.000Z"}))
	status(t, "note with its time", code, http.StatusCreated)
}

func TestSearchLagsAndDirectReadDoesNot(t *testing.T) {
	t.Parallel()
	var minutes atomic.Int64
	began := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	srv := start(t, hubspottest.Options{
		Now:       func() time.Time { return began.Add(time.Duration(minutes.Load()) * time.Minute) },
		SearchLag: 5 * time.Minute,
	})
	total := func(address string) any {
		t.Helper()
		code, out := do(t, srv, "POST", objects+"contacts/search", map[string]any{"filterGroups": []any{
			map[string]any{"filters": []any{map[string]string{"propertyName": "email", "operator": "EQ", "value": address}}},
		}})
		status(t, "search", code, http.StatusOK)
		return out["total"]
	}
	id, err := srv.Seed("contacts", map[string]string{"email": "ann@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	code, _ := do(t, srv, "GET", objects+"contacts/ann@example.com?idProperty=email", nil)
	status(t, "direct read", code, http.StatusOK)
	minutes.Store(4)
	if n := total("ann@example.com"); n != 0.0 {
		t.Errorf("the index shows the record after 4 minutes: %v", n)
	}
	minutes.Store(5)
	if n := total("ann@example.com"); n != 1.0 {
		t.Errorf("the index does not show the record after 5 minutes: %v", n)
	}
	if err := srv.Edit("contacts", id, map[string]string{"email": "ann@example.org"}); err != nil {
		t.Fatal(err)
	}
	if n := total("ann@example.com"); n != 1.0 {
		t.Errorf("the index forgot the former address at once: %v", n)
	}
	minutes.Store(10)
	if a, b := total("ann@example.com"), total("ann@example.org"); a != 0.0 || b != 1.0 {
		t.Errorf("after the lag the index has %v former and %v new", a, b)
	}
}

func TestRateLimitPassesWithItsWindow(t *testing.T) {
	t.Parallel()
	var seconds atomic.Int64
	began := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	srv := start(t, hubspottest.Options{
		Now:       func() time.Time { return began.Add(time.Duration(seconds.Load()) * time.Second) },
		RateLimit: 2, RateWindow: 10 * time.Second,
	})
	for i, want := range []int{404, 404, 429, 429} {
		code, _ := do(t, srv, "GET", objects+"contacts/1", nil)
		status(t, "read "+string(rune('1'+i)), code, want)
	}
	seconds.Store(10)
	code, _ := do(t, srv, "GET", objects+"contacts/1", nil)
	status(t, "read in the next window", code, 404)
}

func TestRequestWithoutTokenIsRefused(t *testing.T) {
	t.Parallel()
	ts := start(t, hubspottest.Options{})
	resp, err := http.Get(ts.URL + objects + "contacts/1")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	status(t, "read", resp.StatusCode, http.StatusUnauthorized)
	if calls := ts.Calls(); len(calls) != 1 || calls[0].Op != "contacts.read" || calls[0].Status != 401 {
		t.Errorf("calls are %v", calls)
	}
}

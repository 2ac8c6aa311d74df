package pipedrivetest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"onefold/internal/crm/pipedrivetest"
)

// asked is the answer to one request.
func asked(t *testing.T, a *pipedrivetest.Account, method, path, body string) (status int, data json.RawMessage) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("x-api-token", "t")
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	var out struct {
		Success bool            `json:"success"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || out.Success != (w.Code == http.StatusOK) {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return w.Code, out.Data
}

// What the migration guide and the OpenAPI documents say is refused is refused.
func TestWhatTheDocumentsRefuseIsRefused(t *testing.T) {
	t.Parallel()
	a := pipedrivetest.New(pipedrivetest.Options{Token: "t"})
	id := a.Add(pipedrivetest.Person{Name: "Ada"})
	a.AddField("Ref", "varchar")
	code := a.Code("Ref")
	activity := func(with string) string {
		return fmt.Sprintf(`{"subject":"s","type":"task","due_date":"2026-03-02","due_time":"09:00",%s}`, with)
	}
	for _, c := range []struct {
		what, method, path, body string
		want                     int
	}{
		{"a person", "POST", "/api/v2/persons", `{"name":"B","emails":[{"value":"b@example.com"}],"custom_fields":{"` + code + `":"c1"}}`, 200},
		{"a person without a name", "POST", "/api/v2/persons", `{"emails":[{"value":"b@example.com"}]}`, 400},
		{"a member that is not known", "POST", "/api/v2/persons", `{"name":"B","email":"b@example.com"}`, 400},
		{"an address as a text", "POST", "/api/v2/persons", `{"name":"B","emails":["b@example.com"]}`, 400},
		{"two primary addresses", "PATCH", fmt.Sprint("/api/v2/persons/", id), `{"emails":[{"value":"a","primary":true},{"value":"b","primary":true}]}`, 400},
		{"a field that is not there", "PATCH", fmt.Sprint("/api/v2/persons/", id), `{"custom_fields":{"0123":"c1"}}`, 400},
		{"a text that is too long", "PATCH", fmt.Sprint("/api/v2/persons/", id), `{"custom_fields":{"` + code + `":"` + strings.Repeat("x", 256) + `"}}`, 400},
		{"nobody", "GET", "/api/v2/persons/7", "", 404},
		{"a field without a type", "POST", "/api/v2/personFields", `{"field_name":"x"}`, 400},
		{"a page that is too long", "GET", "/api/v2/personFields?limit=501", "", 400},
		{"a note", "POST", "/v1/notes", fmt.Sprintf(`{"content":"x","person_id":%d,"add_time":"2026-03-02 09:00:00"}`, id), 200},
		{"a note of nobody", "POST", "/v1/notes", `{"content":"x","person_id":7}`, 400},
		{"a note without content", "POST", "/v1/notes", fmt.Sprintf(`{"person_id":%d}`, id), 400},
		{"an activity", "POST", "/api/v2/activities", activity(fmt.Sprintf(`"participants":[{"person_id":%d,"primary":true}]`, id)), 200},
		{"an activity's person_id", "POST", "/api/v2/activities", activity(fmt.Sprintf(`"person_id":%d`, id)), 400},
		{"a text for a number", "POST", "/api/v2/activities", activity(fmt.Sprintf(`"participants":[{"person_id":"%d"}]`, id)), 400},
		{"the path of v2 without /api", "GET", fmt.Sprint("/v2/persons/", id), "", 404},
	} {
		if got, _ := asked(t, a, c.method, c.path, c.body); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
	a.SetToken("another")
	if got, _ := asked(t, a, "GET", "/api/v2/personFields", ""); got != http.StatusUnauthorized {
		t.Errorf("another token: %d", got)
	}
}

// The search compares without regard to case, whole values, and knows what was
// there SearchLag ago; a deleted person is read for 30 days.
func TestTheSearchIsLateAndADeletedPersonStaysForAMonth(t *testing.T) {
	t.Parallel()
	a := pipedrivetest.New(pipedrivetest.Options{Token: "t", SearchLag: time.Minute})
	id := a.Add(pipedrivetest.Person{Name: "Ada", Emails: []pipedrivetest.Entry{{Value: "Ada@example.com", Primary: true}}})
	finds := func(term string) bool {
		t.Helper()
		_, data := asked(t, a, "GET", "/api/v2/persons/search?exact_match=true&fields=email&term="+term, "")
		return strings.Contains(string(data), fmt.Sprintf(`"id":%d`, id))
	}
	if finds("ada@example.com") {
		t.Error("it shows what was written just now")
	}
	a.Pass(time.Minute)
	if !finds("ada@example.com") || finds("ada") {
		t.Error("it does not find the whole value in other letters, or finds a part")
	}
	a.Delete(id)
	if !finds("ada@example.com") {
		t.Error("it knows at once of what was deleted")
	}
	a.Pass(time.Minute)
	if status, data := asked(t, a, "GET", fmt.Sprint("/api/v2/persons/", id), ""); finds("ada@example.com") || status != 200 || !strings.Contains(string(data), `"is_deleted":true`) {
		t.Errorf("a deleted person: %d %s", status, data)
	}
	a.Pass(31 * 24 * time.Hour)
	if status, _ := asked(t, a, "GET", fmt.Sprint("/api/v2/persons/", id), ""); status != 404 {
		t.Errorf("after a month: %d", status)
	}
}

// A merge: what the other person has stays, what it lacks it gets.
func TestAMergeKeepsWhatTheOtherHas(t *testing.T) {
	t.Parallel()
	a := pipedrivetest.New(pipedrivetest.Options{Token: "t"})
	a.AddField("Ref", "varchar")
	code := a.Code("Ref")
	entry := func(v string) []pipedrivetest.Entry { return []pipedrivetest.Entry{{Value: v, Primary: true}} }
	loser := a.Add(pipedrivetest.Person{Name: "Ada", Emails: entry("a@example.com"), Phones: entry("1"), Custom: map[string]string{code: "c1"}})
	other := a.Add(pipedrivetest.Person{Name: "A. King", Emails: entry("b@example.com")})
	a.AddNote(loser, "x")
	a.Merge(loser, other)
	p := a.Persons()
	if len(p) != 1 || p[0].ID != other || p[0].Name != "A. King" || p[0].Emails[0].Value != "b@example.com" ||
		p[0].Phones[0].Value != "1" || p[0].Custom[code] != "c1" || a.Notes()[0].Person != other {
		t.Errorf("%+v, note %+v", p, a.Notes())
	}
}

package salesforcetest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"onefold/internal/crm/salesforcetest"
)

const data = "/services/data/v66.0/"

// org is one with a session of its own and the two external IDs.
type org struct {
	*salesforcetest.Org
	token string
}

func start(t *testing.T, opts salesforcetest.Options) *org {
	t.Helper()
	opts.Key, opts.ClientID, opts.Username, opts.Audience = &key().PublicKey, "client", "u@example.com", "https://login.example.com"
	o := &org{Org: salesforcetest.New(opts)}
	o.Define(salesforcetest.Contact, salesforcetest.Field{Name: "Ref__c", Type: "string", Length: 20, ExternalID: true, Unique: true})
	o.Define(salesforcetest.Contact, salesforcetest.Field{Name: "Loose__c", Type: "string", Length: 20, ExternalID: true})
	o.Define(salesforcetest.Task, salesforcetest.Field{Name: "Key__c", Type: "string", Length: 20, ExternalID: true, Unique: true, CaseSensitive: true})
	o.token = login(t, o, nil)["access_token"]
	return o
}

// ask makes one request; what names its header, as "Name: value", comes last.
func (o *org) ask(method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, bytes.NewBufferString(body))
	r.Header.Set("Authorization", "Bearer "+o.token)
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	o.ServeHTTP(w, r)
	return w
}

// want checks an answer's status and, of an error, its code.
func want(t *testing.T, what string, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	var errs []struct{ ErrorCode string }
	if code != "" {
		if err := json.Unmarshal(w.Body.Bytes(), &errs); err != nil || len(errs) != 1 || errs[0].ErrorCode != code {
			t.Errorf("%s: %s, want %s", what, w.Body, code)
		}
	}
	if w.Code != status {
		t.Errorf("%s: %d %s, want %d", what, w.Code, w.Body, status)
	}
}

func soql(q string) string { return data + "query?q=" + url.QueryEscape(q) }

// What the REST guide says of an external ID (dome-upsert).
func TestAnExternalIDMakesOneRecordOrChangesIt(t *testing.T) {
	t.Parallel()
	o := start(t, salesforcetest.Options{})
	path := data + "sobjects/Contact/Ref__c/r1"
	want(t, "nobody is read", o.ask("GET", path, ""), 404, "NOT_FOUND")
	want(t, "update only", o.ask("PATCH", path+"?updateOnly=true", `{"LastName":"King"}`), 404, "NOT_FOUND")
	made := o.ask("PATCH", path, `{"LastName":"King"}`)
	want(t, "the first", made, 201, "")
	again := o.ask("PATCH", data+"sobjects/Contact/Ref__c/R1", `{"Phone":"1"}`)
	want(t, "the second, in capitals", again, 200, "")
	var first, second struct {
		ID      string
		Created bool
	}
	if json.Unmarshal(made.Body.Bytes(), &first) != nil || json.Unmarshal(again.Body.Bytes(), &second) != nil ||
		first.ID == "" || first.ID != second.ID || !first.Created || second.Created {
		t.Errorf("%s and %s", made.Body, again.Body)
	}
	want(t, "the external ID in the body", o.ask("PATCH", path, `{"Ref__c":"r1"}`), 400, "INVALID_FIELD_FOR_INSERT_UPDATE")
	want(t, "a field that is no external ID", o.ask("PATCH", data+"sobjects/Contact/Phone/1", `{}`), 404, "NOT_FOUND")
	want(t, "made with it by POST", o.ask("POST", data+"sobjects/Contact", `{"LastName":"King","Ref__c":"r1"}`), 400, "DUPLICATE_VALUE")
	for range 2 {
		want(t, "one that is not unique", o.ask("POST", data+"sobjects/Contact", `{"LastName":"King","Loose__c":"x"}`), 201, "")
	}
	for _, method := range []string{"GET", "PATCH"} {
		want(t, method+" of two", o.ask(method, data+"sobjects/Contact/Loose__c/x", `{"Phone":"9"}`), 300, "")
	}
	for _, r := range o.Records(salesforcetest.Contact) {
		if r.Fields["Phone"] == "9" {
			t.Error("a PATCH of two has written")
		}
	}
	want(t, "a deleted one's is free", func() *httptest.ResponseRecorder {
		want(t, "a DELETE", o.ask("DELETE", data+"sobjects/Contact/"+first.ID, ""), 204, "")
		return o.ask("PATCH", path, `{"LastName":"King"}`)
	}(), 201, "")
	want(t, "deleted twice", o.ask("DELETE", data+"sobjects/Contact/"+first.ID, ""), 404, "ENTITY_IS_DELETED")
	for _, key := range []string{"k1", "K1"} {
		want(t, "a case sensitive one", o.ask("PATCH", data+"sobjects/Task/Key__c/"+key, `{}`), 201, "")
	}
}

// Between match and save of one upsert another may come: the one that saves last is
// refused (salesforce.stackexchange.com/questions/197382).
func TestTheLoserOfTwoUpsertsAtOnceIsRefused(t *testing.T) {
	t.Parallel()
	o := start(t, salesforcetest.Options{})
	path := data + "sobjects/Contact/Ref__c/r1"
	open := make(chan struct{})
	close(open)
	o.Script(salesforcetest.Fault{Kind: salesforcetest.Hold, Writes: true, Until: open, Entered: func() {
		want(t, "the quicker", o.ask("PATCH", path, `{"LastName":"King"}`), 201, "")
	}})
	want(t, "the slower", o.ask("PATCH", path, `{"LastName":"Queen"}`), 400, "DUPLICATE_VALUE")
	if all := o.Records(salesforcetest.Contact); len(all) != 1 || all[0].Fields["LastName"] != "King" {
		t.Errorf("%v", all)
	}
}

// What the guide says of conditional requests.
func TestAConditionalWriteIsComparedInSeconds(t *testing.T) {
	t.Parallel()
	o := start(t, salesforcetest.Options{})
	id := o.Add(salesforcetest.Contact, nil)
	path := data + "sobjects/Contact/" + id
	since := "If-Unmodified-Since: " + o.ask("GET", path, "").Header().Get("Last-Modified")
	want(t, "unchanged", o.ask("PATCH", path, `{"Phone":"1"}`, since), 204, "")
	want(t, "changed a second later", o.ask("PATCH", path, `{"Phone":"2"}`, since), 412, "")
	want(t, "a date that is none", o.ask("PATCH", path, `{"Phone":"2"}`, "If-Unmodified-Since: 2026-03-02"), 400, "INVALID_HEADER")
	want(t, "without a condition", o.ask("PATCH", path, `{"Phone":"3"}`), 204, "")
	if got := o.Records(salesforcetest.Contact)[0].Fields["Phone"]; got != "3" {
		t.Errorf("phone %q", got)
	}
}

func TestWhatARecordMayNotBeIsRefused(t *testing.T) {
	t.Parallel()
	o := start(t, salesforcetest.Options{})
	gone, there := o.Add(salesforcetest.Contact, nil), o.Add(salesforcetest.Contact, map[string]string{"Phone": "1"})
	o.Delete(salesforcetest.Contact, gone)
	o.Define(salesforcetest.Contact, salesforcetest.Field{Name: "Hidden__c", Type: "string", Length: 20})
	o.Show(salesforcetest.Contact, "Hidden__c", false)
	for _, c := range []struct{ what, object, body, code string }{
		{"no last name", "Contact", `{"FirstName":"Ada"}`, "REQUIRED_FIELD_MISSING"},
		{"an empty last name", "Contact", `{"LastName":" "}`, "REQUIRED_FIELD_MISSING"},
		{"a last name of 81", "Contact", `{"LastName":"` + strings.Repeat("x", 81) + `"}`, "STRING_TOO_LONG"},
		{"an address that is none", "Contact", `{"LastName":"King","Email":"x"}`, "INVALID_EMAIL_ADDRESS"},
		{"a field that is not there", "Contact", `{"LastName":"King","Company":"x"}`, "INVALID_FIELD"},
		{"a field that is not seen", "Contact", `{"LastName":"King","Hidden__c":"x"}`, "INVALID_FIELD"},
		{"a field that is not written", "Contact", `{"LastName":"King","LastModifiedDate":"x"}`, "INVALID_FIELD_FOR_INSERT_UPDATE"},
		{"a text for yes or no", "Contact", `{"LastName":"King","HasOptedOutOfEmail":"true"}`, "JSON_PARSER_ERROR"},
		{"a number for a text", "Contact", `{"LastName":1}`, "JSON_PARSER_ERROR"},
		{"no JSON", "Contact", `LastName=King`, "JSON_PARSER_ERROR"},
		{"a task of a text", "Task", `{"WhoId":"ada"}`, "MALFORMED_ID"},
		{"a task of nobody", "Task", `{"WhoId":"0035g0000099999AAA"}`, "INVALID_CROSS_REFERENCE_KEY"},
		{"a task of whom is deleted", "Task", `{"WhoId":"` + gone + `"}`, "ENTITY_IS_DELETED"},
	} {
		want(t, c.what, o.ask("POST", data+"sobjects/"+c.object, c.body), 400, c.code)
	}
	want(t, "a deleted contact", o.ask("PATCH", data+"sobjects/Contact/"+gone, `{}`), 404, "ENTITY_IS_DELETED")
	want(t, "a last name that is cleared", o.ask("PATCH", data+"sobjects/Contact/"+there, `{"LastName":null}`), 400, "REQUIRED_FIELD_MISSING")
	want(t, "a phone that is cleared", o.ask("PATCH", data+"sobjects/Contact/"+there, `{"Phone":null}`), 204, "")
	if all := o.Records(salesforcetest.Contact); len(all) != 1 || all[0].Fields["Phone"] != "" || len(o.Records(salesforcetest.Task)) != 0 {
		t.Errorf("%v", all)
	}
}

// A rule that alerts lets the request save that says so; one that blocks does not.
func TestADuplicateRuleComparesAddresses(t *testing.T) {
	t.Parallel()
	const body = `{"LastName":"King","Email":"ADA@example.com"}`
	const allow = "Sforce-Duplicate-Rule-Header: allowSave=true"
	for rule, saves := range map[salesforcetest.Rule]int{salesforcetest.Alerts: 201, salesforcetest.Blocks: 400} {
		o := start(t, salesforcetest.Options{Rule: rule})
		o.Hide(salesforcetest.Contact, o.Add(salesforcetest.Contact, map[string]string{"Email": "ada@example.com"}))
		want(t, string(rule), o.ask("POST", data+"sobjects/Contact", body), 400, "DUPLICATES_DETECTED")
		want(t, string(rule)+" allowed", o.ask("POST", data+"sobjects/Contact", body, allow), saves, "")
	}
}

func TestAQueryIsReadAsSOQLIs(t *testing.T) {
	t.Parallel()
	o := start(t, salesforcetest.Options{})
	id := o.Add(salesforcetest.Contact, map[string]string{"Email": `o'neil\@example.com`})
	o.Add(salesforcetest.Contact, map[string]string{"Email": "bea@example.com", "Phone": "OR", "Ref__c": "r1"})
	o.Add(salesforcetest.Task, map[string]string{"Key__c": "k1"})
	for q, n := range map[string]int{
		`SELECT Id, Email FROM Contact`:                                                      2,
		`SELECT Id FROM Contact WHERE Id > '` + id + `' ORDER BY Id LIMIT 9`:                 1,
		`SELECT Id FROM Task WHERE Key__c IN ('k1')`:                                         1,
		`SELECT Id FROM Task WHERE Key__c = 'K1'`:                                            0,
		`SELECT Id FROM Contact WHERE Ref__c = 'R1'`:                                         1,
		`SELECT Id FROM Contact LIMIT 1`:                                                     1,
		`select id from contact where EMAIL = 'BEA@EXAMPLE.COM'`:                             1,
		`SELECT Id FROM Contact WHERE Email = 'o\'neil\\@example.com'`:                       1,
		`SELECT Id FROM Contact WHERE Email IN ('x','bea@example.com') OR Id = '` + id + `'`: 2,
		`SELECT Id FROM Contact WHERE Id = '` + id[:15] + `'`:                                1,
		`SELECT Id FROM Contact WHERE Phone = 'OR' OR Phone = 'LIMIT 1'`:                     1,
		`SELECT Id FROM Contact WHERE Email = ''`:                                            0,
		`SELECT Id FROM Task WHERE Key__c = 'k' LIMIT 5`:                                     0,
		`SELECT Id FROM Contact WHERE Email = 'x' OR Email = 'y\' OR Email != \'' LIMIT 9`:   0,
	} {
		w := o.ask("GET", soql(q), "")
		var out struct {
			TotalSize int
			Done      bool
			Records   []map[string]any
		}
		if json.Unmarshal(w.Body.Bytes(), &out) != nil || w.Code != 200 || !out.Done || out.TotalSize != n || len(out.Records) != n {
			t.Errorf("%s: %d %s, want %d records", q, w.Code, w.Body, n)
		}
	}
	for q, code := range map[string]string{
		`SELECT Id FROM Contact WHERE Email = 'o'neil'`:           "MALFORMED_QUERY",
		`SELECT Id FROM Contact WHERE Email = 'a\b'`:              "", // a bell is an escape
		`SELECT Id FROM Contact WHERE Email = 'a\x'`:              "MALFORMED_QUERY",
		"SELECT Id FROM Contact WHERE Email = 'a\nb'":             "MALFORMED_QUERY",
		`SELECT Id FROM Contact WHERE Email = "x"`:                "MALFORMED_QUERY",
		`SELECT Id FROM Contact WHERE Email = 'x' OR`:             "MALFORMED_QUERY",
		`SELECT FROM Contact`:                                     "MALFORMED_QUERY",
		`SELECT Id FROM Contact WHERE Id = '999999'`:              "INVALID_QUERY_FILTER_OPERATOR",
		`SELECT Id, Company FROM Contact`:                         "INVALID_FIELD",
		`SELECT Id FROM Task WHERE Description = 'x'`:             "INVALID_FIELD",
		`SELECT Id FROM Person`:                                   "INVALID_TYPE",
		`SELECT Id FROM Contact WHERE Email = 'x' AND Phone = ''`: "NOT_KNOWN_HERE",
		`SELECT Id FROM Contact WHERE Email > 'x'`:                "NOT_KNOWN_HERE",
	} {
		status := map[string]int{"": 200, "NOT_KNOWN_HERE": 501}[code]
		if status == 0 {
			status = 400
		}
		want(t, q, o.ask("GET", soql(q), ""), status, code)
	}
	for range 2001 {
		o.Add(salesforcetest.Contact, map[string]string{"Phone": "many"})
	}
	if w := o.ask("GET", soql(`SELECT Id FROM Contact WHERE Phone = 'many'`), ""); !strings.Contains(w.Body.String(), `"done":false`) {
		t.Errorf("2001 records: %.80s", w.Body)
	}
}

// Fields that are made are seen once field-level security says so.
func TestAFieldIsMadeByWhoMayAndSeenByWhoMay(t *testing.T) {
	t.Parallel()
	const path = data + "tooling/sobjects/CustomField"
	field := func(full, kind string) string {
		return fmt.Sprintf(`{"FullName":%q,"Metadata":{"label":"New","type":%q,"length":255,"unique":true,"externalId":true}}`, full, kind)
	}
	want(t, "who may not", start(t, salesforcetest.Options{}).ask("POST", path, field("Contact.New__c", "Text")), 403, "INSUFFICIENT_ACCESS")
	o := start(t, salesforcetest.Options{Customizes: true})
	for full, kind := range map[string]string{"Contact.New": "Text", "Task.New__c": "Text", "New__c": "Text", "Contact.New__c": "Texts"} {
		want(t, full+" "+kind, o.ask("POST", path, field(full, kind)), 400, "FIELD_INTEGRITY_EXCEPTION")
	}
	want(t, "a field", o.ask("POST", path, field("Activity.New__c", "Text")), 201, "")
	want(t, "again", o.ask("POST", path, field("Activity.New__c", "Text")), 400, "DUPLICATE_DEVELOPER_NAME")
	describes := func() bool {
		return strings.Contains(o.ask("GET", data+"sobjects/Task/describe", "").Body.String(), `"New__c"`)
	}
	if describes() {
		t.Error("it is seen at once")
	}
	o.Show(salesforcetest.Task, "New__c", true)
	if !describes() {
		t.Error("it is not seen")
	}
}

func TestTheAPITakesWhoHasASessionUpToItsLimit(t *testing.T) {
	t.Parallel()
	o := start(t, salesforcetest.Options{Limit: 2})
	want(t, "first", o.ask("GET", soql("SELECT Id FROM Contact"), ""), 200, "")
	want(t, "no such path", o.ask("GET", "/services/data/v66.0/sobjects/Lead/1", ""), 404, "NOT_FOUND")
	want(t, "beyond the limit", o.ask("GET", soql("SELECT Id FROM Contact"), ""), http.StatusForbidden, "REQUEST_LIMIT_EXCEEDED")
	o.EndSessions()
	want(t, "a session that has ended", o.ask("GET", soql("SELECT Id FROM Contact"), ""), 401, "INVALID_SESSION_ID")
}

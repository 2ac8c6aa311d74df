package salesforce_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/crmtest"
	"onefold/internal/crm/salesforce"
	"onefold/internal/crm/salesforcetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	crmtest.Suite(t, func(t *testing.T) (crmtest.Vendor, crm.CRM) {
		v := start(t)
		return v, v.ready(t)
	})
}

// key is one for all tests: making one takes long.
var key = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

// now is when these tests happen.
var now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

const audience = "https://login.example.com"

// secret is the account's, with other values; "" leaves a member out.
func secret(change map[string]string) string {
	b, err := x509.MarshalPKCS8PrivateKey(key())
	if err != nil {
		panic(err)
	}
	doc := map[string]string{
		"login_url": audience, "client_id": "client", "username": "onefold@example.com",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: b})),
	}
	maps.Copy(doc, change)
	maps.DeleteFunc(doc, func(_, value string) bool { return value == "" })
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// vendor is Salesforce's fake on a loopback port until the test ends. It is the
// suite's vendor.
type vendor struct {
	*salesforcetest.Org
	web *httptest.Server
}

func start(t *testing.T) *vendor {
	return startWith(t, salesforcetest.Options{Customizes: true, Grants: true})
}

func startWith(t *testing.T, opts salesforcetest.Options) *vendor {
	t.Helper()
	opts.Key, opts.ClientID, opts.Username, opts.Audience = &key().PublicKey, "client", "onefold@example.com", audience
	v := &vendor{Org: salesforcetest.New(opts)}
	v.web = httptest.NewServer(v.Org)
	t.Cleanup(v.web.Close)
	return v
}

func (v *vendor) client(t *testing.T, secret func(context.Context) (string, error)) *salesforce.Client {
	t.Helper()
	c, err := salesforce.New(salesforce.Config{
		BaseURL: v.web.URL, HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, // as the worker has it
		Secret: secret, Now: func() time.Time { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func kept(secret string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return secret, nil }
}

func (v *vendor) ready(t *testing.T) *salesforce.Client {
	t.Helper()
	c := v.client(t, kept(secret(nil)))
	if err := c.SetUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func (v *vendor) URL() string { return v.web.URL }

// Pass: there is no index.
func (*vendor) Pass(time.Duration) {}

// as is values of the port in Salesforce's words.
func as(values map[string]string) map[string]string {
	in := map[string]string{}
	for name, value := range values {
		switch name {
		case crmtest.Name:
			first, last, two := strings.Cut(value, " ")
			if !two {
				first, last = "", first
			}
			in["FirstName"], in["LastName"] = first, last
		case crmtest.Company:
			in[salesforce.FieldCompany] = value
		case crmtest.Body:
			in["Description"] = value
		case crmtest.Done:
			in["Status"] = map[string]string{"yes": "Completed", "": "Not Started"}[value]
		default:
			in[strings.ToUpper(name[:1])+name[1:]] = value
		}
	}
	return in
}

func (v *vendor) Put(t testing.TB, values map[string]string) string {
	t.Helper()
	in := as(values)
	if in["LastName"] == "" { // which the application asks for
		in["LastName"] = values[crmtest.Email] + values[crmtest.Phone]
	}
	id := v.Add(salesforcetest.Contact, in)
	if id == "" {
		t.Fatal("no contact was made")
	}
	return id
}

func (v *vendor) Edit(t testing.TB, kind crmtest.Kind, id string, values map[string]string) {
	t.Helper()
	object := salesforcetest.Task
	if kind == crmtest.Contacts {
		object = salesforcetest.Contact
	}
	if !v.Org.Edit(object, id, as(values)) {
		t.Fatalf("%s %s is not changed", object, id)
	}
}

func (v *vendor) Archive(t testing.TB, id string) {
	t.Helper()
	if !v.Delete(salesforcetest.Contact, id) {
		t.Fatalf("no contact %s", id)
	}
}

// Records: a note is a task whose subject says so.
func (v *vendor) Records(kind crmtest.Kind) []crmtest.Record {
	var out []crmtest.Record
	if kind == crmtest.Contacts {
		for _, r := range v.Org.Records(salesforcetest.Contact) {
			out = append(out, record(r, map[string]string{
				crmtest.Email: r.Fields["Email"], crmtest.Phone: r.Fields["Phone"], crmtest.Company: r.Fields[salesforce.FieldCompany],
				crmtest.Name: strings.TrimSpace(r.Fields["FirstName"] + " " + r.Fields["LastName"]),
			}))
		}
		return out
	}
	for _, r := range v.Org.Records(salesforcetest.Task) {
		if (r.Fields["Subject"] == "Enquiry") == (kind == crmtest.Notes) {
			one := record(r, map[string]string{
				crmtest.Body: r.Fields["Description"], crmtest.Title: r.Fields["Subject"],
				crmtest.Done: map[string]string{"Completed": "yes"}[r.Fields["Status"]],
			})
			one.Contacts = []string{r.Fields["WhoId"]}
			out = append(out, one)
		}
	}
	return out
}

func record(r salesforcetest.Record, values map[string]string) crmtest.Record {
	maps.DeleteFunc(values, func(_, value string) bool { return value == "" })
	content := maps.Clone(r.Fields)
	delete(content, "WhoId")
	return crmtest.Record{ID: r.ID, Values: values, Content: fmt.Sprint(content)}
}

func (v *vendor) Calls() []crmtest.Call {
	var out []crmtest.Call
	for _, c := range v.Org.Calls() {
		out = append(out, crmtest.Call{Reads: c.Method == http.MethodGet, Answered: c.Status != 0})
	}
	return out
}

func faults() map[crmtest.Fault]salesforcetest.Kind {
	return map[crmtest.Fault]salesforcetest.Kind{
		{Name: "500 before writing"}: salesforcetest.FailBefore, {Name: "503 after writing"}: salesforcetest.FailAfter,
		{Name: "cut before writing"}: salesforcetest.CutBefore, {Name: "cut after writing"}: salesforcetest.CutAfter,
		{Name: "throttled", Refusal: true}: salesforcetest.Throttle, {Name: "locked", Refusal: true}: salesforcetest.Locked,
	}
}

func (*vendor) Faults() []crmtest.Fault { return slices.Collect(maps.Keys(faults())) }

func (v *vendor) Meet(f crmtest.Fault, skip int) {
	v.Script(salesforcetest.Fault{Kind: faults()[f], Skip: skip})
}

// Throttle: Salesforce tells no time. A quarter of an hour is the adapter's.
func (v *vendor) Throttle() int {
	v.Script(salesforcetest.Fault{Kind: salesforcetest.Throttle})
	return 900
}

func (v *vendor) Hold(until <-chan struct{}, entered func()) {
	v.Script(salesforcetest.Fault{Kind: salesforcetest.Hold, Writes: true, Until: until, Entered: entered})
}

func (v *vendor) RefuseToken() { v.Close() }

func (v *vendor) Stop() {
	v.web.CloseClientConnections()
	v.web.Close()
}

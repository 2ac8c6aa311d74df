package salesforce_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
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

func secret(change map[string]string) string {
	b, err := x509.MarshalPKCS8PrivateKey(key())
	if err != nil {
		panic(err)
	}
	doc := map[string]string{
		"login_url": "https://login.example.com", "client_id": "client", "username": "onefold@example.com",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: b})),
	}
	for name, value := range change {
		if doc[name] = value; value == "" {
			delete(doc, name)
		}
	}
	text, _ := json.Marshal(doc)
	return string(text)
}

// vendor is the org with what befalls it and its network.
type vendor struct {
	*org
	web   *httptest.Server
	under sync.WaitGroup

	mu    sync.Mutex
	calls []crmtest.Call
	fault string
	skip  int
	hold  func()
}

func start(t *testing.T) *vendor {
	t.Helper()
	v := &vendor{org: newOrg(&key().PublicKey)}
	v.web = httptest.NewServer(http.HandlerFunc(v.serve))
	t.Cleanup(v.web.Close)
	return v
}

func (v *vendor) client(t *testing.T, secret string) *salesforce.Client {
	t.Helper()
	c, err := salesforce.New(salesforce.Config{
		BaseURL: v.web.URL, HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, // as the worker has it
		Secret: func(context.Context) (string, error) { return secret, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (v *vendor) ready(t *testing.T) *salesforce.Client {
	t.Helper()
	c := v.client(t, secret(nil))
	if err := c.SetUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func (v *vendor) serve(w http.ResponseWriter, r *http.Request) {
	v.under.Add(1)
	defer v.under.Done()
	fault, hold := v.meets(r)
	if hold != nil {
		hold()
	}
	switch fault {
	case "cut before writing":
		panic(http.ErrAbortHandler)
	case "throttled":
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`[{"errorCode":"REQUEST_LIMIT_EXCEEDED","message":"x"}]`))
		return
	case "500 before writing":
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	answered := httptest.NewRecorder()
	v.ServeHTTP(answered, r)
	switch fault {
	case "cut after writing":
		panic(http.ErrAbortHandler)
	case "503 after writing":
		answered = httptest.NewRecorder()
		answered.WriteHeader(http.StatusServiceUnavailable)
	}
	for name, values := range answered.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answered.Code)
	_, _ = w.Write(answered.Body.Bytes())
}

func (v *vendor) meets(r *http.Request) (fault string, hold func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if strings.HasPrefix(r.URL.Path, "/services/oauth2/") {
		return "", nil // no call of the API
	}
	reads := r.Method == http.MethodGet
	if !reads {
		hold, v.hold = v.hold, nil
	}
	if v.fault != "" {
		if v.skip == 0 {
			fault, v.fault = v.fault, ""
		}
		v.skip--
	}
	v.calls = append(v.calls, crmtest.Call{Reads: reads, Answered: !strings.HasPrefix(fault, "cut")})
	return fault, hold
}

func (v *vendor) URL() string { return v.web.URL }

// Pass: there is no index.
func (*vendor) Pass(time.Duration) {}

// as is values of the port in Salesforce's words.
func as(values map[string]string) map[string]any {
	in := map[string]any{}
	for name, value := range values {
		switch name {
		case crmtest.Name:
			first, last, two := strings.Cut(value, " ")
			if !two {
				first, last = "", first
			}
			in["FirstName"], in["LastName"] = first, last
		case crmtest.Email:
			in["Email"] = value
		case crmtest.Phone:
			in["Phone"] = value
		case crmtest.Company:
			in[salesforce.FieldCompany] = value
		}
	}
	return in
}

func (v *vendor) Put(_ testing.TB, values map[string]string) string {
	v.org.mu.Lock()
	defer v.org.mu.Unlock()
	v.serial++
	row := map[string]any{"Id": fmt.Sprintf("003%015d", v.serial), "LastName": "Unknown (Onefold)"}
	v.write("Contact", row, as(values))
	v.rows["Contact"] = append(v.rows["Contact"], row)
	return row["Id"].(string)
}

func (v *vendor) Edit(t testing.TB, kind crmtest.Kind, id string, values map[string]string) {
	t.Helper()
	v.org.mu.Lock()
	defer v.org.mu.Unlock()
	switch kind {
	case crmtest.Contacts:
		v.write("Contact", v.row("Contact", id), as(values))
	case crmtest.Notes:
		v.write("Task", v.row("Task", id), map[string]any{"Description": values[crmtest.Body]})
	case crmtest.Tasks:
		v.write("Task", v.row("Task", id), map[string]any{"Status": map[string]string{"yes": "Completed"}[values[crmtest.Done]]})
	}
}

func (v *vendor) Archive(_ testing.TB, id string) {
	v.org.mu.Lock()
	defer v.org.mu.Unlock()
	v.row("Contact", id)["deleted"] = true
}

func str(row map[string]any, name string) string { s, _ := row[name].(string); return s }

// Records: a note is a task whose subject says so.
func (v *vendor) Records(kind crmtest.Kind) []crmtest.Record {
	v.org.mu.Lock()
	defer v.org.mu.Unlock()
	object := map[crmtest.Kind]string{crmtest.Contacts: "Contact"}[kind]
	if object == "" {
		object = "Task"
	}
	var out []crmtest.Record
	for _, row := range v.rows[object] {
		if row["deleted"] != nil || object == "Task" && (str(row, "Subject") == "Enquiry") != (kind == crmtest.Notes) {
			continue
		}
		one := crmtest.Record{ID: str(row, "Id"), Values: map[string]string{}}
		content := map[string]any{}
		for name, value := range row {
			if name != "Id" && name != "changed" && name != "WhoId" {
				content[name] = value
			}
		}
		one.Content = fmt.Sprint(content)
		values := map[string]string{
			crmtest.Email: str(row, "Email"), crmtest.Phone: str(row, "Phone"), crmtest.Company: str(row, salesforce.FieldCompany),
			crmtest.Name: strings.TrimSpace(str(row, "FirstName") + " " + str(row, "LastName")),
		}
		if object == "Task" {
			values = map[string]string{
				crmtest.Body: str(row, "Description"), crmtest.Title: str(row, "Subject"),
				crmtest.Done: map[bool]string{true: "yes"}[str(row, "Status") == "Completed"],
			}
			one.Contacts = []string{str(row, "WhoId")}
		}
		for name, value := range values {
			if value != "" {
				one.Values[name] = value
			}
		}
		out = append(out, one)
	}
	return out
}

func (v *vendor) Calls() []crmtest.Call {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.calls)
}

func (*vendor) Faults() []crmtest.Fault {
	return []crmtest.Fault{
		{Name: "500 before writing"}, {Name: "503 after writing"}, {Name: "cut before writing"}, {Name: "cut after writing"},
		{Name: "throttled", Refusal: true},
	}
}

func (v *vendor) Meet(f crmtest.Fault, skip int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fault, v.skip = f.Name, skip
}

func (v *vendor) Throttle() int { v.Meet(crmtest.Fault{Name: "throttled"}, 0); return 7 }

func (v *vendor) Hold(until <-chan struct{}, entered func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.hold = func() { entered(); <-until }
}

func (v *vendor) Idle() { v.under.Wait() }

func (v *vendor) RefuseToken() {
	v.org.mu.Lock()
	defer v.org.mu.Unlock()
	clear(v.tokens)
	v.refuses = true
}

func (v *vendor) Stop() {
	v.web.CloseClientConnections()
	v.web.Close()
}

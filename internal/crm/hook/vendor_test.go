package hook_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"onefold/internal/crm"
	"onefold/internal/crm/crmtest"
	"onefold/internal/crm/hook"
)

const (
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" // the specification's sample
	other  = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	crmtest.Suite(t, func(t *testing.T) (crmtest.Vendor, crm.CRM) {
		v := start(t)
		return v, v.client(t)
	})
}

// vendor is the receiver with what befalls it and its network.
type vendor struct {
	*receiver
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
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	v := &vendor{receiver: &receiver{verifier: verifier, answers: map[string]answer{}}}
	v.web = httptest.NewServer(http.HandlerFunc(v.serve))
	t.Cleanup(v.web.Close)
	return v
}

func (v *vendor) client(t *testing.T) *hook.Client {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true} // as the worker has it
	t.Cleanup(transport.CloseIdleConnections)
	c, err := hook.New(hook.Config{
		BaseURL: v.web.URL, Now: time.Now, HTTP: &http.Client{Transport: transport},
		Secret: func(context.Context) (string, error) {
			return `{"url":"https://crm.example.com/onefold","secrets":["` + secret + `"]}`, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (v *vendor) serve(w http.ResponseWriter, r *http.Request) {
	v.under.Add(1)
	defer v.under.Done()
	fault, hold := v.meets()
	if hold != nil {
		hold()
	}
	switch fault {
	case "cut before writing":
		panic(http.ErrAbortHandler)
	case "throttled":
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case "502 before writing":
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	answered := httptest.NewRecorder()
	v.receiver.ServeHTTP(answered, r)
	switch fault {
	case "cut after writing":
		panic(http.ErrAbortHandler)
	case "504 after writing":
		answered = httptest.NewRecorder()
		answered.WriteHeader(http.StatusGatewayTimeout)
	}
	w.WriteHeader(answered.Code)
	_, _ = w.Write(answered.Body.Bytes())
}

func (v *vendor) meets() (fault string, hold func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	hold, v.hold = v.hold, nil
	if v.fault != "" {
		if v.skip == 0 {
			fault, v.fault = v.fault, ""
		}
		v.skip--
	}
	// The suite looks at the kind of a call of a ping alone.
	v.calls = append(v.calls, crmtest.Call{Reads: true, Answered: !strings.HasPrefix(fault, "cut")})
	return fault, hold
}

func (v *vendor) URL() string { return v.web.URL }

func (v *vendor) Put(_ testing.TB, values map[string]string) string {
	v.receiver.mu.Lock()
	defer v.receiver.mu.Unlock()
	made := v.add(&v.people)
	maps.Copy(made.Fields, values)
	return made.ID
}

func (v *vendor) rows(kind crmtest.Kind) *[]*row {
	return map[crmtest.Kind]*[]*row{crmtest.Contacts: &v.people, crmtest.Notes: &v.notes, crmtest.Tasks: &v.tasks}[kind]
}

func (v *vendor) Edit(t testing.TB, kind crmtest.Kind, id string, values map[string]string) {
	t.Helper()
	v.receiver.mu.Lock()
	defer v.receiver.mu.Unlock()
	maps.Copy(find(*v.rows(kind), func(r *row) bool { return r.ID == id }).Fields, values)
}

func (v *vendor) Archive(_ testing.TB, id string) {
	v.receiver.mu.Lock()
	defer v.receiver.mu.Unlock()
	v.people = slices.DeleteFunc(v.people, func(r *row) bool { return r.ID == id })
	// Whoever takes a person away forgets the answers that name him.
	clear(v.answers)
}

func (v *vendor) Records(kind crmtest.Kind) []crmtest.Record {
	v.receiver.mu.Lock()
	defer v.receiver.mu.Unlock()
	var out []crmtest.Record
	for _, r := range *v.rows(kind) {
		one := crmtest.Record{ID: r.ID, Values: maps.Clone(r.Fields), Content: []any{r.Ref, maps.Clone(r.Fields)}}
		if r.Person != "" {
			one.Contacts = []string{r.Person}
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
		{Name: "502 before writing"}, {Name: "504 after writing"}, {Name: "cut before writing"}, {Name: "cut after writing"},
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

// Pass: there is no index.
func (*vendor) Pass(time.Duration) {}

func (v *vendor) Idle() { v.under.Wait() }

func (v *vendor) RefuseToken() {
	v.receiver.mu.Lock()
	defer v.receiver.mu.Unlock()
	v.verifier, _ = standardwebhooks.NewWebhook(other)
}

func (v *vendor) Stop() {
	v.web.CloseClientConnections()
	v.web.Close()
}

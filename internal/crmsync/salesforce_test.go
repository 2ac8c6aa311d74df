package crmsync_test

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
	"sync"
	"testing"
	"time"

	"onefold/internal/crm/salesforce"
	"onefold/internal/crm/salesforcetest"
	"onefold/internal/record/outbox"
)

var salesforceKey = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

// newSalesforce is a world whose CRM keeps references unique and addresses not. Real:
// the worker, the adapter and its login, on the wire.
func newSalesforce(t testing.TB) (*world, *salesforcetest.Org) {
	t.Helper()
	w := newWorld(t, nil)
	org := salesforcetest.New(salesforcetest.Options{
		Key: &salesforceKey().PublicKey, ClientID: "client", Username: "onefold@example.com", Audience: "https://login.example.com",
		Now: w.clock, Customizes: true, Grants: true, Rule: salesforcetest.Alerts,
	})
	web := httptest.NewServer(org)
	t.Cleanup(web.Close)
	der, err := x509.MarshalPKCS8PrivateKey(salesforceKey())
	if err != nil {
		t.Fatal(err)
	}
	secret, err := json.Marshal(map[string]string{
		"login_url": "https://login.example.com", "client_id": "client", "username": "onefold@example.com",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := salesforce.New(salesforce.Config{
		BaseURL: web.URL, HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Secret: func(context.Context) (string, error) { return string(secret), nil }, Now: w.clock,
	})
	if err == nil {
		err = c.SetUp(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	w.crm = c
	return w, org
}

// oneOfEachThere checks that all is done, and is there once, filed on the one
// contact.
func (w *world) oneOfEachThere(org *salesforcetest.Org) {
	w.Helper()
	for _, op := range w.operations() {
		if op.State != outbox.Done && op.State != outbox.Superseded {
			w.Errorf("%s is %s (%s)", op.ID, op.State, op.Reason)
		}
	}
	people, tasks := org.Records(salesforcetest.Contact), org.Records(salesforcetest.Task)
	if len(people) != 1 || len(tasks) != 2 {
		w.Fatalf("%d contacts, %d tasks", len(people), len(tasks))
	}
	id, notes := people[0].ID, 0
	for _, r := range tasks {
		if r.Fields["WhoId"] != id {
			w.Errorf("a task is filed on %q, the contact is %s", r.Fields["WhoId"], id)
		}
		if r.Fields["Status"] == "Completed" {
			notes++
		}
	}
	if m := w.mapping("ada"); m.CRMID != id || notes != 1 {
		w.Errorf("contact %s, mapping %q, %d of the tasks are notes", id, m.CRMID, notes)
	}
	if people[0].Fields["LastName"] != "2" || people[0].Fields["FirstName"] != "Revision" {
		w.Errorf("the contact is %q", people[0].Fields)
	}
	w.sound()
}

// A contact that is new, or that somebody made there before, with a note, a task and
// a change; each call meets each fault of the wire, or a session that has ended.
func TestEachFaultAtEachCallLeavesOneOfEverythingAtSalesforce(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, order []string, there bool, fault *salesforcetest.Fault) (calls int) {
		w, org := newSalesforce(t)
		if there {
			org.Add(salesforcetest.Contact, map[string]string{"Email": "Ada@example.com", "LastName": "ada@example.com"})
			w.advance(time.Hour)
		}
		before, logins := len(org.Calls()), org.Logins()
		if fault != nil {
			org.Script(*fault)
		}
		w.enquiry("ada", order...)
		w.pump()
		w.revise("ada", 2)
		w.settle()
		w.oneOfEachThere(org)
		if again := fault != nil && fault.Kind == salesforcetest.Expired; org.Logins()-logins != map[bool]int{true: 1}[again] {
			w.Errorf("%d logins", org.Logins()-logins)
		}
		return len(org.Calls()) - before
	}
	for name, order := range map[string][]string{"contact first": contactFirst, "note first": noteFirst} {
		for _, there := range []bool{false, true} {
			calls := run(t, order, there, nil)
			if calls < 8 {
				t.Fatalf("a clean run has only %d calls", calls)
			}
			for kind := salesforcetest.FailBefore; kind <= salesforcetest.Expired; kind++ {
				for at := range calls {
					t.Run(fmt.Sprintf("%s/there=%v/fault%d/call%d", name, there, kind, at), func(t *testing.T) {
						t.Parallel()
						run(t, order, there, &salesforcetest.Fault{Kind: kind, Skip: at})
					})
				}
			}
		}
	}
}

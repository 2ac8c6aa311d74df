package stored_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	"onefold/internal/app"
	"onefold/internal/console"
	"onefold/internal/decide"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/operate/contacts"
	"onefold/internal/operate/rekey"
	"onefold/internal/record/audit"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
	"onefold/internal/utc"
	"onefold/internal/webhook"
)

// What happens to the system from outside: deliveries, answers of people, acts
// of operators.

// request is one delivery as it came, with what it was answered.
type request struct {
	Tenant   string            `json:"tenant"`
	Endpoint string            `json:"endpoint"`
	Headers  map[string]string `json:"headers"`
	Body     string            `json:"body"`
	Status   int               `json:"status"`
	Event    string            `json:"event"`
}

// deliver makes one attempt, signed again as senders do.
func (s *system) deliver(r request) request {
	switch {
	case r.Headers["x-signature"] != "":
		m := hmac.New(sha256.New, []byte(secretText))
		m.Write([]byte(r.Body))
		r.Headers["x-signature"] = hex.EncodeToString(m.Sum(nil))
	default:
		key, err := webhook.ParseSecret(secretText)
		must(s.t, err)
		r.Headers["webhook-timestamp"] = strconv.FormatInt(s.now.Unix(), 10)
		r.Headers["webhook-signature"] = webhook.Sign(key, r.Headers["webhook-id"], s.now, []byte(r.Body))
	}
	a := s.Ingest.Handle(s.t.Context(), ingest.Request{Tenant: r.Tenant, Endpoint: r.Endpoint, Headers: r.Headers, Body: []byte(r.Body), RequestID: "r"})
	r.Status, r.Event = a.Status, a.Event
	return r
}

// formOf is a form; more are its other fields, name and value by turns.
func formOf(tenantID, id, email, message string, more ...string) request {
	data := map[string]string{"email": email, "message": message}
	for i := 0; i < len(more); i += 2 {
		data[more[i]] = more[i+1]
	}
	body, _ := json.Marshal(map[string]any{"type": "form.submitted", "data": data})
	return request{Tenant: tenantID, Endpoint: "form", Headers: map[string]string{"webhook-id": id}, Body: string(body)}
}

// mailOf is a mail to the tenant demo, as the server of a mailbox hands it on.
func mailOf(from, to, raw string) request {
	raw = strings.ReplaceAll(raw, "\n", "\r\n")
	return request{Tenant: "demo", Endpoint: "mail", Body: raw, Headers: map[string]string{
		"webhook-id": webhook.MailID(from, to, []byte(raw)), ingest.HeaderEnvelopeFrom: from, ingest.HeaderEnvelopeTo: to,
	}}
}

// intents are those of an address, the oldest first.
func (s *system) intents(address string) (list []followup.Intent) {
	for _, i := range decoded[followup.Intent](s, ledger.Intent) {
		at := 0
		for at < len(list) && list[at].CreatedAt.Before(i.CreatedAt) {
			at++
		}
		if i.Recipient == address {
			list = append(list[:at], append([]followup.Intent{i}, list[at:]...)...)
		}
	}
	return list
}

// last is the latest intent of an address.
func (s *system) last(address string) followup.Intent {
	s.t.Helper()
	list := s.intents(address)
	if len(list) == 0 {
		s.t.Fatalf("no follow-up to %s", address)
	}
	return list[len(list)-1]
}

// open lists the open tasks that meet a condition.
func (s *system) open(of func(review.Task) bool) (tasks []review.Task) {
	for _, t := range decoded[review.Task](s, ledger.ReviewTask) {
		if t.State == review.Open && of(t) {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

// answer has a person answer an open task as it is now.
func (s *system) answer(action string, of func(review.Task) bool) {
	s.t.Helper()
	tasks := s.open(of)
	if len(tasks) == 0 {
		s.t.Fatal("no such open task")
	}
	t := tasks[0]
	must(s.t, s.Console.Answer(s.t.Context(), t.Tenant, t.ID, console.Form{
		Action: action, By: "kim", Transition: t.Transition, ContentHash: t.ContentHash,
	}))
	s.work()
}

func ofIntent(i followup.Intent) func(review.Task) bool {
	return func(t review.Task) bool { return t.Intent == i.ID }
}

func ofEvent(id string) func(review.Task) bool {
	return func(t review.Task) bool { return t.Event == id }
}

// optOut uses an opt-out link as a mail client does, and gives the status.
func (s *system) optOut(link string) int {
	path := strings.TrimPrefix(link, publicURL+app.OptOutPath)
	q := httptest.NewRequest(http.MethodPost, path, strings.NewReader("List-Unsubscribe=One-Click"))
	a := httptest.NewRecorder()
	s.Optout.Pages().ServeHTTP(a, q)
	return a.Code
}

// event reads an event of any tenant.
func (s *system) event(id string) inbound.Event {
	for _, e := range decoded[inbound.Event](s, ledger.Event) {
		if e.ID == id {
			return e
		}
	}
	return inbound.Event{}
}

// contact is the contact that an address leads to under the rule in force, as
// the stored keys and merges have it.
func (s *system) contact(tenantID, spelt string) string {
	s.t.Helper()
	p, err := s.Policies.Fresh(s.t.Context(), tenantID)
	must(s.t, err)
	it, err := s.store.Get(s.t.Context(), ledger.ContactKey.At(tenantID, decide.Identify(s.ids, p, spelt).KeyID))
	must(s.t, err)
	id := it.Text("contact")
	for {
		c, err := s.store.Get(s.t.Context(), ledger.Contact.At(tenantID, id))
		must(s.t, err)
		if c.Text("merged_into") == "" {
			return id
		}
		id = c.Text("merged_into")
	}
}

// act has an operator say who is who.
func (s *system) act(tenantID string, kind contacts.Kind, contact, into, address string) {
	s.t.Helper()
	o := contacts.Service{Store: counted{s.store, s}, Policies: s.Policies, IDs: s.ids, Now: func() time.Time { return s.now }}
	_, err := o.Do(s.t.Context(), contacts.Act{Kind: kind, Tenant: tenantID, Contact: contact, Into: into, Address: address}, "person:admin", "")
	must(s.t, err)
	s.work()
}

// migrate runs one pass of the migration of an identity rule.
func (s *system) migrate(tenantID string) rekey.Report {
	s.t.Helper()
	m := rekey.Service{
		Store: counted{s.store, s}, Policies: s.Policies, IDs: s.ids, Now: func() time.Time { return s.now }, By: "person:admin", Settle: timeout,
	}
	rep, err := m.Run(s.t.Context(), tenantID)
	must(s.t, err)
	return rep
}

// change changes the guard of an address of demo, in the way for which there is
// no command yet: DESIGN section 3 says what such a row holds.
func (s *system) change(spelt, event string, set ledger.Item) {
	s.t.Helper()
	p, err := s.Policies.Fresh(s.t.Context(), "demo")
	must(s.t, err)
	id := decide.Identify(s.ids, p, spelt).GuardID
	seen, err := s.store.Get(s.t.Context(), ledger.Guard.At("demo", id))
	must(s.t, err)
	var c ledger.Commit
	must(s.t, decide.ChangeGuard(&c, decide.GuardChange{
		Tenant: "demo", ID: id, Seen: seen, Event: event, Set: set,
		Audit: audit.Record{At: utc.At(s.now), By: "person:admin", Reasons: []string{event}},
	}))
	must(s.t, s.store.Commit(s.t.Context(), c))
}

// stop puts the stop of a tenant, or of all.
func (s *system) stop(tenantID string, on bool) {
	k := ledger.Stop.At(tenantID, "stop")
	seen, err := s.store.Get(s.t.Context(), k)
	must(s.t, err)
	var c ledger.Commit
	if seen == nil {
		must(s.t, c.Create("stop", k, ledger.Item{"stopped": on}))
	} else {
		must(s.t, c.Update("stop", k, ledger.AtVersion(seen.Version()), ledger.Item{"stopped": on}))
	}
	must(s.t, s.store.Commit(s.t.Context(), c))
}

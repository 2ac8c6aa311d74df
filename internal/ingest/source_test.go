package ingest_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/fetch"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
)

// endpoints of other schemes. All have the one secret of the bench, whose text
// is the key where the scheme takes it as it stands.
const moreEndpoints = `"endpoints": [
	{"name":"batch","content":"form","scheme":"hmac","secret":"batch","mailbox":"crm",
		"hmac":{"header":"x-sig","id":{"pointers":["/id"]},"events":"/events"}},
	{"name":"github","content":"form","scheme":"github","secret":"github","mailbox":"code"},
	{"name":"signed-url","content":"form","scheme":"hmac","secret":"signed-url","mailbox":"x","public_url":"https://hooks.demo.example/v1/demo/signed-url",
		"hmac":{"header":"x-sig","signed":"{method}{url}{body}","id":{"pointers":["/id"]}}},
	{"name":"picky","content":"form","scheme":"hmac","secret":"picky","mailbox":"x",
		"hmac":{"header":"x-sig","id":{"pointers":["/id"]},"kind":{"pointer":"/type"},"kinds":["created"]}},
	{"name":"counted","content":"form","scheme":"hmac","secret":"counted","mailbox":"x","volatile":["/try/number"],
		"hmac":{"header":"x-sig","id":{"pointers":["/id"]},"volatile":["/sent_at"]}},
	{"name":"mailgun","content":"mail","scheme":"mailgun","secret":"mailgun"},
	{"name":"contact","content":"form","scheme":"own-form","mailbox":"website","origins":["https://www.demo.example"]},
	{"name":"resend","content":"mail","scheme":"resend","secret":"resend","mailbox":"hello@demo.example"},`

func newSources(t *testing.T, store ledger.Store) *bench {
	t.Helper()
	b := newBench(t, store)
	doc := strings.Replace(string(tenant.Example()), `"endpoints": [`, moreEndpoints, 1)
	doc = strings.Replace(doc, `"version": 1,`, `"version": 2,`, 1)
	if _, err := (&versions.Book{Store: store, Now: b.clock}).Apply(t.Context(), []byte(doc), "test"); err != nil {
		t.Fatal(err)
	}
	b.restart()
	return b
}

func sha(text string) string {
	m := hmac.New(sha256.New, []byte(signingSecret))
	m.Write([]byte(text))
	return hex.EncodeToString(m.Sum(nil))
}

func hooked(endpoint, body string) ingest.Request {
	return ingest.Request{Tenant: demo, Endpoint: endpoint, Body: []byte(body), RequestID: "r", Headers: map[string]string{"x-sig": sha(body)}}
}

func TestAPayloadOfSeveralEventsIsSplit(t *testing.T) {
	t.Parallel()
	b := newSources(t, onMem(t))
	got := b.answers(hooked("batch", `{"events":[{"id":"1","n":1},{"id":"2","n":1},{"id":"3","n":1}]}`), 200, "recorded")
	if *got.Batch != (ingest.Batch{Recorded: 3}) {
		t.Errorf("%+v", got.Batch)
	}
	b.counts(3, 3, 0)
	// Grouped otherwise, with one changed and one new.
	got = b.answers(hooked("batch", `{"events":[{"id":"2","n":1},{"id":"3","n":2},{"id":"4","n":1}]}`), 200, "recorded")
	if *got.Batch != (ingest.Batch{Recorded: 1, Duplicate: 1, Conflict: 1}) {
		t.Errorf("%+v", got.Batch)
	}
	b.counts(4, 6, 1)
	got = b.answers(hooked("batch", `{"events":[{"id":"5","n":1},{"none":1}]}`), 400, "")
	if *got.Batch != (ingest.Batch{Recorded: 1, Broken: 1}) || got.Error != "parts_malformed" {
		t.Errorf("%+v", got)
	}
	b.counts(5, 7, 1)
	b.whole()
}

// One of five cannot be recorded: the sender is asked to come again, what
// was recorded stays, and the second time nothing is recorded twice.
func TestAPayloadRecordedInPartIsAskedForAgain(t *testing.T) {
	t.Parallel()
	body := `{"events":[{"id":"1"},{"id":"2"},{"id":"3"},{"id":"4"},{"id":"5"}]}`
	for f, deliveries := range map[flavour]int{FailNotPersist: 4 + 5, FailButPersist: 5 + 5} {
		b := newSources(t, onMem(t))
		if _, err := b.service.Policies.Current(t.Context(), demo); err != nil {
			t.Fatal(err)
		}
		commits := new(atomic.Int64)
		b.store.reset(func(_ int, call string) (bool, error) {
			if call != "commit" || commits.Add(1) != 3 {
				return true, nil
			}
			return f == FailButPersist, ledger.ErrUnknown
		}, nil)
		got := b.deliver(hooked("batch", body))
		if got.Status != 503 || got.Answer != "" || *got.Batch != (ingest.Batch{Recorded: 4, Failed: 1}) {
			t.Errorf("%s: answered %+v, %+v", f, got, got.Batch)
		}
		b.store.reset(nil, nil)
		got = b.answers(hooked("batch", body), 200, "recorded")
		if got.Batch.Recorded+got.Batch.Duplicate != 5 || got.Batch.Failed != 0 {
			t.Errorf("%s: again %+v", f, got.Batch)
		}
		b.counts(5, deliveries, 0)
		b.whole()
	}
}

func TestOneSignedBodyIsOneEventUnderAnyUnsignedID(t *testing.T) {
	t.Parallel()
	onEachSourceStore(t, func(b *bench) {
		send := func(id, body string) ingest.Request {
			r := hooked("github", body)
			r.Headers["x-hub-signature-256"], r.Headers["x-github-delivery"] = "sha256="+r.Headers["x-sig"], id
			return r
		}
		first := b.answers(send("one", `{"action":"opened"}`), 200, "recorded")
		got := b.answers(send("another", `{"action":"opened"}`), 200, "duplicate")
		if got.Event != first.Event {
			b.Errorf("a replay under another ID is %q", got.Event)
		}
		b.answers(send("three", `{"action":"closed"}`), 200, "recorded")
		b.answers(send("one", `{"action":"closed"}`), 409, "conflict")
		r := send("", `{"action":"opened"}`)
		delete(r.Headers, "x-github-delivery")
		b.answers(r, 400, "")
		b.counts(2, 4, 1)
	})
}

func onEachSourceStore(t *testing.T, rule func(b *bench)) {
	for name, open := range map[string]func(*testing.T) ledger.Store{"mem": onMem, "bolt": onBolt} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSources(t, open(t))
			rule(b)
			b.whole()
		})
	}
}

func TestTheAddressThatIsSignedIsTheOneTheSenderHas(t *testing.T) {
	t.Parallel()
	b := newSources(t, onMem(t))
	const body = `{"id":"1"}`
	r := ingest.Request{Tenant: demo, Endpoint: "signed-url", Path: "/v1/demo/signed-url", Query: "a=1&b=%20", Body: []byte(body), Headers: map[string]string{
		"host": "internal.example", "x-sig": sha("POST" + "https://hooks.demo.example/v1/demo/signed-url?a=1&b=%20" + body),
	}}
	b.answers(r, 200, "recorded")
	r.Query = "a=2"
	b.answers(r, 401, "")
}

func TestAKindThatIsNotTakenIsAnsweredAndLeavesNothing(t *testing.T) {
	t.Parallel()
	b := newSources(t, onMem(t))
	if got := b.answers(hooked("picky", `{"id":"1","type":"ping"}`), 200, ""); got.Event != "" || got.Hint == "" {
		t.Errorf("%+v", got)
	}
	b.counts(0, 0, 0)
	b.answers(hooked("picky", `{"id":"1","type":"created"}`), 200, "recorded")
	b.counts(1, 1, 0)
}

const submission = `{"submission_id":"0b9f6c1e-6f3a-4d0e-9a3b-7d1f5b0c2a11","email":"ann@example.org","message":"Do you walk in May?"}`

func posted(origin, body string) ingest.Request {
	return ingest.Request{Tenant: demo, Endpoint: "contact", Method: "POST", Body: []byte(body), Headers: map[string]string{"origin": origin, "content-type": "application/json"}}
}

func TestAPublicFormIsToldNothingOfWhatWeHave(t *testing.T) {
	t.Parallel()
	b := newSources(t, onMem(t))
	const page = "https://www.demo.example"
	for _, c := range []struct {
		r      ingest.Request
		status int
		answer string
		allows bool
	}{
		{posted(page, submission), 200, "recorded", true},
		{posted(page, submission), 200, "duplicate", true},
		{posted(page, strings.Replace(submission, "May", "June", 1)), 409, "conflict", true},
		{posted("https://evil.example", submission), 403, "", false},
		{posted(page, "{"), 400, "", true},
		{posted(page, strings.Repeat(" ", 64<<10)+submission), 413, "", true},
	} {
		got := b.answers(c.r, c.status, c.answer)
		if got.Event != "" || got.State != "" || got.Outcome != "" {
			t.Errorf("told %+v", got)
		}
		if got.Headers == nil || (*got.Headers)["vary"] != "origin" || ((*got.Headers)["access-control-allow-origin"] == page) != c.allows {
			t.Errorf("%d: headers %v", c.status, got.Headers)
		}
	}
	b.counts(1, 3, 1)
	preflight := posted(page, "")
	preflight.Method = "OPTIONS"
	if got := b.deliver(preflight); got.Status != 204 || got.Own == nil || (*got.Headers)["access-control-allow-origin"] != page {
		t.Errorf("preflight: %+v", got)
	}
	preflight.Endpoint = "form" // of no browser
	if got := b.deliver(preflight); got.Status != 405 {
		t.Errorf("preflight of a webhook: %+v", got)
	}
	b.counts(1, 3, 1)
}

// resent is what Resend sends of a mail.
func resent(id string, at time.Time) ingest.Request {
	body := `{"type":"email.received","data":{"email_id":"` + id + `","from":"ann@example.org","to":["hello@demo.example"],"subject":"Hello"}}`
	r := signed("resend", "msg_"+id, at, []byte(body))
	for _, name := range []string{"id", "timestamp", "signature"} {
		r.Headers["svix-"+name] = r.Headers["webhook-"+name]
		delete(r.Headers, "webhook-"+name)
	}
	return r
}

func TestContentIsFetchedBeforeTheEventAndOnlyOnce(t *testing.T) {
	t.Parallel()
	b := newSources(t, onMem(t))
	fetched, fault := []string{}, errors.New("out of reach")
	b.service.Content = func(_ context.Context, tenantID string, ep tenant.Endpoint, id string) ([]byte, error) {
		fetched = append(fetched, fmt.Sprint(tenantID, " ", ep.Name, " ", id))
		return []byte(rawMail), fault
	}
	b.answers(resent("e1", b.now), 503, "") // and nothing is recorded
	b.counts(0, 0, 0)
	fault = nil
	got := b.answers(resent("e1", b.now), 200, "recorded")
	raw, err := b.blob.Get(t.Context(), blob.RefOf(demo, got.Event, []byte(rawMail)))
	if err != nil || string(raw) != rawMail {
		t.Errorf("kept %q, %v", raw, err)
	}
	b.now = b.now.Add(time.Minute)
	fault = errors.New("the mail is no longer kept there")
	b.answers(resent("e1", b.now), 200, "duplicate")
	if len(fetched) != 2 || fetched[1] != "demo resend e1" {
		t.Errorf("fetched %v", fetched)
	}
	b.counts(1, 2, 0)
	b.whole()
}

// So that a person learns of a mail that cannot be had.
func TestWhereNoMailCanBeFetchedTheMetadataIsRecorded(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"no way to fetch": nil, "gone": fetch.ErrGone, "too large": fetch.ErrTooLarge} {
		b := newSources(t, onMem(t))
		if err != nil {
			b.service.Content = func(context.Context, string, tenant.Endpoint, string) ([]byte, error) {
				return nil, fmt.Errorf("ask: %w", err)
			}
		}
		r := resent("e1", b.now)
		got := b.answers(r, 200, "recorded")
		if raw, err := b.blob.Get(t.Context(), blob.RefOf(demo, got.Event, r.Body)); err != nil || string(raw) != string(r.Body) {
			t.Errorf("%s: kept %q, %v", name, raw, err)
		}
		b.whole()
	}
}

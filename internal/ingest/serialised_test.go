package ingest_test

import (
	"net/url"
	"testing"

	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/webhook"
)

// A sender that writes its object again for each try sends other bytes that mean
// the same.
func TestReading12ARetryThatIsSerialisedAgainIsTheSameDelivery(t *testing.T) {
	t.Parallel()
	github := func(body string) ingest.Request {
		r := hooked("github", body)
		r.Headers["x-hub-signature-256"], r.Headers["x-github-delivery"] = "sha256="+r.Headers["x-sig"], "one"
		return r
	}
	type sender struct {
		send  func(body string) ingest.Request
		first string
		same  []string // tries of the same event
		other []string // other content under its ID
	}
	for name, s := range map[string]sender{
		"Standard Webhooks": {
			func(body string) ingest.Request { return signed("form", "msg_1", start, []byte(body)) },
			`{"data":{"email":"ada@example.com","order":12345678901234567890,"sum":1.50,"note":"é"}}`,
			[]string{
				`{"data":{"note":"\u00e9","sum":1.5,"order":12345678901234567890,"email":"ada@example.com"}}`,
				"{\n \"data\": {\"email\": \"ada@example.com\", \"order\": 12345678901234567890, \"sum\": 15e-1, \"note\": \"é\"}\n}\n",
			},
			[]string{
				`{"data":{"email":"ada@example.com","order":12345678901234567891,"sum":1.50,"note":"é"}}`, // one float64 with the first
				`{"data":{"email":"eve@example.com","order":12345678901234567890,"sum":1.50,"note":"é"}}`,
				`{"data":{"email":"ada@example.com","order":"12345678901234567890","sum":1.50,"note":"é"}}`,
				`{"data":{"email":"ada@example.com","order":12345678901234567890,"sum":1.50,"note":"é","cc":null}}`,
			},
		},
		"a list of events": {
			func(body string) ingest.Request { return hooked("batch", body) },
			`{"events":[{"id":"1","n":1,"m":[1,2]}]}`, []string{`{ "events" : [ {"m":[1,2], "n":1.0, "id":"1"} ] }`}, []string{`{"events":[{"id":"1","n":1,"m":[2,1]}]}`},
		},
		"GitHub": {
			github, `{"action":"opened","n":1}`,
			[]string{`{"n":1,"action":"opened"}`}, []string{`{"action":"closed","n":1}`},
		},
		"a form of our own pages": {
			func(body string) ingest.Request { return posted("https://www.demo.example", body) },
			`{"submission_id":"0b6e2f2c-8f0e-4c7e-9d55-2b1d7f3c9a10","email":"ada@example.com","n":1}`,
			[]string{`{"n":1.0,"email":"ada@example.com","submission_id":"0b6e2f2c-8f0e-4c7e-9d55-2b1d7f3c9a10"}`},
			[]string{`{"submission_id":"0b6e2f2c-8f0e-4c7e-9d55-2b1d7f3c9a10","email":"ada@example.com","n":2}`},
		},
		"what the endpoint and the scheme call volatile": {
			func(body string) ingest.Request { return hooked("counted", body) },
			`{"id":"1","try":{"number":1,"of":3},"sent_at":"10:00","text":"a"}`,
			[]string{`{"text":"a","id":"1","try":{"of":3,"number":2},"sent_at":"10:05"}`, `{"id":"1","try":{"of":3},"text":"a"}`},
			[]string{`{"id":"1","try":{"number":1,"of":4},"sent_at":"10:00","text":"a"}`, `{"id":"1","try":{"number":1,"of":3},"sent_at":"10:00","text":"b"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSources(t, onMem(t))
			b.is(s.send(s.first), "recorded")
			for _, body := range append(s.same, s.first) {
				b.is(s.send(body), "duplicate")
			}
			for _, body := range s.other {
				b.is(s.send(body), "conflict")
			}
			b.counts(1, 2+len(s.same)+len(s.other), len(s.other))
			b.whole()
		})
	}
}

// is delivers and wants one event answered so, alone or in a batch.
func (b *bench) is(r ingest.Request, want string) {
	b.Helper()
	got := b.deliver(r)
	answer := got.Answer
	if n := got.Batch; n != nil {
		answer = map[ingest.Batch]string{{Recorded: 1}: "recorded", {Duplicate: 1}: "duplicate", {Conflict: 1}: "conflict"}[*n]
	}
	if answer != want {
		b.Errorf("%s is answered %+v, want %s", r.Body, got, want)
	}
}

// Two readers may take JSON that names a member twice for two values.
func TestReading12JSONOfTwoMeaningsIsComparedByItsBytes(t *testing.T) {
	t.Parallel()
	b := newSources(t, onMem(t))
	send := func(id, body string) ingest.Request { return signed("form", id, start, []byte(body)) }
	twice := `{"data":{"email":"ada@example.com","email":"eve@example.com"}}`
	b.answers(send("msg_1", twice), 200, "recorded")
	b.answers(send("msg_1", twice), 200, "duplicate")
	b.answers(send("msg_1", `{"data": {"email":"ada@example.com","email":"eve@example.com"}}`), 409, "conflict")
	b.answers(send("msg_1", `{"data":{"email":"eve@example.com"}}`), 409, "conflict")
	// And under the ID of an event that has one meaning.
	b.answers(send("msg_2", `{"data":{"email":"eve@example.com"}}`), 200, "recorded")
	b.answers(send("msg_2", twice), 409, "conflict")
	b.whole()
}

// What was recorded before values were compared has the hash of its bytes alone.
func TestReading12AnEventRecordedByItsBytesIsComparedByThem(t *testing.T) {
	t.Parallel()
	b := newSources(t, onMem(t))
	body := `{"data":{"email":"ada@example.com","n":1}}`
	send := func(body string) ingest.Request { return signed("form", "msg_1", start, []byte(body)) }
	first := b.answers(send(body), 200, "recorded")
	var c ledger.Commit
	k := ledger.Event.At(demo, first.Event)
	if err := c.Update("event", k, ledger.Is("tenant", demo), ledger.Item{"content_fingerprint": webhook.Fingerprint([]byte(body)), "content_bytes": ""}); err != nil {
		t.Fatal(err)
	}
	if err := b.store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	b.answers(send(body), 200, "duplicate")
	b.answers(send(`{"data":{"n":1,"email":"ada@example.com"}}`), 409, "conflict")
	b.counts(1, 3, 1)
}

// GitHub posts JSON, or a form whose field payload holds it, and says "ping"
// when a webhook is set up ("Webhook events and payloads", read 2026-12).
func TestReading12GitHubsFormsAndPingAreUnderstood(t *testing.T) {
	t.Parallel()
	b := newSources(t, onMem(t))
	send := func(kind, id, media, body string) ingest.Request {
		r := hooked("github", body)
		r.Headers["x-hub-signature-256"], r.Headers["x-github-delivery"] = "sha256="+r.Headers["x-sig"], id
		r.Headers["x-github-event"], r.Headers["content-type"] = kind, media
		return r
	}
	const json, form = "application/json", "application/x-www-form-urlencoded"
	inForm := func(body string) string { return url.Values{"payload": {body}}.Encode() }
	for _, r := range []ingest.Request{send("ping", "p1", json, `{"zen":"Design for failure."}`), send("ping", "p2", form, inForm(`{"zen":"Design for failure."}`))} {
		if got := b.deliver(r); got.Status != 200 || got.Event != "" {
			t.Errorf("a ping is answered %+v", got)
		}
	}
	b.counts(0, 0, 0)
	first := b.answers(send("issues", "one", form, inForm(`{"action":"opened","n":1}`)), 200, "recorded")
	again := b.answers(send("issues", "one", json, `{"n":1,"action":"opened"}`), 200, "duplicate")
	if again.Event != first.Event {
		t.Errorf("the same in JSON is %q, in a form %q", again.Event, first.Event)
	}
	if got := b.answers(send("issues", "two", form, "other=1"), 400, ""); got.Error != "fields_malformed" {
		t.Errorf("a form without payload: %+v", got)
	}
	b.counts(1, 2, 0)
	b.whole()
}

package ingest_test

import (
	"context"
	"errors"
	"testing"

	"onefold/internal/ingest"
	"onefold/internal/policy/tenant"
	"onefold/internal/webhook"
)

// certified stands for a source that verifies with a document and is confirmed
// by a visit: the header names the document, the body what it is.
type certified struct{}

func (certified) About() webhook.About {
	return webhook.About{Answers: webhook.StandardWebhooks(), MaxBody: 100, Methods: []string{"GET"}}
}

func (certified) Document(r webhook.Request) (string, error) {
	switch url := r.Headers.Get("x-certificate"); url {
	case "":
		return "", webhook.ErrMissingHeader
	case "none":
		return "", nil
	default:
		return url, nil
	}
}

func (certified) Open(r webhook.Request, set webhook.Setting) (webhook.Opened, error) {
	switch {
	case r.Method == "GET":
		return webhook.Opened{Reply: &webhook.Reply{Status: 200, Body: []byte("challenge")}}, nil
	case string(set.Document) != "the certificate":
		return webhook.Opened{}, webhook.ErrBadSignature
	case string(r.Body) == "confirm":
		return webhook.Opened{Visit: "https://confirm.example/1"}, nil
	}
	return webhook.Opened{Deliveries: []webhook.Delivery{{
		ID: string(r.Body), Content: webhook.ContentForm, Raw: []byte("{}"), Fingerprint: webhook.Fingerprint([]byte("{}")),
	}}}, nil
}

func TestASourceThatVerifiesWithADocumentGetsIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, onMem(t))
	ep := tenant.Endpoint{Name: "certified", Content: "form", Mailbox: "m"}
	var down error
	var fetched, visited []string
	send := func(method, certificate, body string) ingest.Response {
		return b.service.HandleBy(t.Context(), ingest.Request{
			Tenant: demo, Method: method, Body: []byte(body), Headers: map[string]string{"x-certificate": certificate},
		}, ep, certified{})
	}
	// Nothing to fetch or visit with is a fault of ours: the sender comes again.
	if got := send("POST", "https://certs.example/1", "one"); got.Status != 503 || got.Answer != "" {
		t.Errorf("without Fetch: %+v", got)
	}
	b.service.Fetch = func(_ context.Context, url string) ([]byte, error) {
		fetched = append(fetched, url)
		return []byte("the certificate"), down
	}
	if got := send("POST", "https://certs.example/1", "confirm"); got.Status != 503 {
		t.Errorf("without Visit: %+v", got)
	}
	b.service.Visit = func(_ context.Context, url string) error {
		visited = append(visited, url)
		return down
	}
	fetched = nil
	for _, c := range []struct {
		name, method, certificate, body string
		down                            error
		status                          int
		fetches, visits                 int
	}{
		{"an event", "POST", "https://certs.example/1", "one", nil, 200, 1, 0},
		{"a confirmation", "POST", "https://certs.example/1", "confirm", nil, 200, 1, 1},
		{"the certificate is out of reach", "POST", "https://certs.example/1", "two", errors.New("down"), 503, 1, 0},
		{"a document that the source does not approve of", "POST", "", "two", nil, 401, 0, 0},
		{"no document, and so no proof", "POST", "none", "two", nil, 401, 0, 0},
		{"a challenge", "GET", "none", "", nil, 200, 0, 0},
		{"a method that it does not know", "PUT", "none", "", nil, 405, 0, 0},
	} {
		fetched, visited, down = nil, nil, c.down
		got := send(c.method, c.certificate, c.body)
		if got.Status != c.status || len(fetched) != c.fetches || len(visited) != c.visits {
			t.Errorf("%s: answered %+v, fetched %v, visited %v", c.name, got, fetched, visited)
		}
		if c.method == "GET" && (got.Own == nil || string(got.Own.Body) != "challenge") {
			t.Errorf("%s: answered %+v", c.name, got)
		}
	}
	b.counts(1, 1, 0)
	b.whole()
}

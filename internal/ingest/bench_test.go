package ingest_test

// Real: the service, the policy book, signatures, ledger/mem or ledger/bolt.
// Fake: raw content in memory (held to blobtest), time, secrets. What may be
// asserted: the answer, everything that is stored, every log line.

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/digest"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/bolt"
	"onefold/internal/ledger/mem"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/secret"
	"onefold/internal/webhook"
)

// The tenants of each bench, and the key that signs for all their endpoints.
const (
	demo, other = "demo", "second"
	signingKey  = "the signing key of these tests"
)

var signingSecret = "whsec_" + base64.StdEncoding.EncodeToString([]byte(signingKey))

var start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// bench is one deployment with its stores.
type bench struct {
	*testing.T
	store   *watchedStore
	blob    *watchedBlob
	log     *logbook
	service *ingest.Service
	now     time.Time
}

func onMem(*testing.T) ledger.Store { return mem.New() }

func onBolt(t *testing.T) ledger.Store {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "ledger"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// newBench has both tenants' policies in force. Nothing of them is remembered
// yet by the service.
func newBench(t *testing.T, store ledger.Store) *bench {
	t.Helper()
	w := &watch{}
	b := &bench{T: t, store: &watchedStore{Store: store, watch: w}, blob: newWatchedBlob(w), log: &logbook{}, now: start}
	for _, doc := range policies() {
		if _, err := (&versions.Book{Store: store, Now: b.clock}).Apply(t.Context(), doc, "test"); err != nil {
			t.Fatal(err)
		}
	}
	b.restart()
	return b
}

// restart is a new process on the same stores.
func (b *bench) restart() {
	ids, err := digest.NewKey(bytes.Repeat([]byte("k"), 32))
	if err != nil {
		b.Fatal(err)
	}
	b.service = &ingest.Service{
		Store: role.Store(b.store), Blob: role.Blob(b.blob), IDs: ids, Now: b.clock,
		Policies: &versions.Book{Store: role.Store(b.store), Now: b.clock, Keep: time.Minute},
		Secrets:  secret.Webhooks(role.Secrets(oneSecret{})),
		Log:      slog.New(slog.NewJSONHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
}

func (b *bench) clock() time.Time { return b.now }

// oneSecret is the secret of every endpoint.
type oneSecret struct{}

func (oneSecret) Get(context.Context, string) (secret.Secret, error) {
	return secret.Secret{Current: signingSecret}, nil
}

// policies are the example's: demo with a second form, and another tenant.
func policies() [][]byte {
	two := strings.Replace(string(tenant.Example()), `"endpoints": [`,
		`"endpoints": [{"name":"form-2","content":"form","secret":"form-2","mailbox":"website","fields":{"email":"/email"}},`, 1)
	return [][]byte{
		[]byte(two),
		[]byte(strings.Replace(string(tenant.Example()), `"tenant": "demo"`, `"tenant": "`+other+`"`, 1)),
	}
}

// signature is made here, from the specification (symmetric signatures: base64
// of HMAC-SHA256 over id.timestamp.body), not by the package under test.
func signature(id, timestamp string, body []byte) string {
	m := hmac.New(sha256.New, []byte(signingKey))
	m.Write([]byte(id + "." + timestamp + "."))
	m.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil))
}

// signed is a delivery to an endpoint of the demo tenant, signed at a time.
func signed(endpoint, id string, at time.Time, body []byte) ingest.Request {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	return ingest.Request{
		Tenant: demo, Endpoint: endpoint, Body: body, RequestID: "req-" + strconv.Itoa(len(body)),
		Headers: map[string]string{"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature(id, timestamp, body)},
	}
}

func form(id, body string) ingest.Request { return signed("form", id, start, []byte(body)) }

// mailTo is a raw mail for a mailbox, with the ID that the scheme asks for.
func mailTo(from, to, raw string) ingest.Request {
	r := signed("mail", webhook.MailID(from, to, []byte(raw)), start, []byte(raw))
	r.Headers[ingest.HeaderEnvelopeFrom], r.Headers[ingest.HeaderEnvelopeTo] = from, to
	return r
}

func (b *bench) deliver(r ingest.Request) ingest.Response {
	return b.service.Handle(b.Context(), r)
}

func (b *bench) answers(r ingest.Request, status int, answer string) ingest.Response {
	b.Helper()
	got := b.deliver(r)
	if got.Status != status || got.Answer != answer {
		b.Fatalf("answered %d %q (%s), want %d %q", got.Status, got.Answer, got.Error, status, answer)
	}
	return got
}

// logbook keeps what is logged.
type logbook struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.Write(p)
}

func (l *logbook) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.String()
}

package stories_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"onefold/internal/app"
	"onefold/internal/crm/hubspottest"
	"onefold/internal/feedback"
	"onefold/internal/ledger"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/mailer"
	"onefold/internal/mailer/ses"
	"onefold/internal/mailer/sestest"
	"onefold/internal/operate/verify"
	"onefold/internal/policy/tenant"
	"onefold/internal/proof/faultproxy"
	"onefold/internal/proof/localaws/localawstest"
	"onefold/internal/record/followup"
	"onefold/internal/schema"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(roleVariable); text != "" {
		os.Exit(child(text))
	}
	os.Exit(localawstest.Main(m))
}

// patience is for a loaded machine; nothing is proved by waiting that long.
const patience = 60 * time.Second

// world is everything around the worker processes. Its own system works past
// the proxy, so that what it reads and prepares meets no fault.
type world struct {
	t     *testing.T
	proxy *faultproxy.Proxy
	ses   *sestest.Server
	crm   *hubspottest.Server
	sys   *app.System
	parts app.Parts
	set   settings // of workers
	ahead atomic.Int64
}

// newWorld makes tables, fakes and proxy, and puts a policy in force.
func newWorld(t *testing.T, seed uint64, change func(rule map[string]any)) *world {
	t.Helper()
	stack := localawstest.ForTest(t)
	w := &world{t: t}
	key := sha256.Sum256(fmt.Appendf(nil, "identifiers of %d", seed))
	secret := "whsec_" + base64.StdEncoding.EncodeToString(key[:])
	account := stack.NewAccount()
	w.set = settings{
		AWS: stack.Endpoint(), Account: account, Bucket: prefix + account, Key: key[:], Secrets: map[string]string{"form": secret, "mail": secret},
	}
	var err error
	if w.ses, err = sestest.NewServer(sestest.Options{
		Now: w.now, HoldFor: time.Minute, Sink: w.feedback, ConfigurationSets: []sestest.ConfigurationSet{{Name: "onefold", Events: true}},
	}); err != nil {
		t.Fatal(err)
	}
	w.crm = hubspottest.New(hubspottest.Options{Now: w.now, Token: crmToken})
	w.set.SES, w.set.CRM = w.serve(w.ses), w.serve(w.crm)
	if w.parts, err = w.set.parts(w.now, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	w.sys = app.Wire(w.parts)
	t.Cleanup(func() {
		// Not the test's context, which has ended.
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = w.ses.Close(ctx)
	})
	if err := dynamo.Create(t.Context(), dynamodb.NewFromConfig(w.set.aws()), prefix); err != nil {
		t.Fatal(err)
	}
	if _, err := w.set.buckets().CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: &w.set.Bucket}); err != nil {
		t.Fatal(err)
	}
	hub, err := w.parts.CRM(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.CRM.(interface {
		SetUp(context.Context) error
	}).SetUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.sys.Policies.Apply(t.Context(), policy(t, change), "story"); err != nil {
		t.Fatal(err)
	}
	if w.proxy, err = faultproxy.New(stack.Endpoint(), faultproxy.Options{Seed: seed}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.proxy.Close)
	w.set.AWS = w.proxy.URL() // of the workers, from now on
	return w
}

// policy is the example policy in auto mode, changed.
func policy(t *testing.T, change func(rule map[string]any)) []byte {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(tenant.Example(), &doc); err != nil {
		t.Fatal(err)
	}
	rule := doc["rules"].([]any)[0].(map[string]any)
	rule["mode"], rule["unknown_within"] = "auto", "1h"
	doc["crm"].(map[string]any)["task"] = false
	if change != nil {
		change(rule)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (w *world) serve(h http.Handler) string {
	s := httptest.NewServer(h)
	w.t.Cleanup(s.Close)
	return s.URL
}

// now is the world's clock; forward moves it, and with it the provider's and
// the feedback worker's. A process keeps the time that it was started with.
func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

func (w *world) forward(to time.Duration) { w.ahead.Store(int64(to)) }

// feedback takes the provider's events, as from the queue: what is not yet is
// brought again.
func (w *world) feedback(ctx context.Context, event []byte) {
	for ctx.Err() == nil {
		e, err := ses.ParseEvent(event)
		if err == nil {
			err = w.sys.Feedback.Handle(ctx, e)
		}
		if err == nil || !errors.Is(err, feedback.ErrNotYet) && ctx.Err() == nil && !ledger.NotWritten(err) {
			if err != nil {
				w.t.Errorf("a provider event was not taken: %v", err)
			}
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// flush waits until the events of every mail so far were taken or lost.
func (w *world) flush() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	if err := w.ses.Flush(ctx); err != nil {
		w.t.Fatalf("the provider's events were not taken: %v", err)
	}
}

// until waits for something to be seen.
func (w *world) until(what string, seen func() bool) {
	w.t.Helper()
	for end := time.Now().Add(patience); !seen(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("waited in vain: %s; the proxy did %v", what, w.proxy.Counts())
		}
	}
}

// all reads every item of an entity.
func (w *world) all(e ledger.Entity) []ledger.Item {
	w.t.Helper()
	var out []ledger.Item
	for cursor := ""; ; {
		page, err := w.parts.Store.Scan(w.t.Context(), ledger.Scan{Table: e.Table(), Segments: 1, Cursor: cursor, Limit: 500})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, it := range page.Items {
			if it.Text(schema.Entity) == string(e) {
				out = append(out, it)
			}
		}
		if cursor = page.Next; cursor == "" {
			return out
		}
	}
}

// holds checks every promise over the whole ledger.
func (w *world) holds(quiet bool) {
	w.t.Helper()
	rep, err := verify.Check(w.t.Context(), w.parts.Store, verify.Options{IDs: &w.parts.IDs, Blob: w.parts.Blob, Quiet: quiet, Slack: 30 * time.Second})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range rep.Findings {
		w.t.Errorf("invariant %s: %s: %s %v", f.Check, f.Severity, f.What, f.Keys)
	}
	if rep.Items == 0 || rep.Unsettled > 0 {
		w.t.Errorf("%d rows read, %d findings unsettled", rep.Items, rep.Unsettled)
	}
}

// mails are what the provider took of an intent; of all intents if it is "".
func (w *world) mails(intent string) int {
	n := 0
	for _, m := range w.ses.Sent() {
		if of := m.Tag(mailer.TagIntent); m.Tag(mailer.TagProbe) == "" && (intent == "" || of == intent) {
			n++
		}
	}
	return n
}

// mailsTo are what the provider took for an address.
func (w *world) mailsTo(address string) int {
	n := 0
	for _, m := range w.ses.Sent() {
		for _, to := range m.To {
			if strings.EqualFold(to, address) {
				n++
			}
		}
	}
	return n
}

// intent is the only one there is.
func (w *world) intent() followup.Intent {
	w.t.Helper()
	var i followup.Intent
	items := w.all(ledger.Intent)
	if len(items) != 1 {
		w.t.Fatalf("%d intents, want one", len(items))
	}
	if err := items[0].Decode(&i); err != nil {
		w.t.Fatal(err)
	}
	return i
}

// output is what a process has written, readable while it is written.
type output struct {
	name string
	mu   sync.Mutex
	text []byte
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, b...)
	return len(b), nil
}

func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(o.text)), "\n")
	return o.name + ":\n  " + strings.Join(lines[max(0, len(lines)-40):], "\n  ")
}

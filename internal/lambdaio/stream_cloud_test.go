package lambdaio_test

// Real: the use cases, wired as app wires them, the stream handlers and their
// JSON, the ledger in memory, the sweeper, and the settings that infra deploys.
// By AWS's documented rules: the reader of the streams (internal/proof/streamreader).
// By hand: provider, CRM, raw content, the text reader's delays, what goes
// wrong, and the clock, which is that of a synctest bubble. What is asserted
// rests on the ledger, internal/operate/verify and what reached provider and CRM.

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"onefold/internal/app"
	"onefold/internal/blob"
	"onefold/internal/crmsync"
	"onefold/internal/digest"
	"onefold/internal/lambdaio"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/mailer"
	"onefold/internal/policy/tenant"
	"onefold/internal/proof/streamreader"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/rules"
	"onefold/internal/schema"
	"onefold/internal/webhook"
)

// cloudCall is one call of a function. Once it is dead, nothing of it happens.
type cloudCall struct {
	f    schema.Function
	dead atomic.Bool
}

type cloudCallKey struct{}

// cloudAlive ends the goroutine of a call whose process is dead.
func cloudAlive(ctx context.Context) *cloudCall {
	l, _ := ctx.Value(cloudCallKey{}).(*cloudCall)
	if l != nil && l.dead.Load() {
		runtime.Goexit()
	}
	return l
}

// cloudSpend lets time pass in a call.
func cloudSpend(ctx context.Context, d time.Duration) {
	cloudAlive(ctx)
	time.Sleep(d)
	cloudAlive(ctx)
}

// cloud is a stage in an account.
type cloud struct {
	t       *testing.T
	assume  streamreader.Assume
	store   *mem.Store
	sys     *app.System
	ids     digest.Key
	secret  webhook.Secret
	blobs   *cloudBlobs
	workers []*cloudWorker
	answers chan cloudAnswer
	sweepAt time.Time
	sweeps  bool
	flying  int
	written map[schema.Table]int

	mu      sync.Mutex // of what follows
	calls   map[*cloudCall]bool
	reports []mailer.Event // of the provider, not yet brought in
	sent    map[string]int // mails by recipient
	filed   map[string]int // CRM calls by reference

	// What a test may set; functions only before anything runs.
	limit     int                                         // concurrent executions of the account
	away      atomic.Pointer[time.Time]                   // the ledger answers nobody until then
	get       func(f schema.Function, k ledger.Key) error // before a function reads a row; may end the goroutine
	read      func(ctx context.Context, s reader.Source)  // before a text is read
	lost      func(ch ledger.Change) bool                 // the stream does not carry it
	twice     bool                                        // the stream carries each record twice
	throttled func(f schema.Function) bool                // the function cannot be called
	latency   time.Duration                               // of each call of the ledger
	callTakes time.Duration                               // of provider and CRM
	shards    uint32
}

type cloudWorker struct {
	f      schema.Function
	table  schema.Table
	reader *streamreader.Reader
	fn     *lambdaio.Function
	runs   time.Duration
	calls  int
	atOnce int // batches under way
	most   int // of them at any time
}

type cloudAnswer struct {
	w  *cloudWorker
	id int
	a  streamreader.Result
}

// cloudPlan says what of a stage is not as deployed.
type cloudPlan struct {
	assume streamreader.Assume
	change func(*streamreader.Mapping)
	shards uint32 // of each stream; 0 is 2
}

// newCloud makes a stage whose mappings are those of schema. It must be made
// in a synctest bubble.
func newCloud(t *testing.T, p cloudPlan) *cloud {
	t.Helper()
	c := &cloud{
		t: t, assume: p.assume, store: mem.New(), blobs: &cloudBlobs{kept: map[blob.Ref][]byte{}}, answers: make(chan cloudAnswer, 100), sweeps: true, limit: 10, shards: max(p.shards, 1),
		written: map[schema.Table]int{}, calls: map[*cloudCall]bool{}, sent: map[string]int{}, filed: map[string]int{}, callTakes: time.Second,
	}
	if p.shards == 0 {
		c.shards = 2
	}
	var err error
	c.ids, err = digest.NewKey(bytes.Repeat([]byte{7}, 32))
	c.must(err)
	c.secret, err = webhook.ParseSecret("whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{9}, 32)))
	c.must(err)
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	runs, _ := schema.RunsOf(schema.Extract)
	c.sys = app.Wire(app.Parts{
		Store: cloudVault{c.store, c}, Blob: c.blobs, Mailer: cloudPost{c}, CRM: crmsync.OneAccount(cloudCRM{c}), Reader: cloudText{rules.New(), c}, IDs: c.ids,
		Secrets: func(context.Context, string, string) ([]webhook.Secret, error) {
			return []webhook.Secret{c.secret}, nil
		},
		Now: time.Now, Log: log, Timeout: runs.Timeout, CallTime: 10 * time.Second, KeepPolicy: 1000 * time.Hour,
	})
	policy := strings.Replace(string(tenant.Example()), `"mode": "draft"`, `"mode": "auto"`, 1)
	_, err = c.sys.Policies.Apply(t.Context(), []byte(policy), "person:tester")
	c.must(err)
	handlers := map[schema.Function]func(context.Context, ledger.Change) error{
		schema.Extract: c.sys.Process.Handle, schema.CRMSync: c.sys.CRMSync.Handle, schema.Send: c.sys.Send.Handle,
	}
	for _, sm := range schema.StreamMappings() {
		m := streamreader.Of(sm)
		if p.change != nil {
			p.change(&m)
		}
		runs, _ := schema.RunsOf(sm.Function)
		w := &cloudWorker{f: sm.Function, table: sm.Table, runs: runs.Timeout}
		w.reader, err = streamreader.New(m, p.assume)
		c.must(err)
		for n := range c.shards {
			c.must(w.reader.Shard(fmt.Sprint("shard-", n), ""))
		}
		o := lambdaio.Options{Begin: runs.Timeout / 3, Keep: runs.Timeout / 10, Now: time.Now, Log: log}
		w.fn = &lambdaio.Function{Stream: lambdaio.Stream(handlers[sm.Function], o), Log: log}
		c.workers = append(c.workers, w)
	}
	c.sweepAt = time.Now().Add(time.Minute)
	// No goroutine may outlive the bubble: the last to end are those that
	// hang.
	t.Cleanup(func() { time.Sleep(time.Hour) })
	return c
}

func (c *cloud) worker(f schema.Function) *cloudWorker {
	for _, w := range c.workers {
		if w.f == f {
			return w
		}
	}
	c.t.Fatalf("no worker %s", f)
	return nil
}

// begin starts the mappings.
func (c *cloud) begin() {
	c.pump()
	for _, w := range c.workers {
		w.reader.Begin()
	}
}

// until lets time pass until it holds and nothing is under way; false when it
// did not come to that in time.
func (c *cloud) until(most time.Duration, holds func() bool) bool {
	c.t.Helper()
	for end := time.Now().Add(most); time.Now().Before(end); {
		c.tick()
		if c.flying == 0 && c.pending() == 0 && holds() {
			return true
		}
		time.Sleep(c.pause())
	}
	return false
}

// pass lets time pass.
func (c *cloud) pass(d time.Duration) {
	c.t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(c.pause()) {
		c.tick()
	}
}

// tick does what is due now.
func (c *cloud) tick() {
	for len(c.answers) > 0 {
		done := <-c.answers
		c.flying--
		done.w.atOnce--
		done.w.reader.Answer(done.id, time.Now(), done.a)
	}
	c.pump()
	for _, w := range c.workers {
		for _, call := range w.reader.Due(time.Now()) {
			if c.flying >= c.limit || c.throttled != nil && c.throttled(w.f) {
				w.reader.Answer(call.ID, time.Now(), streamreader.Result{Throttled: true})
				continue
			}
			c.flying++
			w.calls++
			w.atOnce++
			w.most = max(w.most, w.atOnce)
			go func() { c.answers <- cloudAnswer{w, call.ID, c.invoke(w, call)} }()
		}
	}
	if c.sweeps && !time.Now().Before(c.sweepAt) {
		c.sweepAt = time.Now().Add(time.Minute)
		_, _ = c.sys.Sweep.Run(context.WithValue(context.Background(), cloudCallKey{}, &cloudCall{f: schema.Sweep})) // the next run finds what is left
		c.pump()
	}
}

// pause is how long nothing can happen; streams are polled four times a
// second.
func (c *cloud) pause() time.Duration {
	const poll = 250 * time.Millisecond
	if c.flying > 0 {
		return poll
	}
	next := time.Now().Add(time.Minute)
	if c.sweeps && c.sweepAt.Before(next) {
		next = c.sweepAt
	}
	for _, w := range c.workers {
		if at, ok := w.reader.Wake(time.Now()); ok && at.Before(next) {
			next = at
		}
	}
	return max(poll, time.Until(next))
}

func (c *cloud) pending() int {
	n := 0
	for _, w := range c.workers {
		n += w.reader.Count(streamreader.Pending)
	}
	return n
}

// invoke calls the function with a batch as Lambda does, and ends it at its
// timeout.
func (c *cloud) invoke(w *cloudWorker, call streamreader.Call) streamreader.Result {
	var records []json.RawMessage
	for _, r := range call.Records {
		records = append(records, r.Body)
	}
	payload, err := json.Marshal(map[string]any{"Records": records})
	c.must(err)
	l := &cloudCall{f: w.f}
	c.note(l, true)
	defer c.note(l, false)
	ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), cloudCallKey{}, l), w.runs)
	defer cancel()
	ended := make(chan streamreader.Result, 1)
	go func() {
		answer := streamreader.Result{Failed: true} // what Lambda sees of a process that died
		defer func() { ended <- answer }()
		out, err := w.fn.Invoke(ctx, payload)
		answer = streamreader.Result{Failed: err != nil, Payload: out}
	}()
	select {
	case a := <-ended:
		return a
	case <-time.After(w.runs):
		l.dead.Store(true)
		return streamreader.Result{Failed: true}
	}
}

// note keeps the calls under way.
func (c *cloud) note(l *cloudCall, under bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if under {
		c.calls[l] = true
	} else {
		delete(c.calls, l)
	}
}

// kill ends the processes of all calls under way.
func (c *cloud) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for l := range c.calls {
		l.dead.Store(true)
	}
}

// hear brings the provider's events in, and the event of a probe.
func (c *cloud) hear() {
	c.mu.Lock()
	events := append(slices.Clone(c.reports), mailer.Event{Type: mailer.EventDelivered, MessageID: "probe", At: time.Now(), DedupeKey: fmt.Sprint("probe-", time.Now())})
	c.reports = nil
	c.mu.Unlock()
	for _, e := range events {
		c.must(c.sys.Feedback.Handle(context.Background(), e))
	}
}

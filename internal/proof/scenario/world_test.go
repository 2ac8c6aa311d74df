package scenario_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"onefold/internal/app"
	"onefold/internal/blob"
	"onefold/internal/crmsync"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/mailer"
	"onefold/internal/reading/reader/rules"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
	"onefold/internal/webhook"
)

// Timings of the functions, as in production.
const (
	timeout  = 30 * time.Second
	callTime = 10 * time.Second
)

// began is the first moment of every schedule: ahead of any machine's clock,
// so that an emulator with a clock of its own expires nothing.
var began = time.Date(2040, 1, 9, 9, 0, 0, 0, time.UTC)

// serials tells worlds apart that share a store. The number stands in message
// IDs only and has no effect.
var serials atomic.Int64

// world is one whole system, its surroundings, and the schedule it runs.
type world struct {
	base    ledger.Store
	sys     *app.System
	ids     digest.Key
	blobs   *blobs
	postbox *postbox
	cabinet *cabinet
	journal *journal
	serial  int64
	file    scenarioFile

	plan     plan
	before   func(name string)                 // just before a call
	away     time.Time                         // the store answers nobody until then
	ownIndex bool                              // of due rows, in memory
	spoil    func(*ledger.Commit)              // breaks the commits of workers
	dmarc    map[string]string                 // delivery ID → what its receiver found
	lie      func(mailer.Result) mailer.Result // breaks the provider's answers
	forget   bool                              // raw content is not kept
	hook     func()                            // what the step "hook" does
	onCommit func(ledger.Commit)               // just after one took effect
	pick     *picker                           // nil: one worker, in order

	seen  map[string]int // calls of each label
	trace []point
	fired int
	due   map[ledger.Key]due

	jobs        []*job
	parked      []*actor
	idle        []runner
	timers      []timer
	post        []string // what the provider does with the next calls
	cab         []string
	model       []string
	events      string          // "", "early", "twice", "lost"
	silent      bool            // no probe proves that the feed is alive
	hold        time.Duration   // how late the provider's events come
	stopped     map[string]bool // what is stopped: all, or the tenant; to resume one leaves the other stopped
	probes      int
	onlySweeper bool // records come only of nudges
	broken      []string
}

type timer struct {
	at time.Time
	do func()
}

// newWorld makes an empty system with a policy in force. It must be made in a
// synctest bubble.
func newWorld(base ledger.Store, f scenarioFile, p plan) *world {
	serial, own := int64(0), base == nil
	if own {
		base = mem.New()
	} else {
		serial = serials.Add(1)
	}
	key, err := digest.NewKey(bytes.Repeat([]byte{7}, 32))
	w := &world{
		base: base, ids: key, serial: serial, ownIndex: own, file: f, plan: p,
		seen: map[string]int{}, dmarc: map[string]string{}, due: map[ledger.Key]due{}, journal: newJournal(),
	}
	w.must(err)
	time.Sleep(time.Until(began))
	w.blobs = &blobs{w, map[blob.Ref][]byte{}}
	w.postbox = &postbox{w: w}
	w.cabinet = &cabinet{w: w, byRef: map[string]*record{}}
	w.sys = app.Wire(app.Parts{
		Store: store{base, w}, Blob: w.blobs, Mailer: w.postbox, CRM: crmsync.OneAccount(w.cabinet), Reader: model{rules.New(), w}, IDs: key,
		Secrets: secrets, Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1})),
		Timeout: timeout, CallTime: callTime, KeepPolicy: 24 * time.Hour,
	})
	if rows, ok := firstPolicies.Load(strings.Join(f.policy, "\n")); ok {
		w.file.version++
		w.must(w.apply(context.Background(), "", rows.(ledger.Commit)))
		return w
	}
	w.applyPolicy(f.policy)
	return w
}

// firstPolicies are the commits that put the files' first policies in force.
// They are the same in every schedule, and making one is slow.
var firstPolicies sync.Map

func (w *world) applyPolicy(changes []string) {
	text := policyOf(w.file.version, changes)
	w.file.version++
	w.onCommit = func(c ledger.Commit) {
		if w.file.version == 2 {
			firstPolicies.Store(strings.Join(changes, "\n"), c)
		}
	}
	_, err := w.sys.Policies.Apply(context.Background(), text, "person:admin")
	w.onCommit = nil
	w.must(err)
}

const secretText = "whsec_c2NlbmFyaW8gc2VjcmV0LCB1c2VkIGluIHRlc3RzIG9ubHk="

func secrets(context.Context, string, string) ([]webhook.Secret, error) {
	s, err := webhook.ParseSecret(secretText)
	return []webhook.Secret{s}, err
}

func (w *world) now() time.Time { return time.Now() }

// must stops a schedule that the harness itself cannot go on with.
func (w *world) must(err error) {
	if err != nil {
		panic(fmt.Sprintf("harness: %v", err))
	}
}

func (w *world) wrongf(format string, args ...any) {
	w.broken = append(w.broken, fmt.Sprintf(format, args...))
}

// take takes the next word of a script.
func (w *world) take(words *[]string) string {
	if len(*words) == 0 {
		return ""
	}
	word := (*words)[0]
	if len(*words) > 1 || word != "always" {
		*words = (*words)[1:]
	}
	return word
}

// later has something happen outside of any worker.
func (w *world) later(d time.Duration, do func()) {
	w.timers = append(w.timers, timer{w.now().Add(d), do})
}

// publish puts a change on the stream of its table.
func (w *world) publish(by string, ch ledger.Change) {
	if w.onlySweeper && by != "sweep" {
		return
	}
	if ch.Key.Entity == ledger.Event {
		if ch.Item.Text("state") == inbound.Recorded {
			w.record("extract", ch, w.sys.Process.Handle)
		}
		return
	}
	if ch.Key.Entity != ledger.Operation {
		return
	}
	switch kind := ch.Item.Text("kind"); kind {
	case "send_intent", "cancel_intents":
		w.record("send", ch, w.sys.Send.Handle)
	default:
		w.record("crmsync", ch, w.sys.CRMSync.Handle)
	}
}

// record queues a change for a worker, as often as the plan says.
func (w *world) record(role string, ch ledger.Change, handle func(context.Context, ledger.Change) error) {
	label := "stream: " + role + " " + ch.Item.Text("kind") + " " + ch.Item.Text("state")
	w.seen[label]++
	name := fmt.Sprintf("%s #%d", label, w.seen[label])
	w.trace = append(w.trace, point{name, "record"})
	j := func() *job {
		return &job{role: role, key: role + "/" + ch.Key.ID, tries: 12, work: func(ctx context.Context) error { return handle(ctx, ch) }}
	}
	switch w.wrong(name) {
	case dropped:
		return
	case doubled:
		w.jobs = append(w.jobs, j())
	case stale:
		w.later(pauseFor, func() { w.jobs = append(w.jobs, j()) })
		w.later(pauseLongFor, func() { w.jobs = append(w.jobs, j()) })
	default:
	}
	w.jobs = append(w.jobs, j())
	if w.pick != nil && w.pick.twice() {
		again := j()
		again.key += "/again" // another instance has it
		w.jobs = append(w.jobs, again)
	}
}

// report brings an event of the provider to feedback, by its queue.
func (w *world) report(e mailer.Event) {
	j := func() *job {
		return &job{role: "feedback", key: "feedback/" + e.DedupeKey, tries: 12, wait: time.Second, work: func(ctx context.Context) error {
			err := w.sys.Feedback.Handle(ctx, e)
			if err == nil && e.Tags[mailer.TagIntent] != "" {
				w.journal.evidence[e.Tags[mailer.TagIntent]] = true
			}
			return err
		}}
	}
	switch w.events {
	case "lost":
		return
	case "early":
		_ = w.sys.Feedback.Handle(context.Background(), e) // before the provider's answer
	case "twice":
		w.later(3*time.Second, func() { w.jobs = append([]*job{j()}, w.jobs...) })
	}
	w.later(time.Second+w.hold, func() { w.jobs = append(w.jobs, j()) })
}

// prove brings a probe's event through the feed, past every fault: faults of
// the feed are scripted.
func (w *world) prove() {
	if w.silent {
		return
	}
	w.probes++
	e := mailer.Event{Type: mailer.EventDelivered, MessageID: "probe", At: w.now(), DedupeKey: fmt.Sprint("probe", w.serial, w.probes)}
	w.must(w.sys.Feedback.Handle(context.Background(), e))
}

// scan reads a whole table.
func (w *world) scan(t schema.Table) (items []ledger.Item) {
	for cursor := ""; ; {
		page, err := w.base.Scan(context.Background(), ledger.Scan{Table: t, Segments: 1, Limit: 1000, Cursor: cursor})
		w.must(err)
		items = append(items, page.Items...)
		if cursor = page.Next; cursor == "" {
			return items
		}
	}
}

func (w *world) get(k ledger.Key) ledger.Item {
	it, err := w.base.Get(context.Background(), k)
	w.must(err)
	return it
}

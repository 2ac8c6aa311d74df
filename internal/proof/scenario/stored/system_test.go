package stored_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"onefold/internal/app"
	"onefold/internal/blob/dir"
	"onefold/internal/crmsync"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/bolt"
	"onefold/internal/mailer"
	"onefold/internal/schema"
	"onefold/internal/utc"
	"onefold/internal/webhook"
)

const (
	timeout  = 30 * time.Second
	callTime = 10 * time.Second
	// keyText is the identifier key of the kept stores: invented, for tests only.
	keyText   = "a key of 32 bytes, for tests only"
	publicURL = "https://api.demo.example"
)

// secretText signs all deliveries: invented, for tests only.
const secretText = "whsec_c3RvcmVkIHNlY3JldCwgdXNlZCBpbiB0ZXN0cyBvbmx5"

// system is the whole system on one folder, with a clock that only it moves.
type system struct {
	*app.System

	t     *testing.T
	now   time.Time
	store *bolt.Store
	blobs *dir.Store
	ids   digest.Key
	outside

	// unread counts the changes in the feed that a consumer has not read.
	unread map[string]int
	// off is what reads no feed for now: its changes stay unread.
	off    map[string]bool
	closed bool
}

// feeds are who reads the change feeds, in the order in which they work.
var feeds = []struct {
	table    schema.Table
	consumer string
}{{schema.Events, "extract"}, {schema.Outbox, "crmsync"}, {schema.Outbox, "send"}}

// open opens the system on a folder, as it was left.
func open(t *testing.T, folder string, now time.Time, out outside, unread map[string]int) *system {
	t.Helper()
	consumers := map[schema.Table][]string{}
	for _, f := range feeds {
		consumers[f.table] = append(consumers[f.table], f.consumer)
	}
	store, err := bolt.Open(filepath.Join(folder, "ledger.db"), bolt.Options{Consumers: consumers})
	must(t, err)
	blobs, err := dir.Open(filepath.Join(folder, "raw"))
	must(t, err)
	ids, err := app.DeriveKey(keyText)
	must(t, err)
	must(t, app.ClaimLedger(t.Context(), store, ids)) // refuses a ledger of another key
	s := &system{t: t, now: now, store: store, blobs: blobs, ids: ids, outside: out, unread: unread, off: map[string]bool{}}
	s.System = app.Wire(app.Parts{
		Store: counted{store, s}, Blob: blobs, Mailer: postbox{s}, CRM: crmsync.OneAccount(cabinet{s}), Reader: newReader(s), IDs: ids,
		Secrets: func(context.Context, string, string) ([]webhook.Secret, error) {
			k, err := webhook.ParseSecret(secretText)
			return []webhook.Secret{k}, err
		},
		Now: func() time.Time { return s.now }, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Timeout: timeout, CallTime: callTime, PublicURL: publicURL,
	})
	t.Cleanup(s.close)
	return s
}

func (s *system) close() {
	if s.closed {
		return
	}
	must(s.t, errors.Join(s.store.Close(), s.blobs.Close()))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// counted is the ledger. It counts the changes that each commit puts into the
// feeds, since a read of an empty feed waits.
type counted struct {
	ledger.Store
	s *system
}

func (c counted) Commit(ctx context.Context, x ledger.Commit) error {
	err := c.Store.Commit(ctx, x)
	if err != nil {
		return err
	}
	for _, w := range x.Writes {
		for _, f := range feeds {
			if w.Op != ledger.OpCheck && w.Key.Entity.Table() == f.table {
				c.s.unread[f.consumer]++
			}
		}
	}
	return nil
}

// death is what a worker panics with when its process is to end there.
type death struct{}

// worker runs a piece of work, which may die.
func (s *system) worker(do func() error) {
	defer func() {
		if r := recover(); r != nil && r != any(death{}) {
			panic(r)
		}
	}()
	must(s.t, do())
}

// work has the workers read their feeds to the end, and feedback what the
// provider reports.
func (s *system) work() {
	for moved := true; moved; {
		moved = false
		for _, f := range feeds {
			if s.unread[f.consumer] > 0 && !s.off[f.consumer] {
				s.readOne(f.table, f.consumer)
				moved = true
			}
		}
		if len(s.reports) > 0 {
			e := s.reports[0]
			s.reports = s.reports[1:]
			s.worker(func() error { return s.Feedback.Handle(s.t.Context(), e) })
			moved = true
		}
	}
}

func (s *system) readOne(table schema.Table, consumer string) {
	handle := map[string]func(context.Context, ledger.Change) error{
		"extract": s.Process.Handle, "crmsync": s.CRMSync.Handle, "send": s.Send.Handle,
	}[consumer]
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second) // a lost change would be waited for
	defer cancel()
	batch, err := s.store.Next(ctx, table, consumer, 1)
	must(s.t, err)
	s.unread[consumer]--
	s.worker(func() error { return handle(s.t.Context(), batch[0]) })
	must(s.t, s.store.Done(s.t.Context(), table, consumer, batch[0]))
}

// until lets time pass. The sweeper runs at each moment at which a row is due;
// a probe shows then that the feed of the provider's events is alive.
func (s *system) until(end time.Time) {
	s.work()
	for range 5000 {
		next, ok := s.nextDue()
		if !ok || next.After(end) {
			s.now = end
			return
		}
		if next.After(s.now) {
			s.now = next
		}
		s.prove()
		_, err := s.Sweep.Run(s.t.Context())
		must(s.t, err)
		s.work()
	}
	s.t.Fatal("the system does not come to rest")
}

func (s *system) pass(d time.Duration) { s.until(s.now.Add(d)) }

// prove brings a probe's event through the feed.
func (s *system) prove() {
	must(s.t, s.Feedback.Handle(s.t.Context(), mailer.Event{
		Type: mailer.EventDelivered, MessageID: "probe", At: s.now, DedupeKey: fmt.Sprint("probe", s.now.UnixNano()),
	}))
}

// nextDue is when the first row is due that the sweeper will look for.
func (s *system) nextDue() (first time.Time, ok bool) {
	for _, table := range []schema.Table{schema.Events, schema.Outbox} {
		for n := range schema.Shards {
			page, err := s.store.Query(s.t.Context(), ledger.Query{Table: table, Index: schema.ByDue, Partition: fmt.Sprint(n), Limit: 1})
			must(s.t, err)
			for _, it := range page.Items {
				at, err := utc.Parse(it.Text(schema.DueAt))
				must(s.t, err)
				if !ok || at.Std().Before(first) {
					first, ok = at.Std(), true
				}
			}
		}
	}
	return first, ok
}

// scan reads a whole table.
func (s *system) scan(table schema.Table) (items []ledger.Item) {
	for cursor := ""; ; {
		page, err := s.store.Scan(s.t.Context(), ledger.Scan{Table: table, Segments: 1, Limit: 1000, Cursor: cursor})
		must(s.t, err)
		items = append(items, page.Items...)
		if cursor = page.Next; cursor == "" {
			return items
		}
	}
}

// rows reads all rows of an entity.
func (s *system) rows(e ledger.Entity) (items []ledger.Item) {
	for _, it := range s.scan(e.Table()) {
		if it.Text(schema.Entity) == string(e) {
			items = append(items, it)
		}
	}
	return items
}

// decoded reads all rows of an entity as nouns.
func decoded[T any](s *system, e ledger.Entity) (nouns []T) {
	for _, it := range s.rows(e) {
		var n T
		must(s.t, it.Decode(&n))
		nouns = append(nouns, n)
	}
	return nouns
}

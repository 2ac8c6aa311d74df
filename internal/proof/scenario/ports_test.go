package scenario_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"onefold/internal/blob"
	"onefold/internal/ledger"
	"onefold/internal/reading/reader"
	"onefold/internal/schema"
)

// latency is how long a call takes where one worker works after the other, so
// that what happened reads in the order in which it did.
var latency = map[string]time.Duration{"write": 10 * time.Millisecond, "effect": 200 * time.Millisecond}

// errNoAnswer is none of the ledger's errors: unknown.
var errNoAnswer = errors.New("no answer")

// call makes one call of an actor with what the plan does to it. do makes it;
// wrong gives the answer of a call that went wrong, after do if it was applied.
// Calls of no actor are the harness's own.
func call[T any](ctx context.Context, w *world, kind, label string, do func() T, wrong func(fault) T) T {
	a := actorOf(ctx)
	if a == nil {
		return do()
	}
	f := w.at(a, kind, label)
	if w.pick == nil {
		time.Sleep(latency[kind])
	}
	switch f {
	case fails, contended, lostBefore:
		return wrong(f)
	case outage:
		w.away = w.now().Add(10 * time.Minute)
		return wrong(f)
	case landsLate:
		w.later(20*time.Second, func() { do() })
		return wrong(f)
	case lostAfter:
		do()
		return wrong(f)
	case diesBefore:
		panic(death{})
	case diesAfter:
		do()
		panic(death{})
	case late:
		v := do()
		a.stand(w.now().Add(pauseFor))
		return v
	case lateLong:
		v := do()
		a.stand(w.now().Add(pauseLongFor))
		return v
	case paused:
		a.stand(w.now().Add(pauseFor))
	case pausedLong:
		a.stand(w.now().Add(pauseLongFor))
	default: // of a record
	}
	return do()
}

// at names the call, notes it, and says what is to happen to it.
func (w *world) at(a *actor, kind, label string) fault {
	label = a.role + ": " + label
	w.seen[label]++
	name := fmt.Sprintf("%s #%d", label, w.seen[label])
	w.trace = append(w.trace, point{name, kind})
	if w.before != nil {
		w.before(name)
	}
	if a.steps {
		a.stand(time.Time{})
	}
	f := w.wrong(name)
	if f == "" && kind != "effect" && w.now().Before(w.away) {
		return fails
	}
	return f
}

func (w *world) wrong(name string) fault {
	f := w.plan[name]
	if f != "" {
		w.fired++
	}
	return f
}

// store is the ledger as the workers see it.
type store struct {
	ledger.Store
	w *world
}

type read struct {
	item  ledger.Item
	items []ledger.Item
	page  ledger.Page
	err   error
}

func (s store) read(ctx context.Context, label string, do func(context.Context) read) read {
	return call(ctx, s.w, "read", label, func() read { return do(context.WithoutCancel(ctx)) },
		func(fault) read { return read{err: ledger.ErrUnavailable} })
}

func (s store) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	r := s.read(ctx, "get "+string(k.Entity), func(ctx context.Context) (r read) { r.item, r.err = s.Store.Get(ctx, k); return r })
	return r.item, r.err
}

func (s store) GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error) {
	var names []string
	for _, k := range keys {
		names = append(names, string(k.Entity))
	}
	r := s.read(ctx, "get "+strings.Join(names, " and "), func(ctx context.Context) (r read) { r.items, r.err = s.Store.GetMany(ctx, keys); return r })
	return r.items, r.err
}

func (s store) Query(ctx context.Context, q ledger.Query) (ledger.Page, error) {
	if q.Index == schema.ByDue && s.w.ownIndex {
		return s.w.dueRows(ctx, q)
	}
	r := s.read(ctx, "query "+q.Index+" of "+string(q.Table), func(ctx context.Context) (r read) { r.page, r.err = s.Store.Query(ctx, q); return r })
	return r.page, r.err
}

func (s store) List(ctx context.Context, parent ledger.Key, cursor string, limit int) (ledger.Page, error) {
	r := s.read(ctx, "list "+string(parent.Entity), func(ctx context.Context) (r read) {
		r.page, r.err = s.Store.List(ctx, parent, cursor, limit)
		return r
	})
	return r.page, r.err
}

// dueRows is the index of due rows in memory. The sweeper begins at a shard by
// chance; so that a schedule stays the same, whichever shard is asked for first
// gives what is due in all, by name. The index is a hint: the sweeper reads
// each row again. (The embedded store and DynamoDB answer for themselves.)
func (w *world) dueRows(ctx context.Context, q ledger.Query) (p ledger.Page, err error) {
	a := actorOf(ctx)
	first := a == nil || a.looked == 0
	if a != nil {
		a.looked++
	}
	if !first {
		return p, nil
	}
	r := store{w.base, w}.read(ctx, "query due rows", func(context.Context) (r read) {
		for k, d := range w.due {
			if d.open && d.at <= q.UpTo {
				r.page.Items = append(r.page.Items, w.get(k))
			}
		}
		slices.SortFunc(r.page.Items, func(a, b ledger.Item) int {
			return compare(a.Text(schema.DueAt)+a.Text(schema.ID), b.Text(schema.DueAt)+b.Text(schema.ID))
		})
		return r
	})
	return r.page, r.err
}

// Commit goes through even when its caller's time is over: what is on the wire
// may land.
func (s store) Commit(ctx context.Context, c ledger.Commit) error {
	if s.w.spoil != nil {
		s.w.spoil(&c)
	}
	role := ""
	if a := actorOf(ctx); a != nil {
		role = a.role
	}
	return call(ctx, s.w, "write", labelOf(c), func() error { return s.w.apply(context.WithoutCancel(ctx), role, c) }, func(f fault) error {
		switch f {
		case fails, outage:
			return ledger.ErrUnavailable
		case contended:
			return ledger.ErrContention
		default:
		}
		return ledger.ErrUnknown
	})
}

// labelOf names a commit by the step it makes.
func labelOf(c ledger.Commit) string {
	steps := map[string]string{}
	for _, w := range c.Writes {
		if w.Key.Entity == ledger.Audit {
			event := w.Item.Text("event")
			if slices.Contains([]string{"merge", "split", "alias", "change_address", "import"}, event) {
				return w.Item.Text("noun") + " " + event
			}
			steps[w.Item.Text("noun")] = event
		}
	}
	for _, noun := range []ledger.Entity{ledger.Event, ledger.Intent, ledger.CRMMapping, ledger.CRMConnection, ledger.Operation, ledger.Guard, ledger.ReviewTask, ledger.Attempt} {
		if event, ok := steps[string(noun)]; ok {
			return string(noun) + " " + event
		}
	}
	first := c.Writes[0]
	word := "update"
	switch {
	case first.Op == ledger.OpCreate:
		word = "create"
	case first.Set.Text("owner") != "":
		word = "claim"
	case len(first.Set) == 2 && first.Set.Int("nudges") > 0:
		word = "nudge"
	case first.Set.Text("status") != "":
		word = "release"
	case first.Set.Text("not_before") != "":
		word = "postpone"
	}
	return string(first.Key.Entity) + " " + word
}

// blobs is the raw content.
type blobs struct {
	w    *world
	kept map[blob.Ref][]byte
}

func (b *blobs) Put(ctx context.Context, ref blob.Ref, content []byte) error {
	return call(ctx, b.w, "write", "put raw content", func() error {
		if !b.w.forget {
			b.kept[ref] = content
		}
		return nil
	},
		func(fault) error { return errNoAnswer })
}

func (b *blobs) Get(ctx context.Context, ref blob.Ref) ([]byte, error) {
	type answer struct {
		raw []byte
		err error
	}
	r := call(ctx, b.w, "read", "get raw content", func() answer {
		if raw, ok := b.kept[ref]; ok {
			return answer{raw, nil}
		}
		return answer{nil, blob.ErrMissing}
	}, func(fault) answer { return answer{nil, errNoAnswer} })
	return r.raw, r.err
}

// model is the reader: the rules, or no answer where the script says so.
type model struct {
	reader.Reader
	w *world
}

func (r model) Extract(ctx context.Context, s reader.Source) (reader.Record, error) {
	type answer struct {
		record reader.Record
		err    error
	}
	a := call(ctx, r.w, "read", "ask the reader", func() answer {
		word := r.w.take(&r.w.model)
		record, err := r.Reader.Extract(context.WithoutCancel(ctx), s)
		switch word {
		case "silent":
			return answer{err: errNoAnswer}
		case "opt-out":
			record.PossibleOptOut = true
		case "unsure":
			record.NeedsHumanReview = true
		case "wild": // what is not in the text is not believed
			record.ContactName = reader.Field{Value: "Mallory Wild", Confidence: 99, Evidence: "Mallory Wild", Where: reader.InVisible}
		}
		return answer{record, err}
	}, func(fault) answer { return answer{err: errNoAnswer} })
	return a.record, a.err
}

// due is what the harness knows of a row that can come due.
type due struct {
	at   string
	open bool
}

// apply commits and notes what took effect, in the order in which it did.
func (w *world) apply(ctx context.Context, role string, c ledger.Commit) error {
	if err := w.base.Commit(ctx, w.checked(c)); err != nil {
		return err
	}
	w.journal.note(w, c)
	if w.onCommit != nil {
		w.onCommit(c)
	}
	for _, wr := range c.Writes {
		t := wr.Key.Entity.Table()
		if wr.Op == ledger.OpCheck || t != schema.Events && t != schema.Outbox {
			continue
		}
		it, err := w.base.Get(ctx, wr.Key)
		w.must(err)
		w.due[wr.Key] = due{it.Text(schema.DueAt), it.Text(schema.DueAt) != "" && it.Text(schema.DueShard) != ""}
		w.publish(role, ledger.Change{Key: wr.Key, Item: it})
	}
	return nil
}

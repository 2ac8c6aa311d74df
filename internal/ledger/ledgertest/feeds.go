package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// tail reads a feed as one consumer and keeps what is this test's own.
type tail struct {
	*bench
	table    schema.Table
	consumer string
	own      []ledger.Change
}

func (b *bench) tail(t schema.Table) *tail {
	return &tail{bench: b, table: t, consumer: "c-" + random()}
}

// until reads on until ok holds, at most as long as the feed may lag and some
// seconds for what others wrote.
func (r *tail) until(what string, ok func() bool) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, r.Lag+20*time.Second)
	defer cancel()
	for !ok() {
		changes, err := r.Feed.Next(ctx, r.table, r.consumer, 7)
		if err != nil {
			r.Fatalf("%s: next of %s: %v after %d own changes", what, r.table, err, len(r.own))
		}
		if len(changes) == 0 || len(changes) > 7 {
			r.Fatalf("%s: a batch of %d, limit 7", what, len(changes))
		}
		for _, c := range changes {
			if c.Key.Entity.Table() != r.table || c.Position == "" {
				r.Fatalf("%s: a change of %s at %q in the feed of %s", what, c.Key.Entity, c.Position, r.table)
			}
			if c.Key.Tenant == r.tenant {
				r.own = append(r.own, c)
			}
		}
	}
}

// images lists the versions of each item in the order in which each was first
// handed out; a change may come more than once.
func (r *tail) images() map[ledger.Key][]item {
	got := map[ledger.Key][]item{}
	for _, c := range r.own {
		old := got[c.Key]
		if len(old) == 0 || c.Item.Version() > old[len(old)-1].Version() {
			got[c.Key] = append(old, c.Item)
		}
	}
	return got
}

func feedImages(b *bench) {
	op := ledger.Key{Entity: ledger.Operation, Tenant: b.tenant, ID: "op"}
	delivery := ledger.Key{Entity: ledger.Delivery, Tenant: b.tenant, ID: "e", Sub: "1"}
	want := map[ledger.Key][]item{}
	note := func(keys ...ledger.Key) {
		for _, k := range keys {
			want[k] = append(want[k], b.get(k))
		}
	}
	b.must(create(b.event("e"), item{"n": int64(0), "deep": []any{map[string]any{"a": "b"}}}), create(delivery, item{"a": "b"}),
		create(op, item{"n": int64(0), schema.DueAt: "1", schema.DueShard: b.tenant}),
		create(b.contact("c"), item{"a": "b"}), create(ledger.Key{Entity: ledger.Audit, Tenant: b.tenant, ID: "a", Sub: "1"}, item{"a": "b"}))
	note(b.event("e"), delivery, op)
	for n := int64(1); n <= 9; n++ {
		b.must(update(b.event("e"), ledger.Cond{}, item{"n": n}), update(op, ledger.AtVersion(n), item{"n": n}))
		note(b.event("e"), op)
		b.refused(update(op, ledger.AtVersion(n), item{"n": int64(-1)}), update(b.event("e"), ledger.Cond{}, item{"n": int64(-1)}))
	}
	b.must(update(op, ledger.Cond{}, nil, "n", schema.DueAt, schema.DueShard))
	note(op)
	b.must(check(op, ledger.Present("version"))) // no change
	b.must(create(b.event("last"), item{"a": "b"}))
	note(b.event("last"))

	events, ops := b.tail(schema.Events), b.tail(schema.Outbox)
	complete := func(r *tail, keys ...ledger.Key) func() bool {
		return func() bool {
			got := r.images()
			for _, k := range keys {
				if len(got[k]) < len(want[k]) {
					return false
				}
			}
			return true
		}
	}
	events.until("events", complete(events, b.event("e"), delivery, b.event("last")))
	ops.until("operations", complete(ops, op))
	got := events.images()
	got[op] = ops.images()[op]
	if !reflect.DeepEqual(got, want) {
		b.Errorf("got %v, want %v", got, want)
	}
}

// seen tells which own events a reader was handed.
func (r *tail) seen() map[string]bool {
	got := map[string]bool{}
	for _, c := range r.own {
		got[c.Key.ID] = true
	}
	return got
}

func (b *bench) fiveEvents() {
	for i := range 5 {
		b.must(create(b.event(fmt.Sprint(i)), item{"i": int64(i)}))
	}
}

func feedConsumers(b *bench) {
	first, second := b.tail(schema.Events), b.tail(schema.Events)
	b.fiveEvents()
	first.until("first", func() bool { return len(first.seen()) == 5 })
	for _, c := range first.own {
		first.done(c)
	}
	second.until("second", func() bool { return len(second.seen()) == 5 })
	second.own[0].Item["i"] = "spoilt" // an image is a copy
	third := b.tail(schema.Events)
	third.until("third", func() bool { return len(third.seen()) == 5 })
	b.same("image", third.own[0].Item, b.get(third.own[0].Key))
}

func (r *tail) done(c ledger.Change) {
	r.Helper()
	if err := r.Feed.Done(r.ctx, r.table, r.consumer, c); err != nil {
		r.Fatalf("done: %v", err)
	}
}

func feedContext(b *bench) {
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	if _, err := b.Feed.Next(ctx, schema.Events, "c-"+random(), 1); !errors.Is(err, context.Canceled) {
		b.Errorf("got %v, want context.Canceled", err)
	}
}

func feedInvalid(b *bench) {
	for name, next := range map[string]func() ([]ledger.Change, error){
		"ledger":      func() ([]ledger.Change, error) { return b.Feed.Next(b.ctx, schema.Ledger, "c", 1) },
		"audit":       func() ([]ledger.Change, error) { return b.Feed.Next(b.ctx, schema.Audit, "c", 1) },
		"unknown":     func() ([]ledger.Change, error) { return b.Feed.Next(b.ctx, "leads", "c", 1) },
		"no consumer": func() ([]ledger.Change, error) { return b.Feed.Next(b.ctx, schema.Events, "", 1) },
		"no limit":    func() ([]ledger.Change, error) { return b.Feed.Next(b.ctx, schema.Events, "c", 0) },
	} {
		_, err := next()
		b.invalid(name, err)
	}
	b.invalid("done without a position", b.Feed.Done(b.ctx, schema.Events, "c", ledger.Change{}))
}

// reopened is the bench on the store as a new process finds it.
func (b *bench) reopened() *bench {
	if b.Reopen == nil {
		b.Skip("the store cannot be reopened")
	}
	next := *b
	next.Opened = b.Reopen(b.T)
	next.Concurrency = b.Concurrency
	return &next
}

func feedReopen(b *bench) {
	first := b.tail(schema.Events)
	b.fiveEvents()
	first.until("before", func() bool { return len(first.seen()) == 5 })
	for _, c := range first.own[:2] {
		first.done(c)
	}
	settled := map[string]bool{first.own[0].Key.ID: true, first.own[1].Key.ID: true}

	b = b.reopened()
	again := &tail{bench: b, table: schema.Events, consumer: first.consumer}
	again.until("after", func() bool {
		n := len(again.seen())
		for id := range settled {
			if again.seen()[id] {
				n--
			}
		}
		return n == 3
	})
	for id := range settled {
		if again.seen()[id] {
			b.Errorf("%s was done and came again after an orderly end", id)
		}
	}
	for _, c := range again.own {
		again.done(c)
	}

	b = b.reopened()
	b.must(create(b.event("sixth"), item{"a": "b"}))
	rest := &tail{bench: b, table: schema.Events, consumer: first.consumer}
	rest.until("sixth", func() bool { return rest.seen()["sixth"] })
	if rest.own[0].Key.ID != "sixth" {
		b.Errorf("%s was done and came again after an orderly end", rest.own[0].Key.ID)
	}
	fresh := b.tail(schema.Events)
	fresh.until("a consumer that is new", func() bool { return len(fresh.seen()) == 6 })
}

func reopenKeeps(b *bench) {
	k := b.event("e")
	b.must(create(k, item{schema.DueShard: b.tenant, schema.DueAt: "1"}))
	b.must(update(k, ledger.Cond{}, item{"a": "b"}))
	want := b.get(k)
	b = b.reopened()
	b.same("item", b.get(k), want)
	b.within("index", func() bool { return len(b.due(b.tenant, "", 10)) == 1 })
	b.refused(create(k, item{"a": "b"}))
	b.must(update(k, ledger.AtVersion(2), item{"a": "c"}))
}

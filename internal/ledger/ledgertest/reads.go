package ledgertest

import (
	"fmt"
	"slices"
	"sort"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

func getMany(b *bench) {
	var keys []ledger.Key
	for i := range ledger.MaxKeys {
		k := b.contact(fmt.Sprint(i))
		if i%2 == 1 {
			k = b.event(fmt.Sprint(i)) // another table
		}
		if i%3 != 0 {
			b.must(create(k, item{"i": int64(i)}))
		}
		keys = append(keys, k)
	}
	items, err := b.Store.GetMany(b.ctx, keys)
	if err != nil || len(items) != len(keys) {
		b.Fatalf("got %d items, %v", len(items), err)
	}
	for i, it := range items {
		var want item
		if i%3 != 0 {
			want = stored(keys[i], 1, item{"i": int64(i)})
		}
		b.same(fmt.Sprint(i), it, want)
	}
	if items, err = b.Store.GetMany(b.ctx, nil); err != nil || len(items) != 0 {
		b.Errorf("of no keys: got %v, %v", items, err)
	}
}

// list also pins that the order is that of the bytes of Sub as they are, not
// of whatever a store escapes them to.
func list(b *bench) {
	subs := []string{"00000002", "00000010", "A", "Z", "a", "a ", "a#", "a$", "a%", "a/", "a0", "aa", "~", "é", "日", "\U0001F600"}
	sort.Strings(subs)
	for i := range subs {
		k := b.attempt("p", subs[(i*7)%len(subs)]) // 7 and 16 have no common factor: each once
		b.must(create(k, item{"a": "b"}))
	}
	parent := b.attempt("p", "")
	for _, limit := range []int{1, 3, len(subs), 1000} {
		var got []string
		for _, it := range b.pages(func(cursor string) (ledger.Page, error) {
			return b.Store.List(b.ctx, parent, cursor, limit)
		}, limit) {
			got = append(got, it.Text("sub"))
		}
		if !slices.Equal(got, subs) {
			b.Errorf("limit %d: got %q, want %q", limit, got, subs)
		}
	}
	all, err := ledger.ReadAll(b.ctx, b.Store, parent)
	if err != nil || len(all) != len(subs) {
		b.Errorf("ReadAll: got %d, %v", len(all), err)
	}
}

// pages walks a list to its end and checks what every page promises.
func (b *bench) pages(read func(cursor string) (ledger.Page, error), limit int) []item {
	b.Helper()
	var all []item
	seen := map[string]bool{}
	for cursor := ""; ; {
		p, err := read(cursor)
		if err != nil {
			b.Fatalf("page: %v", err)
		}
		if len(p.Items) > limit {
			b.Fatalf("a page of %d, limit %d", len(p.Items), limit)
		}
		all = append(all, p.Items...)
		if p.Next == "" {
			return all
		}
		if seen[p.Next] {
			b.Fatal("a cursor came twice")
		}
		seen[p.Next], cursor = true, p.Next
	}
}

func listParent(b *bench) {
	for _, k := range []ledger.Key{
		b.attempt("x", ""), b.attempt("x", "1"), b.attempt("x", "2"),
		b.attempt("x#y", "1"), b.attempt("x#", "1"), b.attempt("x ", "1"), b.attempt("x/1", "1"), b.attempt("xx", "1"), b.attempt("X", "1"),
		{Entity: ledger.Enquiry, Tenant: b.tenant, ID: "x", Sub: "1"},
		{Entity: ledger.Attempt, Tenant: b.tenant + "y", ID: "x", Sub: "1"},
		b.contact("x"),
	} {
		b.must(create(k, item{"a": "b"}))
	}
	items, err := ledger.ReadAll(b.ctx, b.Store, b.attempt("x", ""))
	if err != nil {
		b.Fatal(err)
	}
	var got []ledger.Key
	for _, it := range items {
		got = append(got, ledger.KeyOf(it))
	}
	if want := []ledger.Key{b.attempt("x", ""), b.attempt("x", "1"), b.attempt("x", "2")}; !slices.Equal(got, want) {
		b.Errorf("got %v, want %v", got, want)
	}
	if items, err = ledger.ReadAll(b.ctx, b.Store, b.attempt("nothing", "")); err != nil || len(items) != 0 {
		b.Errorf("of nothing: got %v, %v", items, err)
	}
}

func invalidReads(b *bench) {
	good := ledger.Query{Table: schema.Events, Index: schema.ByDue, Partition: b.tenant, Limit: 1}
	for name, change := range map[string]func(*ledger.Query){
		"no index":             func(q *ledger.Query) { q.Index = "" },
		"index of other table": func(q *ledger.Query) { q.Index = schema.ByOpenReview },
		"unknown table":        func(q *ledger.Query) { q.Table = "leads" },
		"no partition":         func(q *ledger.Query) { q.Partition = "" },
		"no limit":             func(q *ledger.Query) { q.Limit = 0 },
		"limit too high":       func(q *ledger.Query) { q.Limit = ledger.MaxPage + 1 },
	} {
		q := good
		change(&q)
		_, err := b.Store.Query(b.ctx, q)
		b.invalid("query: "+name, err)
	}
	if p, err := b.Store.Query(b.ctx, good); err != nil || len(p.Items) != 0 || p.Next != "" {
		b.Errorf("query of nothing: got %+v, %v", p, err)
	}
	for name, s := range map[string]ledger.Scan{
		"unknown table":   {Table: "leads", Segments: 1, Limit: 1},
		"no segments":     {Table: schema.Ledger, Limit: 1},
		"segment too far": {Table: schema.Ledger, Segment: 2, Segments: 2, Limit: 1},
		"below":           {Table: schema.Ledger, Segment: -1, Segments: 2, Limit: 1},
		"no limit":        {Table: schema.Ledger, Segments: 1},
	} {
		_, err := b.Store.Scan(b.ctx, s)
		b.invalid("scan: "+name, err)
	}
	_, err := b.Store.List(b.ctx, b.attempt("a", ""), "", 0)
	b.invalid("list without limit", err)
	_, err = b.Store.List(b.ctx, ledger.Key{Entity: ledger.Attempt, Tenant: b.tenant}, "", 1)
	b.invalid("list without id", err)
	_, err = b.Store.Get(b.ctx, ledger.Key{Entity: "lead", Tenant: b.tenant, ID: "x"})
	b.invalid("get of unknown entity", err)
	many := make([]ledger.Key, ledger.MaxKeys+1)
	for i := range many {
		many[i] = b.contact(fmt.Sprint(i))
	}
	_, err = b.Store.GetMany(b.ctx, many)
	b.invalid("too many keys", err)
	_, err = b.Store.GetMany(b.ctx, []ledger.Key{many[0], many[1], many[0]})
	b.invalid("one key twice", err)
}

// scan counts only what the test wrote: another may be writing to the table.
func scan(b *bench) {
	want := map[ledger.Key]bool{}
	for i := range 40 {
		k := b.attempt(fmt.Sprint(i/2), fmt.Sprint(i%2))
		b.must(create(k, item{"a": "b"}))
		want[k] = true
	}
	b.must(create(b.event("elsewhere"), item{"a": "b"}))
	for _, segments := range []int{1, 3} {
		got := map[ledger.Key]int{}
		for segment := range segments {
			limit := 17 / segments
			if segments == 1 {
				limit = 100
			}
			for _, it := range b.pages(func(cursor string) (ledger.Page, error) {
				return b.Store.Scan(b.ctx, ledger.Scan{Table: schema.Ledger, Segment: segment, Segments: segments, Cursor: cursor, Limit: limit})
			}, limit) {
				if it.Text("tenant") == b.tenant {
					got[ledger.KeyOf(it)]++
				}
			}
		}
		for k := range want {
			if got[k] != 1 {
				b.Errorf("%d segments: %s/%s came %d times", segments, k.ID, k.Sub, got[k])
			}
		}
		if len(got) != len(want) {
			b.Errorf("%d segments: %d items, want %d", segments, len(got), len(want))
		}
	}
}

func copies(b *bench) {
	k := b.attempt("p", "1")
	attrs := item{"a": "b", "open_for": b.tenant, "opened_at": "1", "list": []any{"x"}, "map": map[string]any{"l": []any{"x"}}}
	want := stored(k, 1, attrs)
	b.must(create(k, attrs))
	spoil := func(it item) {
		b.Helper()
		b.same("read", it, want)
		it["a"], it["new"] = "spoilt", "x"
		it["list"].([]any)[0] = "spoilt"
		it["map"].(map[string]any)["l"].([]any)[0] = "spoilt"
	}
	attrs["a"], attrs["list"].([]any)[0] = "spoilt", "spoilt" // what was handed in
	spoil(b.get(k))
	many, err := b.Store.GetMany(b.ctx, []ledger.Key{k})
	if err != nil {
		b.Fatal(err)
	}
	spoil(many[0])
	listed, err := ledger.ReadAll(b.ctx, b.Store, k)
	if err != nil || len(listed) != 1 {
		b.Fatalf("list: %v, %v", listed, err)
	}
	spoil(listed[0])
	f, _ := b.refused(create(k, item{"a": "b"})).By("create")
	spoil(f.Current)
	b.same("after all", b.get(k), want)

	set := item{"list": []any{"y"}}
	b.must(update(k, ledger.Cond{}, set))
	set["list"].([]any)[0] = "spoilt"
	if got := b.get(k)["list"].([]any)[0]; got != "y" {
		b.Errorf("what was set changed to %v", got)
	}
}

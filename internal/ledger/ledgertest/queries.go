package ledgertest

import (
	"fmt"
	"slices"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// due queries by_due of the events for this test's own partition.
func (b *bench) due(partition, upTo string, limit int) []item {
	b.Helper()
	return b.pages(func(cursor string) (ledger.Page, error) {
		return b.Store.Query(b.ctx, ledger.Query{Table: schema.Events, Index: schema.ByDue,
			Partition: partition, UpTo: upTo, Cursor: cursor, Limit: limit})
	}, limit)
}

func ids(items []item) []string {
	got := make([]string, len(items))
	for i, it := range items {
		got[i] = it.Text("id")
	}
	return got
}

func (b *bench) dueEvent(id, partition, at string) {
	b.Helper()
	b.must(create(b.event(id), item{schema.DueShard: partition, schema.DueAt: at}))
}

func query(b *bench) {
	p := b.tenant + "/p"
	for _, i := range []int{3, 1, 4, 0, 5, 2} {
		b.dueEvent(fmt.Sprint(i), p, fmt.Sprintf("2026-01-0%dT00:00:00.000Z", i+1))
	}
	b.dueEvent("longer", p, "2026-01-03T00:00:00.000Z+") // sorts right after 2
	b.dueEvent("other", p+"#", "2026-01-01T00:00:00.000Z")
	b.dueEvent("shorter", b.tenant, "2026-01-01T00:00:00.000Z")
	b.must(create(b.event("elsewhere"), item{"a": "b"}))
	all := []string{"0", "1", "2", "longer", "3", "4", "5"}
	for _, limit := range []int{1, 2, 7, 1000} {
		b.within(fmt.Sprint("all by ", limit), func() bool { return slices.Equal(ids(b.due(p, "", limit)), all) })
	}
	for upTo, want := range map[string][]string{
		"2026-01-03T00:00:00.000Z": {"0", "1", "2"}, // the bound itself counts
		"2026-01-03T00:00:00.000":  {"0", "1"},
		"2026-01-04":               {"0", "1", "2", "longer"},
		"2025":                     {},
		"3":                        all,
	} {
		for _, limit := range []int{2, 100} {
			b.within("up to "+upTo, func() bool { return slices.Equal(ids(b.due(p, upTo, limit)), want) })
		}
	}
}

// queryEqual asks for no order between equal sort values, but for each item
// once.
func queryEqual(b *bench) {
	var want []string
	for i := range 9 {
		id := fmt.Sprintf("%d#%d", i, i)
		want = append(want, id)
		b.dueEvent(id, b.tenant, "same")
	}
	for _, limit := range []int{1, 2, 4, 9} {
		b.within(fmt.Sprint("limit ", limit), func() bool {
			got := ids(b.due(b.tenant, "same", limit))
			slices.Sort(got)
			return slices.Equal(got, want)
		})
	}
}

// sparse: an item is in an index exactly while it has both attributes.
func sparse(b *bench) {
	p, k := b.tenant, b.event("e")
	sees := func(what string, want ...string) {
		b.Helper()
		b.within(what, func() bool { return slices.Equal(ids(b.due(p, "", 10)), want) })
	}
	b.dueEvent("anchor", p, "5")
	b.must(create(k, item{"a": "b"}))
	sees("neither attribute", "anchor")
	b.must(update(k, ledger.Cond{}, item{schema.DueShard: p}))
	sees("partition alone", "anchor")
	b.must(update(k, ledger.Cond{}, item{schema.DueAt: "1"}))
	sees("both", "e", "anchor")
	b.must(update(k, ledger.Cond{}, item{"a": "c"}))
	sees("another attribute", "e", "anchor")
	b.must(update(k, ledger.Cond{}, item{schema.DueAt: "9"}))
	sees("moved", "anchor", "e")
	b.must(update(k, ledger.Cond{}, nil, schema.DueShard))
	sees("partition removed", "anchor")
	b.must(update(k, ledger.Cond{}, item{schema.DueShard: p + "x"}))
	sees("in another partition", "anchor")
	b.within("in another partition", func() bool { return slices.Equal(ids(b.due(p+"x", "", 10)), []string{"e"}) })
	b.must(update(k, ledger.Cond{}, item{schema.DueShard: p, schema.DueAt: "5"}))
	b.within("back", func() bool { return len(b.due(p, "", 10)) == 2 })
	b.must(update(k, ledger.Cond{}, nil, schema.DueAt, schema.DueShard))
	sees("both removed", "anchor")
	b.refused(update(b.event("anchor"), ledger.Is("a", "x"), item{schema.DueAt: "7"}))
	sees("refused", "anchor")
	if it := b.get(b.event("anchor")); it.Text(schema.DueAt) != "5" {
		b.Errorf("after a refused move: due at %q", it.Text(schema.DueAt))
	}
}

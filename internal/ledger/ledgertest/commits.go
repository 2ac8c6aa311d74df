package ledgertest

import (
	"context"
	"fmt"
	"math"
	"strings"

	"onefold/internal/ledger"
)

func atomicity(b *bench) {
	old := b.contact("old")
	b.must(create(old, item{"n": int64(1)}))
	good := []ledger.Write{
		create(b.contact("new"), item{"n": int64(1)}),
		create(b.event("new"), item{"n": int64(1)}), // another table
		update(old, ledger.Cond{}, item{"n": int64(2)}),
	}
	for name, bad := range map[string]ledger.Write{
		"create": create(b.contact("taken"), item{"n": int64(9)}),
		"update": update(b.contact("missing"), ledger.Cond{}, item{"n": int64(9)}),
		"cond":   update(b.contact("taken"), ledger.Is("n", 7), item{"n": int64(9)}),
		"check":  check(b.contact("taken"), ledger.Missing()),
	} {
		if b.get(b.contact("taken")) == nil {
			b.must(create(b.contact("taken"), item{"n": int64(1)}))
		}
		for at := range len(good) + 1 { // wherever in the commit it stands
			writes := append(append(append([]ledger.Write{}, good[:at]...), bad), good[at:]...)
			b.refused(writes...)
		}
		b.same(name+": new contact", b.get(b.contact("new")), nil)
		b.same(name+": new event", b.get(b.event("new")), nil)
		b.same(name+": missing", b.get(b.contact("missing")), nil)
		b.same(name+": old", b.get(old), stored(old, 1, item{"n": int64(1)}))
		b.same(name+": taken", b.get(b.contact("taken")), stored(b.contact("taken"), 1, item{"n": int64(1)}))
	}
	b.must(good...)
	b.same("then old", b.get(old), stored(old, 2, item{"n": int64(2)}))
	b.same("then event", b.get(b.event("new")), stored(b.event("new"), 1, item{"n": int64(1)}))
}

func refusal(b *bench) {
	taken, gone := b.contact("taken"), b.contact("gone")
	b.must(create(taken, item{"owner": "first", "deep": map[string]any{"l": []any{"x", int64(2)}}}))
	w := create(taken, item{"owner": "second"})
	w.Name = "contact_key"
	r := b.refused(create(b.contact("fine"), item{"a": "b"}), w)
	f, ok := r.By("contact_key")
	if !ok || f.Key != taken || len(r.Failures) != 1 {
		b.Fatalf("failures: got %+v, want contact_key alone", r.Failures)
	}
	b.same("current", f.Current, b.get(taken))

	w = update(gone, ledger.Cond{}, item{"a": "b"})
	w.Name = "guard"
	f, ok = b.refused(w).By("guard")
	if !ok || f.Key != gone || f.Current != nil {
		b.Errorf("refused update of nothing: got %+v, %t", f, ok)
	}

	w = check(taken, ledger.Is("owner", "second"))
	w.Name = "fence"
	f, ok = b.refused(w).By("fence")
	if !ok || f.Current.Text("owner") != "first" {
		b.Errorf("refused check: got %+v, %t", f, ok)
	}
}

func versions(b *bench) {
	k := b.contact("c")
	b.must(create(k, item{"n": int64(0), "version": int64(41)})) // the store's own word counts
	b.same("created", b.get(k), stored(k, 1, item{"n": int64(0)}))
	b.refused(create(k, item{"n": int64(0)}))
	for v := int64(1); v <= 3; v++ {
		b.must(update(k, ledger.AtVersion(v), item{"n": v}))
		b.same("updated", b.get(k), stored(k, v+1, item{"n": v}))
	}
	b.refused(update(k, ledger.AtVersion(3), item{"n": int64(0)}))
	b.must(update(k, ledger.Cond{}, item{"n": int64(3)})) // the same value is a write too
	b.same("same value", b.get(k), stored(k, 5, item{"n": int64(3)}))
}

func updates(b *bench) {
	k := b.contact("c")
	b.must(create(k, item{"a": "1", "b": "2", "c": "3", "list": []any{"x"}}))
	b.must(update(k, ledger.Cond{}, item{"b": "20", "new": true}, "c", "never"))
	b.same("set and removed", b.get(k), stored(k, 2, item{"a": "1", "b": "20", "list": []any{"x"}, "new": true}))
	b.must(update(k, ledger.Present("a"), nil, "a"))
	b.same("removed alone", b.get(k), stored(k, 3, item{"b": "20", "list": []any{"x"}, "new": true}))
	var c ledger.Commit
	if err := c.Update("u", k, ledger.Cond{}, item{"b": "", "list": []string{"y"}}); err != nil {
		b.Fatal(err)
	}
	b.must(c.Writes...)
	b.same("empty text removes", b.get(k), stored(k, 4, item{"list": []any{"y"}, "new": true}))
}

func updateMissing(b *bench) {
	k := b.contact("nobody")
	for _, cond := range []ledger.Cond{{}, ledger.Missing(), ledger.Absent("x")} {
		b.refused(update(k, cond, item{"a": "b"}))
	}
	b.same("after", b.get(k), nil)
}

func checkOnly(b *bench) {
	k := b.contact("c")
	b.must(create(k, item{"a": "b"}))
	b.must(check(k, ledger.Is("a", "b")), check(b.contact("none"), ledger.Missing()))
	b.same("checked", b.get(k), stored(k, 1, item{"a": "b"}))
	b.same("checked for absence", b.get(b.contact("none")), nil)
	b.must(check(k, ledger.AtVersion(1)), create(b.contact("d"), item{"a": "b"}))
	b.refused(check(k, ledger.AtVersion(2)), create(b.contact("e"), item{"a": "b"}))
	b.same("beside a refused check", b.get(b.contact("e")), nil)
}

func invalidCommits(b *bench) {
	k, other := b.contact("c"), b.contact("other")
	b.must(create(k, item{"a": "b"}))
	fine := create(other, item{"a": "b"})
	key := func(change func(*ledger.Key)) ledger.Write {
		k := b.contact("bad")
		change(&k)
		return create(k, item{"a": "b"})
	}
	many := make([]ledger.Write, ledger.MaxWrites+1)
	for i := range many {
		many[i] = create(b.contact(fmt.Sprint("many", i)), item{"a": "b"})
	}
	for name, writes := range map[string][]ledger.Write{
		"no writes":                {},
		"too many":                 many,
		"one key twice":            {fine, update(k, ledger.Cond{}, item{"a": "c"}), check(k, ledger.Present("a"))},
		"create of nothing":        {fine, create(b.contact("x"), nil)},
		"update of nothing":        {fine, update(k, ledger.Cond{}, nil)},
		"check of nothing":         {fine, check(k, ledger.Cond{})},
		"unknown write":            {fine, {Op: "put", Key: k, Item: item{"a": "c"}}},
		"sets version":             {fine, update(k, ledger.Cond{}, item{"version": int64(9)})},
		"sets tenant":              {fine, update(k, ledger.Cond{}, item{"tenant": "x"})},
		"sets pk":                  {fine, update(k, ledger.Cond{}, item{"pk": "x"})},
		"removes entity":           {fine, update(k, ledger.Cond{}, nil, "entity")},
		"removes version":          {fine, update(k, ledger.Cond{}, nil, "version")},
		"creates with sk":          {fine, create(b.contact("x"), item{"sk": "x"})},
		"sets and removes":         {fine, update(k, ledger.Cond{}, item{"a": "c"}, "a")},
		"removes twice":            {fine, update(k, ledger.Cond{}, nil, "a", "a")},
		"unnamed attribute":        {fine, create(b.contact("x"), item{"": "x"})},
		"empty text":               {fine, create(b.contact("x"), item{"a": ""})},
		"null":                     {fine, create(b.contact("x"), item{"a": nil})},
		"float":                    {fine, create(b.contact("x"), item{"a": 1.5})},
		"plain int":                {fine, update(k, ledger.Cond{}, item{"a": 1})},
		"nested null":              {fine, create(b.contact("x"), item{"a": []any{nil}})},
		"not UTF-8":                {fine, create(b.contact("x"), item{"a": "\xff"})},
		"number in an index":       {fine, create(b.event("x"), item{"due_at": int64(1)})},
		"long text in an index":    {fine, create(b.event("x"), item{"due_at": strings.Repeat("x", ledger.MaxSortText+1)})},
		"too big":                  {fine, create(b.contact("x"), item{"a": strings.Repeat("x", ledger.MaxItemBytes)})},
		"condition without value":  {fine, update(k, ledger.Is("a", ""), item{"a": "c"})},
		"condition with a list":    {fine, check(k, ledger.Is("a", []string{"b"}))},
		"condition with a float":   {fine, check(k, ledger.Cond{Op: ledger.OpLess, Attr: "a", Value: 1.5})},
		"order of bools":           {fine, check(k, ledger.Less("a", true))},
		"condition on pk":          {fine, check(k, ledger.Present("pk"))},
		"condition on no name":     {fine, check(k, ledger.Present(""))},
		"unknown condition":        {fine, check(k, ledger.Cond{Op: "like", Attr: "a", Value: "b"})},
		"empty group":              {fine, check(k, ledger.All(ledger.Any()))},
		"unknown entity":           {fine, key(func(k *ledger.Key) { k.Entity = "lead" })},
		"no tenant":                {fine, key(func(k *ledger.Key) { k.Tenant = "" })},
		"no id":                    {fine, key(func(k *ledger.Key) { k.ID = "" })},
		"long tenant":              {fine, key(func(k *ledger.Key) { k.Tenant = strings.Repeat("x", ledger.MaxTenantBytes+1) })},
		"long id":                  {fine, key(func(k *ledger.Key) { k.ID = strings.Repeat("x", ledger.MaxIDBytes+1) })},
		"long sub":                 {fine, key(func(k *ledger.Key) { k.Sub = strings.Repeat("x", ledger.MaxSubBytes+1) })},
		"key that is not UTF-8":    {fine, key(func(k *ledger.Key) { k.ID = "a\xff" })},
		"nested value of bad type": {fine, create(b.contact("x"), item{"a": map[string]any{"n": 3}})},
	} {
		b.invalid(name, b.commit(writes...))
	}
	b.same("k", b.get(k), stored(k, 1, item{"a": "b"}))
	for _, id := range []string{"other", "x", "bad", "many0"} {
		b.same(id, b.get(b.contact(id)), nil)
	}
	b.same("event", b.get(b.event("x")), nil)
}

func mostWrites(b *bench) {
	writes := make([]ledger.Write, ledger.MaxWrites)
	keys := make([]ledger.Key, len(writes))
	for i := range writes {
		keys[i] = b.attempt("many", fmt.Sprintf("%03d", i))
		writes[i] = create(keys[i], item{"i": int64(i)})
	}
	b.must(writes...)
	items, err := b.Store.GetMany(b.ctx, keys)
	if err != nil {
		b.Fatal(err)
	}
	for i, it := range items {
		b.same(keys[i].Sub, it, stored(keys[i], 1, item{"i": int64(i)}))
	}
}

func cancelled(b *bench) {
	k := b.contact("c")
	b.must(create(k, item{"a": "b"}))
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	err := b.Store.Commit(ctx, ledger.Commit{Writes: []ledger.Write{
		create(b.contact("d"), item{"a": "b"}), update(k, ledger.Cond{}, item{"a": "c"})}})
	if _, refused := ledger.AsRefused(err); err == nil || refused {
		b.Errorf("commit: got %v, want an error that is no refusal", err)
	}
	if it, err := b.Store.Get(ctx, k); err == nil {
		b.Errorf("get: got %v without an error", it)
	}
	b.same("created", b.get(b.contact("d")), nil)
	b.same("updated", b.get(k), stored(k, 1, item{"a": "b"}))
}

func values(b *bench) {
	k := b.contact("c")
	want := item{
		"text": "a\x00b\r\n\t\"\\ <&> \u2028 é e\u0301 \U0001F600 \ufffd", "spaces": "  ", "number": int64(math.MaxInt64),
		"low": int64(math.MinInt64), "zero": int64(0), "yes": true, "no": false, "like a number": "007", "1e3": "1e3",
		"list": []any{}, "map": map[string]any{}, "#odd.name[0]": ":v",
		"deep": []any{"", int64(1), false, []any{map[string]any{"k": "", "l": []any{}}}},
		"long": strings.Repeat("wörter ", 5000),
	}
	b.must(create(k, want))
	b.same("created", b.get(k), stored(k, 1, want))
	e := b.event("e")
	b.must(create(e, item{"a": "b"}))
	b.must(update(e, ledger.Cond{}, want))
	want["a"] = "b"
	b.same("updated", b.get(e), stored(e, 2, want))
}

package ledgertest

import (
	"fmt"
	"math"

	"onefold/internal/ledger"

	"pgregory.net/rapid"
)

// conditionOperators judges each operator on an item, on an absent attribute,
// on another type and on an absent item, with answers written by hand.
func conditionOperators(b *bench) {
	there, gone := b.contact("there"), b.contact("gone")
	b.must(create(there, item{"text": "m", "number": int64(5), "yes": true, "no": false, "list": []any{"m"}}))
	before := b.get(there)
	for _, c := range []struct {
		cond        ledger.Cond
		there, gone bool
	}{
		{ledger.Missing(), false, true},
		{ledger.Absent("text"), false, true},
		{ledger.Absent("other"), true, true},
		{ledger.Present("text"), true, false},
		{ledger.Present("no"), true, false},
		{ledger.Present("other"), false, false},
		{ledger.Is("text", "m"), true, false},
		{ledger.Is("text", "M"), false, false},
		{ledger.Is("text", "5"), false, false},
		{ledger.Is("text", 5), false, false},
		{ledger.Is("number", 5), true, false},
		{ledger.Is("number", "5"), false, false},
		{ledger.Is("number", 6), false, false},
		{ledger.Is("yes", true), true, false},
		{ledger.Is("yes", false), false, false},
		{ledger.Is("no", false), true, false},
		{ledger.Is("yes", "true"), false, false},
		{ledger.Is("yes", 1), false, false},
		{ledger.Is("list", "m"), false, false},
		{ledger.Is("other", "m"), false, false},
		{ledger.Less("text", "n"), true, false},
		{ledger.Less("text", "m"), false, false},
		{ledger.Less("text", "ma"), true, false},
		{ledger.Less("text", "é"), true, false}, // by bytes: é is 0xc3 0xa9
		{ledger.Less("text", "Z"), false, false},
		{ledger.Less("number", 6), true, false},
		{ledger.Less("number", 5), false, false},
		{ledger.Less("number", 10), true, false}, // not as text
		{ledger.Less("number", "6"), false, false},
		{ledger.Less("other", 6), false, false},
		{ledger.AtMost("text", "m"), true, false},
		{ledger.AtMost("text", "l"), false, false},
		{ledger.AtMost("number", 5), true, false},
		{ledger.AtMost("number", 4), false, false},
		{ledger.AtMost("yes", 5), false, false},
		{ledger.AtMost("other", "z"), false, false},
		{ledger.More("text", "l"), true, false},
		{ledger.More("text", "m"), false, false},
		{ledger.More("number", -5), true, false},
		{ledger.More("number", 5), false, false},
		{ledger.More("list", "a"), false, false},
		{ledger.AtLeast("text", "m"), true, false},
		{ledger.AtLeast("text", "n"), false, false},
		{ledger.AtLeast("number", 5), true, false},
		{ledger.AtLeast("number", 6), false, false},
		{ledger.AtLeast("text", 1), false, false},
		{ledger.AtLeast("other", ""+"a"), false, false},
		{ledger.OneOf("text", "a", "m"), true, false},
		{ledger.OneOf("text", "a", "b"), false, false},
		{ledger.All(ledger.Is("text", "m"), ledger.Is("number", 5)), true, false},
		{ledger.All(ledger.Is("text", "m"), ledger.Is("number", 6)), false, false},
		{ledger.All(ledger.Is("text", "m"), ledger.Cond{}), true, false},
		{ledger.Any(ledger.Is("text", "x"), ledger.Is("number", 5)), true, false},
		{ledger.Any(ledger.Is("text", "x"), ledger.Is("number", 6)), false, false},
		{ledger.Any(ledger.Missing(), ledger.Is("text", "m")), true, true},
		{ledger.Any(ledger.Is("text", "x"), ledger.Cond{}), true, true},
		{ledger.All(ledger.Absent("other"), ledger.Any(ledger.Missing(), ledger.Less("number", 9))), true, true},
		{ledger.AtVersion(0), false, true},
		{ledger.AtVersion(1), true, false},
		{ledger.AtVersion(2), false, false},
	} {
		name := fmt.Sprintf("%+v", c.cond)
		if got := c.cond.Holds(before); got != c.there {
			b.Errorf("Holds(%s) on an item: got %t", name, got)
		}
		if got := c.cond.Holds(nil); got != c.gone {
			b.Errorf("Holds(%s) on no item: got %t", name, got)
		}
		if got := b.accepted(there, c.cond); got != c.there {
			b.Errorf("store, %s on an item: got %t", name, got)
		}
		if got := b.accepted(gone, c.cond); got != c.gone {
			b.Errorf("store, %s on no item: got %t", name, got)
		}
	}
}

// accepted asks the store for its verdict.
func (b *bench) accepted(k ledger.Key, c ledger.Cond) bool {
	b.Helper()
	err := b.commit(check(k, c))
	if _, refused := ledger.AsRefused(err); err != nil && !refused {
		b.Fatalf("check %+v: %v", c, err)
	}
	return err == nil
}

// randomConditions compares the verdict of the store with Cond.Holds, which is
// the definition, over groups of conditions on items of all shapes. The seeds
// are fixed, so that a failure comes again.
func randomConditions(b *bench) {
	const shapes, conds = 6, 120
	var keys [shapes]ledger.Key
	var items [shapes]item
	for i := range keys {
		keys[i] = b.contact(fmt.Sprint("shape ", i))
		if i == 0 {
			continue // stays absent
		}
		b.must(create(keys[i], anyItem().Example(i)))
		items[i] = b.get(keys[i])
	}
	held := 0
	for seed := range conds {
		cond, i := anyCond(2).Example(seed), seed%shapes
		want := cond.Holds(items[i])
		if want {
			held++
		}
		if got := b.accepted(keys[i], cond); got != want {
			b.Errorf("seed %d: %+v on %v: store says %t", seed, cond, items[i], got)
		}
	}
	if held < conds/10 || held > conds*9/10 {
		b.Errorf("%d of %d conditions held: the generator tells too little", held, conds)
	}
}

// conditionsOfWrites puts the condition on the write itself, where a store may
// judge it by another road than a check.
func conditionsOfWrites(b *bench) {
	for seed := range 40 {
		k, cond := b.contact(fmt.Sprint(seed)), anyCond(1).Example(1000+seed)
		w := create(k, item{"s": "new"})
		w.If = cond
		if seed%2 == 1 {
			b.must(create(k, anyItem().Example(2000+seed)))
			w = update(k, cond, item{"changed": true})
		}
		before := b.get(k)
		want := before
		if w.Allowed(before) {
			want = w.Apply(before)
			b.must(w)
		} else {
			b.refused(w)
		}
		b.same(fmt.Sprintf("seed %d after %+v", seed, cond), b.get(k), want)
	}
}

var attrs = []string{"s", "n", "b", "mixed", "none"}

func anyText() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"a", "b", "B", "aa", "a ", "10", "9", "é", "e\u0301", "z\x00", "\U0001F600", "\uffff"})
}

func anyNumber() *rapid.Generator[int64] {
	return rapid.SampledFrom([]int64{-10, -1, 0, 1, 9, 10, math.MaxInt64, math.MinInt64})
}

func anyItem() *rapid.Generator[item] {
	return rapid.Custom(func(t *rapid.T) item {
		it := item{"always": "x"}
		if rapid.Bool().Draw(t, "s?") {
			it["s"] = anyText().Draw(t, "s")
		}
		if rapid.Bool().Draw(t, "n?") {
			it["n"] = anyNumber().Draw(t, "n")
		}
		if rapid.Bool().Draw(t, "b?") {
			it["b"] = rapid.Bool().Draw(t, "b")
		}
		switch rapid.IntRange(0, 4).Draw(t, "mixed?") {
		case 0:
			it["mixed"] = anyText().Draw(t, "text")
		case 1:
			it["mixed"] = anyNumber().Draw(t, "number")
		case 2:
			it["mixed"] = []any{anyText().Draw(t, "element")}
		case 3:
			it["mixed"] = map[string]any{"s": anyText().Draw(t, "value")}
		}
		return it
	})
}

func anyCond(depth int) *rapid.Generator[ledger.Cond] {
	return rapid.Custom(func(t *rapid.T) ledger.Cond {
		if depth > 0 && rapid.Bool().Draw(t, "group?") {
			subs := rapid.SliceOfN(anyCond(depth-1), 1, 3).Draw(t, "subs")
			if rapid.Bool().Draw(t, "all?") {
				return ledger.All(subs...)
			}
			return ledger.Any(subs...)
		}
		attr := rapid.SampledFrom(attrs).Draw(t, "attr")
		op := rapid.SampledFrom([]ledger.CondOp{ledger.OpMissing, ledger.OpAbsent, ledger.OpPresent, ledger.OpEqual,
			ledger.OpEqual, ledger.OpLess, ledger.OpAtMost, ledger.OpMore, ledger.OpAtLeast}).Draw(t, "op")
		switch op {
		case ledger.OpMissing:
			return ledger.Missing()
		case ledger.OpAbsent, ledger.OpPresent:
			return ledger.Cond{Op: op, Attr: attr}
		default: // it compares with a value
		}
		kind := rapid.IntRange(0, 2).Draw(t, "kind")
		switch {
		case kind == 0 || attr == "s" && kind == 1:
			return ledger.Cond{Op: op, Attr: attr, Value: anyText().Draw(t, "text")}
		case kind == 2 && op == ledger.OpEqual:
			return ledger.Is(attr, rapid.Bool().Draw(t, "bool"))
		default:
			return ledger.Cond{Op: op, Attr: attr, Value: anyNumber().Draw(t, "number")}
		}
	})
}

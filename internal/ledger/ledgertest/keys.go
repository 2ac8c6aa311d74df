package ledgertest

import (
	"fmt"
	"strings"

	"onefold/internal/ledger"
)

// words are texts that a store's way of writing keys could trip over: its
// likely separators and escapes, spaces at the ends, other scripts, and pairs
// that only a careless store takes for one.
var words = [...]string{
	"a", "A", "a ", " a", " ", "a#b", "a##b", "#", "##", "a/b", "a//b", "/", "..", ".", "a%23b", "a%2523b", "%", "%%", "%0", "%zz",
	"a+b", "a b", "a:b", "a|b", "a\\b", "\\", "a\"b", "'", "`", "a=b", "a&b", "a,b", "a;b", "{}", "[]", "<>", "$", "~", "^", "*", "?", "-", "_",
	"é", "e\u0301", "ß", "SS", "日本", "\U0001F600", "\u200b", "\u00a0", "\ufeffa", "\uffff", "null", "0", "00", "true",
}

func unusualKeys(b *bench) {
	for _, k := range unusual(b.tenant) {
		b.must(create(k, item{"mark": k.ID + "|" + k.Sub}))
	}
	for _, k := range unusual(b.tenant) {
		it := b.get(k)
		b.same(fmt.Sprintf("%q %q", k.ID, k.Sub), it, stored(k, 1, item{"mark": k.ID + "|" + k.Sub}))
		if ledger.KeyOf(it) != k {
			b.Errorf("KeyOf(%q, %q): got %+v", k.ID, k.Sub, ledger.KeyOf(it))
		}
	}
}

func unusual(tenant string) []ledger.Key {
	var keys []ledger.Key
	for _, w := range words {
		keys = append(keys,
			ledger.Key{Entity: ledger.Contact, Tenant: tenant, ID: w},
			ledger.Key{Entity: ledger.Attempt, Tenant: tenant, ID: "x", Sub: w})
	}
	long := func(unit string, limit int) string { return strings.Repeat(unit, limit/len(unit)) }
	for _, unit := range []string{"x", "#", "%", "/", " ", "é", "\U0001F600"} {
		keys = append(keys, ledger.Key{Entity: ledger.Attempt, Tenant: tenant,
			ID: long(unit, ledger.MaxIDBytes), Sub: long(unit, ledger.MaxSubBytes)})
	}
	rest := ledger.MaxTenantBytes - len(tenant)
	return append(keys, ledger.Key{Entity: ledger.Contact, Tenant: tenant + long("%", rest), ID: long("#", ledger.MaxIDBytes)})
}

// keysApart creates pairs of keys whose words give one text when they are put
// together with some separator. Each must be an item of its own.
func keysApart(b *bench) {
	tenant := b.tenant
	at := func(e ledger.Entity, tenant, id, sub string) ledger.Key {
		return ledger.Key{Entity: e, Tenant: tenant, ID: id, Sub: sub}
	}
	var keys []ledger.Key
	for _, sep := range []string{"#", "/", "%", ":", "|", "\\", " ", "-", "%23", "##"} {
		keys = append(keys,
			at(ledger.Attempt, tenant, "a", "b"+sep+"c"),
			at(ledger.Attempt, tenant, "a"+sep+"b", "c"),
			at(ledger.Attempt, tenant, "a"+sep, "b"),
			at(ledger.Attempt, tenant, "a", sep+"b"),
			at(ledger.Attempt, tenant, "a"+sep+"b"+sep+"c", ""),
			at(ledger.Contact, tenant+sep+"y", "z", ""),
			at(ledger.Contact, tenant, "y"+sep+"z", ""),
		)
	}
	keys = append(keys,
		at(ledger.Attempt, tenant, "a", ""), at(ledger.Attempt, tenant, "a", "b"),
		at(ledger.Contact, tenant, "a", ""), at(ledger.Guard, tenant, "a", ""), // other entities, same words
		at(ledger.Event, tenant, "a", ""), at(ledger.Delivery, tenant, "a", "b"), at(ledger.Extraction, tenant, "a", "b"),
		at(ledger.Policy, tenant, "current", ""), at(ledger.PolicyCurrent, tenant, "current", ""),
	)
	for i, k := range keys {
		b.must(create(k, item{"i": int64(i)}))
	}
	for i, k := range keys {
		b.same(fmt.Sprintf("%+v", k), b.get(k), stored(k, 1, item{"i": int64(i)}))
	}
}

func controlCharacters(b *bench) {
	for _, c := range []string{"\x00", "\x01", "\t", "\n", "\r", "\x1f", "\x7f", "\u0085"} {
		for _, k := range []ledger.Key{
			{Entity: ledger.Attempt, Tenant: b.tenant + c, ID: "a"},
			{Entity: ledger.Attempt, Tenant: b.tenant, ID: "a" + c + "b"},
			{Entity: ledger.Attempt, Tenant: b.tenant, ID: c},
			{Entity: ledger.Attempt, Tenant: b.tenant, ID: "a", Sub: c + "b"},
		} {
			what := fmt.Sprintf("%q %q", k.ID, k.Sub)
			b.invalid("create "+what, b.commit(create(k, item{"a": "b"})))
			_, err := b.Store.Get(b.ctx, k)
			b.invalid("get "+what, err)
		}
	}
}

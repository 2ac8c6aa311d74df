package address

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// IdentityRule is a tenant's choice of when two local parts are one person.
// The zero value folds case and nothing else.
type IdentityRule struct {
	KeepLocalCase bool // take A@ and a@ for two people
	FoldDots      bool // take a.b@ and ab@ for one person
	FoldPlus      bool // take a+tag@ and a@ for one person
}

// IdentityKey names one person under one rule: narrow, since a wrong merge
// cannot be seen from outside. Keys of different rules do not compare.
type IdentityKey string

// SuppressionKey names everyone who might be the person who said stop: wide,
// since one mail too few is the smaller fault. Its definition is frozen: a
// change would forget every opt-out stored under the old one.
type SuppressionKey string

// IdentityKey makes the key under r. It always holds the NFC of the local
// part; quoting is not part of it.
func (a Address) IdentityKey(r IdentityRule) IdentityKey {
	local := norm.NFC.String(unquoteLocal(a.Local))
	if !r.KeepLocalCase {
		local = norm.NFC.String(strings.Map(simpleFold, local))
	}
	folded := local
	if r.FoldPlus {
		folded, _, _ = strings.Cut(folded, "+")
	}
	if r.FoldDots {
		folded = strings.ReplaceAll(folded, ".", "")
	}
	// Folding to nothing would make one person of all who do so.
	if folded != "" {
		local = folded
	}
	return IdentityKey(norm.NFC.String(local) + "@" + a.Domain)
}

// SuppressionKey folds case in full (Unicode CaseFolding C and F) and drops
// the plus tag and all dots of the local part, even if nothing remains.
func (a Address) SuppressionKey() SuppressionKey {
	// Tag and dots go first: a dot between a letter and its mark would
	// otherwise keep the two from being folded as one.
	local, _, _ := strings.Cut(unquoteLocal(a.Local), "+")
	local = strings.ReplaceAll(local, ".", "")
	// Canonical caseless matching (Unicode 3.13, D145) folds between two
	// normalisations. A third round changes nothing; the property test holds it to that.
	for range 2 {
		local = norm.NFD.String(cases.Fold().String(norm.NFD.String(local)))
	}
	return SuppressionKey(norm.NFC.String(local) + "@" + a.Domain)
}

// simpleFold maps a letter to one member of its simple case-folding class, so
// that it never joins letters which the full folding keeps apart: lower-casing
// alone would join U+0130 with i.
func simpleFold(r rune) rune {
	// U+0345 is a mark that folds to a letter; as a letter it would no longer
	// take its place among the marks, and narrow would differ where wide does not.
	if r == 0x0345 {
		return r
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	lower := unicode.ToLower(unicode.ToUpper(least))
	for f := unicode.SimpleFold(least); ; f = unicode.SimpleFold(f) {
		if f == lower {
			return lower
		}
		if f == least {
			return least
		}
	}
}

// Address is an address that has this key: the one it was made of, as far as
// the rule keeps it. Its SuppressionKey is that of every address with the key.
// It is for comparing; nobody has said that mail reaches it.
func (k IdentityKey) Address() Address {
	at := strings.LastIndexByte(string(k), '@')
	if at < 0 {
		return Address{}
	}
	return Address{Local: quoteLocal(string(k[:at])), Domain: string(k[at+1:])}
}

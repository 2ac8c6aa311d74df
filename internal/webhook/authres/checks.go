package authres

import (
	"slices"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"onefold/internal/record/inbound"
)

// Check is the result of one check, and the domain that it is of.
type Check struct {
	Word   string // as RFC 8601 section 2.7 has it, in any case
	Domain string // of MAIL FROM, or of who signed; an address is taken for its domain
}

// Checks are what a receiver says of a mail. DMARC is of the domain in From;
// SPF and DKIM are of the domains that they name.
type Checks struct {
	SPF   Check
	DKIM  []Check
	DMARC string
}

// results are the words that are kept.
var results = []string{"pass", "fail", "softfail", "hardfail", "neutral", "none", "policy", "temperror", "permerror"}

// Verdicts are the checks as verdicts on the domain in From. A pass of another
// domain says nothing of that one, and is left out: anybody can have a domain
// that passes. Aligned is meant as DMARC's relaxed mode (RFC 7489 section 3.1):
// of one organisational domain. Failing is not made of two failures: whether
// the domain asks for DMARC at all is not known here, and forwarding breaks both.
func (c Checks) Verdicts(from string) inbound.Verdicts {
	v := inbound.Verdicts{SPF: verdict(c.SPF, from), DMARC: word(c.DMARC)}
	for _, d := range c.DKIM {
		if of := verdict(d, from); v.DKIM == "" || of == inbound.VerdictPass {
			v.DKIM = of
		}
	}
	return v
}

func verdict(c Check, from string) string {
	w := word(c.Word)
	if w == inbound.VerdictPass && !aligned(c.Domain, from) {
		return ""
	}
	return w
}

// word is a result as verdicts have it, "" for what is not one.
func word(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if !slices.Contains(results, s) {
		return ""
	}
	return strings.ToUpper(s)
}

func aligned(a, b string) bool {
	x, y := organisation(a), organisation(b)
	return x != "" && x == y
}

// organisation is the organisational domain (RFC 7489 section 3.2); "" of what
// has none.
func organisation(s string) string {
	of, err := publicsuffix.EffectiveTLDPlusOne(domain(s))
	if err != nil {
		return ""
	}
	return of
}

// Tag is the value of a name in a list of "name=value" with semicolons, as
// DKIM-Signature has it (RFC 6376 section 3.2) and, behind its result and its
// comment, Received-SPF. A name that comes twice has no value.
func Tag(list, name string) string {
	value, count := "", 0
	for pair := range strings.SplitSeq(list, ";") {
		key, of, _ := strings.Cut(pair, "=")
		if words := strings.Fields(key); len(words) > 0 && strings.EqualFold(words[len(words)-1], name) {
			value = strings.TrimSpace(of)
			count++
		}
	}
	if count != 1 {
		return ""
	}
	return value
}

// domain is the domain of an address, or the domain itself, in ASCII and lower
// case; "" of anything else.
func domain(s string) string {
	s = strings.Trim(unquote(s[strings.LastIndexByte(s, '@')+1:]), ".<> ")
	ascii, err := idna.Lookup.ToASCII(s)
	if err != nil {
		return ""
	}
	return ascii
}

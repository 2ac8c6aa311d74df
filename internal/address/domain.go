package address

import (
	"strings"

	"golang.org/x/net/idna"
)

// canonicalDomain is UTS 46 with the mapping for look-up, non-transitional,
// in lower-case ASCII.
func canonicalDomain(s string) (string, error) {
	switch {
	case s == "":
		return "", ErrDomain
	case strings.HasPrefix(s, "["):
		return "", ErrLiteral
	}
	// The profile is made per call: it holds no state, and a package variable would.
	// QUIRK: CheckHyphens is off since live domains have hyphens in places 3
	// and 4; hyphens at the ends of a label are refused below.
	profile := idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(),
		idna.CheckJoiners(true), idna.StrictDomainName(true), idna.CheckHyphens(false), idna.VerifyDNSLength(true))
	domain, err := profile.ToASCII(s)
	if err != nil {
		return "", ErrDomain
	}
	domain = strings.ToLower(domain)
	labels := strings.Split(domain, ".")
	for _, l := range labels {
		if l == "" || l[0] == '-' || l[len(l)-1] == '-' {
			return "", ErrDomain
		}
	}
	if len(labels) < 2 {
		return "", ErrOneLabel
	}
	// No top-level domain is a number (RFC 3696 section 2): such a domain is
	// an IPv4 address without its brackets.
	if allDigits(labels[len(labels)-1]) {
		return "", ErrDomain
	}
	// What the profile makes must be its own fixed point, or one domain would
	// have two keys.
	if again, err := profile.ToASCII(domain); err != nil || again != domain {
		return "", ErrDomain
	}
	return domain, nil
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

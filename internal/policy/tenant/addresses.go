package tenant

import (
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// IsOwn tells whether a bare address is ours: it stands in OwnAddresses, or
// its domain does ("@demo.example", that domain alone and no subdomain).
// Capitals do not matter, in the local part either: taking a stranger's mail
// for ours costs a contact, taking ours for a stranger's starts a loop. An
// internationalised domain may be written in either form. Text that is no
// address is not ours.
func (p Policy) IsOwn(addr string) bool {
	// The local part may be of a form that no policy can name, a quoted one for
	// instance: at a domain of ours it is ours all the same.
	at := strings.LastIndexByte(addr, '@')
	if at < 1 {
		return false
	}
	domain, ok := canonicalDomain(strings.TrimSuffix(addr[at+1:], "."))
	if !ok {
		return false
	}
	local, _ := canonicalLocal(addr[:at])
	for _, own := range p.OwnAddresses {
		if l, d, ok := splitOwn(own); ok && d == domain && (l == "" || l == local) {
			return true
		}
	}
	return false
}

// IsShared tells whether several people use a bare address: it stands in
// SharedAddresses, or its local part does ("info@", at any domain). Capitals do
// not matter, and neither does a +tag: what may be shared never identifies one
// person.
func (p Policy) IsShared(addr string) bool {
	local, domain, ok := splitAddress(addr)
	if !ok {
		return false
	}
	untagged, _, _ := strings.Cut(local, "+")
	for _, shared := range p.SharedAddresses {
		if l, d, ok := splitShared(shared); ok && (d == "" || d == domain) && (l == local || l == untagged) {
			return true
		}
	}
	return false
}

// splitAddress gives an address's two parts in the form for comparing: NFC and
// lower case, the domain in ASCII (UTS 46). It takes the addresses that a policy
// may name: a dot-atom (RFC 5322, section 3.2.3, and RFC 6531) at a domain name
// with a dot. Quoted local parts and address literals are not of them.
func splitAddress(addr string) (local, domain string, ok bool) {
	at := strings.LastIndexByte(addr, '@')
	if at < 0 {
		return "", "", false
	}
	local, okLocal := canonicalLocal(addr[:at])
	domain, okDomain := canonicalDomain(addr[at+1:])
	return local, domain, okLocal && okDomain
}

// splitOwn also takes "@domain", whose local part is "".
func splitOwn(own string) (local, domain string, ok bool) {
	if rest, found := strings.CutPrefix(own, "@"); found {
		domain, ok = canonicalDomain(rest)
		return "", domain, ok
	}
	return splitAddress(own)
}

// splitShared also takes "local@", whose domain is "".
func splitShared(shared string) (local, domain string, ok bool) {
	if rest, found := strings.CutSuffix(shared, "@"); found {
		local, ok = canonicalLocal(rest)
		return local, "", ok
	}
	return splitAddress(shared)
}

func canonicalLocal(s string) (string, bool) {
	s = norm.NFC.String(strings.ToLower(s))
	if s == "" || len(s) > 64 { // RFC 5321, section 4.5.3.1.1
		return "", false
	}
	if s[0] == '.' || s[len(s)-1] == '.' || strings.Contains(s, "..") {
		return "", false
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', strings.ContainsRune(".!#$%&'*+-/=?^_`{|}~", r):
		case r > 0x9F && r != '\uFFFD' && !isBreak(r):
		default:
			return "", false
		}
	}
	return s, true
}

func canonicalDomain(s string) (string, bool) {
	ascii, err := idna.Lookup.ToASCII(s)
	if err != nil || len(ascii) > 253 || !strings.Contains(ascii, ".") {
		return "", false
	}
	for label := range strings.SplitSeq(ascii, ".") {
		if label == "" || len(label) > 63 {
			return "", false
		}
	}
	return strings.ToLower(ascii), true
}

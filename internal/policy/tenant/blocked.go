package tenant

import (
	"fmt"
	"strings"

	"onefold/internal/address"
)

// IsBlocked tells whether the policy wants nothing of a sender, by a bare
// address: it stands in Mail.Blocked, or its domain or one above it does.
// Addresses are compared in the wide form that opt-outs have (case, +tag and
// dots of the local part do not matter), and a domain holds all below it, so
// that a block is not dodged. An address of ours is never blocked, and neither
// is text that is no address.
func (p Policy) IsBlocked(addr string) bool {
	addr = strings.TrimSpace(addr)
	at := strings.LastIndexByte(addr, '@')
	if len(p.Mail.Blocked) == 0 || at < 1 || p.IsOwn(addr) {
		return false
	}
	domain, ok := canonicalDomain(strings.TrimSuffix(addr[at+1:], "."))
	if !ok {
		return false
	}
	// Of a local part that no key can be made of, the domain is left.
	wide := wideKey(addr[:at] + "@" + domain)
	for _, blocked := range p.Mail.Blocked {
		local, d, ok := splitOwn(blocked)
		switch {
		case !ok:
		case local == "":
			if d == domain || strings.HasSuffix(domain, "."+d) {
				return true
			}
		case d == domain && wide != "" && wideKey(blocked) == wide:
			return true
		}
	}
	return false
}

func wideKey(addr string) string {
	a, err := address.Parse(addr)
	if err != nil {
		return ""
	}
	return string(a.SuppressionKey())
}

func checkBlocked(p Policy, found *problems) {
	first := map[string]int{}
	for i, written := range p.Mail.Blocked {
		if written == "" {
			continue
		}
		local, domain, ok := splitOwn(written)
		// Domain and address apart: of a local part that is only a tag the wide form
		// leaves nothing.
		key := "domain " + domain
		if local != "" {
			key = wideKey(written)
		}
		if !ok || key == "" {
			found.add(`must be an address ("eve@example.org") or a domain ("@spam.example")`, "mail", "blocked", i)
			continue
		}
		if n, again := seen(first, key, i); again {
			found.add(fmt.Sprintf("repeats /mail/blocked/%d, since case, +tags and dots do not matter: each may stand once", n), "mail", "blocked", i)
		}
		if p.owns(local, domain) {
			found.add("is ours by own_addresses, and what is ours is never blocked: leave it out", "mail", "blocked", i)
		}
	}
}

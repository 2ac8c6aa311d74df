package rawmail

import (
	"regexp"
	"strings"
)

// listReasons: RFC 2369, RFC 2919 and what came before them. A list of ours is
// no list: what comes through it, people have written to us.
func listReasons(h header, own IsOwn) (reasons []string) {
	ours, foreign := false, []string(nil)
	for _, c := range []struct {
		field, reason string
		ours          func(string, IsOwn) bool
	}{
		{"list-id", "list_id", ownListID}, {"list-post", "list_post", ownAddressIn}, {"mailing-list", "mailing_list", ownAddressIn},
	} {
		values := h.all(c.field)
		for _, v := range values {
			if c.ours(v, own) {
				ours = true
				continue
			}
			foreign = append(foreign, c.reason)
			break
		}
	}
	reasons = foreign
	// A list of ours that a list of others delivers to is theirs as well.
	ours = ours && len(foreign) == 0
	for _, v := range h.all("list-unsubscribe") {
		if !ours || !ownUnsubscribe(v, own) {
			reasons = append(reasons, "list_unsubscribe")
			break
		}
	}
	if h.has("x-mailman-version") && !ours {
		reasons = append(reasons, "mailing_list")
	}
	switch firstWord(h.get("precedence")) {
	case "list":
		if !ours {
			reasons = append(reasons, "precedence_list")
		}
	case "bulk":
		reasons = append(reasons, "precedence_bulk")
	case "junk":
		reasons = append(reasons, "precedence_junk")
	}
	return reasons
}

var (
	anyAddress = regexp.MustCompile(`[^\s<>:;,"()@]+@[A-Za-z0-9.-]+`)
	bracketed  = regexp.MustCompile(`<([^<>]{1,998})>`)
	webHost    = regexp.MustCompile(`(?i)^https?://([^/?#:@]+)(?::\d+)?(?:/(?:a|g)/([^/?#]+)/)?`)
)

// ownAddressIn: the first address that the value states is ours. A later one
// may stand in a parameter, where a sender puts whatever it likes.
func ownAddressIn(value string, own IsOwn) bool {
	return own(anyAddress.FindString(cut(value, maxValue)))
}

// ownListID: the identifier is the list's name and its host's domain with a
// dot between them (RFC 2919 section 2), so where the domain begins is not
// told; a list may also have the domain alone.
func ownListID(value string, own IsOwn) bool {
	id := strings.TrimSpace(cut(value, maxValue))
	if m := bracketed.FindAllStringSubmatch(id, -1); len(m) > 0 {
		id = m[len(m)-1][1]
	}
	id = strings.Trim(strings.ToLower(id), " .")
	if ownDomain(id, own) {
		return true
	}
	labels := strings.Split(id, ".")
	for i := 1; i < len(labels) && i <= 8; i++ {
		name, domain := strings.Join(labels[:i], "."), strings.Join(labels[i:], ".")
		if name != "" && (own(name+"@"+domain) || ownDomain(domain, own)) {
			return true
		}
	}
	return false
}

// ownDomain: the whole domain is ours and not a single address of it.
func ownDomain(domain string, own IsOwn) bool {
	return strings.Contains(domain, ".") && own("no.such.list.of.anybody@"+domain)
}

// ownUnsubscribe: one of the ways out (RFC 2369 section 3.2) is at our domain,
// or at a service's page for it, as hosted groups have it.
func ownUnsubscribe(value string, own IsOwn) bool {
	for _, m := range bracketed.FindAllStringSubmatch(cut(value, maxValue), -1) {
		uri := strings.TrimSpace(m[1])
		if strings.HasPrefix(strings.ToLower(uri), "mailto:") {
			if ownAddressIn(uri[len("mailto:"):], own) {
				return true
			}
			continue
		}
		if web := webHost.FindStringSubmatch(uri); web != nil && (ownDomain(web[1], own) || ownDomain(web[2], own)) {
			return true
		}
	}
	return false
}

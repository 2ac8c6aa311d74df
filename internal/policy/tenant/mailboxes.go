package tenant

import (
	"fmt"
	"slices"
	"strings"
)

// MaxMailboxes is the most mailboxes in one policy, of all its endpoints: so
// many that a policy which replaces all of them by others is still one commit
// (ledger.MaxWrites: the former released, the new taken, their domains looked
// at).
const MaxMailboxes = 30

// Mailbox is one address, or one whole domain, whose mail a policy claims.
type Mailbox struct {
	// Route is its name among all tenants: "local@domain" or "@domain", in the
	// form for comparing (lower case, NFC, the domain in ASCII).
	Route    string
	Endpoint string
	Path     string // JSON Pointer to it, for a report that holds no address
}

// Domain is the route of the whole domain that a route lies in; of a whole
// domain, itself.
func (m Mailbox) Domain() string { return m.Route[strings.LastIndexByte(m.Route, '@'):] }

// Mailboxes lists what the policy claims, in the document's order. No route
// stands twice.
func (p Policy) Mailboxes() []Mailbox {
	var out []Mailbox
	for i, e := range p.Endpoints {
		for j, written := range e.Mailboxes {
			if local, domain, ok := splitOwn(written); ok {
				out = append(out, Mailbox{
					Route: local + "@" + domain, Endpoint: e.Name,
					Path: fmt.Sprintf("/endpoints/%d/mailboxes/%d", i, j),
				})
			}
		}
	}
	return out
}

// Routes lists the routes that mail to an address may take, the nearest first:
// the address, the address without its +tag, its domain. It also gives the
// address in the form for comparing, by which its events are filed. It takes
// any address that a mail server may: of a local part that no policy can name
// the domain is left, and of text that is no address nothing.
func Routes(recipient string) (mailbox string, routes []string) {
	at := strings.LastIndexByte(recipient, '@')
	if at < 1 {
		return "", nil
	}
	domain, ok := canonicalDomain(strings.TrimSuffix(recipient[at+1:], "."))
	if !ok {
		return "", nil
	}
	local, ok := canonicalLocal(recipient[:at])
	if !ok {
		return recipient[:at] + "@" + domain, []string{"@" + domain}
	}
	mailbox = local + "@" + domain
	routes = []string{mailbox}
	if untagged, _, tagged := strings.Cut(local, "+"); tagged && untagged != "" {
		routes = append(routes, untagged+"@"+domain)
	}
	return mailbox, append(routes, "@"+domain)
}

func checkMailboxes(p Policy, found *problems) {
	routes, count := map[string]string{}, 0
	for i, e := range p.Endpoints {
		if e.Scheme != SchemeSES {
			if len(e.Mailboxes) > 0 {
				found.add(`has an effect with the scheme "ses" alone: leave it out`, "endpoints", i, "mailboxes")
			}
			continue
		}
		if e.Content == ContentForm {
			found.add(`must be "mail": SES receives nothing else`, "endpoints", i, "content")
		}
		if e.Secret != "" {
			found.add("has no effect on mail that SES receives: leave it out", "endpoints", i, "secret")
		}
		for j, written := range e.Mailboxes {
			count++
			checkMailbox(p, written, fmt.Sprintf("/endpoints/%d/mailboxes/%d", i, j), routes, func(message string) {
				found.add(message, "endpoints", i, "mailboxes", j)
			})
		}
	}
	if count > MaxMailboxes {
		found.add(fmt.Sprintf("name %d mailboxes: a policy may have %d, and a domain (\"@demo.example\") is one", count, MaxMailboxes), "endpoints")
	}
}

func checkMailbox(p Policy, written, path string, routes map[string]string, add func(string)) {
	if written == "" {
		return
	}
	local, domain, ok := splitOwn(written)
	if !ok {
		add(`must be an address ("sales@demo.example") or a domain ("@demo.example")`)
		return
	}
	route := local + "@" + domain
	if first, again := routes[route]; again {
		add("repeats " + first + ": each may stand once")
		return
	}
	routes[route] = path
	// Who receives for us also writes for us: a mail from there would else be a
	// stranger's.
	if !p.owns(local, domain) {
		add("must be of ours: add it or its domain to own_addresses")
	}
}

// owns tells whether own_addresses holds an address, or of local "" a whole
// domain.
func (p Policy) owns(local, domain string) bool {
	return slices.ContainsFunc(p.OwnAddresses, func(own string) bool {
		l, d, ok := splitOwn(own)
		return ok && d == domain && (l == "" || l == local)
	})
}

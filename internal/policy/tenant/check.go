package tenant

import (
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"
)

// check reports what a schema cannot say. Values that the schema refused are
// absent here, and what is absent is not reported again.
func check(p Policy, found *problems) {
	checkNext(p, found)
	checkEndpoints(p, found)
	checkMailboxes(p, found)
	checkAddresses(p, found)
	checkBlocked(p, found)
	checkSender(p, found)
	checkRules(p, found)
	if p.CRM.Task && p.CRM.Kind == "" {
		found.add(`has no effect without a CRM: set kind, or task to false`, "crm", "task")
	}
}

// checkSince reports what a document in force may still say.
func checkSince(p Policy, found *problems) {
	for i, e := range p.Endpoints {
		checkVolatile(e, i, found)
	}
}

func checkEndpoints(p Policy, found *problems) {
	endpoints := p.Endpoints
	names, secrets := map[string]int{}, map[string]int{}
	for i, e := range endpoints {
		if first, ok := seen(names, e.Name, i); ok {
			found.add(fmt.Sprintf("is also the name of /endpoints/%d: names must be unique", first), "endpoints", i, "name")
		}
		// The signature does not say which endpoint it is for ("Signing keys
		// should be unique per endpoint", Standard Webhooks), so with one secret
		// a request could be brought to the other and be a second event.
		if first, ok := seen(secrets, e.Secret, i); ok {
			found.add(fmt.Sprintf("is also the secret of /endpoints/%d: each endpoint must have a secret of its own", first), "endpoints", i, "secret")
		}
		// It would be sent to the provider, and know what the provider sends.
		if of, ok := strings.CutSuffix(e.Secret, APIKeySuffix); ok {
			if j := slices.IndexFunc(endpoints, func(o Endpoint) bool { return o.Secret == of }); j >= 0 && of != "" {
				found.add(fmt.Sprintf("is the name of the API key of /endpoints/%d: choose another", j), "endpoints", i, "secret")
			}
		}
		about := checkSource(e, i, found)
		switch e.Content {
		case ContentForm:
			if strings.TrimSpace(e.Mailbox) == "" {
				found.add("is missing: a form needs a name that its events are filed under", "endpoints", i, "mailbox")
			}
			checkFields(e.Fields, i, found)
			checkCustomers(p, e, about, i, found)
		case ContentMail:
			if about.NoMailbox && strings.TrimSpace(e.Mailbox) == "" {
				found.add("is missing: mail of this scheme does not say which mailbox it was for", "endpoints", i, "mailbox")
			}
			if !about.NoMailbox && e.Mailbox != "" {
				found.add("has no effect on mail, which is filed under the envelope recipient: leave it out", "endpoints", i, "mailbox")
			}
			if e.Fields != (FieldMap{}) {
				found.add("has no effect on mail, which is read as a message: leave it out", "endpoints", i, "fields")
			}
		}
	}
}

func checkFields(m FieldMap, endpoint int, found *problems) {
	places := map[string]int{}
	list := m.list()
	for i, f := range list {
		if first, ok := seen(places, *f.pointer, i); ok {
			found.add(fmt.Sprintf("is also the place of %s: each field must have a place of its own", list[first].name), "endpoints", endpoint, "fields", f.name)
		}
	}
}

func checkAddresses(p Policy, found *problems) {
	own := map[string]int{}
	for i, a := range p.OwnAddresses {
		local, domain, ok := splitOwn(a)
		if a != "" && !ok {
			found.add(`must be an address ("hello@demo.example") or a domain ("@demo.example")`, "own_addresses", i)
		}
		if first, again := seen(own, joined(local, domain, ok), i); again {
			found.add(fmt.Sprintf("repeats /own_addresses/%d: each may stand once", first), "own_addresses", i)
		}
	}
	shared := map[string]int{}
	for i, a := range p.SharedAddresses {
		local, domain, ok := splitShared(a)
		if a != "" && !ok {
			found.add(`must be an address ("front-desk@example.org") or a local part ("info@")`, "shared_addresses", i)
		}
		if first, again := seen(shared, joined(local, domain, ok), i); again {
			found.add(fmt.Sprintf("repeats /shared_addresses/%d: each may stand once", first), "shared_addresses", i)
		}
	}
}

func joined(local, domain string, ok bool) string {
	if !ok {
		return ""
	}
	return local + "@" + domain
}

func checkSender(p Policy, found *problems) {
	if from := p.Sender.From; from != "" {
		addr, ok := singleAddress(from)
		switch {
		case !ok:
			found.add(`must be one address, with or without a display name, such as "Demo <hello@demo.example>"`, "sender", "from")
		case !p.IsOwn(addr):
			found.add("must be an address of ours: add it or its domain to own_addresses, or our own mail would be taken for a stranger's", "sender", "from")
		}
	}
	if reply := p.Sender.ReplyTo; reply != "" {
		if _, ok := singleAddress(reply); !ok {
			found.add(`must be one address, with or without a display name, such as "Demo <hello@demo.example>"`, "sender", "reply_to")
		}
	}
	if a := p.Sender.PostalAddress; a != "" && len([]rune(oneLine(a, maxValue))) < 10 {
		found.add("must be a valid physical postal address on one line: commercial mail needs one", "sender", "postal_address")
	}
	if p.Name != "" && oneLine(p.Name, maxValue) == "" {
		found.add("must be the name of the business as people read it", "name")
	}
}

// singleAddress reads one mailbox of RFC 5322, section 3.4, whose address is
// one that a policy may name.
func singleAddress(s string) (string, bool) {
	a, err := mail.ParseAddress(s)
	if err != nil {
		return "", false
	}
	_, _, ok := splitAddress(a.Address)
	return a.Address, ok
}

func checkRules(p Policy, found *problems) {
	ids, answered, all := map[string]int{}, map[string]int{}, -1
	for i, r := range p.Rules {
		if first, ok := seen(ids, r.ID, i); ok {
			found.add(fmt.Sprintf("is also the id of /rules/%d: ids must be unique", first), "rules", i, "id")
		}
		// RuleFor takes the first rule that fits, so a later one for the same
		// intents would never apply and nobody would notice.
		if all >= 0 {
			found.add(fmt.Sprintf("can never apply, since /rules/%d before it answers every enquiry: put that rule last", all), "rules", i)
		}
		for j, intent := range r.Intents {
			if first, ok := seen(answered, intent, i); ok && first != i && all < 0 {
				found.add(fmt.Sprintf("can never apply, since /rules/%d before it answers this intent: name it in one rule", first), "rules", i, "intents", j)
			}
		}
		if len(r.Intents) == 0 && all < 0 {
			all = i
		}
		checkDurations(r, i, found)
		checkTemplate(p, r, i, found)
	}
}

func checkDurations(r Rule, rule int, found *problems) {
	const day = 24 * time.Hour
	for _, d := range []struct {
		name string
		have Duration
		most time.Duration
	}{
		{"fold_window", r.FoldWindow, 7 * day},
		{"quiet_period", r.QuietPeriod, 366 * day},
		{"send_within", r.SendWithin, 30 * day},
		{"unknown_within", r.UnknownWithin, 7 * day},
	} {
		if d.have <= 0 || d.have.Std() > d.most {
			found.add(fmt.Sprintf("must be more than 0 and at most %s; left out, it is the default", Duration(d.most)), "rules", rule, d.name)
		}
	}
}

// seen notes the first index of a key and tells it for every later one. The
// empty key is an absent value and is never seen.
func seen(first map[string]int, key string, i int) (int, bool) {
	if key == "" {
		return 0, false
	}
	if at, ok := first[key]; ok {
		return at, true
	}
	first[key] = i
	return 0, false
}

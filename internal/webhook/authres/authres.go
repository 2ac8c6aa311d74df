// Package authres reads what the server that received a mail found out about its
// sender, from the fields that it wrote into the mail. Open it to learn which
// field counts.
//
// Its invariant: a field counts only where it is the receiver's. A sender can
// write any field into a mail, so of two of one name neither counts, nor does one
// below the Received field of the receiver: what is there came with the mail. It
// refuses to guess: what it cannot read says nothing.
package authres

import (
	"slices"
	"strings"

	"onefold/internal/reading/rawmail"
	"onefold/internal/record/inbound"
)

const fieldName = "authentication-results"

// Of reads the verdicts of the server with an authserv-id from raw mail: those
// of its one Authentication-Results field, above its own Received field (RFC
// 8601 section 5). The ID is compared without regard to case and in no other
// way. Where the server has another name in Received, the order of the two shows
// nothing. Then only a failed DMARC counts: no sender gains by writing that.
func Of(raw []byte, id string) inbound.Verdicts {
	top := rawmail.TopOf(raw)
	at, found := -1, []result(nil)
	for n, f := range top.Fields {
		if f.Name != fieldName {
			continue
		}
		of, results, ok := parse(f.Value)
		if !strings.EqualFold(of, id) {
			continue
		}
		if at >= 0 || !ok {
			return inbound.Verdicts{}
		}
		at, found = n, results
	}
	from, received := Sender(top), topmost(top, id)
	if at < 0 || !top.Whole || from == "" || received >= 0 && received < at {
		return inbound.Verdicts{}
	}
	v := checksOf(found, from).Verdicts(from)
	if received < 0 {
		v = inbound.Verdicts{DMARC: v.DMARC}
		if v.DMARC != inbound.VerdictFail {
			v.DMARC = ""
		}
	}
	return v
}

// checksOf takes SPF of MAIL FROM, each DKIM signature, and DMARC of the domain
// in From.
func checksOf(all []result, from string) Checks {
	var spf, dkim, dmarc []Check
	for _, r := range all {
		switch r.method {
		case "spf":
			if mailFrom := r.props["smtp.mailfrom"]; mailFrom != "" { // not of the HELO name
				spf = append(spf, Check{r.word, mailFrom})
			}
		case "dkim":
			signer := r.props["header.d"]
			if signer == "" {
				signer = r.props["header.i"]
			}
			dkim = append(dkim, Check{r.word, signer})
		case "dmarc":
			if of, stated := r.props["header.from"]; stated && domain(of) != from {
				r.word = ""
			}
			dmarc = append(dmarc, Check{Word: r.word})
		}
	}
	return Checks{SPF: unanimous(spf), DKIM: dkim, DMARC: unanimous(dmarc).Word}
}

// unanimous is what all results of one method say, if they say one thing.
func unanimous(all []Check) Check {
	if len(all) == 0 || slices.ContainsFunc(all, func(c Check) bool { return c != all[0] }) {
		return Check{}
	}
	return all[0]
}

// Sender is the domain in the one From field of a mail; "" where it does not
// name exactly one sender.
func Sender(top rawmail.Top) string {
	if len(top.From) != 1 {
		return ""
	}
	return domain(top.From[0].Address)
}

// Above is the value of a field that the receiver wrote: the only one of its
// name, and above the topmost Received of one of the receiver's hosts; "" where
// that is not to be seen.
func Above(top rawmail.Top, name string, hosts ...string) string {
	n := only(top, name)
	if received := topmost(top, hosts...); n < 0 || received < n {
		return ""
	}
	return top.Fields[n].Value
}

// Only is the value of the only field of a name; "" where there is none, or
// more than one.
func Only(top rawmail.Top, name string) string {
	if n := only(top, name); n >= 0 {
		return top.Fields[n].Value
	}
	return ""
}

func only(top rawmail.Top, name string) int {
	is := func(f rawmail.Field) bool { return f.Name == name }
	n := slices.IndexFunc(top.Fields, is)
	if !top.Whole || n < 0 || slices.ContainsFunc(top.Fields[n+1:], is) {
		return -1
	}
	return n
}

// topmost is where the topmost Received field is that a host wrote, or one of
// its domain; -1 for none.
func topmost(top rawmail.Top, hosts ...string) int {
	return slices.IndexFunc(top.Fields, func(f rawmail.Field) bool {
		if f.Name != "received" {
			return false
		}
		words := strings.Fields(strings.ToLower(f.Value))
		for n, w := range words[:max(0, len(words)-1)] {
			if w == "by" && slices.ContainsFunc(hosts, func(host string) bool { return isOf(words[n+1], host) }) {
				return true
			}
		}
		return false
	})
}

// isOf reports whether a name is a host, or below it.
func isOf(name, host string) bool {
	name, _, _ = strings.Cut(name, "(") // a comment may follow without a space
	name, host = strings.TrimRight(name, ".;,"), strings.ToLower(host)
	return name == host || strings.HasSuffix(name, "."+host)
}

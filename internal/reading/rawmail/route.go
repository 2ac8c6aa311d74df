package rawmail

import "strings"

// Route is how a mail came here, by the headers of servers. Anybody can write
// these, so they explain; nothing is decided by them alone. Forwarding and
// redirection leave From as it was: whoever is named here only passed it on,
// and is no contact.
type Route struct {
	// DeliveredTo is the topmost statement of the mailbox; those below it are of
	// servers that the mail passed before, and of whoever sent it.
	DeliveredTo string `json:"delivered_to"`
	// ForwardedBy are the mailboxes that passed it on, at most maxForwarders.
	ForwardedBy []string `json:"forwarded_by"`
	// Ways are machine words: gmail_forward, exchange_forward, exchange_rule, resent.
	Ways []string `json:"ways"`
}

func routeOf(h header, m *Message) Route {
	r := Route{ForwardedBy: []string{}, Ways: []string{}}
	for _, f := range h {
		switch f.name {
		case "delivered-to", "x-original-to", "envelope-to", "x-envelope-to":
			if r.DeliveredTo == "" {
				r.DeliveredTo = cleanAddress(cut(f.value, maxValue), new(warnings))
			}
		// "mailbox target", one more pair for each time Gmail forwarded it.
		case "x-forwarded-for":
			r.by("gmail_forward", firstField(f.value))
		// "mailbox;id": forwarding that an administrator or the user set for all mail.
		case "x-ms-exchange-forwardingloop":
			address, _, _ := strings.Cut(f.value, ";")
			r.by("exchange_forward", address)
		// An inbox rule redirected, forwarded or answered.
		case "x-ms-exchange-inbox-rules-loop":
			r.by("exchange_rule", f.value)
		// RFC 5322 section 3.6.6; redirection by Exchange writes it too.
		case "resent-from":
			if boxes := mailboxes(f.value, new(warnings)); len(boxes) > 0 {
				r.by("resent", boxes[0].Address)
			}
		}
	}
	// Gmail writes mailbox+caf_=target=domain@domain as envelope sender.
	if local, domain, ok := cutLast(m.ReturnPath, '@'); ok {
		if mailbox, _, forwards := strings.Cut(local, "+caf_="); forwards {
			r.by("gmail_forward", mailbox+"@"+domain)
		}
	}
	return r
}

func firstField(s string) string {
	if words := strings.Fields(cut(s, maxValue)); len(words) > 0 {
		return words[0]
	}
	return ""
}

func (r *Route) by(way, address string) {
	// The same header names hosts and counts elsewhere; only an address tells of a mailbox.
	address = cleanAddress(cut(address, maxValue), new(warnings))
	if address == "" {
		return
	}
	if !contains(r.Ways, way) {
		r.Ways = append(r.Ways, way)
	}
	if !contains(r.ForwardedBy, address) && len(r.ForwardedBy) < maxForwarders {
		r.ForwardedBy = append(r.ForwardedBy, address)
	}
}

// redirected: an inbox rule of Exchange passed on somebody else's mail. It then
// calls the mail generated, as it does the answers it writes itself, which come
// from the mailbox that the rule is of.
func redirected(h header, m *Message) bool {
	if !strings.EqualFold(strings.TrimSpace(h.get("x-ms-exchange-generated-message-source")), "mailbox rules agent") {
		return false
	}
	mailbox := cleanAddress(cut(h.get("x-ms-exchange-inbox-rules-loop"), maxValue), new(warnings))
	if mailbox == "" || len(m.From) == 0 {
		return false
	}
	for _, box := range m.From {
		if strings.EqualFold(box.Address, mailbox) {
			return false
		}
	}
	return true
}

// confirmation: Gmail asks the owner of an address whether mail may be
// forwarded there. It comes from one address in every language.
func confirmation(m *Message) bool {
	return len(m.From) == 1 && strings.EqualFold(m.From[0].Address, "forwarding-noreply@google.com")
}

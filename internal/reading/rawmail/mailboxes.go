package rawmail

import "strings"

// mailboxes reads an address header tolerantly: encoded words are decoded
// after the list is taken apart, so an encoded comma or at-sign cannot change
// the list. Entries without an at-sign are left out.
func mailboxes(value string, w *warnings) []Mailbox {
	list := []Mailbox{}
	if len(value) > maxAddressList {
		// Not in the middle of an address, which would name somebody else.
		value = value[:strings.LastIndexByte(value[:maxAddressList], ',')+1]
	}
	var p mailboxParser
	flush := func() {
		if box, ok := p.finish(w); ok && len(list) < maxMailboxes {
			list = append(list, box)
		}
	}
	for i := 0; i < len(value) && len(list) < maxMailboxes; i++ {
		c := value[i]
		switch {
		case p.quoted && c == '\\' && i+1 < len(value):
			i++
			p.write(value[i])
		case c == '"' && p.depth == 0:
			p.quoted = !p.quoted
		case p.quoted:
			p.write(c)
		case c == '(' && !p.angle:
			p.depth++
		case c == ')' && p.depth > 0:
			p.depth--
		case p.depth > 0:
			p.comment.WriteByte(c)
		case c == '<':
			p.angle = true
			p.addr.Reset()
		case c == '>':
			p.angle = false
			p.closed = true
		case p.angle:
			p.addr.WriteByte(c)
		case c == ',' || c == ';':
			flush()
		case c == ':' && !p.at && !strings.HasSuffix(strings.ToLower(value[max(0, i-6):i]), "mailto"):
			p = mailboxParser{} // the name of a group (RFC 5322 section 3.4)
		default:
			p.at = p.at || c == '@'
			p.text.WriteByte(c)
		}
	}
	flush()
	return list
}

type mailboxParser struct {
	quoted, angle, closed bool
	at                    bool // an at-sign stands in text
	depth                 int
	text, addr, comment   strings.Builder
	carried               string // a name cut in two by an unquoted comma
}

func (p *mailboxParser) write(c byte) {
	if p.angle {
		p.addr.WriteByte(c)
		return
	}
	p.at = p.at || c == '@'
	p.text.WriteByte(c)
}

func (p *mailboxParser) finish(w *warnings) (Mailbox, bool) {
	text, addr, comment := strings.TrimSpace(p.text.String()), p.addr.String(), strings.TrimSpace(p.comment.String())
	hadAngle := p.closed || p.angle
	carried := p.carried
	*p = mailboxParser{}
	name := text
	if !hadAngle {
		name = comment
		for _, word := range strings.Fields(text) {
			if strings.Contains(word, "@") {
				addr = word
			}
		}
		if addr == "" {
			if text != "" && !strings.Contains(carried, "@") && len(carried)+len(text) < 200 {
				p.carried = strings.TrimPrefix(carried+", "+text, ", ")
			}
			return Mailbox{}, false
		}
	}
	if carried != "" && hadAngle {
		name = carried + ", " + name
	}
	addr = cleanAddress(addr, w)
	if !strings.Contains(addr, "@") {
		return Mailbox{}, false
	}
	return Mailbox{Name: strings.Trim(decodeWords(name, w), ` '"`), Address: addr}, true
}

// cleanAddress drops what mailers put around an address: spaces, quotes, a
// mailto: and a source route (RFC 5322 section 4.4).
func cleanAddress(addr string, w *warnings) string {
	addr = strings.Trim(addr, " \t'<>[]")
	if strings.Contains(addr, "=?") {
		addr = decodeWords(addr, w)
	}
	if len(addr) > 7 && strings.EqualFold(addr[:7], "mailto:") {
		addr = addr[7:]
	}
	if strings.HasPrefix(addr, "@") {
		addr = addr[strings.IndexByte(addr, ':')+1:]
	}
	local, domain, ok := cutLast(addr, '@')
	if !ok || strings.TrimSpace(local) == "" || strings.TrimSpace(domain) == "" {
		return ""
	}
	return oneLine(strings.TrimSpace(local) + "@" + strings.TrimSpace(domain))
}

func cutLast(s string, sep byte) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

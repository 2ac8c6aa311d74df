package rawmail

import (
	"bytes"
	"net/mail"
	"slices"
	"strings"
	"time"

	"onefold/internal/digest"
	"onefold/internal/reading/older"
)

// IsOwn says whether an address is one this deployment sends from. It must not
// panic or block.
type IsOwn func(addr string) bool

// IsMark says whether the value of MarkHeader is genuine. It must not panic or
// block.
type IsMark func(mark string) bool

// MarkHeader marks our own mail. Its value is of package followup.
const MarkHeader = "X-Onefold-Intent"

// NullSender is how an envelope sender says that nobody is to be answered
// (RFC 5321 section 4.5.5).
const NullSender = "<>"

// Parse reads one raw mail whose envelope is not known. It never fails: what
// cannot be read is left zero and named in Warnings. own may be nil; then only
// the header of our own mail marks it, and by its presence: there is no key at
// hand, which the warning own_mark_unchecked says.
func Parse(raw []byte, own IsOwn) Message { return ParseEnveloped(raw, own, "") }

// ParseEnveloped is Parse with what MAIL FROM said, since few servers write a
// Return-Path before they hand a mail on. NullSender marks it as a machine's as
// Return-Path: <> does; any other value tells nothing, and "" is one that is
// not known.
func ParseEnveloped(raw []byte, own IsOwn, envelopeFrom string) Message {
	return ParseMarked(raw, own, nil, envelopeFrom)
}

// ParseMarked is ParseEnveloped where marks can be checked: anybody can write
// the header of our own mail, so a mail whose mark is not genuine is read like
// any other, and doubted.
func ParseMarked(raw []byte, own IsOwn, genuine IsMark, envelopeFrom string) Message {
	if own == nil {
		own = func(string) bool { return false }
	}
	null := envelopeFrom == NullSender
	if m, ok := parse(raw, own, genuine, null, true); ok {
		return m
	}
	// The library gave up on this body: the header alone is read again.
	m, ok := parse(raw, own, genuine, null, false)
	if !ok {
		m = Message{Kind: Unparseable, KindReasons: []string{warnParserFault}}
		m.ContentHash = contentHash(nil, []string{digest.Content(raw)})
		fillEmpty(&m)
	}
	m.Warnings = append(m.Warnings, warnParserFault)
	return m
}

func parse(raw []byte, own IsOwn, genuine IsMark, nullSender, withBody bool) (m Message, ok bool) {
	defer func() {
		if recover() != nil {
			m, ok = Message{}, false
		}
	}()
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') >= 0 {
		raw = bytes.ReplaceAll(raw, []byte("\r"), []byte("\n")) // the lines of a very old system
	}
	var w warnings
	if len(raw) > MaxRaw {
		w.add(warnTooLarge)
		withBody = false
	}
	h, rawBody := splitHeader(raw, &w)
	h.toUTF8(&w)
	var b body
	if withBody {
		b = readBody(h, rawBody, &w)
	} else {
		b = body{mediaType: "text/plain", hashed: []string{digest.Content(rawBody)}}
	}
	m = readHeader(h, &w)
	m.NullReturn = m.NullReturn || nullSender
	m.Text, m.Attachments = b.text, b.attachments
	if m.Calendar = calendarOf(b); m.Calendar != nil && strings.TrimSpace(m.Text) == "" {
		m.Text = m.Calendar.text
	}
	facts := factsFor(m.Subject, m.From)
	m.Visible, m.Quoted, m.Signature = older.Split(m.Text, facts)
	m.Forwarded, m.Route = forwardedOf(&m, b, facts), routeOf(h, &m)
	classify(&m, h, b, own, markOf(&m, h, genuine, &w), &w)
	m.ContentHash = contentHash(h, b.hashed)
	m.Warnings = w
	fillEmpty(&m)
	return m, true
}

// fillEmpty makes nil lists empty, so that stored JSON has one form.
func fillEmpty(m *Message) {
	for _, list := range []*[]Mailbox{&m.From, &m.ReplyTo, &m.Sender, &m.To, &m.Cc, &m.Bcc} {
		if *list == nil {
			*list = []Mailbox{}
		}
	}
	for _, list := range []*[]string{&m.InReplyTo, &m.References, &m.KindReasons, &m.Warnings, &m.ReturnedMarks} {
		if *list == nil {
			*list = []string{}
		}
	}
	if m.Kind != Human && m.Kind != Own {
		m.Forwarded = nil // what a machine gives back is no forwarding
	}
	for _, list := range []*[]string{&m.Doubts, &m.Route.ForwardedBy, &m.Route.Ways} {
		if *list == nil {
			*list = []string{}
		}
	}
	if m.Attachments == nil {
		m.Attachments = []Attachment{}
	}
	if m.Recipients == nil {
		m.Recipients = []Suppression{}
	}
}

func readHeader(h header, w *warnings) Message {
	m := Message{
		From:       mailboxes(h.get("from"), w),
		ReplyTo:    mailboxes(h.get("reply-to"), w),
		Sender:     mailboxes(h.get("sender"), w),
		To:         mailboxes(strings.Join(h.all("to"), ", "), w),
		Cc:         mailboxes(strings.Join(h.all("cc"), ", "), w),
		Bcc:        mailboxes(strings.Join(h.all("bcc"), ", "), w),
		Subject:    decodeWords(h.get("subject"), w),
		InReplyTo:  messageIDs(h.get("in-reply-to")),
		References: messageIDs(h.get("references")),
	}
	switch {
	case !h.has("from"):
		w.add(warnFromMissing)
		w.add(warnFromUnreadable)
	case len(m.From) == 0:
		w.add(warnFromUnreadable)
	}
	if len(h.all("from")) > 1 {
		w.add(warnFromRepeated)
	}
	if path := h.get("return-path"); h.has("return-path") {
		m.ReturnPath = cleanAddress(path, w)
		m.NullReturn = strings.Trim(path, " \t") == "<>"
	}
	if ids := messageIDs(h.get("message-id")); len(ids) > 0 {
		m.MessageID = ids[0]
	} else {
		w.add(warnMessageIDNone)
	}
	m.Date = readDate(h, w)
	return m
}

// messageIDs gives the last maxReferences identifiers: the newest of a thread
// stand at the end (RFC 5322 section 3.6.4).
func messageIDs(value string) []string {
	ids := []string{}
	for rest := value; len(ids) < maxReferences; {
		end := strings.LastIndexByte(rest, '>')
		if end < 0 {
			break
		}
		rest = rest[:end]
		begin := strings.LastIndexByte(rest, '<')
		if begin < 0 {
			break
		}
		if id := rest[begin+1:]; id != "" && len(id) <= 998 && !strings.ContainsAny(id, "> \t") {
			ids = append(ids, oneLine(id))
		}
		rest = rest[:begin]
	}
	slices.Reverse(ids)
	if len(ids) == 0 {
		// Some mailers leave the brackets out.
		if words := strings.Fields(cut(value, maxValue)); len(words) == 1 && strings.Contains(words[0], "@") {
			ids = append(ids, oneLine(strings.Trim(words[0], "<>")))
		}
	}
	return ids
}

func readDate(h header, w *warnings) time.Time {
	value := oneLine(h.get("date"))
	if value == "" {
		w.add(warnDateMissing)
		return time.Time{}
	}
	if i := strings.IndexByte(value, '('); i > 0 {
		value = strings.TrimSpace(value[:i])
	}
	// The library would take a zone's name by the machine's own zone, or for UTC.
	if i := strings.LastIndexByte(value, ' '); i > 0 && isLetters(value[i+1:]) {
		value = value[:i+1] + zoneOffset(value[i+1:])
	}
	if t, err := mail.ParseDate(value); err == nil {
		return t.UTC()
	}
	for _, layout := range []string{
		time.RFC3339, "Monday, 02-Jan-06 15:04:05 -0700", time.ANSIC, time.UnixDate, time.RubyDate,
		"Mon, 2 Jan 2006 15:04:05", "2 Jan 2006 15:04:05", "Mon, 2 Jan 06 15:04:05 -0700",
		"Mon, 2 Jan 2006 15:04:05 -07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05",
	} {
		if t, err := time.Parse(layout, value); err == nil {
			return t.UTC()
		}
	}
	w.add(warnDateUnreadable)
	return time.Time{}
}

// zoneOffset is what a zone's name stands for in a Date field: those of RFC 5322
// section 4.3. Any other is of no known offset, which counts as UTC.
func zoneOffset(name string) string {
	switch strings.ToUpper(name) {
	case "EDT":
		return "-0400"
	case "EST", "CDT":
		return "-0500"
	case "CST", "MDT":
		return "-0600"
	case "MST", "PDT":
		return "-0700"
	case "PST":
		return "-0800"
	}
	return "+0000"
}

func isLetters(word string) bool {
	return word != "" && strings.Trim(strings.ToUpper(word), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

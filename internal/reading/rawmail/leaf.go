package rawmail

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"onefold/internal/digest"
	"onefold/internal/reading/htmltext"
)

// leaf reads one part without children: a text to show, or an attachment that
// is named and weighed but never opened, save for report parts.
func (k walker) leaf(p *part) []piece {
	// Gmail's reactions ("Email reaction format", Google, read 2026-12).
	if p.mediaType == "text/vnd.google.email-reaction+json" {
		k.body.reaction = true
	}
	if isMultipart(p.mediaType) {
		p.mediaType = "text/plain" // a multipart that could not be split
		k.w.add(warnMIME)
	}
	text := p.mediaType == "text/plain" || p.mediaType == "text/html"
	if text && p.disposition != "attachment" && p.name == "" {
		return []piece{k.shownText(p)}
	}
	if *k.spare == nil && textual(p.mediaType) && (p.disposition != "attachment" || p == k.root) {
		*k.spare = p
	}
	size, sum := weigh(p.content, p.encoding, k.w)
	k.body.hashed = append(k.body.hashed, digest.Parts(p.mediaType, p.name, sum))
	if len(k.body.attachments) < maxAttachments {
		k.body.attachments = append(k.body.attachments, Attachment{Name: p.name, Type: oneLine(p.mediaType), Size: size})
	}
	switch p.mediaType {
	case "message/delivery-status", "message/global-delivery-status", "message/feedback-report",
		"message/disposition-notification", "message/global-disposition-notification",
		"message/rfc822", "message/global", "text/rfc822-headers", "message/rfc822-headers", "text/calendar":
		content, _ := decodeTransfer(p.content, p.encoding, maxReport, k.w)
		text, _ := decodeCharset(content, p.params.get("charset", k.w), k.w)
		if len(k.body.reports) < maxRecipients {
			k.body.reports = append(k.body.reports, report{p.mediaType, strings.ReplaceAll(text, "\r\n", "\n")})
		}
	}
	return nil
}

// textual tells whether people may be meant to read a part as it stands (RFC 2046
// section 4.1.4: a text of an unknown kind is plain text).
func textual(mediaType string) bool {
	kind, sub, _ := strings.Cut(mediaType, "/")
	switch sub {
	case "calendar", "rfc822-headers", "vcard", "x-vcard", "directory", "csv", "css", "javascript", "xml", "x-amp-html", "rtf":
		return false
	}
	return kind == "text"
}

func (k walker) shownText(p *part) piece {
	isHTML := p.mediaType == "text/html"
	limit := MaxText
	if isHTML {
		limit = htmltext.MaxSource
	}
	content, cutOff := decodeTransfer(p.content, p.encoding, limit, k.w)
	label := p.params.get("charset", k.w)
	if isHTML && label == "" && !utf8.Valid(content) {
		_, label, _ = charset.DetermineEncoding(content, "") // what a browser would take
	}
	text, known := decodeCharset(content, label, k.w)
	k.body.undecoded = k.body.undecoded || !known
	sum := ""
	if cutOff {
		k.w.add(warnTextTruncated)
		_, sum = weigh(p.content, p.encoding, k.w)
	} else {
		sum = hashPlain(text)
	}
	k.body.hashed = append(k.body.hashed, digest.Parts(p.mediaType, "", sum))
	// Of many texts only so much is kept; each counts in the hash.
	if *k.shown > maxShown {
		k.w.add(warnTextTruncated)
		return piece{html: isHTML}
	}
	if isHTML {
		text = htmltext.Render(text, MaxText)
	}
	normal := plain(text)
	*k.shown += len(normal)
	return piece{text: normal, html: isHTML}
}

// weigh gives size and hash of a content without its transfer encoding, and
// keeps none of it: an attachment may be as large as the mail.
func weigh(raw []byte, encoding string, w *warnings) (size int, sum string) {
	h := sha256.New()
	if transferOf(encoding) == "base64" {
		var d base64Decoder
		buf := make([]byte, 0, 8<<10)
		for len(raw) > 0 {
			n := min(len(raw), 8<<10)
			buf = d.decode(buf[:0], raw[:n])
			size += len(buf)
			h.Write(buf)
			raw = raw[n:]
		}
		buf = d.flush(buf[:0])
		size += len(buf)
		h.Write(buf)
		return size, hex.EncodeToString(h.Sum(nil))
	}
	content, _ := decodeTransfer(raw, encoding, MaxRaw, w)
	h.Write(content)
	return len(content), hex.EncodeToString(h.Sum(nil))
}

// hashPlain is digest.Content of plain, which it does not build.
func hashPlain(s string) string {
	h := sha256.New()
	var buf [4 << 10]byte
	held := 0
	eachPlain(s, func(piece string) {
		for len(piece) > 0 {
			n := copy(buf[held:], piece)
			held, piece = held+n, piece[n:]
			if held == len(buf) {
				h.Write(buf[:])
				held = 0
			}
		}
	})
	h.Write(buf[:held])
	return hex.EncodeToString(h.Sum(nil))
}

package rawmail

import (
	"strings"

	"github.com/jhillyerd/enmime/v2"

	"onefold/internal/digest"
)

// leaf reads one part without children: a text to show, or an attachment that
// is named and weighed but never opened, save for report parts.
func (k walker) leaf(p *enmime.Part, ctype string) []piece {
	encoding := p.Header.Get("Content-Transfer-Encoding")
	if strings.HasPrefix(ctype, "multipart/") {
		ctype = "text/plain" // a multipart that could not be split
		k.w.add(warnMIME)
	}
	if ctype == "" {
		ctype = "text/plain"
	}
	name := decodeWords(p.FileName, k.w)
	shown := (ctype == "text/plain" || ctype == "text/html") && !strings.EqualFold(p.Disposition, "attachment") && name == ""
	if shown {
		return []piece{k.shownText(p, ctype, encoding)}
	}
	content, _ := decodeTransfer(p.Content, encoding, MaxRaw, k.w)
	k.body.hashed = append(k.body.hashed, digest.Parts(ctype, name, digest.Content(content)))
	if len(k.body.attachments) < maxAttachments {
		k.body.attachments = append(k.body.attachments, Attachment{Name: name, Type: oneLine(ctype), Size: len(content)})
	}
	switch ctype {
	case "message/delivery-status", "message/global-delivery-status", "message/feedback-report",
		"message/disposition-notification", "message/global-disposition-notification",
		"message/rfc822", "message/global", "text/rfc822-headers", "message/rfc822-headers":
		text, _ := decodeCharset(content[:min(len(content), maxReport)], p.Charset, k.w)
		if len(k.body.reports) < maxRecipients {
			k.body.reports = append(k.body.reports, report{ctype, strings.ReplaceAll(text, "\r\n", "\n")})
		}
	}
	return nil
}

func (k walker) shownText(p *enmime.Part, ctype, encoding string) piece {
	html := ctype == "text/html"
	limit := MaxText
	if html {
		limit = maxHTML
	}
	content, cutOff := decodeTransfer(p.Content, encoding, limit, k.w)
	if cutOff {
		k.w.add(warnTextTruncated)
	}
	charset := p.ContentTypeParams["charset"]
	if charset == "" {
		charset = p.Charset
	}
	text, _ := decodeCharset(content, charset, k.w)
	if cutOff {
		full, _ := decodeTransfer(p.Content, encoding, MaxRaw, k.w)
		k.body.hashed = append(k.body.hashed, digest.Parts(ctype, "", digest.Content(full)))
	} else {
		k.body.hashed = append(k.body.hashed, digest.Parts(ctype, "", digest.Content([]byte(plain(text)))))
	}
	if html {
		text = renderHTML(text)
	}
	return piece{text: plain(text), html: html}
}

package sestest

import (
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"onefold/internal/mailer"
)

// Documented limits: API_SendEmail, API_MessageTag, API_MessageHeader (the
// larger lengths of the API model of 2026), quotas of the developer guide.
const (
	maxRecipients   = 50
	maxTag          = 256
	maxHeaders      = 15
	maxHeaderName   = 126
	maxHeaderValue  = 995
	maxHeaderSum    = 996
	tagCharacters   = "A to Z, a to z, 0 to 9, _ or -"
	notVerifiedText = "Email address is not verified. The following identities failed the check in region %s."
)

// check turns a request into the mail it asks for, or refuses it as SES does.
func (s *Server) check(req sendRequest) (SentMail, *fault) {
	m := SentMail{
		From:             req.FromEmailAddress,
		ReplyTo:          req.ReplyToAddresses,
		To:               slices.Concat(req.Destination.ToAddresses, req.Destination.CcAddresses, req.Destination.BccAddresses),
		ConfigurationSet: req.ConfigurationSetName,
	}
	for _, step := range []func(*SentMail, sendRequest) *fault{
		s.checkAddresses, checkContent, checkHeaders, checkTags, s.checkAccount,
	} {
		if f := step(&m, req); f != nil {
			return SentMail{}, f
		}
	}
	// Nothing follows from a mail of which SES reports nothing.
	m.EventsDone = !s.reports(m.ConfigurationSet)
	return m, nil
}

func (s *Server) checkAddresses(m *SentMail, _ sendRequest) *fault {
	switch {
	case m.From == "":
		return badRequest("Missing required parameter FromEmailAddress.")
	case len(m.To) == 0:
		return badRequest("Missing required parameter Destination.")
	case len(m.To) > maxRecipients:
		return badRequest("Recipient count exceeds 50.")
	}
	for _, a := range slices.Concat([]string{m.From}, m.To, m.ReplyTo) {
		// "must be 7-bit ASCII": API_Destination, API_SendEmail.
		if _, err := mail.ParseAddress(a); err != nil || !printable(a, ' ') {
			return badRequest("Illegal address.")
		}
	}
	return nil
}

func checkContent(m *SentMail, req sendRequest) *fault {
	c := req.Content
	if c.Simple == nil || c.Raw != nil || c.Template != nil {
		return badRequest("Exactly one content is required, and only Simple is served here.")
	}
	subject, body := c.Simple.Subject, c.Simple.Body
	if subject == nil || subject.Data == nil || body == nil || body.Text == nil && body.HTML == nil {
		return badRequest("Missing subject or body.")
	}
	for _, part := range []struct {
		from *content
		to   *string
	}{{subject, &m.Subject}, {body.Text, &m.Text}, {body.HTML, &m.HTML}} {
		if part.from == nil {
			continue
		}
		if part.from.Data == nil {
			return badRequest("Missing data.")
		}
		// Without a charset SES takes 7-bit ASCII (API_Content).
		if part.from.Charset == "" && strings.ContainsFunc(*part.from.Data, func(r rune) bool { return r > 127 }) {
			return badRequest("Not ASCII, and no charset given.")
		}
		*part.to = *part.from.Data
	}
	if strings.ContainsAny(m.Subject, "\r\n") {
		return badRequest("Control characters in subject.")
	}
	return nil
}

func checkHeaders(m *SentMail, req sendRequest) *fault {
	if len(req.Content.Simple.Headers) > maxHeaders {
		return badRequest(fmt.Sprintf("More than %d headers.", maxHeaders))
	}
	// SES writes these itself from the other parameters.
	seen := map[string]bool{"from": true, "to": true, "subject": true, "mime-version": true, "content-type": true}
	seen["reply-to"] = len(m.ReplyTo) > 0
	for _, h := range req.Content.Simple.Headers {
		name := strings.ToLower(h.Name)
		switch {
		case h.Name == "" || len(h.Name) > maxHeaderName || !printable(h.Name, '!') || strings.Contains(h.Name, ":"):
			return badRequest("Invalid header name.")
		case len(h.Value) > maxHeaderValue || len(h.Name)+len(h.Value) > maxHeaderSum || !printable(h.Value, ' '):
			return badRequest("Invalid header value.")
		case seen[name] && onceOnly(name):
			return badRequest("Duplicate header '" + name + "'.")
		}
		seen[name] = true
		// Overwritten with SES's own: developer guide, header-fields.
		if name != "message-id" && name != "date" {
			m.Headers = append(m.Headers, mailer.Header(h))
		}
	}
	return nil
}

// onceOnly knows the fields of header-fields that a follow-up could carry.
func onceOnly(name string) bool {
	return slices.Contains([]string{
		"auto-submitted", "content-type", "date", "from", "in-reply-to", "list-id", "list-unsubscribe",
		"list-unsubscribe-post", "message-id", "mime-version", "precedence", "references", "reply-to",
		"return-path", "sender", "subject", "to",
	}, name)
}

func checkTags(m *SentMail, req sendRequest) *fault {
	for _, t := range req.EmailTags {
		for _, s := range []string{t.Name, t.Value} {
			if s == "" || len(s) > maxTag || strings.ContainsFunc(s, notTagCharacter) {
				return badRequest("A tag must be 1 to 256 of " + tagCharacters + ".")
			}
		}
		m.Tags = append(m.Tags, mailer.Tag(t))
	}
	return nil
}

func notTagCharacter(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}

func (s *Server) checkAccount(m *SentMail, _ sendRequest) *fault {
	if !s.verified(m.From) {
		return &fault{400, "MessageRejected", fmt.Sprintf(notVerifiedText, s.opts.Region)}
	}
	known := slices.ContainsFunc(s.opts.ConfigurationSets, func(c ConfigurationSet) bool { return c.Name == m.ConfigurationSet })
	if m.ConfigurationSet != "" && !known {
		return &fault{404, "NotFoundException", "Configuration set does not exist."}
	}
	return nil
}

// verified: a domain identity covers its subdomains (developer guide,
// verify-domain-procedure).
func (s *Server) verified(from string) bool {
	domain := domainOf(from)
	return s.opts.VerifiedDomains == nil || slices.ContainsFunc(s.opts.VerifiedDomains, func(v string) bool {
		v = strings.ToLower(v)
		return domain == v || strings.HasSuffix(domain, "."+v)
	})
}

func domainOf(mailbox string) string {
	spec := addrSpec(mailbox)
	return spec[strings.LastIndexByte(spec, '@')+1:]
}

// printable: only ASCII from min to ~.
func printable(s string, least byte) bool {
	for i := range len(s) {
		if s[i] < least || s[i] > '~' {
			return false
		}
	}
	return true
}

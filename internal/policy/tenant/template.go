package tenant

import (
	"errors"
	"fmt"
	"strings"
)

// Bounds of what Render gives, in bytes. A line of a message has at most 998
// bytes without its end (RFC 5322, section 2.1.1), and the subject's begins with
// the name of its field.
const (
	maxSubject = 998 - len("Subject: ")
	maxText    = 64 << 10
)

// Why nothing was rendered. Parse tries each template with values present,
// absent and long, so for a rule of a policy these come only if the template
// tests for particular values, or the data has no postal address. Nothing may be
// sent then: the event goes to a person.
var (
	ErrNoPostalAddress = errors.New("tenant: rendered text has no postal address")
	ErrEmptySubject    = errors.New("tenant: rendered subject is empty")
	ErrTextTooLong     = fmt.Errorf("tenant: rendered text is longer than %d bytes", maxText)
)

// Render fills the rule's template. It is deterministic: the same rule and data
// give the same bytes, which an approval binds by their hash.
//
// The values of d are untrusted. Each is put in as text on one line: white
// space and control characters become single spaces, invisible format
// characters are dropped, and 200 runes are kept. The subject is one line of at
// most 989 bytes, cut at a rune; the text has LF line ends only, no other
// control character but tab, and at most 64 KiB. The text always holds
// d.PostalAddress (CAN-SPAM wants a valid physical address in each commercial
// message), or the error is ErrNoPostalAddress. No error holds a value.
func (r Rule) Render(d TemplateData) (subject, text string, err error) {
	d = cleanData(d)
	if subject, err = r.subject(d); err != nil {
		return "", "", fmt.Errorf("render subject of rule %s: %w", r.ID, err)
	}
	if text, err = r.text(d); err != nil {
		return "", "", fmt.Errorf("render text of rule %s: %w", r.ID, err)
	}
	return subject, text, nil
}

func cleanData(d TemplateData) TemplateData {
	return TemplateData{
		Name:          oneLine(d.Name, maxValue),
		Company:       oneLine(d.Company, maxValue),
		Subject:       oneLine(d.Subject, maxValue),
		Business:      oneLine(d.Business, maxValue),
		PostalAddress: oneLine(d.PostalAddress, maxValue),
	}
}

// subject fills the subject with clean data.
func (r Rule) subject(d TemplateData) (string, error) {
	s, err := fill(r.Template.Subject, d)
	if err != nil {
		return "", err
	}
	if s = strings.TrimSpace(cutBytes(oneLine(s, maxSubject), maxSubject)); s == "" {
		return "", ErrEmptySubject
	}
	return s, nil
}

// text fills the text with clean data.
func (r Rule) text(d TemplateData) (string, error) {
	s, err := fill(r.Template.Text, d)
	if err != nil {
		return "", err
	}
	s = manyLines(s)
	switch {
	case len(s) > maxText:
		return "", ErrTextTooLong
	case d.PostalAddress == "" || !strings.Contains(s, d.PostalAddress):
		return "", ErrNoPostalAddress
	}
	return s, nil
}

// fill runs a template. Vetted templates have no loops, so the result is at
// most some hundred times the template.
func fill(source string, d TemplateData) (string, error) {
	t, err := compileTemplate(source)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, d); err != nil {
		// unreachable: vetted templates hold nothing that fails. The error would
		// quote values.
		return "", errors.New("a template that cannot be executed")
	}
	return b.String(), nil
}

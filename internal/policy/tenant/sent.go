package tenant

import (
	"net/mail"
	"slices"

	"onefold/internal/reading/ours"
)

// MaxFormer bounds, in bytes, the texts of earlier versions that a policy keeps.
const MaxFormer = 64 << 10

// Sent are the texts that mails of this tenant have: one for each rule and each
// set of values that may be absent, then those of earlier versions. Nobody may
// change the slice.
func (p Policy) Sent() []string { return p.sent }

// Names are those that the business goes by.
func (p Policy) Names() []string {
	names := []string{p.Name}
	if from, err := mail.ParseAddress(p.Sender.From); err == nil && from.Name != "" {
		names = append(names, from.Name)
	}
	return names
}

// Former are those of Sent that only earlier versions have.
func (p Policy) Former() []string { return p.former }

// After is a policy with the texts of the policy that it takes the place of, the
// newest first, as many as MaxFormer holds. Mails with them are still answered.
func (p Policy) After(before Policy) Policy {
	return p.WithFormer(before.sent)
}

// WithFormer is a policy with the texts of earlier versions.
func (p Policy) WithFormer(texts []string) Policy {
	p.former, p.sent = []string{}, p.ownTexts()
	size := 0
	for _, text := range texts {
		if slices.Contains(p.sent, text) {
			continue
		}
		if size += len(text); size > MaxFormer {
			break
		}
		p.former, p.sent = append(p.former, text), append(p.sent, text)
	}
	return p
}

func (p Policy) ownTexts() (texts []string) {
	for _, r := range p.Rules {
		for bits := range 8 {
			d := TemplateData{Business: p.Name, PostalAddress: p.Sender.PostalAddress}
			for n, value := range []*string{&d.Name, &d.Company, &d.Subject} {
				if bits&(1<<n) != 0 {
					*value = ours.Value
				}
			}
			// A template that needs particular values gives no text here.
			if text, err := r.text(cleanData(d)); err == nil && !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

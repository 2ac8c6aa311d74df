package tenant

import (
	"errors"
	"fmt"
	"strings"
)

// checkTemplate compiles both parts and renders them with every combination of
// values present and absent, and with the largest.
func checkTemplate(p Policy, r Rule, rule int, found *problems) {
	note := func(part, message string) { found.add(message, "rules", rule, "template", part) }
	compiles := func(part, source string) bool {
		if source == "" {
			return false
		}
		_, err := compileTemplate(source)
		if err == nil {
			return true
		}
		for message := range strings.SplitSeq(err.Error(), "\n") {
			note(part, "must be a template that can be used: "+message)
		}
		return false
	}
	hasSubject := compiles("subject", r.Template.Subject)
	hasText := compiles("text", r.Template.Text)
	for _, d := range samples(p) {
		d = cleanData(d)
		if hasSubject {
			if _, err := r.subject(d); errors.Is(err, ErrEmptySubject) {
				note("subject", "must give a subject for every enquiry: it gives none with "+given(d))
				hasSubject = false // the first such combination is enough
			}
		}
		if hasText {
			switch _, err := r.text(d); {
			case errors.Is(err, ErrNoPostalAddress):
				note("text", "must show {{.PostalAddress}} in every message, outside of any condition: commercial mail needs a postal address")
			case errors.Is(err, ErrTextTooLong):
				note("text", fmt.Sprintf("must give at most %d KiB of text with the longest values", maxText>>10))
			}
		}
	}
}

// samples are the eight combinations of the values that may be empty, then the
// longest of each: 200 runes of four bytes. The postal address is an invented
// one, so that a template with the business's own written out is found too.
func samples(p Policy) []TemplateData {
	const address = "PO Box 99, Nowhere-upon-Sample"
	business := p.Name
	if oneLine(business, maxValue) == "" {
		business = "Demo Ltd" // refused elsewhere
	}
	var all []TemplateData
	for bits := range 8 {
		d := TemplateData{Business: business, PostalAddress: address}
		if bits&1 != 0 {
			d.Name = "Robin Sample"
		}
		if bits&2 != 0 {
			d.Company = "Sample GmbH"
		}
		if bits&4 != 0 {
			d.Subject = "A question"
		}
		all = append(all, d)
	}
	long := strings.Repeat("\U0001F3D4", maxValue)
	return append(all, TemplateData{Name: long, Company: long, Subject: long, Business: business, PostalAddress: long})
}

func given(d TemplateData) string {
	var present []string
	for _, v := range []struct{ name, value string }{{"name", d.Name}, {"company", d.Company}, {"subject", d.Subject}} {
		if v.value != "" {
			present = append(present, "a "+v.name)
		}
	}
	if len(present) == 0 {
		return "no name, company and subject"
	}
	return strings.Join(present, " and ") + " only"
}

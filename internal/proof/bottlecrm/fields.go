package bottlecrm

import (
	"regexp"
	"strings"
	"unicode"

	"onefold/internal/crm"
)

// Limits of the server's columns, in characters.
const (
	lineLimit    = 255
	subjectLimit = 200
	bodyLimit    = 10_000
)

// nameless is in the place of a half of a name that is not known: the server
// takes no contact without both.
const nameless = "-"

// phoneForm is what the server takes as a phone number. Another one is not sent:
// it would have the whole contact refused.
var phoneForm = regexp.MustCompile(`^[0-9\s\-()+.]{7,25}$`)

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// fields are values by the server's names. What is empty is not sent, and clears
// nothing.
func (c *Client) fields(v crm.Values) map[string]any {
	first, last := splitName(oneLine(v[crm.FieldName]))
	out := map[string]any{}
	for name, value := range map[string]string{
		"first_name": first, "last_name": last, "email": strings.TrimSpace(v[crm.FieldEmail]),
		c.people.company: oneLine(v[crm.FieldCompany]), "phone": oneLine(v[crm.FieldPhone]),
	} {
		if value == "" || name == "phone" && !phoneForm.MatchString(value) {
			continue
		}
		out[name] = value
		if name != "email" { // half an address would be another one
			out[name] = cut(value, lineLimit)
		}
	}
	// Both halves, or a half of the name before would stay.
	if out["first_name"] != nil && out["last_name"] == nil {
		out["last_name"] = nameless
	}
	return out
}

// values are what a record has.
func values(r person) crm.Values {
	var name []string
	for _, half := range []string{text(r.First), text(r.Last)} {
		if half != "" && half != nameless {
			name = append(name, half)
		}
	}
	return crm.Values{
		crm.FieldEmail: text(r.Email), crm.FieldName: strings.Join(name, " "),
		crm.FieldCompany: text(r.Organization) + text(r.Company), crm.FieldPhone: text(r.Phone),
	}
}

// splitName takes the last word as the family name: which word is which cannot
// be known, and none is dropped.
func splitName(name string) (first, last string) {
	if n := strings.LastIndex(name, " "); n > 0 {
		return name[:n], name[n+1:]
	}
	return name, ""
}

// oneLine makes valid UTF-8 without control characters and with single spaces.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// paragraphs makes valid UTF-8 without control characters other than line ends
// and tabs, of at most bodyLimit characters.
func paragraphs(s string) string {
	return cut(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")), bodyLimit)
}

// cut shortens to a number of characters.
func cut(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}

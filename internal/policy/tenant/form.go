package tenant

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Bounds of form values, in bytes.
const (
	maxEmail   = 320 // RFC 3696 with erratum 1690: no valid address is longer
	maxField   = 2 << 10
	maxMessage = 64 << 10
)

// ErrNotAForm means that the document is no JSON object in UTF-8. The event is
// kept and goes to a person.
var ErrNotAForm = errors.New("tenant: form is not a JSON object")

// FormValues are a form's fields as typed, white space around them dropped, ""
// for absent. They are untrusted: nothing is said about their syntax.
type FormValues struct {
	Email   string
	Name    string
	Company string
	Phone   string
	Subject string
	Message string
	// CustomerID is whole, however long: see contact.CustomerKey.
	CustomerID string
	// Warnings say on one line each, without any value, what was not taken as
	// it stood. Each is a reason for a person to look.
	Warnings []string
}

// DefaultFieldMap states where a value is looked for whose pointer is empty:
// in these places in this order, and the first that holds a text, number or
// boolean and is not blank counts. Standard Webhooks recommends a "data" object
// and allows its content at the top level, hence both. A pointer that the
// policy names is looked at alone.
func DefaultFieldMap() []FieldMap {
	return []FieldMap{
		{Email: "/data/email", Name: "/data/name", Company: "/data/company", Phone: "/data/phone", Subject: "/data/subject", Message: "/data/message"},
		{Email: "/email", Name: "/name", Company: "/company", Phone: "/phone", Subject: "/subject", Message: "/message"},
	}
}

type field struct {
	name    string
	pointer *string
}

func (m *FieldMap) list() []field {
	return []field{
		{"email", &m.Email}, {"name", &m.Name}, {"company", &m.Company},
		{"phone", &m.Phone}, {"subject", &m.Subject}, {"message", &m.Message},
		{"customer_id", &m.CustomerID},
	}
}

// Read takes a form's values from its JSON document.
//
// Numbers and booleans become their JSON text. Objects and lists are left out
// with a warning. Name, company and subject are cut at 2 KiB and the message at
// 64 KiB, with a warning; an email over 320 bytes or a phone over 2 KiB is left
// out with one, since a part of it would be another's. Where a member stands
// twice in its object the last counts, with a warning. The only error is
// ErrNotAForm.
func (m FieldMap) Read(doc []byte) (FormValues, error) {
	tree, twice, err := readTree(doc)
	if err != nil {
		return FormValues{}, ErrNotAForm
	}
	if _, ok := tree.(map[string]any); !ok {
		return FormValues{}, ErrNotAForm
	}
	var out FormValues
	if len(twice) > 0 {
		out.Warnings = append(out.Warnings, "form: a member stands twice in one object, the last was taken")
	}
	into := []*string{&out.Email, &out.Name, &out.Company, &out.Phone, &out.Subject, &out.Message, &out.CustomerID}
	for i, f := range m.list() {
		for _, place := range m.places(f) {
			value, warning := scalar(tree, place)
			if warning != "" {
				out.Warnings = append(out.Warnings, f.name+": "+warning)
			}
			if value = strings.TrimSpace(value); value != "" {
				*into[i], warning = bounded(f.name, value)
				if warning != "" {
					out.Warnings = append(out.Warnings, f.name+": "+warning)
				}
				break
			}
		}
	}
	return out, nil
}

// places is where a field is looked for, in this order: where the policy says,
// or else where DefaultFieldMap does. A customer ID has no default.
func (m *FieldMap) places(f field) []string {
	if *f.pointer != "" {
		return []string{*f.pointer}
	}
	var places []string
	for _, d := range DefaultFieldMap() {
		for _, known := range d.list() {
			if known.name == f.name && *known.pointer != "" {
				places = append(places, *known.pointer)
			}
		}
	}
	return places
}

func bounded(name, value string) (kept, warning string) {
	limit, cut := maxField, true
	switch name {
	case "email":
		limit, cut = maxEmail, false
	case "phone":
		cut = false
	case "message":
		limit = maxMessage
	case "customer_id":
		return value, ""
	}
	switch {
	case len(value) <= limit:
		return value, ""
	case cut:
		return cutBytes(value, limit), fmt.Sprintf("cut at %d bytes", limit)
	default:
		return "", fmt.Sprintf("longer than %d bytes, left out", limit)
	}
}

// scalar evaluates a JSON Pointer (RFC 6901, section 4).
func scalar(tree any, place string) (value, warning string) {
	rest, _ := strings.CutPrefix(place, "/")
	plain := strings.NewReplacer("~1", "/", "~0", "~")
	for token := range strings.SplitSeq(rest, "/") {
		token = plain.Replace(token)
		switch v := tree.(type) {
		case map[string]any:
			tree = v[token]
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(v) || strconv.Itoa(n) != token {
				return "", ""
			}
			tree = v[n]
		default:
			return "", ""
		}
	}
	switch v := tree.(type) {
	case string:
		return v, ""
	case json.Number:
		return v.String(), ""
	case bool:
		return strconv.FormatBool(v), ""
	case map[string]any:
		return "", "an object, left out"
	case []any:
		return "", "a list, left out"
	}
	return "", ""
}

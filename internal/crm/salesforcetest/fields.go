package salesforcetest

import (
	"encoding/json"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"unicode/utf16"
)

// Field is a field of an object, as a description has it.
type Field struct {
	Name          string `json:"name"`
	Type          string `json:"type"`
	Length        int    `json:"length"` // in characters
	ExternalID    bool   `json:"externalId"`
	Unique        bool   `json:"unique"`
	CaseSensitive bool   `json:"caseSensitive"`
	Createable    bool   `json:"createable"`
	Updateable    bool   `json:"updateable"`
	Filterable    bool   `json:"filterable"`
	hidden        bool   // by field-level security
}

// same compares two values of a unique field.
func (f *Field) same(a, b string) bool {
	return a == b || !f.CaseSensitive && strings.EqualFold(a, b)
}

// standard are the fields of every org, as far as they are known here.
func standard() map[string][]*Field {
	out := map[string][]*Field{}
	add := func(object, name, kind string, length int, writable bool) {
		out[object] = append(out[object], &Field{
			Name: name, Type: kind, Length: length, Createable: writable, Updateable: writable, Filterable: kind != "textarea",
		})
	}
	for _, object := range []string{Contact, Task} {
		add(object, "Id", "id", 18, false)
		add(object, "LastModifiedDate", "datetime", 0, false)
	}
	add(Contact, "FirstName", "string", 40, true)
	add(Contact, "LastName", "string", 80, true)
	add(Contact, "Email", "email", 80, true)
	add(Contact, "Phone", "phone", 40, true)
	add(Contact, "AccountId", "reference", 18, true)
	add(Contact, "HasOptedOutOfEmail", "boolean", 0, true)
	add(Task, "Subject", "combobox", 255, true)
	add(Task, "Description", "textarea", 32000, true)
	add(Task, "Status", "picklist", 255, true)
	add(Task, "ActivityDate", "date", 0, true)
	add(Task, "WhoId", "reference", 18, true)
	return out
}

// Define makes a field as an administrator does, seen by the user.
func (o *Org) Define(object string, f Field) {
	f.Createable, f.Updateable, f.Filterable = true, true, true
	o.locked(func() { o.fields[object] = append(o.fields[object], &f) })
}

// Alter changes a field as an administrator does, and reports whether it is there.
func (o *Org) Alter(object, name string, change func(*Field)) (there bool) {
	o.locked(func() {
		if n := slices.IndexFunc(o.fields[object], func(f *Field) bool { return f.Name == name }); n >= 0 {
			change(o.fields[object][n])
			there = true
		}
	})
	return there
}

// Show has field-level security show a field to the user, or hide it.
func (o *Org) Show(object, name string, seen bool) bool {
	return o.Alter(object, name, func(f *Field) { f.hidden = !seen })
}

// field is one that the user sees. Names compare without regard to case.
func (o *Org) field(object, name string) *Field {
	for _, f := range o.fields[object] {
		if strings.EqualFold(f.Name, name) && !f.hidden {
			return f
		}
	}
	return nil
}

func (o *Org) describe(object string) answer {
	seen := slices.DeleteFunc(slices.Clone(o.fields[object]), func(f *Field) bool { return f.hidden })
	return answer{status: http.StatusOK, body: map[string]any{"name": object, "fields": seen}}
}

// makeField is the Tooling API's way to a text field.
func (o *Org) makeField(body []byte) answer {
	var in struct {
		FullName string
		Metadata struct {
			Label, Type                       string
			Length                            int
			ExternalID                        bool `json:"externalId"`
			Unique, CaseSensitive, Filterable bool
		}
	}
	object, name, _ := strings.Cut("", ".")
	if json.Unmarshal(body, &in) == nil {
		object, name, _ = strings.Cut(in.FullName, ".")
	}
	object = map[string]string{Contact: Contact, "Activity": Task}[object] // a task's fields are those of activities
	m := in.Metadata
	switch {
	case !o.opts.Customizes:
		return refusal(&failure{http.StatusForbidden, "INSUFFICIENT_ACCESS", "insufficient access rights on cross-reference id"})
	case object == "" || !strings.HasSuffix(name, "__c") || m.Label == "" || m.Type != "Text" || m.Length < 1 || m.Length > 255:
		return refusal(bad("FIELD_INTEGRITY_EXCEPTION", "the field's definition is not complete"))
	case slices.ContainsFunc(o.fields[object], func(f *Field) bool { return strings.EqualFold(f.Name, name) }):
		return refusal(bad("DUPLICATE_DEVELOPER_NAME", "There is already a field named "+name))
	}
	o.fields[object] = append(o.fields[object], &Field{
		Name: name, Type: "string", Length: m.Length, ExternalID: m.ExternalID, Unique: m.Unique, CaseSensitive: m.CaseSensitive,
		Createable: true, Updateable: true, Filterable: true, hidden: !o.opts.Grants,
	})
	return answer{status: http.StatusCreated, body: map[string]any{"id": "00N5g00000000001AA", "success": true, "errors": []string{}}}
}

// values are the fields of a body, each as Salesforce takes it. null and "" clear.
func (o *Org) values(object string, body []byte, external string) (map[string]string, *failure) {
	var in map[string]any
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, bad("JSON_PARSER_ERROR", "unexpected content")
	}
	out := map[string]string{}
	for name, is := range in {
		f := o.field(object, name)
		value, text := is.(string)
		on, boolean := is.(bool)
		switch {
		case f == nil:
			return nil, bad("INVALID_FIELD", "No such column '"+name+"' on sobject of type "+object)
		case !f.Updateable || f.Name == external:
			return nil, bad("INVALID_FIELD_FOR_INSERT_UPDATE", "Unable to create/update fields: "+name)
		case is != nil && (f.Type == "boolean") != boolean || is != nil && !text && !boolean:
			return nil, bad("JSON_PARSER_ERROR", "Cannot deserialize "+name)
		}
		if value = strings.TrimSpace(value); on {
			value = "true"
		}
		if f.Length > 0 && len(utf16.Encode([]rune(value))) > f.Length {
			return nil, bad("STRING_TOO_LONG", name+": data value too large")
		}
		if _, err := mail.ParseAddress(value); f.Type == "email" && value != "" && err != nil {
			return nil, bad("INVALID_EMAIL_ADDRESS", name+": invalid email address")
		}
		out[f.Name] = value
	}
	return out, nil
}

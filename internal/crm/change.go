package crm

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Field is one of the fields of a contact that are written.
type Field string

// The fields.
const (
	FieldEmail   Field = "email"
	FieldName    Field = "name"
	FieldCompany Field = "company"
	FieldPhone   Field = "phone"
)

// Fields are all of them.
func Fields() []Field { return []Field{FieldEmail, FieldName, FieldCompany, FieldPhone} }

// Values are the fields of a contact or of a record; one that is empty may be
// left out. A name that the vendor keeps in two parts is the two with a space.
type Values map[Field]string

// Values are what Onefold knows of the contact.
func (c Contact) Values() Values {
	v := Values{FieldEmail: c.Email, FieldName: c.Name, FieldCompany: c.Company, FieldPhone: c.Phone}
	for f, value := range v {
		if strings.TrimSpace(value) == "" {
			delete(v, f)
		}
	}
	return v
}

// Last is what was written of a contact before, as digests. The zero Last knows
// of nothing.
type Last struct {
	// Record is the CRM's ID of the record that Wrote is about.
	Record string
	Digest func(Field, string) string
	// Wrote is the value that the record had when a write was last confirmed, where
	// it was ours; Tried the values of writes that nobody confirmed.
	Wrote map[Field]string
	Tried map[Field][]string
	// Ours are the fields that are written over whoever changed them there.
	Ours []Field
}

// Change is what to write to a record that exists.
type Change struct {
	Write Values
	// Left are the fields that somebody changed in the CRM. They stay as they are.
	Left []Field
}

// Change compares the contact as it is now with a record as it is now. A field
// that has what we last wrote is ours to write, and so is an empty one that we
// never filled; one that somebody changed or emptied is left alone. Of a record
// that we have not written to, only what is empty is written: linked tells
// whether it carries the contact's reference or its known ID.
//
// Between the look at the record and the write a person's edit can still be
// lost, for as long as Capabilities.EditLost says.
func (c Contact) Change(id string, linked bool, has Values) Change {
	change := Change{Write: Values{}}
	for f, value := range c.Values() {
		if !Same(f, has[f], value) {
			switch {
			case slices.Contains(c.Last.Ours, f), c.isOurs(id, linked, f, has[f]):
				change.Write[f] = value
			default:
				change.Left = append(change.Left, f)
			}
		}
	}
	slices.Sort(change.Left)
	return change
}

// isOurs tells whether the value that a field has is Onefold's.
func (c Contact) isOurs(id string, linked bool, f Field, has string) bool {
	l := c.Last
	known := l.Record == id && l.Wrote[f] != ""
	switch {
	case has == "":
		return !known // else somebody emptied it
	case l.Digest == nil || !linked:
		return false
	}
	d := l.Digest(f, Normal(f, has))
	return known && d == l.Wrote[f] || slices.Contains(l.Tried[f], d)
}

// Same tells whether two values say the same in other spellings.
func Same(f Field, a, b string) bool { return Normal(f, a) == Normal(f, b) }

// Normal is the form in which values are compared: of a phone its digits, of
// everything else its words in lower case, those of a name in the order of the
// alphabet, since some vendors ask for the family name apart.
func Normal(f Field, value string) string {
	value = strings.ToLower(norm.NFKC.String(value))
	if f == FieldEmail {
		return strings.TrimSpace(value)
	}
	words := strings.FieldsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	if f == FieldPhone {
		return strings.Join(words, "")
	}
	if f == FieldName {
		slices.Sort(words)
	}
	return strings.Join(words, " ")
}

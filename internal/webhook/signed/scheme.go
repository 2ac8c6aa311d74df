// Package signed is the source for every sender that proves itself by an HMAC
// in a header: what differs between them is data.
//
// Its invariant: a request is taken only if one of the endpoint's secrets made
// the HMAC over exactly what the scheme says is signed; a timestamp counts only
// where it is signed; and an ID that is not signed never makes a second event
// of one signed body. It refuses a scheme in which the body is not signed.
package signed

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Scheme says how a sender signs and where its events have their IDs. The zero
// values are the most common: HMAC-SHA256 in hex over the body, the secret's
// text as key.
type Scheme struct {
	Algorithm string `json:"algorithm,omitempty"` // sha256 (default), sha512 or sha1
	Key       string `json:"key,omitempty"`       // what of the secret is the key: its "text" (default), or "hex" or "base64" of it
	Header    string `json:"header"`              // that holds the signature
	// Prefix stands before the signature in its header, such as "sha256=". Pair
	// is the name of the signature where the header holds pairs such as
	// "t=1,v1=ab", of which several may have it. One of the two, or none.
	Prefix   string `json:"prefix,omitempty"`
	Pair     string `json:"pair,omitempty"`
	Encoding string `json:"encoding,omitempty"` // of the signature: hex (default) or base64
	// Signed is what is signed: text with {body}, {timestamp}, {id}, {method} and
	// {url} in it; "{body}" by default.
	Signed    string     `json:"signed,omitempty"`
	Timestamp *Timestamp `json:"timestamp,omitempty"`
	ID        ID         `json:"id"`
	Kind      Place      `json:"kind,omitzero"`
	// Kinds are those that carry an event; of all others nothing is recorded.
	// Empty: all do.
	Kinds []string `json:"kinds,omitempty"`
	// Events is, of a payload of several events, the JSON Pointer to their list;
	// "/" followed by nothing else is not one: a body that is itself a list has "".
	Events *string `json:"events,omitempty"`
	// Volatile are JSON Pointers to what the sender changes from one try of an
	// event to the next: no part of what makes it the same.
	Volatile []string `json:"volatile,omitempty"`

	// field is the form field that holds the JSON where a sender can be set to
	// post a form; what is signed is the form. tests are the kinds by which the
	// sender tries the address out: they carry no event.
	field string
	tests []string
}

// Timestamp is where the time of signing stands and how far it may be from now.
type Timestamp struct {
	Header    string `json:"header,omitempty"` // of its own, or
	Pair      string `json:"pair,omitempty"`   // a pair of the signature's header
	Unit      string `json:"unit,omitempty"`   // s (default) or ms, since 1970
	Tolerance int64  `json:"tolerance"`        // seconds, to both sides; 1 to 86400
}

// Place is where a text stands: a header, or a member of the body.
type Place struct {
	Header  string `json:"header,omitempty"`
	Pointer string `json:"pointer,omitempty"`
}

// ID is where the ID of an event stands. Of several pointers it is derived: they
// name the object, the kind of event and the object's version, in this order,
// and what else tells two events apart.
type ID struct {
	Header   string   `json:"header,omitempty"`
	Pointers []string `json:"pointers,omitempty"`
}

// Check says what is wrong with a scheme, in words for the policy's writer.
func (s Scheme) Check() error {
	for _, c := range []struct {
		name, value string
		one         []string
	}{
		{"algorithm", s.Algorithm, []string{"sha256", "sha512", "sha1"}},
		{"key", s.Key, []string{"text", "hex", "base64"}},
		{"encoding", s.Encoding, []string{"hex", "base64"}},
	} {
		if c.value != "" && !slices.Contains(c.one, c.value) {
			return fmt.Errorf("%s must be one of %s", c.name, strings.Join(c.one, ", "))
		}
	}
	switch {
	case !validHeader(s.Header):
		return errors.New("header must name the header of the signature, in lower case")
	case s.Prefix != "" && s.Pair != "":
		return errors.New("a signature has a prefix or stands in a pair, not both")
	case s.ID.Header == "" && len(s.ID.Pointers) == 0:
		return errors.New("id is missing: without one a repeated delivery cannot be told from a new event")
	case s.ID.Header != "" && len(s.ID.Pointers) > 0:
		return errors.New("id is in a header or in the body, not both")
	case s.ID.Header != "" && !validHeader(s.ID.Header), s.Kind.Header != "" && !validHeader(s.Kind.Header):
		return errors.New("a header is named in lower case")
	case len(s.ID.Pointers) == 2:
		return errors.New("id has one pointer to the provider's own, or three or more: object, kind, version")
	case s.Events != nil && s.ID.Header != "":
		return errors.New("of several events in one payload each needs an id in the body")
	case len(s.Kinds) > 0 && s.Kind == (Place{}):
		return errors.New("kinds has no effect without a kind")
	}
	for _, p := range slices.Concat(s.ID.Pointers, s.Volatile, []string{s.Kind.Pointer}) {
		if !validPointer(p) {
			return errors.New("a JSON pointer begins with /, such as /event/id")
		}
	}
	if s.Events != nil && !validPointer(*s.Events) {
		return errors.New("events must be a JSON pointer, or \"\" for a body that is a list")
	}
	if slices.Contains(s.ID.Pointers, "") || slices.Contains(s.Volatile, "") {
		return errors.New("a JSON pointer to the whole body cannot be an id")
	}
	return s.checkSigned()
}

func (s Scheme) checkSigned() error {
	parts, err := template(s.signed())
	if err != nil {
		return err
	}
	has := func(name string) bool { return slices.Contains(parts, "{"+name+"}") }
	switch {
	case !has("body"):
		return errors.New("signed must hold {body}: what is not signed cannot be trusted")
	case has("timestamp") != (s.Timestamp != nil):
		return errors.New("a timestamp must be signed, and what is signed as {timestamp} must be set up")
	case has("id") && s.ID.Header == "":
		return errors.New("{id} is the header that id names")
	}
	if t := s.Timestamp; t != nil {
		switch {
		case (t.Header == "") == (t.Pair == ""), t.Header != "" && !validHeader(t.Header):
			return errors.New("a timestamp is in a header of its own, in lower case, or in a pair")
		case t.Pair != "" && s.Pair == "":
			return errors.New("a timestamp in a pair needs a signature in a pair")
		case t.Unit != "" && t.Unit != "s" && t.Unit != "ms":
			return errors.New("the unit of a timestamp is s or ms")
		case t.Tolerance < 1 || t.Tolerance > 86400:
			return errors.New("tolerance is 1 to 86400 seconds")
		}
	}
	return nil
}

func (s Scheme) signed() string {
	if s.Signed == "" {
		return "{body}"
	}
	return s.Signed
}

// idIsSigned tells whether the sender's proof covers the ID.
func (s Scheme) idIsSigned() bool {
	return s.ID.Header == "" || strings.Contains(s.signed(), "{id}")
}

var (
	placeholder = regexp.MustCompile(`\{[a-z]*\}|[^{}]+`)
	headerName  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
	pointerForm = regexp.MustCompile(`^(/([^~/]|~[01])*)*$`)
)

func validHeader(s string) bool  { return headerName.MatchString(s) }
func validPointer(s string) bool { return len(s) <= 200 && pointerForm.MatchString(s) }

// template divides what is signed into texts and placeholders.
func template(s string) ([]string, error) {
	parts := placeholder.FindAllString(s, -1)
	if strings.Join(parts, "") != s || len(s) > 200 {
		return nil, errors.New("signed is text with {body}, {timestamp}, {id}, {method} and {url}")
	}
	for _, p := range parts {
		if p[0] == '{' && !slices.Contains([]string{"{body}", "{timestamp}", "{id}", "{method}", "{url}"}, p) {
			return nil, errors.New("signed is text with {body}, {timestamp}, {id}, {method} and {url}")
		}
	}
	return parts, nil
}

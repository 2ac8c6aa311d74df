// Package formdata reads the body of a form post: the fields of
// application/x-www-form-urlencoded and the fields and files of
// multipart/form-data (RFC 7578), in their order.
//
// Its invariant: values are the bytes that were sent. It refuses bodies of more
// than MaxParts parts, and keeps nothing outside of memory; the body's own size
// is the receiver's bound.
package formdata

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"

	"onefold/internal/webhook"
)

// MaxParts is the most fields and files of one form: a mail has a few dozen
// headers, which some providers send as a field each, and its attachments.
const MaxParts = 1000

// maxName bounds the name of a field in bytes.
const maxName = 256

// Part is one field, or one file where File is true.
type Part struct {
	Name     string
	Value    []byte
	File     bool
	FileName string // as the sender gives it, of a file
	Type     string // media type with its parameters; "" for none
	ID       string // Content-ID, "" for none
}

// Form is the parts of a form in their order.
type Form []Part

// Get is the first field of a name, "" for none.
func (f Form) Get(name string) string {
	v, _ := f.Look(name)
	return string(v)
}

// Look is the first field of a name, and whether there is one.
func (f Form) Look(name string) ([]byte, bool) {
	for _, p := range f {
		if p.Name == name && !p.File {
			return p.Value, true
		}
	}
	return nil, false
}

// Only is the field of a name, "" where it does not come exactly once.
func (f Form) Only(name string) string {
	value, count := "", 0
	for _, p := range f {
		if p.Name == name {
			value = string(p.Value)
			count++
		}
	}
	if count != 1 {
		return ""
	}
	return value
}

// Files are the files.
func (f Form) Files() []Part {
	var all []Part
	for _, p := range f {
		if p.File {
			all = append(all, p)
		}
	}
	return all
}

// Read reads a request's form. It refuses with webhook.ErrKind what is no
// form, with ErrMalformed what is none that can be read, with ErrTooLarge one
// of too many parts.
func Read(r webhook.Request) (Form, error) {
	switch r.Headers.MediaType() {
	case "application/x-www-form-urlencoded":
		return readFields(r.Body)
	case "multipart/form-data":
		_, params, err := mime.ParseMediaType(r.Headers.Get("content-type"))
		if err != nil || params["boundary"] == "" {
			return nil, malformed()
		}
		return readParts(r.Body, params["boundary"])
	}
	return nil, webhook.Refuse(webhook.ErrKind, "media_type", "send multipart/form-data or application/x-www-form-urlencoded")
}

// OneWay tells whether a form can be read in one way only: it has parts, and
// begins with the boundary that the content type names. Where the body is signed
// and its type is not, whoever has seen one request could else name a boundary
// that stands in some value, or another kind of form.
func OneWay(r webhook.Request) bool {
	if r.Headers.MediaType() != "multipart/form-data" {
		return false
	}
	_, params, err := mime.ParseMediaType(r.Headers.Get("content-type"))
	boundary := params["boundary"]
	rest, begins := bytes.CutPrefix(r.Body, []byte("--"+boundary))
	return err == nil && boundary != "" && !strings.ContainsAny(boundary, "\r\n") && begins && len(rest) > 0 && (rest[0] == '\r' || rest[0] == '\n')
}

func malformed() error {
	return webhook.Refuse(webhook.ErrMalformed, "form_malformed", "the body is a form that can be read")
}

func tooMany() error {
	return webhook.Refuse(webhook.ErrTooLarge, "form_too_many_parts", "a form has 1000 parts at most")
}

func readFields(body []byte) (Form, error) {
	if bytes.Count(body, []byte("&")) >= MaxParts {
		return nil, tooMany()
	}
	var form Form
	for pair := range strings.SplitSeq(string(body), "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil || len(name) > maxName {
			return nil, malformed()
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return nil, malformed()
		}
		form = append(form, Part{Name: name, Value: []byte(value)})
	}
	return form, nil
}

func readParts(body []byte, boundary string) (Form, error) {
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	var form Form
	for {
		// Raw: a transfer encoding has no place in a form (RFC 7578, section 4.7).
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) && len(form) > 0 {
			return form, nil
		}
		if err != nil { // or there is no part of this boundary
			return nil, malformed()
		}
		if len(form) >= MaxParts {
			return nil, tooMany()
		}
		value, err := io.ReadAll(part)
		name := part.FormName()
		if err != nil || name == "" || len(name) > maxName {
			return nil, malformed()
		}
		_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
		_, isFile := params["filename"]
		form = append(form, Part{
			Name: name, Value: value, File: isFile, FileName: params["filename"],
			Type: part.Header.Get("Content-Type"), ID: part.Header.Get("Content-Id"),
		})
	}
}

package tenant_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/mail"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"onefold/internal/policy/tenant"
)

// FuzzParse: any bytes give a policy or problems, never a panic or another
// error; a policy encodes to a document of the same policy, and each of its
// rules renders whatever a stranger writes.
func FuzzParse(f *testing.F) {
	f.Add([]byte(minimal))
	f.Add(tenant.Example())
	f.Add([]byte(`{}`))
	f.Add([]byte(`[1e999999999]`))
	f.Add([]byte(`{"endpoints": [null, 1, {}], "rules": [null], "own_addresses": [null, "@"], "version": 1E400000000}`))
	f.Add([]byte(strings.Replace(minimal, "Hello", "{{if .Name}}{{with .Subject}}{{.}}{{end}}{{end}}x", 1)))
	f.Add([]byte(strings.Replace(minimal, `"rules"`, `"a": {"b": {"c": 1, "c": 2}}, "rules"`, 1)))
	f.Fuzz(func(t *testing.T, doc []byte) {
		p, err := tenant.Parse(doc)
		if err != nil {
			var invalid *tenant.InvalidError
			if !errors.As(err, &invalid) || len(invalid.Problems) == 0 {
				t.Fatalf("Parse = %v, want *InvalidError with problems", err)
			}
			for _, problem := range invalid.Problems {
				if problem.Message == "" || strings.ContainsAny(problem.Message, "\r\n") {
					t.Fatalf("message %q is not one line", problem.Message)
				}
			}
			return
		}
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := tenant.Parse(b)
		if err != nil || !reflect.DeepEqual(p, again) {
			t.Fatalf("encoded and parsed again: %v", err)
		}
		from, err := mail.ParseAddress(p.Sender.From)
		if err != nil || !p.IsOwn(from.Address) {
			t.Fatalf("the sender is not ours: %v", err)
		}
		for _, r := range p.Rules {
			_, text, err := r.Render(p.TemplateData("Robin\r\n", "", "\x00?"))
			if err != nil && !errors.Is(err, tenant.ErrNoPostalAddress) && !errors.Is(err, tenant.ErrEmptySubject) && !errors.Is(err, tenant.ErrTextTooLong) {
				t.Fatalf("a checked rule does not render: %v", err)
			}
			if strings.ContainsRune(text, '\r') || !utf8.ValidString(text) {
				t.Fatalf("text %q", text)
			}
		}
	})
}

// FuzzReadForm: any bytes and any pointer give values within their bounds.
func FuzzReadForm(f *testing.F) {
	f.Add([]byte(`{"data": {"email": "r@example.org"}}`), "")
	f.Add([]byte(`{"a": [1, {"b": true}]}`), "/a/1/b")
	f.Add([]byte(`{"": {"": "x"}}`), "//")
	f.Add([]byte(`{"a": 1, "a": {}}`), "no pointer")
	f.Fuzz(func(t *testing.T, doc []byte, place string) {
		m := tenant.FieldMap{Email: place, Message: place}
		v, err := m.Read(doc)
		if err != nil {
			if !errors.Is(err, tenant.ErrNotAForm) {
				t.Fatalf("Read = %v", err)
			}
			return
		}
		if !json.Valid(doc) || bytes.IndexByte(doc, '{') < 0 {
			t.Fatal("read what is no JSON object")
		}
		if len(v.Email) > 320 || len(v.Message) > 64<<10 || len(v.Name) > 2<<10 || !utf8.ValidString(v.Email+v.Message+v.Name) {
			t.Fatal("a value is out of its bounds")
		}
	})
}

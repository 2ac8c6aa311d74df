package tenant_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"onefold/internal/policy/tenant"
)

func rule(subject, text string) tenant.Rule {
	return tenant.Rule{ID: "r", Template: tenant.Template{Version: 1, Subject: subject, Text: text}}
}

const address = "1 Sample Street, Exampleton"

func TestRenderFillsTheTemplate(t *testing.T) {
	t.Parallel()
	r := rule("{{if .Subject}}Re: {{.Subject}}{{else}}Hello{{end}}", "Dear {{with .Name}}{{.}}{{else}}you{{end}} of {{.Company}},\r\n{{.Business}}\r{{.PostalAddress}}")
	for _, c := range []struct {
		name, subject, text string
		data                tenant.TemplateData
	}{
		{
			"all there", "Re: Boots", "Dear Robin of Sample GmbH,\nDemo Ltd\n" + address,
			tenant.TemplateData{Name: "Robin", Company: "Sample GmbH", Subject: "Boots", Business: "Demo Ltd", PostalAddress: address},
		},
		{"nothing there", "Hello", "Dear you of ,\n\n" + address, tenant.TemplateData{PostalAddress: address}},
		{
			"values do not break out", "Re: Boots Bcc: x@example.org", "Dear Robin Unsubscribe of {{.Name}},\n\n" + address,
			tenant.TemplateData{Name: "\r\nRobin\r\n\r\n\x00Unsubscribe\x1b", Company: "{{.Name}}", Subject: "Boots\r\nBcc: x@example.org", PostalAddress: address},
		},
		{
			"invisible characters are dropped, joiners stay", "Re: a b", "Dear ab\u200dc of \U0001F468\u200d\U0001F469,\n\n" + address,
			tenant.TemplateData{Name: "a\u202eb\u200dc\ufeff", Company: "\U0001F468\u200d\U0001F469", Subject: "a\u2028b", PostalAddress: address},
		},
		{
			"bytes that are no text are dropped", "Re: ab", "Dear x of ,\n\n" + address,
			tenant.TemplateData{Name: "x\xff", Subject: "a\xc3b", PostalAddress: address},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			subject, text, err := r.Render(c.data)
			if err != nil || subject != c.subject || text != c.text {
				t.Errorf("Render = %q, %q, %v; want %q, %q", subject, text, err, c.subject, c.text)
			}
		})
	}
}

func TestValuesAreCutAt200Runes(t *testing.T) {
	t.Parallel()
	r := rule("{{.Subject}}", "{{.Name}}|{{.PostalAddress}}")
	d := tenant.TemplateData{Name: strings.Repeat("é", 201), Subject: strings.Repeat("a ", 300), PostalAddress: address}
	subject, text, err := r.Render(d)
	if err != nil {
		t.Fatal(err)
	}
	if name, _, _ := strings.Cut(text, "|"); name != strings.Repeat("é", 200) {
		t.Errorf("the name has %d runes, want 200", utf8.RuneCountInString(name))
	}
	// 99 times "a " is 198 runes, and one more a; the 200th would be a space.
	if want := strings.Repeat("a ", 99) + "a"; subject != want {
		t.Errorf("the subject has %d runes, want %d", len(subject), len(want))
	}
}

func TestNothingIsRenderedWithoutAPostalAddress(t *testing.T) {
	t.Parallel()
	whole := tenant.TemplateData{Name: "Robin", PostalAddress: address}
	for name, c := range map[string]struct {
		text string
		data tenant.TemplateData
	}{
		"template without":       {"Hello", whole},
		"data without":           {"Hello {{.PostalAddress}}", tenant.TemplateData{}},
		"data of control only":   {"Hello {{.PostalAddress}}", tenant.TemplateData{PostalAddress: "\r\n\t"}},
		"left out for one value": {`{{if ne .Name "Robin"}}{{.PostalAddress}}{{end}}`, whole},
	} {
		if s, x, err := rule("Hi", c.text).Render(c.data); !errors.Is(err, tenant.ErrNoPostalAddress) || s != "" || x != "" {
			t.Errorf("%s: Render = %q, %q, %v, want ErrNoPostalAddress", name, s, x, err)
		}
	}
}

func TestWhateverTheValuesTheResultIsSafe(t *testing.T) {
	t.Parallel()
	r := rule(strings.Repeat("{{.Subject}}{{.Name}} ", 6), strings.Repeat("{{.Name}}\r\n{{.Company}} ", 5)+"{{.PostalAddress}}")
	value := rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "bytes") {
			return string(rapid.SliceOfN(rapid.Byte(), 0, 900).Draw(t, "raw"))
		}
		return rapid.StringN(0, 300, -1).Draw(t, "text")
	})
	rapid.Check(t, func(t *rapid.T) {
		d := tenant.TemplateData{
			Name: value.Draw(t, "name"), Company: value.Draw(t, "company"), Subject: "s" + value.Draw(t, "subject"),
			Business: "Demo Ltd", PostalAddress: address,
		}
		subject, text, err := r.Render(d)
		if err != nil {
			t.Fatal(err)
		}
		again, textAgain, err := r.Render(d)
		if err != nil || again != subject || textAgain != text {
			t.Fatal("two renderings differ")
		}
		if len(subject) > 998 || !utf8.ValidString(subject) || strings.IndexFunc(subject, unicode.IsControl) >= 0 {
			t.Fatalf("the subject is no line of at most 998 bytes: %q", subject)
		}
		if strings.ContainsRune(text, '\r') || !utf8.ValidString(text) || !strings.Contains(text, address) {
			t.Fatalf("the text is not plain: %q", text)
		}
		// The template has five line ends; values bring no other.
		if strings.Count(text, "\n") != 5 {
			t.Fatalf("a value brought a line end: %q", text)
		}
	})
}

func TestTemplatesHoldFieldsAndConditionsOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"plain", "x", ""},
		{"fields", "{{.Name}} {{ .Company }} {{- .Subject -}} {{.Business}}", ""},
		{"comment", "{{/* note */}}", ""},
		{"if else", `{{if .Name}}a{{else if .Company}}b{{else}}c{{end}}`, ""},
		{"with", `{{with .Name}}{{.}} {{$.Company}}{{else}}{{.Company}}{{end}}`, ""},
		{"functions", `{{if and .Name (not (or .Company (eq .Subject "x" "y")))}}a{{end}}{{if ne .Name "b"}}c{{end}}`, ""},
		{"text literal", `{{"{{"}}`, ""},
		{"unknown field", "{{.Email}}", "line 1: .Email"},
		{"unknown field on line 3", "\n\n{{.Email}}", "line 3: .Email"},
		{"field of a field", "{{.Name.X}}", "line 1: .Name.X"},
		{"lower case", "{{.name}}", "line 1: .name"},
		{"the whole data", "{{.}}", "{{.}} stands for a value only inside with"},
		{"field inside with", "{{with .Name}}{{.Company}}{{end}}", "inside with a field is written $.Company"},
		{"range over a number", "{{range 1000000000}}x{{end}}", "{{range}} is not for it"},
		{"break", "{{range .Name}}{{break}}{{end}}", "{{range}} is not for it"},
		{"print", `{{printf "%1000000000d" 1}}`, "printf is not for it"},
		{"html", "{{html .Name}}", "html is not for it"},
		{"call", "{{call .Name}}", "call is not for it"},
		{"pipe", "{{.Name | len}}", "variables and | are not for it"},
		{"variable", "{{$x := .Name}}", "variables and | are not for it"},
		{"define", `{{define "x"}}{{end}}`, "may not define"},
		{"block", `{{block "x" .}}{{end}}`, "may not define"},
		{"template", `{{template "template" .}}`, "{{template}} is not for it"},
		{"number", "{{1}}", "1 is not for it"},
		{"field with argument", `{{.Name "x"}}`, "takes no arguments"},
		{"eq of one", "{{if eq .Name}}{{end}}", "wrong number of arguments"},
		{"eq of a boolean", "{{if eq .Name (not .Name)}}{{end}}", "is not for it"},
		{"syntax", "{{if .Name}}", "unexpected EOF"},
		{"two faults", "{{.A}}{{.B}}", "line 1: .B"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := rule("s", c.text+"{{.PostalAddress}}").Render(tenant.TemplateData{PostalAddress: address})
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

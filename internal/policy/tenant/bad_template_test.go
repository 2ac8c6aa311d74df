package tenant_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// Each row is one template in the minimal policy.
func TestBadTemplatesAreRefusedBeforeAnyMailIsMade(t *testing.T) {
	t.Parallel()
	const subject, text = "/rules/0/template/subject", "/rules/0/template/text"
	for _, c := range []struct {
		name, subject, text string
		want                []string // path and a word of the message
	}{
		{"good", "Hello", "{{.PostalAddress}}", nil},
		{"no postal address", "Hello", "Hi", []string{text + " commercial mail needs a postal address"}},
		{"address written out, which goes stale", "Hello", "Hi\n1 Sample Street, Exampleton", []string{text + " must show {{.PostalAddress}}"}},
		{"address in a comment only", "Hello", "{{/* {{.PostalAddress}} */}}", []string{text + " must show {{.PostalAddress}}"}},
		{"address under a condition", "Hello", "{{if .Name}}{{.PostalAddress}}{{end}}", []string{text + " outside of any condition"}},
		{"address in the subject only", "{{.PostalAddress}}", "Hi", []string{text + " must show {{.PostalAddress}}"}},
		{"address in both branches", "Hello", "{{if .Name}}{{.PostalAddress}}{{else}}{{.PostalAddress}}{{end}}", nil},
		{"subject that may be empty", "{{.Subject}}", "{{.PostalAddress}}", []string{subject + " it gives none with no name, company and subject"}},
		{"subject that is empty with a name", "{{if not .Name}}x{{end}}", "{{.PostalAddress}}", []string{subject + " it gives none with a name only"}},
		{"blank subject", " ", "{{.PostalAddress}}", []string{subject + " must give a subject"}},
		{"subject of two lines", "a\nb", "{{.PostalAddress}}", []string{subject + " on one line"}},
		{"empty", "", "", []string{subject + " 1 to 300 characters", text + " 1 to 16000 characters"}},
		{"both without their end", "{{if .Name}}", "{{", []string{subject + " unexpected EOF", text + " unclosed action"}},
		{"two unknown fields", "Hello", "{{.Email}} {{.Phone}}", []string{text + " .Email is not for it", text + " .Phone is not for it"}},
		{"loop", "Hello", "{{range 9}}{{end}}{{.PostalAddress}}", []string{text + " {{range}} is not for it"}},
		{"too long with the longest values", "Hello", strings.Repeat("{{.Name}}", 100) + "{{.PostalAddress}}", []string{text + " at most 64 KiB"}},
		{"empty subject and no address", "{{.Subject}}", "Hi", []string{subject + " must give a subject", text + " must show"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var doc map[string]any
			if err := json.Unmarshal([]byte(minimal), &doc); err != nil {
				t.Fatal(err)
			}
			doc["rules"] = []any{map[string]any{"id": "r", "version": 1, "template": map[string]any{"version": 1, "subject": c.subject, "text": c.text}}}
			b, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.want) == 0 {
				parse(t, string(b))
				return
			}
			got := found(t, string(b))
			if len(got) != len(c.want) {
				t.Fatalf("problems:\n%s\nwant %d of them", strings.Join(got, "\n"), len(c.want))
			}
			for i, want := range c.want {
				path, words, _ := strings.Cut(want, " ")
				if !strings.HasPrefix(got[i], path+" ") || !strings.Contains(got[i], words) {
					t.Errorf("problem %q, want %q at %q", got[i], words, path)
				}
			}
		})
	}
}

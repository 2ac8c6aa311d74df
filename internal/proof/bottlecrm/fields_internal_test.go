package bottlecrm

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"

	"onefold/internal/crm"
)

func words(s ...string) []*string {
	out := make([]*string, len(s))
	for n := range s {
		out[n] = &s[n]
	}
	return out
}

func TestWhatTheServerWouldRefuseIsNotSent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 300)
	got := (&Client{people: contacts()}).fields(crm.Values{
		crm.FieldName: "Ann  van\nDyke", crm.FieldCompany: long, crm.FieldPhone: "ask reception", crm.FieldEmail: " ann@example.com ",
	})
	want := map[string]any{
		"first_name": "Ann van", "last_name": "Dyke", "email": "ann@example.com", "organization": strings.Repeat("é", 254) + "…",
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := (&Client{people: contacts()}).fields(crm.Values{crm.FieldPhone: "+44 (0)1632 960001"}); got["phone"] != "+44 (0)1632 960001" || len(got) != 1 {
		t.Errorf("got %v", got)
	}
}

func TestAHalfOfANameThatNobodyKnowsIsNone(t *testing.T) {
	t.Parallel()
	w := words("Ann", "-", "Smith")
	for _, c := range []struct {
		has  person
		want string
	}{
		{person{First: w[0], Last: w[2]}, "Ann Smith"}, {person{First: w[0], Last: w[1]}, "Ann"},
		{person{First: w[1], Last: w[2]}, "Smith"}, {person{First: w[1], Last: w[1]}, ""}, {person{}, ""},
	} {
		if got := values(c.has)[crm.FieldName]; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	// "Ann" after "Ann Smith" is not still Smith.
	if got := (&Client{people: contacts()}).fields(crm.Values{crm.FieldName: "Ann"}); got["first_name"] != "Ann" || got["last_name"] != "-" {
		t.Errorf("got %v", got)
	}
}

func TestALongBodyIsCutAndKeepsItsLines(t *testing.T) {
	t.Parallel()
	got := paragraphs("one\ntwo\x00\x07" + strings.Repeat("ü", 20_000))
	if r := []rune(got); len(r) != 10_000 || !strings.HasPrefix(got, "one\ntwoü") || r[9_999] != '…' {
		t.Errorf("%d characters, beginning %q", len(r), string(r[:9]))
	}
	if got := cut("ab", 2); got != "ab" {
		t.Errorf("got %q", got)
	}
}

func TestTheTokenGoesOverTheNetworkEncryptedOnly(t *testing.T) {
	t.Parallel()
	for base, ok := range map[string]bool{
		"https://crm.example.com": true, "http://127.0.0.1:8000": true,
		"http://crm.example.com": false, "https://user@crm.example.com": false, "https://crm.example.com/api": false, "crm": false,
	} {
		cfg := Config{BaseURL: base, Token: func(context.Context) (string, error) { return "bcrm_pat_test", nil }, HTTPClient: http.DefaultClient}
		if _, err := New(cfg); (err == nil) != ok {
			t.Errorf("%s: %v", base, err)
		}
	}
}

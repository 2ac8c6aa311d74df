package address_test

import (
	"errors"
	"strings"
	"testing"

	"onefold/internal/address"
)

func TestAcceptedAddressesHaveOneForm(t *testing.T) {
	t.Parallel()
	cases := []struct{ in, want string }{
		{"ann@example.com", "ann@example.com"},
		{"Ann.Lee+news@Example.COM", "Ann.Lee+news@example.com"},
		{`"ann"@example.com`, "ann@example.com"},
		{`"a\nn"@example.com`, "ann@example.com"},
		{`"ann lee"@example.com`, `"ann lee"@example.com`},
		{`"a@b"@example.com`, `"a@b"@example.com`},
		{`"a\"b"@example.com`, `"a\"b"@example.com`},
		{"jose\u0301@example.com", "jos\u00e9@example.com"},
		{"ann@b\u00fccher.example", "ann@xn--bcher-kva.example"},
		{"ann@BU\u0308CHER.example", "ann@xn--bcher-kva.example"},
		{"ann@fa\u00df.example", "ann@xn--fa-hia.example"}, // non-transitional: UTS 46 section 4
		{"ann@ab--cd.example", "ann@ab--cd.example"},
		{"ann@example\u3002com", "ann@example.com"}, // ideographic full stop is a label separator
	}
	for _, c := range cases {
		got, err := address.Parse(c.in)
		if err != nil || got.String() != c.want {
			t.Errorf("Parse(%q) = %q, %v; want %q", c.in, got, err, c.want)
		}
	}
}

func TestRefusedAddressesNameTheRuleAndNothingElse(t *testing.T) {
	t.Parallel()
	cases := []struct {
		in   string
		want error
	}{
		{"", address.ErrNoAt},
		{"secret", address.ErrNoAt},
		{"@example.com", address.ErrEmpty},
		{`""@example.com`, address.ErrEmpty},
		{".secret@example.com", address.ErrLocal},
		{"sec..ret@example.com", address.ErrLocal},
		{"sec ret@example.com", address.ErrLocal},
		{"(c)secret@example.com", address.ErrLocal},
		{"<secret@example.com>", address.ErrLocal},
		{"secret@other@example.com", address.ErrLocal},
		{"secret\x00@example.com", address.ErrForbidden},
		{"secret\u200b@example.com", address.ErrForbidden},
		{"secret\u202e@example.com", address.ErrForbidden},
		{"sec\u00a0ret@example.com", address.ErrForbidden},
		{"secret\xff@example.com", address.ErrNotUTF8},
		{`"secret@example.com`, address.ErrQuote},
		{`"secret"x@example.com`, address.ErrQuote},
		{"secret@", address.ErrDomain},
		{"secret@example", address.ErrOneLabel},
		{"secret@localhost", address.ErrOneLabel},
		{"secret@example.com.", address.ErrDomain},
		{"secret@exa_mple.com", address.ErrDomain},
		{"secret@-example.com", address.ErrDomain},
		{"secret@192.0.2.1", address.ErrDomain},
		{"secret@[192.0.2.1]", address.ErrLiteral},
		{"secret@ example.com", address.ErrDomain},
		{"secret@xn--a.example", address.ErrDomain},
		{strings.Repeat("s", 65) + "@example.com", address.ErrTooLong},
		{"secret@" + strings.Repeat(strings.Repeat("s", 60)+".", 4) + "example.com", address.ErrDomain},
		{strings.Repeat("s", 5000) + "@example.com", address.ErrTooLong},
	}
	for _, c := range cases {
		_, err := address.Parse(c.in)
		if !errors.Is(err, c.want) {
			t.Errorf("Parse(%q): %v; want %v", c.in, err, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "example")) {
			t.Errorf("Parse(%q): the error holds the address: %v", c.in, err)
		}
	}
}

func TestRoleAddresses(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"MAILER-DAEMON@example.com": true, "postmaster@example.com": true, "no-reply@example.com": true,
		"No.Reply@example.com": true, "noreply+abc@example.com": true, "do_not_reply@example.com": true,
		"noreply-orders@example.com": true, "list-bounces@example.com": true, "owner-list@example.com": true,
		"info@example.com": false, "sales@example.com": false, "ann@example.com": false,
		"owner@example.com": false, "noreen@example.com": false, "postmasterson@example.com": false,
	} {
		a, err := address.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := address.IsRole(a); got != want {
			t.Errorf("IsRole(%q) = %v", in, got)
		}
	}
}

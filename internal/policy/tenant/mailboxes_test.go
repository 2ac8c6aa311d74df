package tenant_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
)

// received is the minimal policy with a further endpoint that SES feeds.
func received(mailboxes string) string {
	const form = `{"name": "form", "content": "form", "secret": "form", "mailbox": "website"}`
	return strings.Replace(minimal, form, form+`, {"name": "inbox", "content": "mail", "scheme": "ses", "mailboxes": `+mailboxes+`}`, 1)
}

func TestAnEndpointOfSESNeedsMailboxesAndNoSecret(t *testing.T) {
	t.Parallel()
	p, err := tenant.Parse([]byte(received(`["Sales@Demo.example", "@demo.example"]`)))
	if err != nil {
		t.Fatal(err)
	}
	want := []tenant.Mailbox{
		{Route: "sales@demo.example", Endpoint: "inbox", Path: "/endpoints/1/mailboxes/0"},
		{Route: "@demo.example", Endpoint: "inbox", Path: "/endpoints/1/mailboxes/1"},
	}
	if got := p.Mailboxes(); !slices.Equal(got, want) {
		t.Errorf("mailboxes %+v, want %+v", got, want)
	}
	if want[0].Domain() != "@demo.example" || want[1].Domain() != "@demo.example" {
		t.Errorf("domains %q, %q", want[0].Domain(), want[1].Domain())
	}
	doc, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := tenant.Parse(doc); err != nil || !reflect.DeepEqual(again, p) {
		t.Errorf("the policy's own JSON gives %+v, %v", again, err)
	}
	if p.Mail.OnSpam != tenant.ScreenReview || p.Mail.OnVirus != tenant.ScreenReview {
		t.Errorf("by default %+v, want review", p.Mail)
	}
}

func TestMailboxesThatCannotBeAreRefusedAtTheirPlace(t *testing.T) {
	t.Parallel()
	many := make([]string, tenant.MaxMailboxes)
	for i := range many {
		many[i] = fmt.Sprintf(`"m%d@demo.example"`, i)
	}
	list := "[" + strings.Join(many, ", ") + "]"
	second := list + `}, {"name": "more", "content": "mail", "scheme": "ses", "mailboxes": ["one-more@demo.example"]`
	for name, c := range map[string]struct{ doc, want string }{
		"none":              {received(`[]`), `/endpoints/1/mailboxes must be a list of 1 to 30`},
		"left out":          {strings.Replace(received(`[]`), `, "mailboxes": []`, "", 1), `/endpoints/1/mailboxes is missing`},
		"no address":        {received(`["sales"]`), `/endpoints/1/mailboxes/0 must be an address`},
		"a stranger's":      {received(`["sales@example.org"]`), `/endpoints/1/mailboxes/0 must be of ours`},
		"a stranger domain": {received(`["@example.org"]`), `/endpoints/1/mailboxes/0 must be of ours`},
		"twice":             {received(`["a@demo.example", "A@DEMO.example"]`), `/endpoints/1/mailboxes/1 repeats /endpoints/1/mailboxes/0`},
		"too many":          {received(second), `/endpoints name 31 mailboxes`},
		"a secret":          {received(`["a@demo.example"], "secret": "s"`), `/endpoints/1/secret has no effect`},
		"a form":            {strings.Replace(received(`["a@demo.example"], "mailbox": "x"`), `"content": "mail"`, `"content": "form"`, 1), `/endpoints/1/content must be "mail"`},
		"another scheme":    {strings.Replace(received(`["a@demo.example"], "secret": "s"`), `"ses"`, `"standard-webhooks"`, 1), `/endpoints/1/mailboxes has an effect with the scheme "ses" alone`},
		"no secret":         {strings.Replace(minimal, `"secret": "form", `, "", 1), `/endpoints/0/secret is missing`},
		"spam":              {strings.Replace(minimal, `"rules"`, `"mail": {"on_spam": "delete"}, "rules"`, 1), `/mail/on_spam must be one of`},
		"virus accepted":    {strings.Replace(minimal, `"rules"`, `"mail": {"on_virus": "accept"}, "rules"`, 1), `/mail/on_virus must be one of`},
	} {
		list := found(t, c.doc)
		if len(list) != 1 || !strings.HasPrefix(list[0], c.want) {
			t.Errorf("%s: %q, want only %q", name, list, c.want)
		}
	}
}

func TestMailGoesToTheNearestRoute(t *testing.T) {
	t.Parallel()
	for recipient, want := range map[string][]string{
		"Sales@Demo.example":        {"sales@demo.example", "sales@demo.example", "@demo.example"},
		"sales+spring@demo.example": {"sales+spring@demo.example", "sales+spring@demo.example", "sales@demo.example", "@demo.example"},
		"+x@demo.example":           {"+x@demo.example", "+x@demo.example", "@demo.example"},
		"sales@demo.example.":       {"sales@demo.example", "sales@demo.example", "@demo.example"},
		"a@BÜCHER.example":          {"a@xn--bcher-kva.example", "a@xn--bcher-kva.example", "@xn--bcher-kva.example"},
		`"a b"@demo.example`:        {`"a b"@demo.example`, "@demo.example"},
		"demo.example":              {""},
		"@demo.example":             {""},
		"sales@":                    {""},
		"":                          {""},
	} {
		mailbox, routes := tenant.Routes(recipient)
		if got := append([]string{mailbox}, routes...); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", recipient, got, want)
		}
	}
}

func TestAMailboxThatComesOrGoesIsADifference(t *testing.T) {
	t.Parallel()
	parse := func(list string) tenant.Policy {
		p, err := tenant.Parse([]byte(received(list)))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	lines := strings.Join(tenant.Diff(parse(`["a@demo.example", "b@demo.example"]`), parse(`["c@demo.example", "a@demo.example"]`)), "\n")
	for _, want := range []string{"endpoints inbox mailboxes b@demo.example: removed", "endpoints inbox mailboxes c@demo.example: added"} {
		if !strings.Contains(lines, want) {
			t.Errorf("no line %q in %s", want, lines)
		}
	}
	if strings.Contains(lines, "mailboxes a@") {
		t.Errorf("what stayed is named: %s", lines)
	}
}

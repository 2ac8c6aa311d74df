package tenant_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
	"onefold/internal/webhook/sources"
)

// with is the minimal policy with other endpoints.
func with(t *testing.T, endpoints string) string {
	t.Helper()
	const form = `{"name": "form", "content": "form", "secret": "form", "mailbox": "website"}`
	if !strings.Contains(minimal, form) {
		t.Fatal("the minimal policy has another endpoint")
	}
	return strings.Replace(minimal, form, endpoints, 1)
}

func TestTheSchemaNamesTheSchemesThatThereAre(t *testing.T) {
	t.Parallel()
	var schema struct {
		Defs struct {
			Endpoint struct {
				Properties struct{ Scheme struct{ Enum []string } }
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(tenant.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	want := []string{tenant.SchemeSES} // which is no source of the HTTP API
	all, err := sources.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		want = append(want, s.About().Scheme)
	}
	got := schema.Defs.Endpoint.Properties.Scheme.Enum
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the schema names %v, there are %v", got, want)
	}
}

func TestEveryEndpointOfACheckedPolicyHasItsSource(t *testing.T) {
	t.Parallel()
	for scheme, rest := range map[string]string{
		"svix":     `"content": "mail", "secret": "x"`,
		"resend":   `"content": "mail", "secret": "x", "mailbox": "hello@demo.example"`,
		"sns":      `"content": "mail", "topics": ["arn:aws:sns:eu-west-1:123456789012:mail"]`,
		"postmark": `"content": "mail", "secret": "x"`,
		"mailgun":  `"content": "mail", "secret": "x"`,
		"sendgrid": `"content": "mail", "secret": "x"`,
		"hubspot":  `"content": "form", "secret": "x", "mailbox": "crm", "public_url": "https://hooks.demo.example/v1/demo/hubspot"`,
		"own-form": `"content": "form", "mailbox": "w", "origins": ["https://www.demo.example", "http://localhost:3000"]`,
		"stripe":   `"content": "form", "secret": "x", "mailbox": "w", "fields": {"email": "/data/object/customer_email"}`,
		"typeform": `"content": "form", "secret": "x", "mailbox": "w"`,
		"hmac": `"content": "form", "secret": "x", "mailbox": "w", "public_url": "https://hooks.demo.example/v1/demo/x",
			"hmac": {"algorithm": "sha512", "key": "hex", "header": "x-sig", "pair": "v1", "encoding": "base64", "signed": "{timestamp}.{method}{url}{body}",
				"timestamp": {"pair": "t", "unit": "ms", "tolerance": 60}, "id": {"pointers": ["/a", "/b", "/c"]},
				"kind": {"pointer": "/b"}, "kinds": ["created"], "events": "", "volatile": ["/attempt"]}`,
	} {
		p := parse(t, with(t, `{"name": "e", "scheme": "`+scheme+`", `+rest+`}`))
		s, err := p.Endpoints[0].Source()
		if err != nil || s.About().Scheme != scheme {
			t.Errorf("%s: %v", scheme, err)
		}
		again, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if q := parse(t, string(again)); len(tenant.Diff(p, q)) > 0 {
			t.Errorf("%s: its document is another policy: %v", scheme, tenant.Diff(p, q))
		}
	}
}

func TestAnEndpointHasWhatItsSchemeNeedsAndNoMore(t *testing.T) {
	t.Parallel()
	const ok = `"name": "e", "content": "form", "mailbox": "w", `
	for _, c := range []struct{ endpoint, want string }{
		{ok + `"scheme": "smoke-signal", "secret": "x"`, `/endpoints/0/scheme must be one of`},
		{ok + `"scheme": "stripe"`, `/endpoints/0/secret is missing`},
		{ok + `"scheme": "hmac", "secret": "x"`, `/endpoints/0/hmac is missing`},
		{ok + `"scheme": "own-form"`, `/endpoints/0/origins is missing`},
		{ok + `"scheme": "own-form", "origins": []`, `/endpoints/0/origins a list of 1 to 20`},
		{ok + `"scheme": "own-form", "origins": ["https://a.example", "https://a.example"]`, `/endpoints/0/origins/1 repeats`},
		{ok + `"scheme": "own-form", "origins": ["http://a.example"]`, `/endpoints/0/origins is wrong: an origin is https`},
		{ok + `"scheme": "own-form", "origins": ["https://a.example"], "secret": "x"`, `/endpoints/0/secret has no effect`},
		{ok + `"scheme": "stripe", "secret": "x", "origins": ["https://a.example"]`, `/endpoints/0/origins has an effect with`},
		{`"name": "e", "content": "mail", "scheme": "sns"`, `/endpoints/0/topics is missing`},
		{`"name": "e", "content": "mail", "scheme": "sns", "topics": ["mail"]`, `/endpoints/0/topics is wrong: a topic is an ARN`},
		{`"name": "e", "content": "mail", "scheme": "sns", "secret": "x", "topics": ["arn:aws:sns:eu-west-1:123456789012:mail"]`, `/endpoints/0/secret has no effect`},
		{ok + `"scheme": "stripe", "secret": "x", "topics": ["arn:aws:sns:eu-west-1:123456789012:mail"]`, `/endpoints/0/topics has an effect with`},
		{ok + `"scheme": "stripe", "secret": "x", "hmac": {"header": "x-sig", "id": {"header": "x-id"}}`, `/endpoints/0/hmac has an effect with`},
		{ok + `"scheme": "stripe", "secret": "x", "public_url": "http://a.example/x"`, `/endpoints/0/public_url must be the endpoint's address`},
		{ok + `"scheme": "hmac", "secret": "x", "hmac": {"header": "x-sig"}`, `/endpoints/0/hmac/id is missing`},
		{ok + `"scheme": "hmac", "secret": "x", "hmac": {"header": "X-Sig", "id": {"header": "x-id"}}`, `/endpoints/0/hmac/header must be the name of a header`},
		{ok + `"scheme": "hmac", "secret": "x", "hmac": {"header": "x-sig", "id": {}}`, `/endpoints/0/hmac is wrong: id is missing`},
		{ok + `"scheme": "hmac", "secret": "x", "hmac": {"header": "x-sig", "id": {"pointers": ["/a", "/b"]}}`, `/endpoints/0/hmac is wrong: id has one pointer`},
		{`"name": "e", "content": "mail", "scheme": "stripe", "secret": "x"`, `/endpoints/0/content must be "form": Stripe`},
		{`"name": "e", "content": "mail", "scheme": "resend", "secret": "x"`, `/endpoints/0/mailbox is missing`},
		{`"name": "e", "content": "mail", "scheme": "svix", "secret": "x", "mailbox": "w"`, `/endpoints/0/mailbox has no effect`},
	} {
		got := found(t, with(t, "{"+c.endpoint+"}"))
		if len(got) != 1 || !strings.HasPrefix(got[0], strings.Fields(c.want)[0]+" ") || !strings.Contains(got[0], strings.SplitN(c.want, " ", 2)[1]) {
			t.Errorf("%s:\n%s, want %s", c.endpoint, strings.Join(got, "\n"), c.want)
		}
	}
}

// Beside an endpoint's secret lies the key of its provider's API, under the name
// with -api behind it. It goes to the provider, so it is no endpoint's secret.
func TestAnAPIKeyIsNoEndpointsSecret(t *testing.T) {
	t.Parallel()
	const mail = `{"name": "a", "content": "mail", "scheme": "resend", "mailbox": "w", "secret": "in"}, `
	for secret, want := range map[string]string{"in-api": "/endpoints/1/secret is the name of the API key of /endpoints/0", "other-api": "", "in-apis": ""} {
		doc := with(t, mail+`{"name": "b", "content": "form", "scheme": "stripe", "mailbox": "w", "secret": "`+secret+`"}`)
		if want == "" {
			parse(t, doc)
			continue
		}
		if got := found(t, doc); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%s: %v", secret, got)
		}
	}
}

func TestDiffWarnsWhereEventsGetOtherIDs(t *testing.T) {
	t.Parallel()
	hmac := func(id string) string {
		return with(t, `{"name": "e", "content": "form", "mailbox": "w", "scheme": "hmac", "secret": "x", "hmac": {"header": "x-sig", "id": {"pointers": ["`+id+`"]}}}`)
	}
	raised := func(doc string) string {
		return strings.Replace(doc, `"version": 1, "name"`, `"version": 2, "name"`, 1)
	}
	before := parse(t, hmac("/a"))
	for _, c := range []struct {
		after string
		warns bool
	}{
		{raised(hmac("/b")), true},
		{raised(strings.Replace(hmac("/a"), `"mailbox": "w"`, `"mailbox": "v"`, 1)), true},
		{raised(strings.Replace(hmac("/a"), `"header": "x-sig"`, `"header": "x-sig-2"`, 1)), false},
		{raised(with(t, `{"name": "e", "content": "form", "mailbox": "w", "scheme": "stripe", "secret": "x"}`)), true},
	} {
		lines := tenant.Diff(before, parse(t, c.after))
		warned := len(lines) > 0 && strings.HasPrefix(lines[0], "warning: endpoint e changes how its events are identified")
		if warned != c.warns || len(lines) < 2 {
			t.Errorf("warned %t, want %t: %v", warned, c.warns, lines)
		}
	}
}

// The endpoint that the guide shows is one that a policy may have.
func TestTheGuideShowsAnEndpointThatIsTaken(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/add-a-source.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "```json\n")
	endpoint, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("the page shows no endpoint")
	}
	p := parse(t, with(t, endpoint))
	if s, err := p.Endpoints[0].Source(); err != nil || s.About().Scheme != tenant.SchemeHMAC {
		t.Error(err)
	}
}

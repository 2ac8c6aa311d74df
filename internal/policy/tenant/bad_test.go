package tenant_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
)

// found is a document's problems as "path message".
func found(t *testing.T, doc string) []string {
	t.Helper()
	p, err := tenant.Parse([]byte(doc))
	var invalid *tenant.InvalidError
	if !errors.As(err, &invalid) {
		t.Fatalf("Parse = %v, want *InvalidError", err)
	}
	if p.Tenant != "" || p.Endpoints != nil {
		t.Error("a part of an invalid policy was handed out")
	}
	var list []string
	for _, problem := range invalid.Problems {
		if strings.Contains(problem.Message, "\n") || problem.Message == "" {
			t.Errorf("%s: message %q is not one line", problem.Path, problem.Message)
		}
		list = append(list, problem.Path+" "+problem.Message)
	}
	return list
}

// Each row changes one thing of the minimal policy. want are the path of each
// problem with a word of its message, in order.
func TestBadPoliciesAreRefusedAtTheExactPlace(t *testing.T) {
	t.Parallel()
	const form = `{"name": "form", "content": "form", "secret": "form", "mailbox": "website"}`
	const rule = `{"id": "welcome", "version": 1, "template"`
	const text = `"text": "Hi\n{{.PostalAddress}}"`
	endpoint := func(more string) string { return form + ", " + more }
	for _, c := range []struct{ name, old, new, want string }{
		{"bad tenant", `"demo"`, `"Demo!"`, `/tenant short name: 1 to 40 of a-z`},
		{"tenant with newline at its end", `"demo"`, `"demo\n"`, `/tenant must be`},
		{"empty tenant", `"demo"`, `""`, `/tenant must be`},
		{"version zero", `"version": 1, "name"`, `"version": 0, "name"`, `/version a whole number from 1`},
		{"version with a point", `"version": 1, "name"`, `"version": 1.0, "name"`, `/version plain digits`},
		{"version with a giant exponent", `"version": 1, "name"`, `"version": 1e999999999, "name"`, `/version plain digits`},
		{"version as text", `"version": 1, "name"`, `"version": "1", "name"`, `/version a whole number from 1`},
		{"null", `"Demo Ltd"`, `null`, `/name the name of the business`},
		{"name with a line end", `"Demo Ltd"`, `"Demo\r\nLtd"`, `/name on one line`},
		{"name with a C1 control", `"Demo Ltd"`, `"Demo\u0085Ltd"`, `/name on one line`},
		{"blank name", `"Demo Ltd"`, `"  "`, `/name the name of the business`},
		{"missing name", `"name": "Demo Ltd",`, ``, `/name is missing`},
		{"typo", `"rules"`, `"sharred_addresses": [], "rules"`, `/sharred_addresses "shared_addresses" was probably meant`},
		{"capital in a property", `"rules"`, `"Review": {}, "rules"`, `/Review "review" was probably meant`},
		{"unknown", `"rules"`, `"colour": 1, "rules"`, `/colour known are`},
		{"escaped in the pointer", `"rules"`, `"a/b~c": 1, "rules"`, `/a~1b~0c known are`},
		{"member twice", `"rules"`, `"name": "Demo Ltd", "rules"`, `/name twice`},
		{"no endpoints", form, ``, `/endpoints a list of 1 to 50`},
		{"endpoint no object", form, `"form"`, `/endpoints/0 an object`},
		{"endpoint name twice", form, endpoint(`{"name": "form", "content": "mail", "secret": "mail"}`), `/endpoints/1/name also the name of /endpoints/0`},
		{"secret of another endpoint", form, endpoint(`{"name": "mail", "content": "mail", "secret": "form"}`), `/endpoints/1/secret a secret of its own`},
		{"the secret itself", `"secret": "form"`, `"secret": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"`, `/endpoints/0/secret never the secret itself`},
		{"unknown content", `"content": "form"`, `"content": "fax"`, `/endpoints/0/content one of "form", "mail"`},
		{"unknown scheme", `"content": "form"`, `"content": "form", "scheme": "none"`, `/endpoints/0/scheme one of "standard-webhooks"`},
		{"form without mailbox", `, "mailbox": "website"`, ``, `/endpoints/0/mailbox is missing`},
		{"mail with mailbox", `"content": "form"`, `"content": "mail"`, `/endpoints/0/mailbox has no effect`},
		{"mail with fields", form, `{"name": "m", "content": "mail", "secret": "m", "fields": {"email": "/x"}}`, `/endpoints/0/fields has no effect`},
		{"pointer without slash", `"mailbox"`, `"fields": {"email": "email"}, "mailbox"`, `/endpoints/0/fields/email a JSON pointer`},
		{"pointer with bad escape", `"mailbox"`, `"fields": {"email": "/a~2"}, "mailbox"`, `/endpoints/0/fields/email a JSON pointer`},
		{"two fields at one place", `"mailbox"`, `"fields": {"name": "/x", "company": "/x"}, "mailbox"`, `/endpoints/0/fields/company the place of name`},
		{"no own addresses", `["@demo.example"]`, `[]`, `/own_addresses a list of 1 to 200; /sender/from of ours`},
		{"own is a bare domain", `["@demo.example"]`, `["@demo.example", "demo.example"]`, `/own_addresses/1 an address`},
		{"own is a local part", `["@demo.example"]`, `["@demo.example", "info@"]`, `/own_addresses/1 an address`},
		{"own twice, other case", `["@demo.example"]`, `["@demo.example", "@DEMO.example"]`, `/own_addresses/1 repeats /own_addresses/0`},
		{"own twice, other form", `["@demo.example"]`, `["@demo.example", "@bücher.example", "@xn--bcher-kva.example"]`, `/own_addresses/2 repeats /own_addresses/1`},
		{"shared is a domain", `"rules"`, `"shared_addresses": ["@example.org"], "rules"`, `/shared_addresses/0 a local part`},
		{"shared without @", `"rules"`, `"shared_addresses": ["info"], "rules"`, `/shared_addresses/0 a local part`},
		{"shared twice", `"rules"`, `"shared_addresses": ["info@", "INFO@"], "rules"`, `/shared_addresses/1 repeats`},
		{"from is a stranger's", `"hello@demo.example"`, `"hello@example.org"`, `/sender/from of ours`},
		{"from is two", `"hello@demo.example"`, `"hello@demo.example, b@demo.example"`, `/sender/from one address`},
		{"from has a line end", `"hello@demo.example"`, `"hello@demo.example\r\nBcc: x@example.org"`, `/sender/from one address`},
		{"reply_to no address", `"postal_address"`, `"reply_to": "hello", "postal_address"`, `/sender/reply_to one address`},
		{"configuration set", `"postal_address"`, `"configuration_set": "a b", "postal_address"`, `/sender/configuration_set SES configuration set`},
		{"no postal address", `, "postal_address": "1 Sample Street, Exampleton"`, ``, `/sender/postal_address is missing`},
		{"blank postal address", `1 Sample Street, Exampleton`, `             `, `/sender/postal_address physical postal address`},
		{"identity version", `"rules"`, `"identity": {"version": 0}, "rules"`, `/identity/version a whole number`},
		{"identity word for a boolean", `"rules"`, `"identity": {"fold_dots": "yes"}, "rules"`, `/identity/fold_dots true if dots`},
		{"field rule", `"rules"`, `"contact_fields": {"phone": "sometimes"}, "rules"`, `/contact_fields/phone one of "never"`},
		{"no follow-up in a thread", `"rules"`, `"limits": {"per_thread": 0}, "rules"`, `/limits/per_thread from 1 to 1000`},
		{"no follow-up to a domain", `"rules"`, `"limits": {"per_domain_day": 0}, "rules"`, `/limits/per_domain_day from 1 to 100000`},
		{"blocked is a local part", `"rules"`, `"mail": {"blocked": ["a@b.example", "info@"]}, "rules"`, `/mail/blocked/1 an address`},
		{"blocked is nothing", `"rules"`, `"mail": {"blocked": [""]}, "rules"`, `/mail/blocked/0 an address`},
		{"blocked twice in the wide form", `"rules"`, `"mail": {"blocked": ["eve.x@b.example", "@b.example", "EVEx+1@b.example"]}, "rules"`, `/mail/blocked/2 repeats /mail/blocked/0`},
		{"blocked is ours", `"rules"`, `"mail": {"blocked": ["eve@demo.example"]}, "rules"`, `/mail/blocked/0 is ours`},
		{"blocked is our domain", `"rules"`, `"mail": {"blocked": ["@demo.example"]}, "rules"`, `/mail/blocked/0 is ours`},
		{"customer IDs by a word there is not", `"rules"`, `"customer_ids": {"use": "always"}, "rules"`, `/customer_ids/use one of "ignore", "review_conflicts", "wins"`},
		{"customer IDs without their object", `"rules"`, `"customer_ids": "wins", "rules"`, `/customer_ids an object`},
		{"customer ID of the other spelling", `"rules"`, `"customer_ids": {"used": "wins"}, "rules"`, `/customer_ids/used "use" was probably meant`},
		{"customer ID read for nothing", `"mailbox"`, `"fields": {"customer_id": "/data/id"}, "mailbox"`, `/endpoints/0/fields/customer_id set use in customer_ids`},
		{"customer ID anywhere", `"mailbox"`, `"fields": {"customer_id": ""}, "mailbox"`, `/endpoints/0/fields/customer_id a JSON pointer to the sender's own ID`},
		{"customer ID where the email is", `"mailbox"`, `"fields": {"email": "/id", "customer_id": "/id"}, "mailbox"`, `/endpoints/0/fields/customer_id has no effect; /endpoints/0/fields/customer_id the place of email`},
		{"customer ID of mail", form, `{"name": "m", "content": "mail", "secret": "m", "fields": {"customer_id": "/x"}}`, `/endpoints/0/fields has no effect on mail`},
		{"unauthenticated by a word there is not", `"rules"`, `"mail": {"unauthenticated": "reject"}, "rules"`, `/mail/unauthenticated one of "accept", "no_changes", "review"`},
		{"new contacts by a word", `"rules"`, `"review": {"new_contacts": "yes"}, "rules"`, `/review/new_contacts true if a person approves`},
		{"high impact by a number", `"template"`, `"high_impact": 1, "template"`, `/rules/0/high_impact true if a person approves`},
		{"confidence", `"rules"`, `"review": {"min_confidence": 101}, "rules"`, `/review/min_confidence from 0 to 100`},
		{"crm", `"rules"`, `"crm": {"kind": "rolodex"}, "rules"`, `/crm/kind one of "hubspot"`},
		{"task without crm", `"rules"`, `"crm": {"task": true}, "rules"`, `/crm/task without a CRM`},
		{"rule id", `"welcome"`, `"Welcome"`, `/rules/0/id 1 to 40`},
		{"rule id twice", `[` + rule, `[{"id": "welcome", "version": 2, "intents": ["pricing"], "template": {"version": 1, "subject": "s", ` + text + `}}, ` + rule, `/rules/1/id also the id of /rules/0`},
		{"rule after one for every enquiry", `Address}}"}}]`, `Address}}"}}, {"id": "b", "version": 1, "intents": ["pricing"], "template": {"version": 1, "subject": "s", ` + text + `}}]`, `/rules/1 can never apply`},
		{"intent of an earlier rule", `[` + rule, `[{"id": "b", "version": 1, "intents": ["pricing"], "template": {"version": 1, "subject": "s", ` + text + `}}, {"id": "welcome", "version": 1, "intents": ["other", "pricing"], "template"`, `/rules/1/intents/1 answers this intent`},
		{"unknown intent", `"template"`, `"intents": ["princing"], "template"`, `/rules/0/intents/0 one of "product_question"`},
		{"opt-out answered", `"template"`, `"intents": ["opt_out"], "template"`, `/rules/0/intents/0 one of`},
		{"intent twice", `"template"`, `"intents": ["pricing", "pricing"], "template"`, `/rules/0/intents/1 repeats`},
		{"mode", `"template"`, `"mode": "automatic", "template"`, `/rules/0/mode one of "observe", "draft", "auto"`},
		{"scope", `"template"`, `"scope": "Follow-Up", "template"`, `/rules/0/scope suppression scope`},
		{"scope of 33", `"template"`, `"scope": "` + strings.Repeat("a", 33) + `", "template"`, `/rules/0/scope suppression scope`},
		{"on_unknown", `"template"`, `"on_unknown": "resend", "template"`, `/rules/0/on_unknown one of "review"`},
		{"duration without unit", `"template"`, `"send_within": "72", "template"`, `/rules/0/send_within a duration such as`},
		{"duration as number", `"template"`, `"send_within": 72, "template"`, `/rules/0/send_within a duration such as`},
		{"duration in days", `"template"`, `"send_within": "3d", "template"`, `/rules/0/send_within a duration such as`},
		{"negative duration", `"template"`, `"quiet_period": "-1h", "template"`, `/rules/0/quiet_period a duration such as`},
		{"zero duration", `"template"`, `"fold_window": "0s", "template"`, `/rules/0/fold_window more than 0`},
		{"too long a window", `"template"`, `"fold_window": "169h", "template"`, `/rules/0/fold_window at most 168h`},
		{"too long a quiet period", `"template"`, `"quiet_period": "8785h", "template"`, `/rules/0/quiet_period at most 8784h`},
		{"too long a deadline", `"template"`, `"send_within": "99999h", "template"`, `/rules/0/send_within at most 720h`},
		{"too long a wait", `"template"`, `"unknown_within": "168h1s", "template"`, `/rules/0/unknown_within at most 168h`},
		{"not JSON", `"version": 1, "name"`, `"version": 1 "name"`, ` is not JSON`},
		{"not an object", minimal, `[]`, ` an object`},
		{"empty", minimal, ``, ` is not JSON`},
		{"not UTF-8", `Demo Ltd`, "Demo\xff", ` is not UTF-8`},
		{"too large", minimal, strings.Repeat(" ", 256<<10) + "{}", ` larger than 256 KiB`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(minimal, c.old) {
				t.Fatalf("the row changes nothing: %q is not in the policy", c.old)
			}
			got := found(t, strings.Replace(minimal, c.old, c.new, 1))
			wants := strings.Split(c.want, "; ")
			if len(got) != len(wants) {
				t.Fatalf("problems:\n%s\nwant %d of them", strings.Join(got, "\n"), len(wants))
			}
			for i, want := range wants {
				path, words, _ := strings.Cut(want, " ")
				if !strings.HasPrefix(got[i], path+" ") || !strings.Contains(got[i], words) {
					t.Errorf("problem %q, want %q at %q", got[i], words, path)
				}
			}
		})
	}
}

func TestAllProblemsAreToldAtOnce(t *testing.T) {
	t.Parallel()
	got := found(t, `{
	  "tenant": "Demo", "version": 1.5, "version": 2, "nam": "x",
	  "endpoints": [{"name": "a", "content": "form", "secret": "s"}, 7, {"name": "a", "content": "fax", "secret": "s"}],
	  "own_addresses": ["nobody", "@demo.example", "@Demo.example"],
	  "sender": {"from": "x@example.org"},
	  "rules": [{"id": "r", "version": 1, "quiet_period": "1d", "fold_window": "0m", "template": {"version": 1, "subject": "{{.Foo}}", "text": "{{.Name}}"}}],
	  "crm": {"task": true}
	}`)
	var paths []string
	for _, g := range got {
		path, _, _ := strings.Cut(g, " ")
		paths = append(paths, path)
	}
	want := []string{
		"/crm/task", "/endpoints/0/mailbox", "/endpoints/1", "/endpoints/2/content", "/endpoints/2/name", "/endpoints/2/secret",
		"/nam", "/name", "/own_addresses/0", "/own_addresses/2", "/rules/0/fold_window", "/rules/0/quiet_period",
		"/rules/0/template/subject", "/rules/0/template/text", "/sender/from", "/sender/postal_address", "/tenant", "/version",
	}
	if !slices.Equal(paths, want) {
		t.Errorf("paths are\n%s\nwant\n%s\nin full\n%s", strings.Join(paths, "\n"), strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

func TestProblemsRepeatNoAddressAndNoSecret(t *testing.T) {
	t.Parallel()
	doc := strings.NewReplacer(
		`"secret": "form"`, `"secret": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"`,
		`"hello@demo.example"`, `"private.person@example.org"`,
		`["@demo.example"]`, `["@demo.example", "private person@example.org"]`,
	).Replace(minimal)
	_, err := tenant.Parse([]byte(doc))
	for _, g := range append(found(t, doc), err.Error()) {
		if strings.Contains(g, "AAECAwQF") || strings.Contains(g, "private") {
			t.Errorf("%q repeats a value", g)
		}
	}
}

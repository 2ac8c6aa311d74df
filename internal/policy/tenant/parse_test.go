package tenant_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"onefold/internal/policy/tenant"
)

// minimal is the smallest document that is a policy.
const minimal = `{
  "tenant": "demo", "version": 1, "name": "Demo Ltd",
  "endpoints": [{"name": "form", "content": "form", "secret": "form", "mailbox": "website"}],
  "own_addresses": ["@demo.example"],
  "sender": {"from": "hello@demo.example", "postal_address": "1 Sample Street, Exampleton"},
  "rules": [{"id": "welcome", "version": 1, "template": {"version": 1, "subject": "Hello", "text": "Hi\n{{.PostalAddress}}"}}]
}`

func parse(t *testing.T, doc string) tenant.Policy {
	t.Helper()
	p, err := tenant.Parse([]byte(doc))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return p
}

func TestTheExampleIsAPolicy(t *testing.T) {
	t.Parallel()
	p := parse(t, string(tenant.Example()))
	form, okForm := p.Endpoint("form")
	mail, okMail := p.Endpoint("mail")
	welcome, okRule := p.Rule("welcome")
	if !okForm || !okMail || !okRule {
		t.Fatal("the example lacks an endpoint or the rule")
	}
	if form.Content != tenant.ContentForm || form.Secret != "form" || form.Mailbox != "website" {
		t.Errorf("form endpoint is %+v", form)
	}
	if mail.Content != tenant.ContentMail || mail.Secret != "mail" {
		t.Errorf("mail endpoint is %+v", mail)
	}
	if p.Tenant != "demo" || welcome.Mode != tenant.ModeDraft || welcome.Version != 1 || p.CRM != (tenant.CRM{Kind: "hubspot", Task: true, Edited: theirs}) {
		t.Errorf("the example is not as documented: %+v", p)
	}
	if !p.IsOwn("hello@demo.example") || !p.IsShared("info@example.org") || p.Sender.ConfigurationSet != "onefold" {
		t.Error("the example's addresses are not as documented")
	}
	spoilt := tenant.Example()
	clear(spoilt)
	if reflect.DeepEqual(tenant.Example(), spoilt) {
		t.Error("two callers share one example")
	}
}

var theirs = tenant.EditRules{Email: "theirs", Name: "theirs", Company: "theirs", Phone: "theirs"}

func TestAbsentValuesGetTheDocumentedDefaults(t *testing.T) {
	t.Parallel()
	p := parse(t, minimal)
	want := tenant.Policy{
		Tenant: "demo", Version: 1, Name: "Demo Ltd",
		Endpoints:       []tenant.Endpoint{{Name: "form", Content: "form", Scheme: "standard-webhooks", Secret: "form", Mailbox: "website"}},
		OwnAddresses:    []string{"@demo.example"},
		SharedAddresses: []string{},
		Identity:        tenant.Identity{Version: 1},
		ContactFields:   tenant.FieldRules{Name: "fill_if_empty", Company: "fill_if_empty", Phone: "fill_if_empty"},
		Sender:          tenant.Sender{From: "hello@demo.example", PostalAddress: "1 Sample Street, Exampleton"},
		Rules: []tenant.Rule{{
			ID: "welcome", Version: 1, Mode: "draft", Intents: []string{}, Scope: "follow_up",
			FoldWindow: tenant.Duration(15 * time.Minute), QuietPeriod: tenant.Duration(24 * time.Hour),
			SendWithin: tenant.Duration(72 * time.Hour), OnUnknown: "review", UnknownWithin: tenant.Duration(6 * time.Hour),
			Template: tenant.Template{Version: 1, Subject: "Hello", Text: "Hi\n{{.PostalAddress}}"},
		}},
		Review: tenant.ReviewLimits{MinConfidence: 70, MinFieldConfidence: tenant.FieldLimits{Name: 70, Company: 70, Phone: 60}},
		Limits: tenant.Limits{PerThread: 3, PerDomainDay: 20},
		Mail:   tenant.Mail{OnSpam: tenant.ScreenReview, OnVirus: tenant.ScreenReview, Unauthenticated: "no_changes", Blocked: []string{}, Accept: []string{}},
		CRM:    tenant.CRM{Edited: theirs},
	}
	if got := p.Sent(); !reflect.DeepEqual(got, []string{"Hi\n1 Sample Street, Exampleton"}) {
		t.Errorf("the texts of its mails are %q", got)
	}
	if want = want.WithFormer(nil); !reflect.DeepEqual(p, want) {
		t.Errorf("Parse gives\n%+v, want\n%+v", p, want)
	}
}

func TestAStatedZeroIsNotADefault(t *testing.T) {
	t.Parallel()
	p := parse(t, strings.Replace(minimal, `"rules"`, `"review": {"min_confidence": 0}, "rules"`, 1))
	if p.Review.MinConfidence != 0 {
		t.Errorf("min_confidence is %d, want the stated 0", p.Review.MinConfidence)
	}
}

func TestRulesMayBeAbsent(t *testing.T) {
	t.Parallel()
	var doc map[string]any
	if err := json.Unmarshal([]byte(minimal), &doc); err != nil {
		t.Fatal(err)
	}
	delete(doc, "rules")
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	p := parse(t, string(b))
	if p.Rules == nil || len(p.Rules) != 0 {
		t.Errorf("rules are %v, want an empty list", p.Rules)
	}
	if _, ok := p.RuleFor("pricing"); ok {
		t.Error("a policy without rules answers")
	}
}

func TestAPolicyEncodesToTheDocumentOfTheSamePolicy(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{minimal, string(tenant.Example())} {
		p := parse(t, doc)
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if again := parse(t, string(b)); !reflect.DeepEqual(p, again) {
			t.Errorf("encoded and parsed again:\n%+v, want\n%+v", again, p)
		}
	}
}

func TestDurationIsWrittenShortAndReadBack(t *testing.T) {
	t.Parallel()
	for text, d := range map[string]time.Duration{
		"72h": 72 * time.Hour, "15m": 15 * time.Minute, "1h30m": 90 * time.Minute, "10s": 10 * time.Second,
		"1h0m5s": time.Hour + 5*time.Second, "20m": 20 * time.Minute, "100h": 100 * time.Hour, "0s": 0,
	} {
		if got := tenant.Duration(d).String(); got != text {
			t.Errorf("%v is written %q, want %q", d, got, text)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := tenant.Duration(rapid.Int64().Draw(t, "d"))
		b, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var back tenant.Duration
		if err := json.Unmarshal(b, &back); err != nil || back != d {
			t.Fatalf("%s read back is %v, %v", b, back, err)
		}
	})
	for _, bad := range []string{`72`, `""`, `"72"`, `"three days"`, `{}`} {
		var d tenant.Duration
		if err := json.Unmarshal([]byte(bad), &d); err == nil {
			t.Errorf("%s was read as %v", bad, d)
		}
	}
}

func TestTheSchemaIsHandedOut(t *testing.T) {
	t.Parallel()
	var schema struct {
		Schema     string                     `json:"$schema"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(tenant.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	if schema.Schema != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("the schema is of %q", schema.Schema)
	}
	// Every property of the document is one of the type's, and the other way.
	var names []string
	for i := range reflect.TypeFor[tenant.Policy]().NumField() {
		if name, _, _ := strings.Cut(reflect.TypeFor[tenant.Policy]().Field(i).Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	for name := range schema.Properties {
		if name != "$schema" && !slices.Contains(names, name) {
			t.Errorf("the schema has %q, the type has not", name)
		}
	}
	if len(schema.Properties)-1 != len(names) {
		t.Errorf("the schema has %d properties, the type %d", len(schema.Properties)-1, len(names))
	}
}

func TestTheSchemaAndValidNameAgreeOnNames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOf(rapid.SampledFrom([]rune("az09-_A.é\n "))).Draw(t, "name")
		if rapid.Bool().Draw(t, "plain") {
			name = rapid.StringMatching(`[a-z0-9-]{1,42}`).Draw(t, "plain name")
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, old := range []string{`"demo"`, `"name": "form"`, `"welcome"`} {
			key, _, found := strings.Cut(old, ": ")
			value := string(quoted)
			if found {
				value = key + ": " + value
			}
			_, err := tenant.Parse([]byte(strings.Replace(minimal, old, value, 1)))
			if (err == nil) != tenant.ValidName(name) {
				t.Fatalf("%s as %q: Parse = %v, ValidName = %v", old, name, err, tenant.ValidName(name))
			}
		}
	})
}

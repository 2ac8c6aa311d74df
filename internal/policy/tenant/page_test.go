package tenant_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
)

//go:generate go test -count=1 -run TestThePageIsWhatTheSchemaSays . -update

var update = flag.Bool("update", false, "write docs/policy.md instead of comparing it")

const page = "../../../docs/policy.md"

// kindsOfBusiness are the examples of the page: what each says differently from
// the example policy.
func kindsOfBusiness() []struct{ name, why, part string } {
	return []struct{ name, why, part string }{
		{"A shop with customer numbers", `The shop's own system posts each enquiry with the number of the customer who was signed in, by an endpoint whose sender signs. The number
identifies, whatever address the customer writes from; a new address of his becomes one more key of his contact. A first mail to anybody is looked at.`,
			`{
  "customer_ids": { "use": "wins" },
  "endpoints": [
    {
      "name": "shop", "content": "form", "scheme": "standard-webhooks", "secret": "shop", "mailbox": "shop",
      "fields": { "customer_id": "/data/customer/number" }
    },
    { "name": "mail", "content": "mail", "scheme": "standard-webhooks", "secret": "mail" }
  ],
  "shared_addresses": ["info@", "office@", "purchasing@"],
  "review": { "min_confidence": 60, "new_contacts": true }
}`},
		{"An agency that writes by hand", `Few enquiries, and each is worth a person's look: every mail is a draft. Plus tags are people's own sorting, so they tell nobody apart. Applications are
enquiries here. What a contact has is never changed by what somebody writes.`,
			`{
  "identity": { "version": 1, "fold_plus": true },
  "contact_fields": { "name": "never", "company": "never", "phone": "fill_if_empty" },
  "mail": { "accept": ["job_application"], "unauthenticated": "no_changes" }
}`},
		{"A practice whose mail is confidential", `Whoever forges a patient's address must learn and change nothing: mail that failed DMARC goes to a person, and a number of the practice's own portal
counts beside the address but never against it. Each follow-up is approved, whatever the rule's mode becomes.`,
			`{
  "customer_ids": { "use": "review_conflicts" },
  "endpoints": [
    {
      "name": "portal", "content": "form", "scheme": "standard-webhooks", "secret": "portal", "mailbox": "portal",
      "fields": { "customer_id": "/data/patient" }
    },
    { "name": "mail", "content": "mail", "scheme": "standard-webhooks", "secret": "mail", "authserv_id": "mx.demo.example" }
  ],
  "mail": { "on_spam": "review", "unauthenticated": "review" },
  "review": { "min_confidence": 80, "new_contacts": true },
  "rules": [
    {
      "id": "received", "version": 1, "mode": "auto", "high_impact": true,
      "template": { "version": 1, "subject": "Your message", "text": "We have your message and will call you.\n\n{{.Business}}\n{{.PostalAddress}}\n" }
    }
  ]
}`},
	}
}

// TestThePageIsWhatTheSchemaSays: docs/policy.md is made from the schema and
// from the examples above; `go generate ./internal/policy/tenant` makes it anew.
func TestThePageIsWhatTheSchemaSays(t *testing.T) {
	want := renderPage(t)
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the schema says: go generate ./internal/policy/tenant", page)
	}
}

// TestTheExamplesOfThePageArePolicies, each in the place of what the example
// policy says.
func TestTheExamplesOfThePageArePolicies(t *testing.T) {
	t.Parallel()
	for _, kind := range kindsOfBusiness() {
		var whole, part map[string]any
		if err := json.Unmarshal(tenant.Example(), &whole); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(kind.part), &part); err != nil {
			t.Fatalf("%s: %v", kind.name, err)
		}
		maps.Copy(whole, part)
		doc, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tenant.Parse(doc); err != nil {
			t.Errorf("%s: %v", kind.name, err)
		}
	}
}

func TestEachPropertyHasADescription(t *testing.T) {
	t.Parallel()
	for _, p := range properties(t) {
		if p.says == "" {
			t.Errorf("%s has none", p.path)
		}
	}
}

func renderPage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`# The policy

One document for each tenant says what a business has decided: whose an enquiry is, who may be answered, and what only a person may do.
` + "`onefold policy validate FILE`" + ` checks one and names every fault with its place, ` + "`policy diff`" + ` says what would change, ` + "`policy apply`" + ` puts it in force.
[policy.schema.json](../internal/policy/tenant/policy.schema.json) has the same for editors; [policy.example.json](../internal/policy/tenant/policy.example.json) is a whole one.
The tables are made by ` + "`go generate ./internal/policy/tenant`" + `.

## Whose an enquiry is

An **address** in its canonical form (the identity rule) or a **customer ID** that an authenticated sender states leads to one contact. Names, companies and
phones never do. What comes of the two together is ` + "`customer_ids.use`" + `:

| address | customer ID | ` + "`ignore`, the default" + ` | ` + "`review_conflicts`" + ` | ` + "`wins`" + ` |
|---|---|---|---|---|
| new | new | a new contact by its address | a new contact with both keys | a new contact with both keys |
| known | new | the address's contact | the address's contact, which gets the ID | the address's contact, which gets the ID |
| known, of a contact with another ID | new | the address's contact | a person: ` + "`customer_id_differs`" + ` | a person: ` + "`customer_id_differs`" + ` |
| new | known | a new contact | a person: ` + "`address_new_for_customer`" + ` | the customer's contact, which gets the address |
| known | known, the same | the contact | the contact | the contact |
| known | known, another | the address's contact | a person: ` + "`several_contacts`" + ` | the customer's contact; the address stays where it is, and a mail to it waits for a person |
| shared inbox | any | a person: ` + "`shared_inbox`" + ` | the customer's contact | the customer's contact |
| none, or broken | any | a person | a person | a person |

A customer ID is 1 to 80 visible characters without a space, its case kept; anything else goes to a person (` + "`customer_id_invalid`" + `). It is read where an endpoint's
` + "`fields.customer_id`" + ` points, never from a form that anybody may post (` + "`own-form`" + `) and never from a mail. Opt-outs, holds and bounces are kept by address, whatever the ID says.

## Who says so

SPF, DKIM and DMARC corroborate and never prove. A mail whose DMARC failed is **contradicted**; ` + "`mail.unauthenticated`" + ` says what it may do. By default (` + "`no_changes`" + `) it makes an
enquiry and, by the rules, a follow-up, and changes nothing of a contact that exists; where it claims to answer a mail of ours a person looks. That a mail passed lifts no other
reason for review. A wish not to be mailed counts from anybody: to forge one stops mail and causes none.

A plain wish stops the address that it came from. Where it answers a mail of ours that went to another address, that one is held until a person has read the text, and so is
a ` + "`Reply-To` other than `From`" + `; either is stopped at once where our genuine mark is given back (our mail attached, or its header) or both are one contact's. A complaint does
the same for whom our mail went to. Only two things lower a plain wish to a hold: a form that proves nobody, and such a ` + "`Reply-To`" + `. No setting changes this
([ADR 0038](adr/0038-whom-a-wish-stops.md)).

Whether DMARC failed is known of mail that SES received. Other [sources](sources.md#who-says-so) say less or nothing. Where a server of yours, or your
mailbox provider's, checks mail before it comes here, name its authserv-id, the first word of its ` + "`Authentication-Results`" + ` field (RFC 8601), in
` + "`endpoints[].authserv_id`" + `:

- The field counts if it is the only one with that ID and above the ` + "`Received`" + ` field of that host (` + "`by`" + ` the ID, or a name below it). The ID is compared
  whatever its case, and in no other way: an alias is another server. ` + "`ARC-Authentication-Results`" + ` is never read.
- Two fields with that ID are no verdict. So name a server that takes out what comes with a mail, as RFC 8601, section 5 wants, and that writes one
  field into each mail: else a sender could end the verdict, or write it.
- Without a ` + "`Received`" + ` of that host, as where it has another name there, only a failed DMARC counts, which nobody forges against himself.
- A field that cannot be read, and one whose DMARC is of another domain than ` + "`From`" + ` has, say nothing.

` + "`onefold policy validate`" + ` notes each endpoint where no verdict on DMARC can come, so that ` + "`mail.unauthenticated`" + ` has no effect.

A mail whose ` + "`From`" + ` and ` + "`Reply-To`" + ` are two known contacts is a question in any case (` + "`reply_to_another_contact`" + `): is it the one who asks the other to be answered,
or somebody who wants to look like both?

## What we sent, we know

In a reply, what equals a mail of ours is taken out before anything is read: two lines or eight words one after another, whatever the line breaks. Compared are the texts of the
rules in force and those of earlier versions of the policy, up to 64 KB of them. The writer's first line and a line of up to three words always stay, since an answer can be a word of
ours. If nothing else is left, or one line was picked out that tells how to hear no more, the address is held until a person has looked. The names of the business (` + "`name`, `sender.from`" + `)
and of your people in To and Cc are never taken for the writer's.

## What is believed of what was read

A value that was read with less confidence than ` + "`review.min_field_confidence`" + ` has for its field is a **candidate**: it is kept with the reading, a person sees it, and
it is neither written to the contact nor put into a mail. What comes of the message says so (` + "`candidate_name`, `candidate_company`, `candidate_phone`" + `); nobody is asked for it. An
address has the limit ` + "`review.min_confidence`" + `, below which a person is asked.

` + "`fill_if_empty`" + ` asks a person about another value than the contact has. Another spelling is not another value, and what the contact has stays: case, accents and punctuation
aside, ` + "`Robin`, `R. Reed`, `Reed, Robin` and `Robin Reed`; `Reed Limited`, `Reed Ltd.` and `Reed`" + ` (not ` + "`Reed GmbH`" + `); a phone number with and without its country, which is
` + "`region`" + `, or the other number's where the policy has none. The same holds under ` + "`always`" + `.

## What only a person may do

| what | where | reason |
|---|---|---|
| approve each mail of a rule | ` + "`mode: draft`" + ` | ` + "`draft_mode`" + ` |
| approve each mail of a rule whose other mails go by themselves, or one that must never go by itself | ` + "`high_impact`" + ` of the rule | ` + "`high_impact`" + ` |
| approve the first mail to anybody: there was no such contact before, or his first mail still waits or was refused | ` + "`review.new_contacts`" + ` | ` + "`new_prospect`" + ` |
| approve a mail to an address that is another contact's | always | ` + "`address_of_another_contact`" + ` |
| decide what a message means: unsure reading, sensitive matters, a possible opt-out, a conflicting field, a doubtful sender, ` + "`From`" + ` and ` + "`Reply-To`" + ` of two contacts | always; ` + "`review.min_confidence`" + ` | one for each, on the task |
| decide whose a message is that states no full name, from an address that two names claim | always, where ` + "`contact_fields.name` is `fill_if_empty`" + ` | ` + "`address_in_dispute`" + ` |

## Examples

Each replaces what the [example policy](../internal/policy/tenant/policy.example.json) says in the same place.
`)
	for _, kind := range kindsOfBusiness() {
		fmt.Fprintf(&b, "\n**%s.** %s\n\n```json\n%s\n```\n", kind.name, kind.why, kind.part)
	}
	b.WriteString("\n## Every property\n\n| property | is | default |\n|---|---|---|\n")
	for _, p := range properties(t) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.path, strings.ReplaceAll(p.says, "|", "\\|"), p.preset)
	}
	return b.String()
}

// listed is one property of the schema.
type listed struct{ path, says, preset string }

// properties lists them in the order of the schema.
func properties(t *testing.T) []listed {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(tenant.Schema()))
	tree, err := inOrderOf(dec)
	if err != nil {
		t.Fatal(err)
	}
	var out []listed
	defs, _ := tree.(members).get("$defs").(members)
	var walk func(path string, schema any)
	walk = func(path string, schema any) {
		form := members{}
		if own, ok := schema.(members); ok {
			form = own
			if ref, ok := own.get("$ref").(string); ok {
				form, _ = defs.get(strings.TrimPrefix(ref, "#/$defs/")).(members)
			}
			if path != "" {
				out = append(out, listed{path, first(own.get("description"), form.get("description")), preset(own, form)})
			}
		}
		if items, ok := form.get("items").(members); ok {
			if inner, ok := items.get("$ref").(string); ok {
				if element, ok := defs.get(strings.TrimPrefix(inner, "#/$defs/")).(members); ok && element.get("properties") != nil {
					for _, p := range element.get("properties").(members) {
						walk(path+"[]."+p.name, p.value)
					}
				}
			}
		}
		if props, ok := form.get("properties").(members); ok {
			for _, p := range props {
				if p.name != "$schema" {
					walk(strings.TrimPrefix(path+"."+p.name, "."), p.value)
				}
			}
		}
	}
	walk("", tree)
	return out
}

func preset(own, form members) string {
	for _, m := range []members{own, form} {
		if v := m.get("default"); v != nil {
			b, err := json.Marshal(v)
			if err != nil {
				return ""
			}
			return "`" + strings.ReplaceAll(string(b), "|", "\\|") + "`"
		}
	}
	return ""
}

func first(texts ...any) string {
	for _, t := range texts {
		if s, ok := t.(string); ok {
			return s
		}
	}
	return ""
}

// members is an object with the order of its properties.
type members []struct {
	name  string
	value any
}

func (m members) get(name string) any {
	for _, p := range m {
		if p.name == name {
			return p.value
		}
	}
	return nil
}

func inOrderOf(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		out := members{}
		for dec.More() {
			name, err := dec.Token()
			if err != nil {
				return nil, err
			}
			v, err := inOrderOf(dec)
			if err != nil {
				return nil, err
			}
			out = append(out, struct {
				name  string
				value any
			}{fmt.Sprint(name), v})
		}
		_, err = dec.Token()
		return out, err
	case json.Delim('['):
		out := []any{}
		for dec.More() {
			v, err := inOrderOf(dec)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		_, err = dec.Token()
		return out, err
	}
	return token, nil
}

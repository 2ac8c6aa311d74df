package tenant

import (
	_ "embed" // the example
	"slices"
)

//go:embed policy.example.json
var exampleText string

// Example is a whole policy document for the invented tenant "demo", to start
// from and for tests. Parse takes it.
func Example() []byte { return []byte(exampleText) }

// intentOptOut is the intent that no rule answers.
const intentOptOut = "opt_out"

// Endpoint finds an endpoint by its name.
func (p Policy) Endpoint(name string) (Endpoint, bool) {
	i := slices.IndexFunc(p.Endpoints, func(e Endpoint) bool { return e.Name == name })
	if i < 0 {
		return Endpoint{}, false
	}
	return p.Endpoints[i], true
}

// Rule finds a rule by its ID, whatever its version.
func (p Policy) Rule(id string) (Rule, bool) {
	i := slices.IndexFunc(p.Rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return p.Rules[i], true
}

// RuleFor finds the rule that answers an extraction intent: the first in the
// document's order that lists it or lists none. An opt-out is never answered
// by a rule, not even by one that lists none.
func (p Policy) RuleFor(intent string) (Rule, bool) {
	if intent == intentOptOut {
		return Rule{}, false
	}
	i := slices.IndexFunc(p.Rules, func(r Rule) bool {
		return len(r.Intents) == 0 || slices.Contains(r.Intents, intent)
	})
	if i < 0 {
		return Rule{}, false
	}
	return p.Rules[i], true
}

// Accepts tells whether messages of a class that is no enquiry's are taken for
// enquiries.
func (p Policy) Accepts(class string) bool { return slices.Contains(p.Mail.Accept, class) }

// TemplateData joins what an event gave with what the policy gives.
func (p Policy) TemplateData(name, company, subject string) TemplateData {
	return TemplateData{
		Name: name, Company: company, Subject: subject,
		Business: p.Name, PostalAddress: p.Sender.PostalAddress,
	}
}

// Package match decides whom an enquiry belongs to. It is a rule over keys,
// never a judgement of a model: only a unique key identifies; a name, a
// company or a phone never does.
package match

import "onefold/internal/utc"

// The outcomes.
const (
	New     = "new"
	Matched = "matched"
	Review  = "review"
)

// The reasons, as machine words.
const (
	ReasonNoKey         = "identity_missing"
	ReasonBadAddress    = "identity_invalid"
	ReasonSharedInbox   = "shared_inbox"
	ReasonOwnAddress    = "own_address"
	ReasonRoleAddress   = "role_address"
	ReasonEmailKnown    = "email_key_known"
	ReasonEmailNew      = "email_key_new"
	ReasonCustomerKnown = "customer_key_known"
	ReasonCustomerNew   = "customer_key_new"
	ReasonSeveral       = "several_contacts"
	ReasonFieldConflict = "field_conflict"
	ReasonContactErased = "contact_erased"
	ReasonPhoneShared   = "phone_of_another_contact"
	ReasonRuleCollision = "identity_rule_collision" // the rule that is migrated to names another contact
)

// Decision is the stored match decision of one event.
type Decision struct {
	Tenant     string   `json:"tenant"`
	Event      string   `json:"event"`
	Outcome    string   `json:"outcome"`
	Contact    string   `json:"contact,omitempty"`
	Candidates []string `json:"candidates,omitempty"` // contact IDs
	Rule       string   `json:"rule"`                 // identity rule and its version
	Reasons    []string `json:"reasons,omitempty"`
	Model      string   `json:"model,omitempty"`
	Prompt     string   `json:"prompt_version,omitempty"`
	Policy     int64    `json:"policy_version"`
	At         utc.Time `json:"at"`
	Version    int64    `json:"version,omitempty"`
}

// Candidate is one key of the record in hand, with whom it names: "" when
// nobody has it yet.
type Candidate struct {
	KeyID   string
	Kind    string
	Contact string
	Shared  bool
}

// Result is what follows from the keys.
type Result struct {
	Outcome    string
	Contact    string   // when matched
	Candidates []string // contacts named, each once
	Reasons    []string
}

// Decide matches by the unique keys of a record. Every key that is known must
// name the same contact; a shared key names nobody. Without any key that can
// identify, a person decides.
func Decide(cands []Candidate) Result {
	var res Result
	usable := 0
	for _, c := range cands {
		if c.Shared {
			res.Reasons = append(res.Reasons, ReasonSharedInbox)
			continue
		}
		usable++
		known, fresh := ReasonEmailKnown, ReasonEmailNew
		if c.Kind == "customer" {
			known, fresh = ReasonCustomerKnown, ReasonCustomerNew
		}
		if c.Contact == "" {
			res.Reasons = append(res.Reasons, fresh)
			continue
		}
		res.Reasons = append(res.Reasons, known)
		if !contains(res.Candidates, c.Contact) {
			res.Candidates = append(res.Candidates, c.Contact)
		}
	}
	switch {
	case len(res.Candidates) > 1:
		res.Outcome = Review
		res.Reasons = append(res.Reasons, ReasonSeveral)
	case usable == 0:
		res.Outcome = Review
		if len(res.Reasons) == 0 {
			res.Reasons = append(res.Reasons, ReasonNoKey)
		}
	case len(res.Candidates) == 1:
		res.Outcome, res.Contact = Matched, res.Candidates[0]
	default:
		res.Outcome = New
	}
	return res
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

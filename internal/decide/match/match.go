// Package match decides whom an enquiry belongs to. It is a rule over keys,
// never a judgement of a model: only a unique key identifies; a name, a
// company or a phone never does.
package match

import (
	"slices"

	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/utc"
)

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

	ReasonCustomerInvalid = "customer_id_invalid"       // what is stated can be no customer ID
	ReasonCustomerIgnored = "customer_id_ignored"       // the policy lets it count for nothing
	ReasonCustomerBeats   = "customer_id_beats_address" // the address is another contact's
	ReasonCustomerDiffers = "customer_id_differs"       // the address's contact has another customer ID
	ReasonManyAddresses   = "too_many_addresses"        // the customer's contact has as many as it may have
	ReasonAddressNew      = "address_new_for_customer"  // the customer wrote from an address never seen
	ReasonDisputed        = "address_in_dispute"        // another name than the contact's claimed it, and this record states none
	ReasonUnauthenticated = "sender_not_authenticated"  // the provider's checks contradict the sender
	ReasonReplyToAnother  = "reply_to_another_contact"  // From and Reply-To are two contacts
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
	// Disputed: two records with different names claim the key, and this one does not
	// say which of them it is.
	Disputed bool
	// Customers are the customer keys that Contact has, as far as it lists them.
	Customers []string
}

// Result is what follows from the keys.
type Result struct {
	Outcome    string
	Contact    string   // when matched
	Candidates []string // contacts named, each once
	Reasons    []string
	// Keys are the IDs of the candidates that nobody has yet and that become
	// the contact's: put in the commit that makes or finds it.
	Keys []string
}

// Rule is what a tenant lets the keys decide.
type Rule struct {
	// Customers is the policy's word for customer IDs. "" is none: a customer ID
	// identifies as an address does.
	Customers string
}

// Decide matches by the rule that says nothing of customer IDs.
func Decide(cands []Candidate) Result { return Rule{}.Decide(cands) }

// Decide matches by the unique keys of a record. Every key that is known must
// name the same contact; a shared key names nobody. Without any key that can
// identify, a person decides.
//
// A customer ID is ignored, or identifies beside the address, or, where it
// wins, against it. Where the address names a contact with another customer
// ID, a person decides under each of these.
func (r Rule) Decide(cands []Candidate) Result {
	var res Result
	usable := 0
	if r.Customers == tenant.CustomersIgnore {
		cands = slices.Clone(cands)
		all := len(cands)
		if cands = slices.DeleteFunc(cands, Candidate.customer); len(cands) < all {
			res.Reasons = append(res.Reasons, ReasonCustomerIgnored)
		}
	}
	for _, c := range cands {
		if c.Shared {
			res.Reasons = append(res.Reasons, ReasonSharedInbox)
			continue
		}
		usable++
		known, fresh := ReasonEmailKnown, ReasonEmailNew
		if c.customer() {
			known, fresh = ReasonCustomerKnown, ReasonCustomerNew
		}
		if c.Contact == "" {
			res.Reasons = append(res.Reasons, fresh)
			if !slices.Contains(res.Keys, c.KeyID) {
				res.Keys = append(res.Keys, c.KeyID)
			}
			continue
		}
		res.Reasons = append(res.Reasons, known)
		if !slices.Contains(res.Candidates, c.Contact) {
			res.Candidates = append(res.Candidates, c.Contact)
		}
	}
	owners := ownersOf(cands)
	switch {
	case r.Customers == tenant.CustomersWin && len(owners) == 1:
		res.Outcome, res.Contact = Matched, owners[0]
		if len(res.Candidates) > 1 {
			res.Reasons = append(res.Reasons, ReasonCustomerBeats)
		}
	case len(res.Candidates) > 1:
		res.ask(ReasonSeveral)
	case usable == 0 && !slices.Contains(res.Reasons, ReasonSharedInbox):
		res.ask(ReasonNoKey)
	case usable == 0:
		res.ask()
	case len(res.Candidates) == 0:
		res.Outcome = New
	case anotherCustomer(cands):
		res.ask(ReasonCustomerDiffers)
	case r.Customers == tenant.CustomersReview && len(owners) == 1 && slices.Contains(res.Reasons, ReasonEmailNew):
		res.ask(ReasonAddressNew)
	case !slices.ContainsFunc(cands, func(c Candidate) bool { return !c.Shared && !c.Disputed && c.Contact != "" }):
		res.ask(ReasonDisputed)
	default:
		res.Outcome, res.Contact = Matched, res.Candidates[0]
	}
	return res
}

func (c Candidate) customer() bool { return c.Kind == contact.KindCustomer }

// ask leaves it to a person: no key becomes anybody's.
func (res *Result) ask(why ...string) {
	res.Outcome, res.Keys = Review, nil
	res.Reasons = append(res.Reasons, why...)
}

// ownersOf are the contacts that a record's customer IDs name, each once.
func ownersOf(cands []Candidate) []string {
	var owners []string
	for _, c := range cands {
		if c.customer() && c.Contact != "" && !slices.Contains(owners, c.Contact) {
			owners = append(owners, c.Contact)
		}
	}
	return owners
}

// anotherCustomer tells whether a customer ID that nobody has comes with the
// address of a contact that has one: two customers may share an address, and
// one contact must not be made of them.
func anotherCustomer(cands []Candidate) bool {
	fresh := slices.ContainsFunc(cands, func(c Candidate) bool { return c.customer() && !c.Shared && c.Contact == "" })
	return fresh && slices.ContainsFunc(cands, func(c Candidate) bool { return !c.customer() && !c.Shared && len(c.Customers) > 0 })
}

package ledger

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"onefold/internal/schema"
)

// Key names one item: its entity, whose it is, its identifying words, and its
// place within the parent where several items share those words. Words are
// plain text; how a store writes them is the store's affair.
type Key struct {
	Entity Entity
	Tenant string
	ID     string
	Sub    string // "" where an ID has one item only
}

// Entity is the kind of an item.
type Entity string

// The entities. The comment names ID, then Sub.
const (
	Event           Entity = "event"            // inbound.EventID
	Delivery        Entity = "delivery"         // event ID; time and token of the delivery
	Extraction      Entity = "extraction"       // event ID; model@prompt version
	ContactKey      Entity = "contact_key"      // kind:canonical value; of addresses email: or email.v<rule version>:, of phone and name phone:<keyed hash>
	Contact         Entity = "contact"          // contact ID
	Enquiry         Entity = "enquiry"          // contact ID; hash of its cause
	MatchDecision   Entity = "match_decision"   // event ID
	Intent          Entity = "intent"           // intent ID
	Attempt         Entity = "attempt"          // intent ID; attempt number
	ReviewTask      Entity = "review_task"      // task ID
	Guard           Entity = "guard"            // keyed hash of the suppression key
	Cadence         Entity = "cadence"          // contact ID; rule
	LoopCap         Entity = "loop_cap"         // keyed hash of a thread, or of a domain and a day
	CRMMapping      Entity = "crm_mapping"      // contact ID; CRM
	CRMConnection   Entity = "crm_connection"   // "crm"; CRM
	ProviderMessage Entity = "provider_message" // provider message ID; under tenant "-"
	Feedback        Entity = "feedback"         // dedupe key of a provider event; under tenant "-"
	FeedProbe       Entity = "feed_probe"       // "feed"; under tenant "-"
	Deployment      Entity = "deployment"       // "deployment"; under tenant "-"
	Idempotency     Entity = "idempotency"      // the caller's key; what it is for
	Policy          Entity = "policy"           // "policy"; version
	PolicyCurrent   Entity = "policy_current"   // "policy"
	MailRoute       Entity = "mail_route"       // address, or @domain; under tenant "-"
	Stop            Entity = "stop"             // "stop"; tenant "-" stops all
	Spending        Entity = "spending"         // day of UTC, as 2026-03-04: what a tenant's readings cost
	Operation       Entity = "operation"        // operation ID
	Audit           Entity = "audit"            // entity/ID of the noun; transition

	IdentityRule Entity = "identity_rule"      // "rule"; version of it, and what that is for ever
	Migration    Entity = "identity_migration" // "rule"; version that is migrated to
)

// NoTenant is the tenant of an item that belongs to the deployment.
const NoTenant = "-"

// At is the key of the entity's item of an ID.
func (e Entity) At(tenant, id string) Key { return Key{Entity: e, Tenant: tenant, ID: id} }

// Under is the key of one of several items of an ID.
func (e Entity) Under(tenant, id, sub string) Key {
	return Key{Entity: e, Tenant: tenant, ID: id, Sub: sub}
}

// Table is where the entity's items live.
func (e Entity) Table() schema.Table {
	switch e {
	case Event, Delivery, Extraction:
		return schema.Events
	case Operation:
		return schema.Outbox
	case Audit:
		return schema.Audit
	case ContactKey, Contact, Enquiry, MatchDecision, Intent, Attempt, ReviewTask, Guard,
		Cadence, LoopCap, CRMMapping, CRMConnection, ProviderMessage, Feedback, FeedProbe, Deployment, Idempotency, Policy, PolicyCurrent, MailRoute, Stop, Spending, IdentityRule, Migration:
		return schema.Ledger
	}
	return ""
}

// Limits of a key, so that the longest still fits DynamoDB's 2,048 bytes of
// partition key and 1,024 of sort key with every byte escaped to two
// (Developer Guide, "Constraints in Amazon DynamoDB", read 2026-11).
const (
	MaxTenantBytes = 40
	MaxIDBytes     = 640
	MaxSubBytes    = 300
)

// ErrInvalid marks a commit or key that no store may accept. It is a bug in
// the caller, or input that should have been refused earlier.
var ErrInvalid = errors.New("ledger: invalid")

// Validate refuses a key that no store can hold. The error names no words of
// the key, since they may be personal.
func (k Key) Validate() error {
	switch {
	case k.Entity.Table() == "":
		return fmt.Errorf("%w: unknown entity %q", ErrInvalid, string(k.Entity))
	case k.Tenant == "" || len(k.Tenant) > MaxTenantBytes:
		return fmt.Errorf("%w: tenant of %d bytes in a key of %s", ErrInvalid, len(k.Tenant), k.Entity)
	case k.ID == "" || len(k.ID) > MaxIDBytes:
		return fmt.Errorf("%w: id of %d bytes in a key of %s", ErrInvalid, len(k.ID), k.Entity)
	case len(k.Sub) > MaxSubBytes:
		return fmt.Errorf("%w: sub of %d bytes in a key of %s", ErrInvalid, len(k.Sub), k.Entity)
	case !plain(k.Tenant) || !plain(k.ID) || !plain(k.Sub):
		return fmt.Errorf("%w: a key of %s is not UTF-8 or holds control characters", ErrInvalid, k.Entity)
	}
	return nil
}

// plain tells whether a text may stand in a key: UTF-8 without control
// characters, so that a store may use those to part words and a person who
// looks at a table sees what is there.
func plain(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// KeyOf reads the key that every stored item carries.
func KeyOf(it Item) Key {
	return Key{
		Entity: Entity(it.Text(schema.Entity)),
		Tenant: it.Text(schema.Tenant),
		ID:     it.Text(schema.ID),
		Sub:    it.Text(schema.Sub),
	}
}

// AttemptKey names one attempt of an intent.
func AttemptKey(tenantID, intent string, number int64) Key {
	return Key{Entity: Attempt, Tenant: tenantID, ID: intent, Sub: fmt.Sprintf("%05d", number)}
}

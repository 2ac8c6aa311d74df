// Package tenant holds what a business decides about its own mail: the
// versioned policy document. Rules and facts only; reading and storing it is
// the work of others.
//
// Its invariant: a Policy that Parse returned has been checked whole, so no
// later code has to ask whether a rule names a template or an endpoint a
// source. A policy's version only ever rises; what was decided under one
// version names it.
package tenant

import (
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/signed"
	"onefold/internal/webhook/sources"
)

// Policy is one version of one tenant's decisions. The JSON form is
// described by policy.schema.json.
type Policy struct {
	Tenant          string       `json:"tenant"`  // [a-z0-9-], 1 to 40 bytes
	Version         int64        `json:"version"` // from 1, raised with every change
	Name            string       `json:"name"`    // as people read it
	Endpoints       []Endpoint   `json:"endpoints"`
	OwnAddresses    []string     `json:"own_addresses"`    // addresses or @domains that are ours: never a contact
	SharedAddresses []string     `json:"shared_addresses"` // addresses, or local parts with a trailing @ ("info@"): never one person
	Identity        Identity     `json:"identity"`
	CustomerIDs     CustomerIDs  `json:"customer_ids"`
	Region          string       `json:"region"` // of phone numbers written without a country: two letters, or ""
	ContactFields   FieldRules   `json:"contact_fields"`
	Sender          Sender       `json:"sender"`
	Rules           []Rule       `json:"rules"`
	Review          ReviewLimits `json:"review"`
	Limits          Limits       `json:"limits"`
	Mail            Mail         `json:"mail"`
	CRM             CRM          `json:"crm"`

	// IdentityNext is the identity rule that is being migrated to, with a version
	// above that of Identity; nil when none is. See docs/identity-rule.md.
	IdentityNext *Identity `json:"identity_next,omitempty"`

	former, sent []string // of Former and Sent; no part of the document
}

// Endpoint is one way in: an address of the HTTP API, /v1/{tenant}/{endpoint
// name}, or, with SchemeSES, mailboxes that SES receives for.
type Endpoint struct {
	Name    string `json:"name"`    // [a-z0-9-], 1 to 40 bytes, unique in the tenant
	Content string `json:"content"` // ContentForm or ContentMail
	Scheme  string `json:"scheme"`  // SchemeStandardWebhooks or SchemeSES
	// Secret is the name of the secret, never the secret; of this endpoint
	// alone. SES needs none: "".
	Secret  string   `json:"secret,omitempty"`
	Mailbox string   `json:"mailbox"` // of a form: the name its events are filed under; of mail the envelope recipient is used
	Fields  FieldMap `json:"fields"`  // of a form: where its values stand
	// Mailboxes are, with SchemeSES, the addresses and @domains of ours whose
	// mail is this endpoint's; else nil. MaxMailboxes in a whole policy. No two
	// tenants hold one.
	Mailboxes []string `json:"mailboxes,omitempty"`
	// Origins are, with SchemeOwnForm, the web origins whose pages may post,
	// such as "https://www.demo.example"; else nil.
	Origins []string `json:"origins,omitempty"`
	// Topics are, with SchemeSNS, the ARNs of the topics whose messages count;
	// else nil.
	Topics []string `json:"topics,omitempty"`
	// PublicURL is the endpoint's address as the sender has it, for schemes that
	// sign it: behind a custom domain the function sees another. "": as seen.
	PublicURL string `json:"public_url,omitempty"`
	// AuthservID is, of mail, the authserv-id (RFC 8601) of the server whose
	// Authentication-Results field says who sent it; "" where none is believed.
	AuthservID string `json:"authserv_id,omitempty"`
	// Volatile are JSON Pointers to what the sender changes from one try of an
	// event to the next, where its form is JSON; of a payload of several events
	// they are within each. HMAC.Volatile and what the source knows count besides.
	Volatile []string `json:"volatile,omitempty"`
	// HMAC is, with SchemeHMAC, how the sender signs; else nil.
	HMAC *signed.Scheme `json:"hmac,omitempty"`
}

// APIKeySuffix stands behind the name of an endpoint's secret in the name of the
// key of its provider's API. No endpoint's secret has such a name.
const APIKeySuffix = "-api"

// Source makes the endpoint's source. Of an endpoint of a checked policy, but
// for one of SchemeSES, it never fails.
func (e Endpoint) Source() (webhook.Source, error) {
	return sources.New(e.Scheme, sources.Options{Origins: e.Origins, Topics: e.Topics, PublicURL: e.PublicURL, HMAC: e.HMAC})
}

// What an endpoint's requests carry.
const (
	ContentForm = webhook.ContentForm
	ContentMail = webhook.ContentMail
)

// SchemeStandardWebhooks is https://www.standardwebhooks.com: webhook-id,
// webhook-timestamp, webhook-signature.
const SchemeStandardWebhooks = "standard-webhooks"

// SchemeHMAC is any scheme of shared secrets that HMAC describes; SchemeOwnForm
// a form of our own pages, whose sender holds no secret; SchemeSNS what SNS
// posts of topics that are listed. Others are those of package sources.
const (
	SchemeHMAC    = "hmac"
	SchemeOwnForm = "own-form"
	SchemeSNS     = "sns"
)

// SchemeSES is mail that Amazon SES receives and announces on a queue. It has
// no address in the HTTP API.
const SchemeSES = "ses"

// FieldMap names, by JSON Pointer (RFC 6901), where a form's values stand.
// An empty pointer means the default, which DefaultFieldMap states.
type FieldMap struct {
	Email   string `json:"email"`
	Name    string `json:"name"`
	Company string `json:"company"`
	Phone   string `json:"phone"`
	Subject string `json:"subject"`
	Message string `json:"message"`
	// CustomerID has no default: what is no customer ID of the sender's must not
	// be taken for one.
	CustomerID string `json:"customer_id,omitempty"`
}

// Identity is the identity rule: when two spellings of an address are one
// person. Case folding of the local part is on unless switched off; dots and
// plus tags mean different people unless the business has decided otherwise.
type Identity struct {
	Version       int64 `json:"version"` // that rule's for ever; changing the rule is a migration
	KeepLocalCase bool  `json:"keep_local_case"`
	FoldDots      bool  `json:"fold_dots"`
	FoldPlus      bool  `json:"fold_plus"`
}

// FieldRules says what an inbound event may do to a field of a contact that
// exists: UpdateNever, UpdateFillIfEmpty (the default) or UpdateAlways.
type FieldRules struct {
	Name    string `json:"name"`
	Company string `json:"company"`
	Phone   string `json:"phone"`
}

// The field rules.
const (
	UpdateNever       = "never"
	UpdateFillIfEmpty = "fill_if_empty" // another value than the stored one goes to review
	UpdateAlways      = "always"
)

// Sender is who follow-ups come from.
type Sender struct {
	From             string `json:"from"` // an address of ours, with or without a display name
	ReplyTo          string `json:"reply_to"`
	ConfigurationSet string `json:"configuration_set"` // SES configuration set whose events reach feedback
	PostalAddress    string `json:"postal_address"`    // CAN-SPAM: a valid physical address in each message
}

// Rule allows one follow-up for a cause.
type Rule struct {
	ID            string   `json:"id"`             // [a-z0-9-], 1 to 40 bytes
	Version       int64    `json:"version"`        // a new version makes no new follow-up for an event already decided
	Mode          string   `json:"mode"`           // ModeObserve, ModeDraft (default) or ModeAuto
	Intents       []string `json:"intents"`        // the extraction intents it answers; empty: every enquiry
	Scope         string   `json:"scope"`          // the suppression scope it falls under, default ScopeFollowUp
	FoldWindow    Duration `json:"fold_window"`    // causes of one contact this close together get one follow-up, default 15m
	QuietPeriod   Duration `json:"quiet_period"`   // at most one mail of this rule to a contact in this time, default 24h
	SendWithin    Duration `json:"send_within"`    // later than this it goes to a person, default 72h
	OnUnknown     string   `json:"on_unknown"`     // UnknownReview (default) or UnknownResend
	UnknownWithin Duration `json:"unknown_within"` // how long evidence is waited for, default 6h
	// HighImpact has a person approve each mail of this rule, in ModeAuto too.
	HighImpact bool     `json:"high_impact"`
	Template   Template `json:"template"`
}

// Modes.
const (
	ModeObserve = "observe" // decide and record, nothing leaves
	ModeDraft   = "draft"   // a person approves each
	ModeAuto    = "auto"
)

// What becomes of a send whose outcome stayed unknown past its deadline.
const (
	UnknownReview = "review" // a person decides
	UnknownResend = "accept_possible_duplicate"
)

// ScopeFollowUp is the suppression scope of a rule that names none.
const ScopeFollowUp = "follow_up"

// Template is the follow-up's text, in the syntax of text/template with the
// fields of TemplateData. It is data that people wrote: the model never
// writes it.
type Template struct {
	Version int64  `json:"version"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// TemplateData is what a template may use. Values come from the event and
// are untrusted: they are put in as text, on one line, bounded.
type TemplateData struct {
	Name          string // may be empty
	Company       string // may be empty
	Subject       string // of the mail answered
	Business      string // Policy.Name
	PostalAddress string
}

// ReviewLimits says what goes to a person.
type ReviewLimits struct {
	// MinConfidence below which a stated confidence adds a reason for review,
	// in hundredths, 0 to 100. It never lets anything pass by itself. The default
	// is what `onefold eval -calibrate` gives for the rules: the lowest confidence
	// of which the labelled set has a sender's address. All of them are right, and
	// yet too few to prove 99 % (docs/eval.md); below it nothing was measured.
	MinConfidence int64 `json:"min_confidence"`
	// MinFieldConfidence below which a value is a candidate: a person sees it, and
	// it is neither written to the contact nor put into a mail. The defaults are
	// the limits that the calibration gives for the rules.
	MinFieldConfidence FieldLimits `json:"min_field_confidence"`
	// NewContacts has a person approve each follow-up to somebody who was no
	// contact before, in ModeAuto too.
	NewContacts bool `json:"new_contacts"`
}

// FieldLimits are stated confidences, in hundredths, 0 to 100.
type FieldLimits struct {
	Name    int64 `json:"name"`
	Company int64 `json:"company"`
	Phone   int64 `json:"phone"`
}

// Limits bounds how many follow-ups are made without a person's word, so that
// no machine that answers each of them under another address gets one for each
// answer. Beyond a limit the event goes to review.
type Limits struct {
	PerThread    int64 `json:"per_thread"`     // follow-ups in one thread, default 3
	PerDomainDay int64 `json:"per_domain_day"` // follow-ups to one domain in a day of UTC, default 20; not of domains that give anybody a mailbox
}

// Mail says what becomes of mail that the receiving provider has warned of, and
// of mail and forms of senders that are not wanted. Wishes not to be mailed,
// bounces and complaints count whatever it says.
type Mail struct {
	OnSpam  string `json:"on_spam"`  // ScreenReview (default), ScreenIgnore or ScreenAccept
	OnVirus string `json:"on_virus"` // ScreenReview (default) or ScreenIgnore; such mail is never parsed
	// Unauthenticated is what mail may do whose sender the provider's checks
	// contradict: UnauthenticatedAccept, UnauthenticatedNoChanges (default) or
	// UnauthenticatedReview.
	Unauthenticated string `json:"unauthenticated"`
	// Blocked are addresses and @domains whose mail and forms lead to nothing, at
	// most MaxBlocked; see IsBlocked. Taken out again, what they send from then on
	// is read like any other.
	Blocked []string `json:"blocked"`
	// Accept are the classes of message, besides enquiries, that are taken for
	// enquiries: a Class each. All others make neither contact nor follow-up.
	Accept []string `json:"accept,omitempty"`
}

// The classes of message that are no enquiries, as package extract names them.
const (
	ClassPitch          = "pitch"           // the sender sells something to the business
	ClassInvoice        = "invoice"         // the sender bills it
	ClassJobApplication = "job_application" // somebody wants to work there
	ClassNewsletter     = "newsletter"      // a mailing to many
	ClassSpam           = "spam"            // fraud
	ClassAutoReply      = "auto_reply"      // a machine answers for somebody who is away
)

// MaxBlocked is the most senders that one policy blocks.
const MaxBlocked = 200

// What becomes of mail with a warning.
const (
	ScreenReview = "review" // a person decides
	ScreenIgnore = "ignore" // the event ends, and nothing follows
	ScreenAccept = "accept" // as if there were no warning
)

// What mail may do whose sender is contradicted: DMARC failed (see
// inbound.Verdicts.Sender). Wishes not to be mailed, bounces, complaints and
// holds count under each of these words: forging one stops mail and causes none.
const (
	UnauthenticatedAccept    = "accept"     // as any other
	UnauthenticatedNoChanges = "no_changes" // no field of a contact changes, no contact gets a key, no thread is believed
	UnauthenticatedReview    = "review"     // a person decides
)

// CRM says where contacts go.
type CRM struct {
	Kind string `json:"kind"` // a kind of package app, or empty for none
	Task bool   `json:"task"` // also make a task for each enquiry
	// Edited says what becomes of a field that somebody changed in the CRM when the
	// contact has another value: EditTheirs (the default), EditAsk or EditOurs.
	Edited EditRules `json:"edited"`
}

// EditRules are CRM.Edited, field by field.
type EditRules struct {
	Email   string `json:"email"`
	Name    string `json:"name"`
	Company string `json:"company"`
	Phone   string `json:"phone"`
}

// Of says which rule a field has.
func (r EditRules) Of(field string) string {
	return map[string]string{"email": r.Email, "name": r.Name, "company": r.Company, "phone": r.Phone}[field]
}

// The rules for what somebody changed in the CRM.
const (
	EditTheirs = "theirs" // it stays as it is there
	EditAsk    = "ask"    // it stays, and a person is asked
	EditOurs   = "ours"   // it is written over
)

// Duration is a time.Duration in the form "72h" or "15m".
type Duration time.Duration

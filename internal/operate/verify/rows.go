package verify

import (
	"onefold/internal/ledger"
	"onefold/internal/record/followup"
)

// ref names a noun of a tenant by its ID.
type ref struct{ tenant, id string }

func refOf(k ledger.Key) ref { return ref{k.Tenant, k.ID} }

// The rows, each as small as the checks allow.

type eventRow struct {
	key                            ledger.Key
	state, outcome, intent, review string
	raw, dueAt, dueShard           string
}

type deliveries struct {
	first    ledger.Key
	recorded []ledger.Key
}

type keyRow struct {
	key     ledger.Key
	contact string
	shared  bool
}

type contactRow struct {
	key        ledger.Key
	status     string
	mergedInto string
	email      string
	keys       []string
	absorbed   []string
}

// linkRow is an enquiry, a cadence or a mapping.
type linkRow struct {
	key           ledger.Key
	event, intent string
	crmID         string
}

type decisionRow struct {
	key           ledger.Key
	model, prompt string
}

type intentRow struct {
	key                                    ledger.Key
	state, cause, rule, scope              string
	contact, guard, review, owner          string
	ruleVersion, attempt, resends, consent int64
	approved, stored, made                 string // hashes; made is "" when the content is erased
	createdAt                              string
	idMade, guardMade                      string // by Options.IDs, else ""
}

type attemptRow struct {
	key                          ledger.Key
	number                       int64
	state, owner, resend, reason string
	messageID, claimedAt         string
	reported                     bool // an event of the provider shows it
}

// took tells whether the provider is known to have taken the mail, be it that
// it first said no.
func (a *attemptRow) took() bool {
	return a.state == followup.AttemptAccepted || a.reason == "contradicted" || a.reported
}

type taskRow struct {
	key                                 ledger.Key
	kind, state, event, intent, openFor string
	contentHash                         string
	about                               string // the contact key of a question about one
}

type guardRow struct {
	key    ledger.Key
	stops  map[string]string // scope → time
	erased string
	idMade string // by Options.IDs from the readable address, else ""
}

type messageRow struct {
	key       ledger.Key
	messageID string
	attempt   ledger.Key
}

type operationRow struct {
	key                          ledger.Key
	kind, state, contact, intent string
	dueAt, dueShard              string
}

// nounRow is any row whose transitions are audited.
type nounRow struct {
	key        ledger.Key
	state      string
	transition int64
}

// step is one audit record.
type step struct {
	n, version      int64
	event, from, to string
	at              string
	scope           string
	reason          string // the first one
	other, guard    string // of a contact's step: whom it is with, which address it adds
	movedFrom       string // of an intent's step: the contact that it was for before
	raised          bool   // the consent version rose with it
}

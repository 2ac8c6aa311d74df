package crm

// The reasons an adapter gives with an outcome other than Done. They are
// machine words that rules and alarms may compare; a vendor's own text never
// appears in a Result, since it may quote an address or a token.
const (
	// ReasonAuth (Refused): the token is wrong, expired or lacks a scope.
	ReasonAuth = "auth"
	// ReasonInvalid (Refused): the CRM, or the adapter before it, refused the
	// content; the same content will be refused again.
	ReasonInvalid = "invalid"
	// ReasonSetup (Refused): the account lacks a property the adapter needs;
	// the deployment's setup step makes it.
	ReasonSetup = "setup"
	// ReasonGone (Refused): the receiver wants nothing any more; a person turns the
	// account off, or gives it another address.
	ReasonGone = "gone"
	// ReasonContactMissing (Refused): the contact record that a note or task
	// belongs to is gone; the contact must be upserted again first.
	ReasonContactMissing = "contact_missing"

	// ReasonRateLimit (Busy): too many requests.
	ReasonRateLimit = "rate_limit"
	// ReasonLocked (Busy): the record or the account is locked for a while.
	ReasonLocked = "locked"
	// ReasonChanged (Busy): the record changed or vanished between a read and
	// the write that was decided on it.
	ReasonChanged = "changed"

	// ReasonNoConnection (NotBegun): no connection was obtained.
	ReasonNoConnection = "no_connection"
	// ReasonNoToken (NotBegun): no access token could be had.
	ReasonNoToken = "no_token"

	// ReasonOtherReference (Conflict): the record found by its ID or e-mail
	// address carries the reference of another contact.
	ReasonOtherReference = "other_reference"
	// ReasonTwoRecords (Conflict): one record has the reference and another
	// has the e-mail address.
	ReasonTwoRecords = "two_records"
	// ReasonUnseen (Conflict): the CRM reports a collision with a record that
	// it will not show.
	ReasonUnseen = "unseen_record"

	// ReasonNoAnswer (Unknown): a connection was had, a usable answer was not.
	ReasonNoAnswer = "no_answer"
	// ReasonServerError (Unknown): the CRM answered that it failed.
	ReasonServerError = "server_error"
	// ReasonPartial (Unknown): the record was written and its association
	// was not confirmed.
	ReasonPartial = "partial"
)

// Package salesforce is the adapter to Salesforce. It owns the way a contact, a
// note and a task each become one record there: each by a custom field that is an
// external ID and unique.
//
// # Why a repeated call is safe
//
// Records are made only by PATCH on the external ID, which makes the one record
// or changes it; the field is unique, so Salesforce refuses a second. Contacts
// carry Onefold_Contact_ID__c, tasks Onefold_Event_Key__c. SetUp makes the fields.
//
// # Contacts
//
//  1. Read by the known ID, else by the external ID. Several records of one
//     external ID (300) are a Conflict.
//  2. None: a query for the address. Addresses are not unique in Salesforce, so
//     two contacts are a Conflict; one without a reference is adopted, unless
//     somebody else's.
//  3. Nobody: PATCH by the external ID. A duplicate rule of the account that
//     refuses it (DUPLICATES_DETECTED) is a Conflict: the rule is the business's, and
//     nothing here has it save a duplicate.
//
// A write to a record that was read bears If-Unmodified-Since, so that what
// somebody changed meanwhile is looked at again; the header counts in seconds.
//
// The company is a text field of ours: a contact's company in Salesforce is an
// account, a record that people tend. A last name is needed: a single word is
// one, and where no name is known the address stands for it and counts as none.
//
// # Notes and tasks
//
// Both are tasks, a note one that is completed: of the two kinds of note in
// Salesforce neither can have a field of ours. Read by the external ID; if there
// is none, PATCH by it. One that exists is not rewritten.
//
// # The account
//
// The tenant's secret is a JSON document: login_url, client_id, username,
// private_key (PEM). A token is got by the OAuth 2.0 JWT bearer flow and kept until
// it is refused; a call that is refused for an old one (401, not processed) is made
// once more with a new one.
//
// # Sources
//
// Read 2026-12-01 under https://developer.salesforce.com/docs/platform/api-rest/guide/ :
// dome-upsert (matched never, once, several times: 300 and nothing written;
// updateOnly), resources-sobject-upsert-patch (the external ID not in the body; a
// unique one needs no further right), intro-rest-conditional-requests
// (If-Unmodified-Since on PATCH, by the date of the last change, 412). The JWT
// bearer flow: https://help.salesforce.com, remoteaccess_oauth_jwt_flow.
//
// Not confirmed at the source: that UNABLE_TO_LOCK_ROW and REQUEST_LIMIT_EXCEEDED
// are answered before anything is written, the statuses of a deleted or unknown
// contact of a task, and how long a request can be in flight.
package salesforce

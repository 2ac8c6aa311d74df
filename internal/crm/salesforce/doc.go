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
//  1. One query for the known ID, the references and the address: SOQL reads the
//     database, not the search index. The first of these that a contact has decides;
//     two contacts for one of them are a Conflict. Addresses are not unique in
//     Salesforce, so one that is another contact's is a Conflict too.
//  2. Found: PATCH by its ID. One found by its address alone is adopted.
//  3. Nobody: PATCH by the external ID. A duplicate rule of the account that refuses
//     it (DUPLICATES_DETECTED) is a Conflict: the rule is the business's, and nothing
//     here has it save a duplicate.
//
// A PATCH by the ID bears If-Unmodified-Since, the date of the contact's last change
// as it was read, in whole seconds: somebody's edit in the second of that date can
// be lost. Where it is refused (412), or a reference turns out to be there
// (DUPLICATE_VALUE), nothing was written, and a second look decides.
//
// Contacts and not leads: a lead is converted into a contact and then read-only, and
// who is a customer already is a contact. The company is a text field of ours: a
// contact's company in Salesforce is an account, a record that people tend. Contacts
// without an account are private, whatever the sharing rules say: only their owner
// and who may view all contacts see them. So the secret may name an account
// (account_id) for contacts that are made, and the user needs "View All Records" of
// contacts, or it makes again whom it does not see.
//
// A last name is needed: a single word is one, and where no name is known the address
// or number stands for it. What has an @ or no letter counts as no name.
//
// The list goes by the ID. Who wants no mail is told by HasOptedOutOfEmail, which the
// user has to see.
//
// # Notes and tasks
//
// Both are tasks, a note one that is completed: of the two kinds of note in
// Salesforce neither can have a field of ours. A query for the key; if there is
// none, PATCH by the external ID. One that exists is not rewritten. The query knows
// no deleted tasks and no archived ones, which are a year old.
//
// # The account
//
// A token is got by the OAuth 2.0 JWT bearer flow and kept until it is refused or
// the secret changes. A call that is refused for an old one (401, not processed) is
// made once more with a new one.
//
// # Sources
//
// Read 2026-12-01 under https://developer.salesforce.com/docs/platform/api-rest/guide/ :
// dome-upsert (matched never, once, several times: 300 and nothing written),
// resources-sobject-upsert-patch (the external ID not in the body; a unique one needs
// no further right), intro-rest-conditional-requests (weak validation by the date of
// the last change, 412 and not processed), errorcodes, headers-duplicaterules
// (allowSave is false if not given). SOQL guide: sforce-api-calls-soql-select-
// quotedstringescapes and -comparisonoperators (text without regard to case, by the
// locale of the user, who should not be of a Turkish one: I is not i there).
// https://help.salesforce.com : remoteaccess_oauth_jwt_flow; 000384762 (private
// contacts). That the loser of two upserts gets DUPLICATE_VALUE:
// https://salesforce.stackexchange.com/questions/197382.
//
// Not confirmed at the source: that If-Unmodified-Since is compared in the same step
// as the write; that 400 and UNABLE_TO_LOCK_ROW always roll back; the codes of an
// unknown contact of a task; that IDs are compared as they are ordered; how long a
// request can be in flight. Not for orgs whose contacts are person accounts, nor
// where "Completed" is no status of tasks.
package salesforce

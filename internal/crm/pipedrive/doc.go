// Package pipedrive is the adapter to Pipedrive, which keeps no reference of ours
// unique and has no upsert. It owns the way a contact, a note and a task each
// become one record there all the same: by looking before it makes one.
//
// # Why a repeated call is safe
//
// A person carries Onefold's reference in a text field of the account's own, which
// SetUp makes and which is known by its name; a note and an activity carry it in a
// last line of their text. The worker calls again only when nothing of the call
// before can be under way and the search shows what it made. Two calls with one
// reference at once make two records: the worker's claim is what keeps them apart.
//
// # Contacts
//
//  1. Read by the known ID. One that is deleted is none.
//  2. Search for the reference, and for those of contacts that were merged into
//     this one. The search compares without regard to case and its index lags, so
//     each hit is read and compared. Several persons are a Conflict.
//  3. Search for the address, likewise. A person without a reference is adopted;
//     one with another contact's is a Conflict.
//  4. Nobody: make the person, reference and values in one request. After a known
//     person was deleted that waits until the search knows of it: the person may
//     have been merged into another, which then has the reference.
//
// Of a person's addresses and numbers those that are not ours stay. The company is
// a text field of its own: an organization is a record that people tend, and a
// line in a mail is no reason to make one. A person without a name has the address
// for one, which then counts as none.
//
// There is no conditional write. A PATCH follows its look by at most one search, so
// for the time of two calls an edit of a field that is written is lost; of a list,
// which is written whole, an entry that somebody adds.
//
// Two persons with one address remain possible: whatever somebody makes within the
// search's lag is not seen; and if Pipedrive answers for a person that was merged
// as if it had never been, the wait of step 4 falls away. Of two persons who both
// carry a reference the one that was merged away is made again, unless the other
// has its address.
//
// # Notes and tasks
//
// The person is read, then its notes or activities are listed and looked through;
// a list is no search and shows what was written. Activities have no custom fields,
// and none of the two can be searched by one. Whoever takes the last line out of a
// note, or makes another person an activity's primary participant, before a lost
// answer is repeated gets a second one.
//
// # Sources
//
// Read 2026-12-01. github.com/pipedrive/client-nodejs, the vendor's client, generated
// from its OpenAPI documents, at 97e5382f (2026-04-20): API v2 persons,
// persons/search (term, fields, exact_match without regard to case), personFields
// (field_name, field_code of 40 characters, field_type), activities (participants,
// person_id and sort of the list, note, done); API v1 notes (content in HTML,
// sanitized; person_id, start, limit, sort of the list), which has no v2.
//
// Pages under https://pipedrive.readme.io/docs/ : pipedrive-api-v2-migration-guide
// (strict types; person_id of an activity is read-only; update_time of a deleted
// record is when that was, and for 30 days it is there; one primary entry at most);
// core-api-concepts-rate-limiting (tokens a day, 429, x-ratelimit-reset, and a 403
// page for whoever keeps on); core-api-concepts-http-status-codes (402);
// core-api-concepts-custom-fields; webhooks-v2-migration-guide (a merge is a
// deletion and a change); merging-two-persons (what the other lacks it gets, notes
// and activities go with it).
//
// Not confirmed at the source: the lag of the search, for which public code waits
// some seconds; how long a request can be in flight; that no list lags; what a
// merged person's ID answers; that a PATCH of custom_fields leaves the others. The
// declared values are this package's assumption.
package pipedrive

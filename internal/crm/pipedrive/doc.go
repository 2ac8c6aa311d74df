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
//  4. Nobody: make the person, reference and values in one request.
//
// Of a person's addresses and numbers those that are not ours stay. The company is
// a text field of its own: an organization is a record that people tend, and a
// line in a mail is no reason to make one. A person without a name has the address
// for one, which then counts as none.
//
// Whatever somebody makes within the search's lag is not seen, and adopted by
// nobody: then there are two persons with one address, as when two people of the
// account make one.
//
// # Notes and tasks
//
// The person is read, then its notes or activities are listed and looked through;
// a list is no search and shows what was written. Whoever takes the last line out
// of a note before a lost answer is repeated gets a second one.
//
// # Sources
//
// github.com/pipedrive/client-nodejs, the vendor's client, generated from its
// OpenAPI documents, at 97e5382f (2026-04-20, read 2026-12-01): API v2 persons,
// persons/search (term, fields, exact_match without regard to case), personFields
// (field_name, field_code of 40 characters, field_type), activities (participants,
// person_id and sort of the list, note, done); API v1 notes (content in HTML,
// sanitized; person_id, start, limit, sort of the list).
//
// Not confirmed at the source: the lag of the search, how long a request can be in
// flight, and that no list lags. The declared values are this package's assumption.
package pipedrive

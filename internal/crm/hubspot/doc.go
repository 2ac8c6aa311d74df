// Package hubspot is the adapter to HubSpot. It owns the way a contact, a note
// and a task each become one record there, however often the same call is
// repeated and whatever became of the calls before it. It never searches, as
// the search index lags; it never retries, as retries belong to the ledger;
// and it lets no vendor text, address or token into a result or an error.
//
// # Why a repeated call is safe
//
// Each record carries Onefold's reference in a property of its own that
// HubSpot keeps unique: onefold_contact_id on contacts, onefold_event_key on
// notes and tasks. Records are made only by batch/upsert on that property, so
// HubSpot itself refuses a second one. SetUp makes the properties.
//
// # Contacts
//
//  1. Read by the known ID if there is one, else by the reference; both are
//     direct reads, not searches. A record that carries another reference is a
//     Conflict.
//  2. Found: PATCH what crm.Contact.Change says, which leaves alone what the
//     people of the CRM changed. Only fields that are not empty are sent.
//  3. Not found: batch/upsert by the reference. If that collides on the e-mail
//     address, read the record that has the address and adopt it: write the
//     reference to it and fill its empty fields.
//
// Between the read and the PATCH a person's edit of a field that is written can
// be lost: the PATCH is sent at once, and may take onecall.Timeout.
//
// HubSpot has no conditional write. Two contacts with different references
// that adopt one record in the same instant can both succeed, the later one
// keeping the record; Onefold's unique e-mail key keeps two contacts from
// having one address, and the next upsert of the loser ends in Conflict.
//
// # Notes and tasks
//
// Read by the reference; if there is none, batch/upsert by it; then associate
// with the contact by a PUT that changes nothing when repeated. A note or task
// that exists is not rewritten: a person may have edited or completed it. Once
// the record has been written, anything but a confirmed association is Unknown
// or Refused, never Busy.
//
// # The list of contacts
//
// GET on the collection, a hundred at a time, archived records left out. The
// reference, the fields, further addresses and the opt-out of all mail are asked
// for by name; a property that an account lacks is not an error.
//
// # Sources
//
// Read 2026-11-29 under https://developers.hubspot.com/docs/api-reference/ :
//
//   - latest/crm/objects/contacts/batch/upsert-contacts : batch/upsert, the
//     result's "new", errors[] with numErrors.
//   - latest/crm/objects/contacts/guide (by way of the project's collected
//     facts): partial upserts are not supported with idProperty=email; at most
//     100 inputs.
//   - latest/error-handling : 401, 403, 414; multi-status answers; every field
//     of an error is optional.
//   - latest/crm/associations/associate-records/update-association :
//     PUT …/associations/default/… with no body.
//   - crm-notes-v3/guide : hs_timestamp is required, hs_note_body at most
//     65,536 characters. crm-tasks-v3/guide : hs_timestamp is the due date;
//     hs_task_status is NOT_STARTED or COMPLETED.
//   - latest/crm/properties/create-property and …/property-groups/create-property.
//   - 2026-03/crm/associations/overview : from version 2026-09 on, validation
//     rules that an account's administrators set also bind API writes; such a
//     refusal is Refused with reason "invalid".
//
// Read 2026-12-01: latest/crm/objects/companies/get-companies, the same for every
// type of object: limit, after, properties (those that are not present are left
// out), archived; paging.next.after is the cursor "of the last successfully read
// resource". That limit is at most 100, that opt-outs of all mail are in
// hs_email_optout as "true", and that this cannot be written, is what other
// programs rely on; the vendor's pages show none of it.
//
// Not confirmed at the source: 423 (locked) and 477 (account in migration) as
// passing states, and the headers and policy names of 429.
//
// Not documented by the vendor: the text "Contact already exists. Existing ID:
// n" with category CONFLICT (github.com/HubSpot/hubspot-api-nodejs issue 545,
// read 2026-11-29), and the code CONFLICTING_UNIQUE_VALUE for a custom unique
// property. Both are read defensively, as is a one-item batch that is refused
// as a whole or per item. Index lag and time in flight are not documented; the
// declared values are this package's assumption.
package hubspot

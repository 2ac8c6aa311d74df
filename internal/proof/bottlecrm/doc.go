// Package bottlecrm is an adapter to a CRM that nobody here wrote, so that the
// contract of package crm, and the worker on it, meet a server that was not made
// for them: BottleCRM, PyPI django-crm 1.35.0 (MIT). It is a proof and no product:
// no composition offers it. `make test-crm` runs the conformance suite on it.
//
// # What this vendor guarantees
//
// It keeps people as contacts or as leads, and the adapter writes the ones or the
// others (Config.Intake), since the worker does two things about them.
//
// Nothing makes a repeated create of a contact, a note or a task safe by itself:
// there is no upsert and no reference of ours is unique. So each call looks for
// the reference before it makes anything, and Capabilities declares ByLooking. The
// worker keeps one call for a reference in flight, and repeats an unknown one only
// after Capabilities.InFlight; two that look before either has written make two
// records, which a test shows. The look reads the database that was written to.
//
// A lead webhook ("intake") makes one lead for each external_id, under a lock and
// by a constraint of the database: leads are declared ByReference.
//
// Of contacts and of leads the e-mail address is unique too, whatever its case. Of
// two contacts that are made at once with one address, one is refused (400) or
// fails (500); the repeat finds it.
//
// # People
//
// The reference is in a custom field, onefold_ref, by which the lists are
// filtered. A person is looked for by the known ID, by the reference, by the
// address; a record found that has no reference gets it. What is written to it is
// crm.Contact.Change's business. There is no conditional write: what somebody types
// between the look and the write, which follow one another, is lost if it is in a
// field that is written.
//
// A contact there needs both halves of a name. One that is not known is "-".
//
// An intake takes another lead with the same phone number for the one that it is
// sent, so the number is written in a second step. It also puts an entry of its own
// into the timeline of each lead that it makes. A lead that a person there turned
// into a contact is no longer in the lists; the intake still knows it.
//
// # Notes and tasks
//
// A note is an entry of the contact's timeline (interaction): a mail that came in,
// at the time of the event, with the reference at the end of the subject. A
// comment would be the other way, but has only its text, and with it a person's
// edit would take the reference away. An entry has a column external_id, unique
// for each organisation, which the API does not let anybody write.
//
// A task has its reference in a custom field, and of a lead the link in its own
// row. Its due date has no time of day.
//
// # What was found on the server
//
// Read in the package's source and tried on a running server, 2026-12-01:
//
//   - A personal access token (bcrm_pat_…) goes into Authorization: Bearer; the
//     organisation is the token's. An unknown or revoked one is answered 403 with
//     "Organization context is required. Please login again.", a scope that is
//     missing 403 with other words (common/middleware/get_company.py, scopes.py).
//   - POST /api/contacts/ answers 200 with the ID. It saves the contact and then
//     hands a mail over to the queue, outside any transaction: without Redis, or
//     without the package packaging, which its own requirements leave out, it
//     answers 500 with the contact made (contacts/views.py). A test repeats that.
//   - An address that is taken is 400 with errors.email; validation comes before
//     any write (contacts/serializer.py). PATCH merges custom fields.
//   - A custom field that is unknown, or was switched off, is dropped without a
//     word (common/custom_fields.py): so it is asked for before each create.
//   - GET /api/contacts/ filters by cf_<key> exactly, and by email as a part of
//     the address, both among the contacts that the token's owner may see.
//   - POST /api/interactions/ answers 201 with the entry, 404 for a contact that is
//     not there; a page of the list has at most 200 (interactions/views.py).
//   - POST /api/tasks/ answers 200 without the ID. Contacts that are not there are
//     dropped without a word, and linked after the task was saved, not in one
//     transaction (tasks/updates.py).
//   - An ID that is no UUID is 404 in a path and 400 in a parameter.
//   - No other call made here is limited by rate (crm/settings.py has throttles for
//     anonymous endpoints alone): a 429 there is a proxy's.
//   - POST /api/public/leads/<intake>/ takes the intake's own key as Bearer and
//     answers created (201), duplicate or merged (200) with the lead's ID; 20 at
//     once with one external_id are one created and 19 duplicates, which a test
//     repeats. It looks by external_id, then address, then phone number, and fills
//     gaps alone (leads/intake.py). It is limited to 120 a minute and 5,000 a day,
//     by default, for each intake (crm/settings.py), with Retry-After.
//   - GET /api/leads/ has open and closed leads in two lists of one answer.
package bottlecrm

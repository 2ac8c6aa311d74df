// Package hubspottest is a CRM to develop and test against: a server that speaks
// HubSpot's wire format and enforces what HubSpot documents. It owns the rule
// that a fake must enforce the property a test relies on: unique properties,
// required ones, batch limits, authentication, rate limits and a lagging search
// index are enforced, and each request is atomic.
//
// It serves tests and the local process (New with
// Options.Persist and Restore, which keep its records over a kill). It is not HubSpot: it knows
// contacts, notes and tasks, the endpoints listed in routes.go, no scopes, no
// workflows and no formatting of values. Where HubSpot's documentation leaves
// the form of an answer open, Options chooses between the forms seen, and the
// suite (crmtest) is run with each.
//
// The page at / and /records.json show every record without authentication:
// it must listen on a loopback address only.
package hubspottest

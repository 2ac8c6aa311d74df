// Package hook is the adapter to a receiver of signed webhooks: any CRM or
// program of the tenant's own. It owns the messages, which docs/crm-webhook.md
// tells to whoever writes the receiver.
//
// # Why a repeated call is safe
//
// Each message has a webhook-id that is made of what it says, its reference and
// its values: a repeat of the same has the same ID, for as long as it is repeated,
// and other values have another one. The receiver does a message once and answers
// a repeat as it did the first. It has to remember IDs for KeyLife.
//
// # Whose the fields are
//
// A receiver cannot be read. A message about a contact that was written before
// has only the fields in which the contact differs from what was written last, so
// what somebody changed at the receiver stays unless the contact changed too.
//
// # Sources
//
//   - https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
//     (read 2026-12-01): headers, signature, whsec_ secrets, several signatures
//     while a secret is replaced; payload with type, timestamp, data; 2xx is
//     success, 410 ends the endpoint, 429, 502 and 504 ask for less; a redirect is
//     a failure; retries with exponential backoff and jitter over days.
//
// The worker's own tries are the retries: twelve for one message, from 2 seconds
// to 15 minutes apart, and none while the connection is marked as down, which is
// as long as that takes.
package hook

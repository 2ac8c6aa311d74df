// Package mailer is the port to whatever takes a follow-up for delivery. It
// owns the four outcomes of a submission and the rule that decides between
// them: only a decoded refusal or a connection never made is proof that
// nothing was sent.
package mailer

import "context"

// Mail is one follow-up, rendered in full before anything is claimed.
type Mail struct {
	From             string
	ReplyTo          string
	To               string // one envelope recipient
	Subject          string
	Text             string
	Headers          []Header // In-Reply-To, References, Auto-Submitted, X-…
	ConfigurationSet string
	Tags             []Tag // intent and attempt; letters, digits, _ and -, at most 256 bytes each
}

// Header is one header field.
type Header struct{ Name, Value string }

// Tag comes back with every event of this mail.
type Tag struct{ Name, Value string }

// Tag names that Onefold sets.
const (
	TagTenant  = "onefold_tenant"
	TagIntent  = "onefold_intent"
	TagAttempt = "onefold_attempt"
	TagProbe   = "onefold_probe"
)

// Outcome is what is known after one call.
type Outcome string

// The outcomes. There is no "failed".
const (
	// Accepted: the provider took it and gave a message ID. Not: delivered.
	Accepted Outcome = "accepted"
	// Rejected: a known refusal that will be the same next time. Not sent.
	Rejected Outcome = "rejected"
	// Throttled: a known refusal that passes with time (rate, quota, account
	// paused). Not sent.
	Throttled Outcome = "throttled"
	// NotBegun: no connection was obtained, or there was no time left to
	// call. Not sent.
	NotBegun Outcome = "not_begun"
	// Unknown: everything else. It may have been sent, and may still be.
	Unknown Outcome = "unknown"
)

// Result is the outcome with what the provider said.
type Result struct {
	Outcome   Outcome
	MessageID string // as the provider names it; only when accepted
	RequestID string // the provider's request ID, if an answer came
	Reason    string // a machine word such as "MessageRejected" or "timeout"; no free text of the provider
	// Halt says that the account, not this mail, is refused: no mail will go
	// until a person acts.
	Halt bool
}

// Mailer submits mail. Submit makes exactly one attempt at one call: no
// retries of its own, of the SDK or of the HTTP client. It returns within the
// context's deadline. It never returns an error: every fault is one of the
// outcomes, and what cannot be told apart is Unknown.
type Mailer interface {
	Submit(ctx context.Context, m Mail) Result
	// Provider names the account for the message index, such as "ses".
	Provider() string
}

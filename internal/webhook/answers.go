package webhook

import "errors"

// Answers is one source's table of HTTP status codes. Each source has its own,
// since the same code is taken as "come again" by one, as "never again" by
// another, and ends the subscription of a third.
type Answers struct {
	Recorded        int // event and raw content are durable; or there was no event in it
	Duplicate       int // the same event with the same content was recorded before
	Conflict        int // a recorded ID came with other content
	Unauthenticated int // not signed, wrongly signed, or signed at the wrong time
	Kind            int // of a media type that is not taken
	Malformed       int // authentic, and no event can be made of it
	TooLarge        int // more bytes than the endpoint takes
	UnknownEndpoint int // no such endpoint: not known yet which source it is
	Fault           int // ours: nothing is known to be recorded
}

// UnknownEndpoint is the code for a path that names no endpoint of a tenant.
// Whose sender it is cannot be known then, so it has to be a code that none
// takes as final: 404 makes Typeform disable the webhook at once, 410 makes
// Calendly delete it, and to SNS everything below 500 is a success. 503 is
// tried again by all, which bridges a mistake in a policy or a route.
const UnknownEndpoint = 503

// StandardWebhooks is the table for senders that follow Standard Webhooks.
// Only 2xx is success to them; everything else, a redirect too, is tried again
// on the sender's schedule (https://www.standardwebhooks.com, "Deliverability
// and reliability").
//
//   - Recorded 200: said only after the commit, so no 2xx is ever lost.
//   - Duplicate 200: an error would make the sender repeat what we have.
//   - Conflict 409: not 2xx, for the new content is not recorded as an event.
//     The sender sees the fault in its own log, and its tries cost nothing.
//   - Unauthenticated 401: for every cause alike, so that a stranger learns
//     nothing. It is tried again, which bridges a change of secrets.
//   - Malformed 400: a fault of the content; trying again does not help, and
//     the sender's log should show it.
//   - TooLarge 413: as malformed, with the reason in the code.
//   - Kind 415: as malformed.
//   - UnknownEndpoint 503: see there.
//   - Fault 503: tried again. Not 502 or 504, which ask the sender to slow down
//     for our load when the fault may be a bug.
//
// 410 is in no table: it tells the sender to disable the endpoint for good,
// which no routing mistake of ours may ever do.
func StandardWebhooks() Answers {
	return Answers{
		Recorded:        200,
		Duplicate:       200,
		Conflict:        409,
		Unauthenticated: 401,
		Malformed:       400,
		TooLarge:        413,
		Kind:            415,
		UnknownEndpoint: UnknownEndpoint,
		Fault:           503,
	}
}

// Unproven tells whether an error of Open or Verify means that the sender did
// not prove himself.
func Unproven(err error) bool {
	for _, why := range []error{ErrMissingHeader, ErrBadTimestamp, ErrBadSignature, ErrTooOld, ErrTooNew} {
		if errors.Is(err, why) {
			return true
		}
	}
	return false
}

// Refusal is the code for an error of Open or Verify: Unauthenticated for
// everything by which a sender fails to prove himself, Malformed, Kind or
// TooLarge for what only an authentic request can meet; Fault for ErrNoSecret
// and for any error that is none of this package's.
func (a Answers) Refusal(err error) int {
	switch {
	case errors.Is(err, ErrBadID), errors.Is(err, ErrMalformed):
		return a.Malformed
	case errors.Is(err, ErrKind):
		return a.Kind
	case errors.Is(err, ErrTooLarge):
		return a.TooLarge
	case Unproven(err):
		return a.Unauthenticated
	default:
		return a.Fault
	}
}

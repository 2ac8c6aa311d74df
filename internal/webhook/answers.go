package webhook

import "errors"

// Answers is one source's table of HTTP status codes. Each source has its own,
// since the same code is taken as "come again" by one, as "never again" by
// another, and ends the subscription of a third.
type Answers struct {
	Recorded        int // event and raw content are durable
	Duplicate       int // the same event with the same content was recorded before
	Conflict        int // a recorded ID came with other content
	Unauthenticated int // not signed, wrongly signed, or signed at the wrong time
	Malformed       int // authentic, and no event can be made of it
	TooLarge        int // more bytes than the endpoint takes
	UnknownEndpoint int // no such tenant or endpoint
	Fault           int // ours: nothing is known to be recorded
}

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
//   - UnknownEndpoint 404: tried again, so an endpoint that is removed by
//     mistake and put back loses nothing within the sender's schedule.
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
		UnknownEndpoint: 404,
		Fault:           503,
	}
}

// Refusal is the code for an error of Verify: Malformed for ErrBadID, which only
// an authentic request can meet; Unauthenticated for the other refusals; Fault
// for ErrNoSecret and for any error that is not Verify's.
func (a Answers) Refusal(err error) int {
	switch {
	case errors.Is(err, ErrBadID):
		return a.Malformed
	case errors.Is(err, ErrMissingHeader), errors.Is(err, ErrBadTimestamp), errors.Is(err, ErrBadSignature),
		errors.Is(err, ErrTooOld), errors.Is(err, ErrTooNew):
		return a.Unauthenticated
	default:
		return a.Fault
	}
}

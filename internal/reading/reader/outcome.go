package reader

import (
	"context"
	"errors"
)

// Outcome says what came of asking a reader. The caller acts on it and on
// nothing else that an error says.
type Outcome string

// The outcomes.
const (
	// Answered: there is a record, untrusted until validated.
	Answered Outcome = "answered"
	// Refused: the model, or what guards it, will not read this source. Asked
	// again it would refuse again: a person reads it.
	Refused Outcome = "refused"
	// CutShort: the answer, or the source, is longer than there is room for.
	// A part of an answer is none: a person reads it.
	CutShort Outcome = "cut_short"
	// Garbled: what came is no record. One more try is worth its price; after
	// that a person reads it.
	Garbled Outcome = "garbled"
	// Busy: the reader takes no work now. No failure and no attempt: the caller
	// comes again later.
	Busy Outcome = "busy"
	// Misconfigured: the reader will take no work until somebody changes a
	// setting or a right. It concerns every source and must be loud.
	Misconfigured Outcome = "misconfigured"
	// Unknown: no answer came. It may have cost. Reading has no outside effect,
	// so the caller asks again, a bounded number of times.
	Unknown Outcome = "unknown"
)

// Settled tells whether asking again is of no use.
func (o Outcome) Settled() bool { return o == Refused || o == CutShort }

// NoAnswer is the error of a reader that says why there is no record.
type NoAnswer struct {
	Outcome Outcome
	// Reason is a machine word such as "reader_guardrail". It holds no word of
	// the source nor of a provider's message.
	Reason string
}

// Error names outcome and reason.
func (n *NoAnswer) Error() string { return "reader: " + string(n.Outcome) + " (" + n.Reason + ")" }

// ReasonUnavailable is the reason of a reader that gave no better one.
const ReasonUnavailable = "reader_unavailable"

// OutcomeOf reads an error of a reader. One that is not a NoAnswer is Unknown.
func OutcomeOf(err error) (outcome Outcome, reason string) {
	var n *NoAnswer
	switch {
	case err == nil:
		return Answered, ""
	case errors.As(err, &n):
		return n.Outcome, n.Reason
	}
	return Unknown, ReasonUnavailable
}

// Reading is an answer with the name of who gave it.
type Reading struct {
	Record Record
	// Reasons are machine words for a person to look although there is a
	// record, besides those in it.
	Reasons []string
	// Model and PromptVersion name what answered; empty: the reader itself.
	Model         string
	PromptVersion string
}

// Accounted is an Reader that reads on a tenant's account: it keeps count of
// what a tenant's answers cost and may leave the reading to another.
type Accounted interface {
	Reader
	// ReadFor is Extract on a tenant's account.
	ReadFor(ctx context.Context, tenant string, s Source) (Reading, Usage, error)
}

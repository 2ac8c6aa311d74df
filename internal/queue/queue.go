// Package queue is the port to a queue of messages: SES's events about our mail,
// and its notices of mail that it received for us.
//
// Its invariant: a message that was sent stays until it is deleted, or the queue's
// retention ends. It promises neither order nor
// that a message comes once; its handler must be idempotent. It does
// not look into a body.
package queue

import "context"

// Message is one message as it was received.
type Message struct {
	ID      string // the queue's own; the same each time the message comes
	Body    []byte
	Receipt string // for Delete; of this receipt only
	// Received is how often the message has come, this time included; 0 where
	// the queue does not say. Approximate: for parking and reports, never for a
	// decision.
	Received int
}

// MaxReceive is the most that one Receive gives.
const MaxReceive = 10

// MaxBodyBytes is the longest body. It is SQS's older limit, which every
// queue still accepts.
const MaxBodyBytes = 256 * 1024

// Queue hands out messages at least once.
//
// Receive gives up to max messages, 1 to MaxReceive, and waits a while for the
// first; none is an answer, not an error. A received message is hidden for the
// queue's visibility timeout, and comes again after it unless it was deleted:
// so a handler that dies loses nothing, and one that is slower than the
// timeout has company. The timeout is set on the queue, longer than the
// handler may take.
//
// Delete ends a message after its work is durable. It succeeds if the message
// is gone already. After an error the message may come again.
//
// Send returns nil once the message is durable. An error means unknown: the
// message may be there, and sending again may double it.
//
// A Queue is safe for concurrent use.
type Queue interface {
	Receive(ctx context.Context, max int) ([]Message, error)
	Delete(ctx context.Context, m Message) error
	Send(ctx context.Context, body []byte) error
}

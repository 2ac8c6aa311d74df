// Package app puts the parts together. It alone knows which adapter serves
// which port, and it alone reads the environment and the clock.
//
// It owns no rule of the business: a system is the use cases with their parts
// filled in, the same for Lambda, for the local process and for tests.
package app

import (
	"log/slog"
	"time"

	"onefold/internal/blob"
	"onefold/internal/console"
	"onefold/internal/crmsync"
	"onefold/internal/digest"
	"onefold/internal/extract"
	"onefold/internal/feedback"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/optout"
	"onefold/internal/policy/versions"
	"onefold/internal/reading/reader"
	"onefold/internal/send"
	"onefold/internal/sweep"
)

// Parts are the adapters and settings that a system is made of.
type Parts struct {
	Store   ledger.Store
	Blob    blob.Store
	Mailer  mailer.Mailer
	CRM     crmsync.Accounts
	Reader  reader.Reader
	IDs     digest.Key
	Secrets ingest.Secrets
	Now     func() time.Time
	Log     *slog.Logger
	// Timeout is when a worker is killed; CallTime the most one call of a
	// provider may take, well below it.
	Timeout  time.Duration
	CallTime time.Duration
	// KeepPolicy is how long the policy in force is remembered.
	KeepPolicy time.Duration
	// PublicURL is the address under which people reach the API, for the links
	// in mail; "" makes none. It and Outside alone may be empty.
	PublicURL string
	Outside   Outside // what ingest asks of others
}

// System is every use case, ready to work.
type System struct {
	Policies *versions.Book
	Ingest   *ingest.Service
	Process  *extract.Service
	Send     *send.Service
	CRMSync  *crmsync.Service
	Feedback *feedback.Service
	Sweep    *sweep.Service
	Console  *console.Service
	Optout   *optout.Service
}

// Clock is the time of this machine.
func Clock() time.Time { return time.Now() }

// Wire makes a system. All parts but PublicURL and Outside are needed.
func Wire(p Parts) *System {
	book := p.policies()
	proc := p.process(book)
	return &System{
		Policies: book,
		Ingest:   p.ingest(book),
		Process:  proc,
		Send:     p.send(book),
		CRMSync:  p.crmsync(book),
		Feedback: p.feedback(p.Mailer.Provider()),
		Sweep:    p.sweep(),
		Console:  p.console(book, proc),
		Optout:   p.optout(book),
	}
}

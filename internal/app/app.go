// Package app puts the parts together. It alone knows which adapter serves
// which port, and it alone reads the environment and the clock.
//
// It owns no rule of the business: a system is the use cases with their parts
// filled in, the same for Lambda, for the local process and for tests.
package app

import (
	"context"
	"log/slog"
	"time"

	"onefold/internal/blob"
	"onefold/internal/console"
	"onefold/internal/crm"
	"onefold/internal/crmsync"
	"onefold/internal/digest"
	"onefold/internal/extract"
	"onefold/internal/feedback"
	"onefold/internal/flow"
	"onefold/internal/inbound"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/policybook"
	"onefold/internal/process"
	"onefold/internal/rawmail"
	"onefold/internal/send"
	"onefold/internal/sweep"
)

// Parts are the adapters and settings that a system is made of.
type Parts struct {
	Store     ledger.Store
	Blob      blob.Store
	Mailer    mailer.Mailer
	CRM       crm.CRM
	Extractor extract.Extractor
	IDs       digest.Key
	Secrets   ingest.Secrets
	Now       func() time.Time
	Log       *slog.Logger
	// Timeout is when a worker is killed; CallTime the most one call of a
	// provider may take, well below it.
	Timeout  time.Duration
	CallTime time.Duration
	// KeepPolicy is how long the policy in force is remembered.
	KeepPolicy time.Duration
}

// System is every use case, ready to work.
type System struct {
	Policies *policybook.Book
	Ingest   *ingest.Service
	Process  *process.Service
	Send     *send.Service
	CRMSync  *crmsync.Service
	Feedback *feedback.Service
	Sweep    *sweep.Service
	Console  *console.Service
}

// Clock is the time of this machine.
func Clock() time.Time { return time.Now() }

// Wire makes a system.
func Wire(p Parts) *System {
	book := &policybook.Book{Store: p.Store, Now: p.Now, Keep: p.KeepPolicy}
	proc := &process.Service{
		Store: p.Store, Blob: p.Blob, Policies: book, Extractor: p.Extractor, IDs: p.IDs, Now: p.Now, Timeout: p.Timeout, Log: p.Log,
	}
	return &System{
		Policies: book,
		Ingest: &ingest.Service{
			Store: p.Store, Blob: p.Blob, Policies: book, Secrets: p.Secrets, IDs: p.IDs, Now: p.Now, Log: p.Log,
		},
		Process: proc,
		Send: &send.Service{
			Store: p.Store, Policies: book, Mailer: p.Mailer, IDs: p.IDs, Now: p.Now, Timeout: p.Timeout, CallTime: p.CallTime, Log: p.Log,
		},
		CRMSync: &crmsync.Service{
			Store: p.Store, Blob: p.Blob, CRM: p.CRM, Describe: describe(book), Now: p.Now, Timeout: p.Timeout, CallTime: p.CallTime, Log: p.Log,
		},
		Feedback: &feedback.Service{Store: p.Store, IDs: p.IDs, Provider: p.Mailer.Provider(), Now: p.Now, Log: p.Log},
		Sweep:    &sweep.Service{Store: p.Store, Now: p.Now, PerShard: 100, Log: p.Log},
		Console: &console.Service{
			Store: p.Store, Decide: proc.Answer, IDs: p.IDs, Now: p.Now,
			Facts: func(ctx context.Context, e inbound.Event) (flow.Facts, error) {
				raw, err := p.Blob.Get(ctx, blob.Ref(e.Raw))
				if err != nil {
					return flow.Facts{}, err
				}
				policy, err := book.Current(ctx, e.Tenant)
				if err != nil {
					return flow.Facts{}, err
				}
				return process.FactsOf(e, raw, policy), nil
			},
		},
	}
}

// describe reads what an enquiry said, for the note in the CRM.
func describe(book *policybook.Book) crmsync.Describe {
	return func(ctx context.Context, e inbound.Event, raw []byte) (string, string, error) {
		policy, err := book.Current(ctx, e.Tenant)
		if err != nil {
			return "", "", err
		}
		f := process.FactsOf(e, raw, policy)
		text := f.Source.Visible
		if f.Kind == rawmail.Unparseable {
			text = "(the content could not be read)"
		}
		if f.Source.Subject != "" {
			text = f.Source.Subject + "\n\n" + text
		}
		return f.Source.Subject, text, nil
	}
}

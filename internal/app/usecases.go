package app

import (
	"context"
	"errors"
	"strings"

	"onefold/internal/blob"
	"onefold/internal/console"
	"onefold/internal/crmsync"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/extract"
	"onefold/internal/feedback"
	"onefold/internal/ingest"
	"onefold/internal/optout"
	"onefold/internal/policy/versions"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/inbound"
	"onefold/internal/send"
	"onefold/internal/sweep"
)

// Each use case by itself, with the parts that it has need of: a function has
// no others.

func (p Parts) policies() *versions.Book {
	return &versions.Book{Store: p.Store, Now: p.Now, Keep: p.KeepPolicy}
}

func (p Parts) ingest(book *versions.Book) *ingest.Service {
	return &ingest.Service{
		Store: p.Store, Blob: p.Blob, Policies: book, Secrets: p.Secrets, IDs: p.IDs, Now: p.Now, Log: p.Log,
		Fetch: p.Outside.Document, Visit: p.Outside.Visit, Content: p.Outside.Content,
	}
}

func (p Parts) process(book *versions.Book) *extract.Service {
	return &extract.Service{
		Store: p.Store, Blob: p.Blob, Policies: book, Reader: p.Reader, IDs: p.IDs, Now: p.Now, Timeout: p.Timeout, Log: p.Log,
	}
}

func (p Parts) send(book *versions.Book) *send.Service {
	s := &send.Service{
		Store: p.Store, Policies: book, Mailer: p.Mailer, IDs: p.IDs, Now: p.Now, Timeout: p.Timeout, CallTime: p.CallTime, Log: p.Log,
	}
	if p.PublicURL != "" {
		base := strings.TrimSuffix(p.PublicURL, "/") + OptOutPath + "/"
		s.OptOut = func(tenantID, intentID string) string { return base + optout.Link(p.IDs, tenantID, intentID) }
	}
	return s
}

// OptOutPath is where the opt-out links lead, below the public address.
const OptOutPath = "/optout"

func (p Parts) optout(book *versions.Book) *optout.Service {
	return &optout.Service{Store: p.Store, Policies: book, IDs: p.IDs, Now: p.Now, Log: p.Log}
}

func (p Parts) crmsync(book *versions.Book) *crmsync.Service {
	return &crmsync.Service{
		Store: p.Store, IDs: p.IDs, Blob: p.Blob, Accounts: p.CRM, Describe: describe(p.IDs, book), Now: p.Now, Timeout: p.Timeout, CallTime: p.CallTime, Log: p.Log,
	}
}

func (p Parts) feedback(provider string) *feedback.Service {
	return &feedback.Service{Store: p.Store, IDs: p.IDs, Provider: provider, Now: p.Now, Log: p.Log}
}

func (p Parts) sweep() *sweep.Service {
	return &sweep.Service{Store: p.Store, Now: p.Now, PerShard: 100, Log: p.Log}
}

func (p Parts) console(book *versions.Book, proc *extract.Service) *console.Service {
	return &console.Service{
		Store: p.Store, Decide: proc.Answer, IDs: p.IDs, Now: p.Now, Log: p.Log, Preview: proc.Preview,
		CRM: func(ctx context.Context, tenantID string) (string, error) {
			policy, err := book.Current(ctx, tenantID)
			if errors.Is(err, versions.ErrNone) {
				return "", nil
			}
			return policy.CRM.Kind, err
		},
		Raw: func(ctx context.Context, e inbound.Event) ([]byte, error) { return p.Blob.Get(ctx, blob.Ref(e.Raw)) },
		Facts: func(ctx context.Context, e inbound.Event) (content.Facts, error) {
			raw, err := p.Blob.Get(ctx, blob.Ref(e.Raw))
			if err != nil {
				return content.Facts{}, err
			}
			policy, err := book.Current(ctx, e.Tenant)
			if err != nil {
				return content.Facts{}, err
			}
			return extract.FactsOf(p.IDs, e, raw, policy), nil
		},
	}
}

// describe reads what an enquiry said, for the note in the CRM.
func describe(ids digest.Key, book *versions.Book) crmsync.Describe {
	return func(ctx context.Context, e inbound.Event, raw []byte) (string, string, error) {
		policy, err := book.Current(ctx, e.Tenant)
		if err != nil {
			return "", "", err
		}
		f := extract.FactsOf(ids, e, raw, policy)
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

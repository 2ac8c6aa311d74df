package crmsync

import (
	"context"
	"errors"
	"log/slog"

	"onefold/internal/crm"
	"onefold/internal/record/outbox"
)

// Account is a tenant's account at its CRM, and what its policy says of it.
type Account struct {
	CRM crm.CRM
	// Ours are the fields that are written over whoever changed them there.
	Ours []crm.Field
	// Ask are those about which a person is asked, once for each value of ours.
	Ask []crm.Field
}

// Accounts gives the account of a tenant, which is this tenant's alone.
// ErrNoAccount is an answer; any other error means that it could not be found
// out now.
type Accounts func(ctx context.Context, tenantID string) (Account, error)

// ErrNoAccount means that no account is set up for the tenant. What is to be
// done there waits until one is.
var ErrNoAccount = errors.New("crmsync: no CRM account is set up for the tenant")

// OneAccount gives the same CRM to every tenant. For a system that has one
// tenant, or a fake: with a real account it would mix the tenants' people.
func OneAccount(c crm.CRM) Accounts {
	return func(context.Context, string) (Account, error) { return Account{CRM: c}, nil }
}

// at is the Service at the account of the tenant whose operation it works on.
type at struct {
	*Service
	Account
}

func (s *Service) account(ctx context.Context, tenantID string) (at, error) {
	account, err := s.Accounts(ctx, tenantID)
	return at{s, account}, err
}

// waitForAccount leaves an operation for later, with the reason on the row. It
// is neither lost nor failed, however long it takes: a person sets the account
// up, and it goes on at its next look, which is an hour away at most.
func (s *Service) waitForAccount(ctx context.Context, op outbox.Operation, why error) error {
	reason, wait := "crm_account_unreadable", WaitAgain
	if errors.Is(why, ErrNoAccount) {
		reason, wait = "no_crm_account", min(max(s.now().Sub(op.CreatedAt), WaitAgain), waitAtMost)
	}
	s.Log.LogAttrs(ctx, slog.LevelError, "crm operation waits for its account", slog.String("tenant", op.Tenant), slog.String("operation", op.ID),
		slog.String("kind", op.Kind), slog.String("reason", reason), slog.String("alarm", "crm_account_missing"), slog.String("error", why.Error()))
	return s.postpone(ctx, op, s.now().Add(wait), reason)
}

package crmsync_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crmsync"
	"onefold/internal/record/outbox"
)

// accounts are those of a stage, by tenant.
type accounts struct {
	of  map[string]crm.CRM
	err error
}

func (a *accounts) account(_ context.Context, tenant string) (crmsync.Account, error) {
	switch c := a.of[tenant]; {
	case a.err != nil:
		return crmsync.Account{}, a.err
	case c == nil:
		return crmsync.Account{}, crmsync.ErrNoAccount
	default:
		return crmsync.Account{CRM: c}, nil
	}
}

// at is a worker of a world with these accounts.
func at(w *world, a *accounts) *crmsync.Service {
	s := w.worker()
	s.Accounts = a.account
	return s
}

// Nothing is lost, nothing is refused and no attempt is burnt while a tenant
// has no account, however long that takes; with one, everything arrives.
func TestWithoutAnAccountOperationsWaitAndSaySo(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	w := newWorld(t, newVendor())
	w.logs = slog.New(slog.NewJSONHandler(&lines, nil))
	w.enquiry("ada", outbox.CRMContact, outbox.CRMNote)
	w.none = true
	for _, id := range []string{"crm_contactada", "crm_noteada"} {
		w.handle(id)
		op := w.op(id)
		if op.State != outbox.Open || op.Reason != "no_crm_account" || op.Attempt != 0 || op.Owner != "" {
			t.Errorf("%s: %s, reason %q, attempt %d", id, op.State, op.Reason, op.Attempt)
		}
		if op.NotBefore.IsZero() || op.DueAt.Before(op.NotBefore) || op.DueShard == "" {
			t.Errorf("%s: not before %q, due %q, shard %q", id, op.NotBefore, op.DueAt, op.DueShard)
		}
	}
	if !strings.Contains(lines.String(), `"alarm":"crm_account_missing"`) || strings.Contains(lines.String(), "ada@example.com") {
		t.Errorf("told: %s", lines.String())
	}
	// A month: the sweeper nudges it each time it is due, and parks what ten
	// nudges have not moved.
	for range 31 * 24 {
		w.advance(time.Hour)
		w.sweep()
		w.pump()
	}
	op := w.op("crm_contactada")
	if op.State != outbox.Open || op.Attempt != 0 || op.NotBefore.Std().Sub(w.clock()) > time.Hour {
		t.Fatalf("after a month: %s (%s), attempt %d, not before %q, now %v", op.State, op.Reason, op.Attempt, op.NotBefore, w.clock())
	}
	w.none = false
	w.settle()
	for _, id := range []string{"crm_contactada", "crm_noteada"} {
		if op := w.op(id); op.State != outbox.Done || op.Reason != "" {
			t.Errorf("%s: %s (%s)", id, op.State, op.Reason)
		}
	}
	w.sound()
}

// It may be an account; it is only not known which.
func TestASecretThatCannotBeReadIsNoMissingAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newVendor())
	w.enquiry("ada", outbox.CRMContact)
	w.handleBy(at(w, &accounts{err: errors.New("the store does not answer")}), "crm_contactada")
	op := w.op("crm_contactada")
	if op.State != outbox.Open || op.Reason != "crm_account_unreadable" || op.Attempt != 0 || op.NotBefore.Std().Sub(w.clock()) > 5*time.Minute {
		t.Errorf("%s, reason %q, attempt %d, not before %q", op.State, op.Reason, op.Attempt, op.NotBefore)
	}
	w.sound()
}

func TestATenantsContactsReachItsOwnAccountOnly(t *testing.T) {
	t.Parallel()
	mine, others := newVendor(), newVendor()
	w := newWorld(t, mine)
	w.enquiry("ada", outbox.CRMContact, outbox.CRMNote, outbox.CRMTask)
	s := at(w, &accounts{of: map[string]crm.CRM{tenantID: mine, "other": others}})
	for _, id := range []string{"crm_contactada", "crm_noteada", "crm_taskada"} {
		w.handleBy(s, id)
		if op := w.op(id); op.State != outbox.Done {
			t.Errorf("%s: %s (%s)", id, op.State, op.Reason)
		}
	}
	if len(mine.records) != 3 || len(others.records) != 0 {
		t.Errorf("%d records at the tenant's account, %d at the other", len(mine.records), len(others.records))
	}
}

// Somebody is at it: its timer lies behind the claim and stays there.
func TestARunningClaimIsLeftAloneWithoutAnAccount(t *testing.T) {
	t.Parallel()
	v := newVendor()
	inside := make(chan struct{})
	release := make(chan struct{})
	w := newWorld(t, &scripted{CRM: v, before: func() { close(inside); <-release }})
	w.enquiry("ada", outbox.CRMContact)
	done := make(chan struct{})
	go func() { defer close(done); w.handle("crm_contactada") }()
	<-inside
	claimed := w.op("crm_contactada")
	w.handleBy(at(w, &accounts{}), "crm_contactada")
	if op := w.op("crm_contactada"); op.Version != claimed.Version {
		t.Errorf("changed: %+v", op)
	}
	close(release)
	<-done
	if op := w.op("crm_contactada"); op.State != outbox.Done {
		t.Errorf("%s (%s)", op.State, op.Reason)
	}
}

// The account may be gone by the time the change of an ended operation comes.
// It must not hold up its shard; who waits for the contact looks for itself.
func TestAnEndedOperationNeedsNoAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newVendor())
	w.enquiry("ada", outbox.CRMNote, outbox.CRMContact)
	w.handle("crm_noteada")
	w.handle("crm_contactada")
	if state := w.op("crm_noteada").State; state != outbox.Waiting {
		t.Fatal(state)
	}
	w.handleBy(at(w, &accounts{}), "crm_contactada") // its end
	w.settle()
	if op := w.op("crm_noteada"); op.State != outbox.Done {
		t.Errorf("%s (%s)", op.State, op.Reason)
	}
}

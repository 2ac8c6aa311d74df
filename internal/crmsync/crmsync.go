// Package crmsync brings contacts, notes and tasks into the CRM.
//
// # The protocol
//
// The same sandwich as for a send: claim the operation (for a contact also
// the mapping, so that one upsert of a contact is in flight), call, settle.
// The reference that is sent is made of what the operation is for, so a
// repeated call finds the record of the first. An unknown outcome is answered
// by the same call again after the vendor can no longer be working on the
// first, which the adapter declares. Where it declares that a repeat might make
// a second record, the operation is parked and a person looks.
//
// # What a crash leaves
//
// After a claim: in_progress with a lapse; the row's due_at lies behind it,
// and whoever takes over repeats the call with the same reference. After the
// call: the same. The lapse comes only when the vendor can no longer be working
// on a request of a worker that was killed, so that what it sent cannot land on
// top of what the next one sends. A worker that is killed after every claim is
// counted like any other attempt.
//
// # Whose CRM
//
// Every call goes to the account of the operation's own tenant. While none is
// set up, or it cannot be found out which, the operation waits where it is: no
// claim, no attempt burnt, the reason on the row and in the log.
//
// # A connection that is down
//
// A fault of the account, or of a call after which the cheapest read of the
// account fails too, is no operation's fault: the connection of tenant and CRM is
// marked as down. While it is, nothing is claimed and no attempt burnt; what comes
// waits in a queue. The operation crm_probe reads the account until that
// succeeds, and then lets the queue in at a bounded rate, each contact's part of
// it in its order.
//
// # Who waits
//
// A note or task whose contact is not in the CRM yet waits without burning
// attempts. It is parked and released with the contact's operation: the change
// by which that one ended is what brings this about, so a crash after that
// commit loses nothing. What the index did not show looks for itself at its own
// due time, asks for a contact that nobody has asked for, and is parked, still
// to be released, when the contact has not come in a day.
//
// A contact that met a conflict is parked too, and found by its own name: it is
// tried again with the next enquiry, and with the next operation of the contact
// that went through, which a merge of two contacts puts.
package crmsync

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"onefold/internal/blob"
	"onefold/internal/crm"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/claim"
	"onefold/internal/record/contact"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/utc"
)

// Describe makes the text of a note from a recorded event's raw content. It
// is pure; the composition supplies it, since reading mail is not this
// package's business.
type Describe func(ctx context.Context, e inbound.Event, raw []byte) (subject, text string, err error)

// Service works on CRM operations. All fields are needed.
type Service struct {
	Store    ledger.Store
	IDs      digest.Key // names what was written to a field
	Blob     blob.Store
	Accounts Accounts
	Describe Describe
	Now      func() time.Time
	Timeout  time.Duration // after which this worker is killed
	CallTime time.Duration // the most one operation may take at the CRM
	Log      *slog.Logger
}

// MaxAttempts is how often a refusal that passes, or an unknown outcome, is
// tried before a person is asked.
const MaxAttempts = 12

// Handle works on one change of the outbox table. An error means that the
// ledger could not be asked; every other fault is written on the row.
func (s *Service) Handle(ctx context.Context, ch ledger.Change) error {
	if ch.Key.Entity != ledger.Operation || ch.Item == nil {
		return nil
	}
	switch ch.Item.Text("kind") {
	case outbox.CRMContact, outbox.CRMNote, outbox.CRMTask, outbox.CRMProbe:
	default:
		return nil
	}
	op, err := s.operation(ctx, ch.Key)
	if err != nil || op == nil {
		return err
	}
	switch op.State {
	case outbox.Open, outbox.Waiting:
		err = s.work(ctx, *op)
	default:
		// Only the change that ended it, not those before it that come again.
		if op.Kind == outbox.CRMContact && ch.Item.Text(machine.StateAttr) == op.State {
			err = s.ended(ctx, *op)
		}
	}
	if errors.Is(err, contact.ErrMergesDoNotEnd) {
		// The row is at fault, not the ledger: an error would hold up all
		// that comes behind it.
		return s.park(ctx, *op, "merges_do_not_end")
	}
	return err
}

// work does what is due on an operation.
func (s *Service) work(ctx context.Context, op outbox.Operation) error {
	now := s.now()
	if now.Before(op.NotBefore) {
		return nil
	}
	switch op.Judge("", now) {
	case claim.Fresh, claim.Takeover:
	case claim.Running:
		s.countInProgress(ctx, op, "running")
		return nil
	case claim.Done, claim.Mismatch:
		return nil
	}
	if op.Status == claim.InProgress && op.Attempt-op.Waits >= MaxAttempts {
		// Its workers die before they can write down an outcome, which is where
		// attempts are counted otherwise. A person who reopens it has one more.
		return s.park(ctx, op, "attempts_exhausted")
	}
	account, err := s.account(ctx, op.Tenant)
	switch {
	case err != nil:
		return s.waitForAccount(ctx, op, err)
	case op.Kind == outbox.CRMProbe:
		return account.probe(ctx, op)
	case !account.mayRepeat(op):
		return s.park(ctx, op, "unknown_outcome")
	}
	conn, err := account.connection(ctx, op.Tenant)
	switch {
	case err != nil:
		return err
	case conn != nil && conn.State == outbox.Down:
		return account.waitForConnection(ctx, op, *conn)
	case op.Kind == outbox.CRMContact:
		return account.syncContact(ctx, op)
	}
	return account.file(ctx, op, conn)
}

// ended brings what waits for a contact along with the operation that was to
// bring the contact. It is called for the change by which that one ended, so it
// comes again until it has succeeded. Without an account nothing can be brought
// along: what waits looks for itself, by its own due time.
func (s *Service) ended(ctx context.Context, op outbox.Operation) error {
	account, err := s.account(ctx, op.Tenant)
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "what waits for a crm operation was not looked at", slog.String("tenant", op.Tenant),
			slog.String("operation", op.ID), slog.String("error", err.Error()))
		return nil
	}
	return account.bringAlong(ctx, op)
}

func (s *Service) operation(ctx context.Context, k ledger.Key) (*outbox.Operation, error) {
	return ledger.Read[outbox.Operation](ctx, s.Store, k)
}

func (s *Service) now() utc.Time { return utc.At(s.Now()) }

func (s *Service) audit(op outbox.Operation, reasons ...string) audit.Record {
	return audit.Record{At: s.now(), By: "crmsync", Reasons: reasons, InboundEvent: op.Event, Contact: op.Contact, Intent: op.Intent,
		Details: map[string]string{"attempt": fmt.Sprint(op.Attempt)}}
}

func operationKey(op outbox.Operation) ledger.Key {
	return ledger.Operation.At(op.Tenant, op.ID)
}

func mappingKey(m crm.Mapping) ledger.Key {
	return ledger.CRMMapping.Under(m.Tenant, m.Contact, m.CRM)
}

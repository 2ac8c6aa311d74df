// Package console is where people see and answer what only they may decide.
//
// Its invariant: an answer binds what the person saw. Approving a mail names
// the hash of its content, and if the content, the intent or the task has
// moved since, nothing happens and the person is told.
package console

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

// Decide hands an answer about an event to the rules that decided to ask.
type Decide func(ctx context.Context, t review.Task, a decide.Answer) error

// Service answers tasks. All fields are needed but those that say otherwise.
type Service struct {
	Store  ledger.Store
	Decide Decide
	Facts  FactsOf // what an event says, for the page
	IDs    digest.Key
	Now    func() time.Time
	Log    *slog.Logger

	// For the page too, and each nil where there is none of it.
	Preview Preview
	Raw     RawOf
	CRM     func(ctx context.Context, tenantID string) (kind string, err error) // "" for none
}

// Form is an answer as it was posted: what the person chose, and what the page
// had shown of what it is about.
type Form struct {
	Action      string // Approve, Reject or CountAsSent
	By          string // who; "person:" is put before it
	Transition  int64  // of the task, as shown
	ContentHash string // of the mail, as shown; "" where none was
	Address     string // for an event without a usable address
}

// The actions.
const (
	Approve     = "approve"
	Reject      = "reject"
	CountAsSent = "count_as_sent" // only of a send whose outcome is unknown
)

var (
	// ErrMoved means that what the person saw is no longer so. He looks again.
	ErrMoved = errors.New("console: this has changed since it was shown")
	// ErrNotFound means that there is no such task.
	ErrNotFound = errors.New("console: no such task")
	// ErrNoSuchAction means that the task does not know the action.
	ErrNoSuchAction = errors.New("console: this task has no such action")
	// ErrStillOpen means that the answer was heard and did not settle the
	// question; the task now says what is missing.
	ErrStillOpen = errors.New("console: the task stays open")
)

// Answer carries an answer out.
func (s *Service) Answer(ctx context.Context, tenantID, taskID string, a Form) error {
	t, err := s.task(ctx, tenantID, taskID)
	if err != nil {
		return err
	}
	if t.State != review.Open || t.Transition != a.Transition {
		return ErrMoved
	}
	// Before anything else: a word that is none must not fall through to
	// whatever stands last, which would be a no.
	if !slices.Contains(actionsOf(t.Kind), a.Action) {
		return ErrNoSuchAction
	}
	a.By = "person:" + a.By
	switch t.Kind {
	case review.DecideEvent:
		err = s.answerEvent(ctx, *t, a)
	case review.IDConflict:
		err = s.endTask(ctx, *t, a)
	case review.IdentityCollision:
		err = s.answerCollision(ctx, *t, a)
	case review.CRMEdit:
		err = s.answerEdit(ctx, *t, a)
	default:
		err = s.answerIntent(ctx, *t, a)
	}
	if err == nil {
		s.logAnswer(ctx, *t, a)
	}
	return err
}

// actionsOf lists what may be answered to a kind of task; of an unknown kind,
// nothing.
func actionsOf(kind string) []string {
	switch kind {
	case review.DecideEvent, review.IDConflict, review.ApproveIntent, review.HeldSend, review.IdentityCollision, review.CRMEdit:
		return []string{Approve, Reject}
	case review.UnknownSend:
		return []string{Approve, Reject, CountAsSent}
	}
	return nil
}

// answerEvent hands the answer to the rules and, where they did not take it,
// looks at the task: it alone says whether somebody else was quicker, the
// question stays, or it is not known what became of the answer.
func (s *Service) answerEvent(ctx context.Context, t review.Task, a Form) error {
	err := s.Decide(ctx, t, decide.Answer{Approve: a.Action == Approve, By: a.By, Address: a.Address})
	if err == nil {
		return nil
	}
	now, readErr := s.task(ctx, t.Tenant, t.ID)
	switch {
	case readErr != nil:
		return errors.Join(err, readErr)
	case now.State != review.Open:
		return ErrMoved
	case now.Transition == t.Transition:
		return err
	}
	// It was put anew. By this very answer, or by somebody else's?
	it, readErr := s.Store.Get(ctx, ledger.AuditKey(taskKey(t.Tenant, t.ID), t.Transition+1))
	switch {
	case readErr != nil:
		return errors.Join(err, readErr)
	case it.Text("by") == a.By:
		return ErrStillOpen
	}
	return ErrMoved
}

// endTask notes that a person has seen what needed no decision.
func (s *Service) endTask(ctx context.Context, t review.Task, a Form) error {
	event := "approve"
	if a.Action == Reject {
		event = "reject"
	}
	var c ledger.Commit
	r := audit.Record{At: utc.At(s.Now()), By: a.By, Reasons: []string{t.Kind, a.Action}, InboundEvent: t.Event}
	if err := decide.MoveTask(&c, t, event, a.By, r); err != nil {
		return err
	}
	return s.commit(ctx, c)
}

// answerEdit carries out what a person said of a field that somebody changed in
// the CRM: that it stays, or that the contact's value, as it is when the operation
// runs, is written over it.
func (s *Service) answerEdit(ctx context.Context, t review.Task, a Form) error {
	event := review.Approve
	if a.Action == Reject {
		event = review.Reject
	}
	now := utc.At(s.Now())
	r := audit.Record{At: now, By: a.By, Reasons: []string{t.Kind, a.Action}, InboundEvent: t.Event, Contact: t.Contact}
	var c ledger.Commit
	if err := decide.MoveTask(&c, t, event, a.By, r); err != nil {
		return err
	}
	if a.Action == Approve {
		op := outbox.Operation{
			Tenant: t.Tenant, ID: digest.Parts("crm_edit_answer", t.Tenant, t.ID), Kind: outbox.CRMContact,
			Contact: t.Contact, Event: t.Event, Ours: []string{t.Field},
		}
		if err := decide.InsertOperation(&c, op, now, r); err != nil {
			return err
		}
	}
	return s.commit(ctx, c)
}

func (s *Service) commit(ctx context.Context, c ledger.Commit) error {
	err := s.Store.Commit(ctx, c)
	if _, refused := ledger.AsRefused(err); refused {
		return ErrMoved
	}
	if err != nil {
		return fmt.Errorf("store the answer: %w", err)
	}
	return nil
}

func (s *Service) task(ctx context.Context, tenantID, id string) (*review.Task, error) {
	k := taskKey(tenantID, id)
	if k.Validate() != nil {
		return nil, ErrNotFound
	}
	found, err := ledger.Read[review.Task](ctx, s.Store, k)
	if err == nil && found == nil {
		err = ErrNotFound
	}
	return found, err
}

func taskKey(tenantID, id string) ledger.Key {
	return ledger.ReviewTask.At(tenantID, id)
}

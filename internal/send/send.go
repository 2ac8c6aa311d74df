// Package send submits follow-ups: claim, call once, settle.
//
// # The protocol
//
// Everything slow comes first. (1) Claim: one commit moves the intent from
// ready to sending with owner, attempt and lease, writes the attempt down, and
// asks, as conditions of that same commit, that nothing in the address guard
// forbids the mail, that the contact is active and its consent version is the
// one the intent was decided under, that the approved content is the content,
// and that the contact's cadence slot is free or this intent's. (2) Call: the
// provider is called once; nothing below repeats it. (3) Settle, fenced by
// owner and attempt: accepted, rejected, back to ready where it is known that
// nothing was sent, unknown for everything else.
//
// # What a crash leaves
//
// Before the claim committed: a ready intent. Between claim and settle: an
// intent in sending whose lease lapses; whoever finds it lapsed moves it to
// unknown, never back to ready. After that only evidence, a person, or a
// policy in those words moves it on.
package send

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"onefold/internal/digest"
	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/policy/versions"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/followup"
	"onefold/internal/record/outbox"
	"onefold/internal/utc"
)

// Service submits follow-ups. All fields but OptOut are needed.
type Service struct {
	Store    ledger.Store
	Policies *versions.Book
	Mailer   mailer.Mailer
	IDs      digest.Key
	Now      func() time.Time
	Timeout  time.Duration // after which this worker is killed
	CallTime time.Duration // the most one call of the provider may take
	Log      *slog.Logger
	// OptOut is the address of an intent's opt-out link. It alone may be nil:
	// the mail then carries no link, and who wants no more has to answer.
	OptOut func(tenantID, intentID string) string
}

// Handle works on one change of the outbox table. An error means that the
// ledger could not be asked, and the change should come again; every other
// fault is written down and Handle reports success.
func (s *Service) Handle(ctx context.Context, ch ledger.Change) error {
	if ch.Key.Entity != ledger.Operation || ch.Item == nil {
		return nil
	}
	kind := ch.Item.Text("kind")
	if kind != outbox.SendIntent && kind != outbox.CancelIntents {
		return nil
	}
	var op outbox.Operation
	found, err := s.get(ctx, ch.Key, &op)
	if err != nil || !found {
		return err
	}
	now := s.now()
	if op.State != outbox.Open || now.Before(op.NotBefore) {
		return nil
	}
	if kind == outbox.CancelIntents {
		return s.cancelAll(ctx, op)
	}
	var i followup.Intent
	found, err = s.get(ctx, intentKey(op.Tenant, op.Intent), &i)
	if err != nil || !found {
		return err // not yet
	}
	switch i.State {
	case followup.Ready:
		return s.submit(ctx, op, i)
	case followup.Sending:
		if now.Before(i.LeaseUntil) {
			return s.leave(ctx, i, "sending") // its owner may live; due_at lies behind the lease
		}
		return s.lapse(ctx, op, i)
	case followup.Unknown:
		return s.deadline(ctx, op, i)
	default:
		// Terminal, or with a person: a timer is no longer needed. When the
		// intent becomes ready again it gets a new one.
		return s.finish(ctx, op, "intent_"+i.State)
	}
}

// submit is the whole protocol for a ready intent.
func (s *Service) submit(ctx context.Context, op outbox.Operation, i followup.Intent) error {
	halt, err := s.mayStart(ctx, &op, i)
	if err != nil || halt {
		return err
	}
	claimed, won, err := s.claim(ctx, op, i)
	if err != nil || !won {
		return err
	}
	return s.settle(ctx, op, claimed, s.call(ctx, claimed))
}

// call submits the mail once. The attempt is written down before it; whatever
// becomes of this process, the attempt will be seen.
//
// The stops are read once more: they are no condition of the claim, so one
// that committed between mayStart and the claim is seen only here.
func (s *Service) call(ctx context.Context, i followup.Intent) mailer.Result {
	switch stopped, err := s.stopped(ctx, i.Tenant); {
	case err != nil:
		return mailer.Result{Outcome: mailer.NotBegun, Reason: "stop_unreadable"}
	case stopped:
		return mailer.Result{Outcome: mailer.NotBegun, Reason: "stopped"}
	}
	limit := s.now().Add(s.CallTime)
	if latest := i.LeaseUntil.Add(-idempotency.Lease(0)); latest.Before(limit) {
		limit = latest
	}
	ctx, cancel := context.WithTimeout(ctx, limit.Sub(s.now()))
	defer cancel()
	return s.Mailer.Submit(ctx, s.mailOf(i))
}

// mailOf is the mail exactly as it was decided and approved.
func (s *Service) mailOf(i followup.Intent) mailer.Mail {
	m := mailer.Mail{
		From: i.From, ReplyTo: i.ReplyTo, To: i.Recipient, Subject: i.Subject, Text: i.Text,
		ConfigurationSet: i.ConfigurationSet,
		// RFC 3834 section 5: an answer that no person typed says so.
		Headers: []mailer.Header{{Name: "Auto-Submitted", Value: "auto-replied"}, {Name: "X-Auto-Response-Suppress", Value: "All"}, {Name: rawmail.MarkHeader, Value: followup.Mark(s.IDs, i.Tenant, i.ID)}},
		Tags: []mailer.Tag{
			{Name: mailer.TagTenant, Value: i.Tenant},
			{Name: mailer.TagIntent, Value: i.ID},
			{Name: mailer.TagAttempt, Value: fmt.Sprint(i.Attempt)},
		},
	}
	if i.InReplyTo != "" {
		m.Headers = append(m.Headers, mailer.Header{Name: "In-Reply-To", Value: i.InReplyTo}, mailer.Header{Name: "References", Value: i.References})
	}
	if s.OptOut != nil {
		// RFC 8058 section 3.1: one HTTPS address, and the word that a POST to it is
		// enough.
		m.Headers = append(m.Headers, mailer.Header{Name: "List-Unsubscribe", Value: "<" + s.OptOut(i.Tenant, i.ID) + ">"},
			mailer.Header{Name: "List-Unsubscribe-Post", Value: "List-Unsubscribe=One-Click"})
	}
	return m
}

func (s *Service) now() utc.Time { return utc.At(s.Now()) }

// get reads a noun; false when it is not there.
func (s *Service) get(ctx context.Context, k ledger.Key, noun any) (bool, error) {
	it, err := s.Store.Get(ctx, k)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", k.Entity, err)
	}
	if it == nil {
		return false, nil
	}
	return true, it.Decode(noun)
}

func intentKey(tenantID, id string) ledger.Key {
	return ledger.Intent.At(tenantID, id)
}

func operationKey(op outbox.Operation) ledger.Key {
	return ledger.Operation.At(op.Tenant, op.ID)
}

// Package feedback takes the provider's events about mail that was submitted:
// evidence of acceptance, delivery, bounces and complaints.
//
// Its invariant: an event has its effects once, however often it comes, in
// whatever order; and no evidence of acceptance is dropped. The record that an
// event was worked off is created in the commit that holds its effects, so a
// crash leaves both or neither.
package feedback

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/metric"
	"onefold/internal/record/audit"
	"onefold/internal/record/claim"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/send/evidence"
	"onefold/internal/utc"
)

// KeepRecords is how long the record of a worked-off event is kept: longer
// than any queue holds a message (SQS: 14 days at most).
const KeepRecords = 30 * 24 * time.Hour

// Service takes events. All fields are needed.
type Service struct {
	Store    ledger.Store
	IDs      digest.Key
	Provider string
	Now      func() time.Time
	Log      *slog.Logger
}

// ErrNotYet means that the event names an attempt that cannot be read. The
// queue brings it again; what never appears ends in the dead-letter queue,
// where somebody sees it.
var ErrNotYet = errors.New("feedback: no such attempt yet")

// Handle takes one event. Repetitions, events of other mail and kinds that
// decide nothing succeed.
func (s *Service) Handle(ctx context.Context, e mailer.Event) error {
	if err := s.take(ctx, e); err != nil {
		return err
	}
	// Last: an event that could not be worked off proves no feed. If it did, it
	// would let the deadline of its own intent pass.
	return s.markAlive(ctx, e)
}

func (s *Service) take(ctx context.Context, e mailer.Event) error {
	intent, tenantID := e.Tags[mailer.TagIntent], e.Tags[mailer.TagTenant]
	number, err := strconv.ParseInt(e.Tags[mailer.TagAttempt], 10, 64)
	kind := kindOf(e.Type)
	if intent == "" || tenantID == "" || err != nil || kind == "" {
		return nil // the probe, or mail that is none of ours
	}
	now := utc.At(s.Now())
	at := utc.At(e.At)
	if at.IsZero() {
		at = now
	}
	counted := schema.ProviderEvents
	// "not-spam" is a recipient who says the opposite of a complaint (RFC 5965
	// section 7.3 and its registry).
	stops := (e.Type == mailer.EventComplained && e.Subtype != "not-spam") || (e.Type == mailer.EventBounced && e.Permanent)
	err = evidence.Record(ctx, s.Store, s.Log, evidence.Evidence{
		Tenant: tenantID, Intent: intent, Attempt: number, Provider: s.Provider, MessageID: e.MessageID, Kind: kind, At: at, Now: now, By: "feedback",
	}, func(c *ledger.Commit) error { return s.workedOff(c, e, now) })
	if r, refused := ledger.AsRefused(err); refused {
		if _, done := r.By("feedback"); !done {
			return err
		}
		counted = schema.ProviderEventsAgain
		err = nil // a repetition
	}
	switch {
	case errors.Is(err, evidence.ErrNoAttempt):
		s.Log.LogAttrs(ctx, slog.LevelWarn, "provider event names no attempt", slog.String("tenant", tenantID), slog.String("intent", intent),
			slog.String("type", string(e.Type)), metric.Count(schema.ProviderEventsOrphan, 1))
		return fmt.Errorf("event for intent %s: %w", intent, ErrNotYet)
	case err != nil:
		return err
	}
	s.Log.LogAttrs(ctx, slog.LevelInfo, "provider event", slog.String("tenant", tenantID), slog.String("intent", intent),
		slog.String("type", string(e.Type)), slog.String("message_id", e.MessageID), metric.Count(counted, 1))
	if kind == evidence.Dropped {
		s.Log.LogAttrs(ctx, slog.LevelError, "the provider dropped a mail it had taken", slog.String("tenant", tenantID),
			slog.String("intent", intent), slog.String("alarm", "dropped_by_provider"))
	}
	if !stops {
		return nil
	}
	// The stop is its own commit, repeated with every repetition of the event
	// until it stands: a crash between the two leaves a worked-off event, so
	// the stop must not depend on the event being new. It notes itself on the
	// event's record, so that a repetition does not stop again what a person
	// has lifted since.
	return s.stop(ctx, tenantID, intent, e, now)
}

// stoppedAtAttr is the attribute of an event's record that says when the stop
// which the event calls for was made.
const stoppedAtAttr = "stopped_at"

// workedOff adds the record that makes the event's effects happen once.
func (s *Service) workedOff(c *ledger.Commit, e mailer.Event, now utc.Time) error {
	return c.Create("feedback", s.recordKey(e), map[string]any{
		claim.StatusAttr: claim.Completed, claim.CompletedAtAttr: now.String(), "type": string(e.Type), "message_id": e.MessageID,
		schema.ExpiresAt: now.Std().Add(KeepRecords).Unix(),
	})
}

func (s *Service) recordKey(e mailer.Event) ledger.Key {
	return ledger.Feedback.At(ledger.NoTenant, digest.Parts(s.Provider, e.DedupeKey))
}

// markAlive notes that the feed works: an event of this moment has come
// through. Written at most every 30 seconds of event time.
func (s *Service) markAlive(ctx context.Context, e mailer.Event) error {
	if e.At.IsZero() {
		return nil
	}
	k := ledger.FeedProbe.At(ledger.NoTenant, "feed")
	// A provider whose clock is ahead must not prove that the feed will be
	// alive: silence after a lost outcome would count at once.
	at := utc.At(e.At)
	if now := utc.At(s.Now()); at.After(now) {
		at = now
	}
	it, err := s.Store.Get(ctx, k)
	if err != nil {
		return fmt.Errorf("read the feed probe: %w", err)
	}
	var c ledger.Commit
	if it == nil {
		err = c.Create("feed", k, map[string]any{"alive_at": at.String()})
	} else {
		if last, _ := utc.Parse(it.Text("alive_at")); !at.After(last.Add(30 * time.Second)) {
			return nil
		}
		err = c.Update("feed", k, ledger.AtVersion(it.Version()), ledger.Item{"alive_at": at})
	}
	if err != nil {
		return err
	}
	err = s.Store.Commit(ctx, c)
	if _, refused := ledger.AsRefused(err); refused {
		return nil // somebody else noted a later moment
	}
	return err
}

// stop forbids mail to an address that bounced for good or complained.
func (s *Service) stop(ctx context.Context, tenantID, intent string, e mailer.Event, now utc.Time) error {
	reason := guard.ReasonBounce
	if e.Type == mailer.EventComplained {
		reason = guard.ReasonComplaint
	}
	it, err := s.Store.Get(ctx, ledger.Intent.At(tenantID, intent))
	if err != nil {
		return fmt.Errorf("read intent %s: %w", intent, err)
	}
	var i followup.Intent
	if err := it.Decode(&i); err != nil {
		return err
	}
	err = ledger.Retry(ctx, evidence.Tries, func() (again bool, err error) {
		// The address is the one that was mailed, not one that an event names;
		// by its guard, since an erasure takes the address from the intent.
		rows, err := s.Store.GetMany(ctx, []ledger.Key{ledger.Guard.At(tenantID, i.Guard), s.recordKey(e)})
		if err != nil {
			return false, fmt.Errorf("read guard: %w", err)
		}
		if rows[1].Text(stoppedAtAttr) != "" {
			return false, nil
		}
		who, err := s.whose(ctx, i, reason)
		if err != nil {
			return false, err
		}
		c, err := s.stopCommit(i, e, rows[0], who, reason, now)
		if err != nil {
			return false, err
		}
		err = s.Store.Commit(ctx, c)
		if err == nil {
			s.Log.LogAttrs(ctx, slog.LevelWarn, "address stopped", slog.String("tenant", tenantID), slog.String("intent", intent),
				slog.String("reason", reason), metric.Count(stopMetric(e.Type), 1))
		}
		return ledger.Moved(err), err
	})
	if err != nil {
		return fmt.Errorf("stop an address: %w", err)
	}
	return nil
}

// stopCommit is the stop with its note. An address that is stopped already
// keeps the time of the first stop; the count rises all the same.
func (s *Service) stopCommit(i followup.Intent, e mailer.Event, seen ledger.Item, who *contact.Contact, reason string, now utc.Time) (ledger.Commit, error) {
	var c ledger.Commit
	set := ledger.Item{}
	if seen.Text(guard.StopAttr(guard.ScopeAll)) == "" {
		set[guard.StopAttr(guard.ScopeAll)] = now
	}
	set[guard.ReasonAttr] = guard.StopReason(seen.Text(guard.ReasonAttr), reason)
	if i.Recipient != "" && seen.Text(guard.ErasedAtAttr) == "" {
		set[guard.AddressAttr] = i.Recipient
	}
	if reason == guard.ReasonBounce {
		set[guard.BouncesAttr] = seen.Int(guard.BouncesAttr) + 1
	} else {
		set[guard.ComplaintsAttr] = seen.Int(guard.ComplaintsAttr) + 1
	}
	r := audit.Record{At: now, By: "feedback", Reasons: []string{reason}, InboundEvent: i.Event, Contact: i.Contact, Intent: i.ID}
	if err := decide.ChangeGuard(&c, decide.GuardChange{Tenant: i.Tenant, ID: i.Guard, Seen: seen, Event: "stop", Set: set, Audit: r}); err != nil {
		return c, err
	}
	if err := c.Update("feedback", s.recordKey(e), ledger.Absent(stoppedAtAttr), ledger.Item{stoppedAtAttr: now}); err != nil {
		return c, err
	}
	op := outbox.Operation{
		Tenant: i.Tenant, ID: s.IDs.ID("op", outbox.CancelIntents, i.Tenant, "guard", i.Guard, fmt.Sprint(seen.Int(machine.TransitionAttr))),
		Kind: outbox.CancelIntents, Guard: i.Guard, Contact: i.Contact, Event: i.Event,
	}
	if who != nil {
		if err := s.withdraw(&c, *who, i, op.ID, now); err != nil {
			return c, err
		}
	}
	return c, decide.InsertOperation(&c, op, now, audit.Record{At: now, By: "feedback", InboundEvent: i.Event})
}

// stopMetric is what a stop counts.
func stopMetric(t mailer.EventType) string {
	if t == mailer.EventComplained {
		return schema.Complaints
	}
	return schema.Bounces
}

func kindOf(t mailer.EventType) string {
	switch t {
	case mailer.EventSent:
		return evidence.Sent
	case mailer.EventDelivered:
		return evidence.Delivered
	case mailer.EventBounced:
		return evidence.Bounced
	case mailer.EventComplained:
		return evidence.Complained
	case mailer.EventDelayed:
		return evidence.Delayed
	case mailer.EventRejected:
		return evidence.Dropped
	case mailer.EventOther:
		// No proof: a rendering failure is one of them.
	}
	return ""
}

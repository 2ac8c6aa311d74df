// Package evidence writes down that the provider has taken a mail, from
// whomever it is learnt and whenever.
//
// Its invariant: evidence of acceptance is written to its attempt whatever the
// intent's state, and where that state allows moves the intent to accepted in
// the same commit. So no later claim can be made on an intent whose mail is
// known to have gone.
package evidence

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/record/audit"
	"onefold/internal/record/claim"
	"onefold/internal/record/followup"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// Evidence is one thing that was learnt of one attempt.
type Evidence struct {
	Tenant    string
	Intent    string
	Attempt   int64
	Provider  string
	MessageID string
	Kind      string   // Accept, Sent, Delayed, Delivered, Bounced, Complained, Dropped
	At        utc.Time // when it happened
	Now       utc.Time
	By        string
}

// The kinds of evidence. Each of them proves acceptance.
const (
	Accept     = "accept" // the provider's own answer, come late
	Sent       = "sent"
	Delayed    = "delayed"
	Delivered  = "delivered"
	Bounced    = "bounced"
	Complained = "complained"
	Dropped    = "dropped" // taken, and then not sent on by the provider
)

// ErrNoAttempt means that there is no such attempt. The caller brings the
// evidence again later: it may have come before its claim could be read.
var ErrNoAttempt = errors.New("evidence: no such attempt")

// Tries bounds how often a commit is made anew on rows that others moved.
const Tries = 8

// Record writes evidence. also adds what must be in the same commit, such as
// the record that this event was worked off; it is called once for each try.
// A *ledger.Refused that names a write of also is returned as it is.
//
// A message ID that belongs to something else does not keep the evidence out:
// it is recorded without the index, and the log raises an alarm.
func Record(ctx context.Context, store ledger.Store, log *slog.Logger, ev Evidence, also func(*ledger.Commit) error) error {
	index, taken := ev.MessageID != "", false
	err := ledger.Retry(ctx, Tries, func() (again bool, err error) {
		c, learnt, err := commit(ctx, store, ev, index)
		if err != nil {
			return false, err
		}
		if also != nil {
			if err := also(&c); err != nil {
				return false, err
			}
		}
		err = store.Commit(ctx, c)
		r, refused := ledger.AsRefused(err)
		switch {
		case err == nil:
			learnt.log(ctx, log, ev)
			if taken {
				AlarmMessageID(ctx, log, ev.Tenant, ev.Intent, ev.Attempt)
			}
			return false, nil
		case refused && !ownWrites(r):
			return false, err
		case refused:
			if f, there := r.By("message_index"); there {
				index = false
				// Of this attempt it is when send settled a moment before us.
				taken = !Indexed(f.Current, ev.Tenant, ev.Intent, ev.Attempt)
			}
		}
		return ledger.Moved(err), err
	})
	if _, refused := ledger.AsRefused(err); err != nil && !refused {
		return fmt.Errorf("record evidence of intent %s: %w", ev.Intent, err)
	}
	return err
}

// ownWrites tells whether all that was refused is of this package, so that
// reading again helps.
func ownWrites(r *ledger.Refused) bool {
	for _, f := range r.Failures {
		switch f.Name {
		case "intent", "attempt", "message_index", "review_task", "operation", "audit":
		default:
			return false
		}
	}
	return true
}

func commit(ctx context.Context, store ledger.Store, ev Evidence, index bool) (ledger.Commit, learnt, error) {
	var c ledger.Commit
	var l learnt
	intentKey := ledger.Intent.At(ev.Tenant, ev.Intent)
	items, err := store.GetMany(ctx, []ledger.Key{intentKey, ledger.AttemptKey(ev.Tenant, ev.Intent, ev.Attempt)})
	if err != nil {
		return c, l, fmt.Errorf("read intent %s: %w", ev.Intent, err)
	}
	if items[0] == nil || items[1] == nil {
		return c, l, ErrNoAttempt
	}
	var i followup.Intent
	var a followup.Attempt
	if err := errors.Join(items[0].Decode(&i), items[1].Decode(&a)); err != nil {
		return c, l, err
	}
	l = learn(ev, i, a)
	r := audit.Record{At: ev.Now, By: ev.By, Reasons: []string{ev.Kind}, InboundEvent: i.Event, Contact: i.Contact, Intent: i.ID, MessageRef: ev.MessageID,
		Details: map[string]string{"attempt": fmt.Sprint(ev.Attempt), "message_id": ev.MessageID, "at": ev.At.String()}}
	if err := moveAttempt(&c, ev, a, r); err != nil {
		return c, l, err
	}
	if err := moveIntent(ctx, store, &c, ev, i, r); err != nil {
		return c, l, err
	}
	if i.State == followup.Sending && i.Attempt != ev.Attempt {
		if err := loseLatest(ctx, store, &c, i, r); err != nil {
			return c, l, err
		}
	}
	if index && a.MessageID == "" {
		return c, l, IndexMessage(&c, ev.Provider, ev.MessageID, ev.Tenant, ev.Intent, ev.Attempt, ev.Now)
	}
	return c, l, nil
}

func moveAttempt(c *ledger.Commit, ev Evidence, a followup.Attempt, r audit.Record) error {
	// From stays empty unless the machine moves: further evidence is a change
	// and no transition, and the audit must not show one that leads nowhere.
	step := ledger.Step{
		Name: "attempt", Key: ledger.AttemptKey(ev.Tenant, ev.Intent, ev.Attempt), Transition: a.Transition,
		Event: ev.Kind, Set: ledger.Item{}, Audit: r,
	}
	if a.MessageID == "" && ev.MessageID != "" {
		step.Set[followup.MessageIDAttr] = ev.MessageID // the first one is the one that the index holds
	}
	if ev.Kind == Dropped {
		step.Set[machine.ReasonAttr] = "dropped_by_provider"
	}
	if at := when(ev.Kind); at != "" {
		step.Set[at] = ev.At
	}
	if followup.AttemptMachine().Can(a.State, followup.Evidence) {
		step.Machine, step.From, step.Event = followup.AttemptMachine(), a.State, followup.Evidence
		if a.SettledAt.IsZero() {
			step.Set[followup.SettledAtAttr] = ev.Now
		}
		if ev.Kind == Accept {
			step.Event = followup.Accept
		}
	} else if a.State != followup.AttemptAccepted {
		// The provider first said no and now reports the mail: both are kept.
		step.Set[machine.ReasonAttr] = contradicted
	}
	_, err := c.Move(step)
	return err
}

func when(kind string) string {
	switch kind {
	case Sent:
		return "sent_at"
	case Delivered:
		return "delivered_at"
	case Bounced:
		return "bounced_at"
	case Complained:
		return "complained_at"
	}
	return ""
}

// moveIntent takes the intent to accepted where its state allows, and closes
// the question that waited for just this.
func moveIntent(ctx context.Context, store ledger.Store, c *ledger.Commit, ev Evidence, i followup.Intent, r audit.Record) error {
	if !followup.IntentMachine().Can(i.State, followup.Evidence) {
		return nil
	}
	set := ledger.Item{followup.AcceptedAtAttr: ev.At, machine.ReasonAttr: "evidence"}
	if ev.MessageID != "" {
		set[followup.MessageIDAttr] = ev.MessageID
	}
	if _, err := c.Move(ledger.Step{
		Key: ledger.Intent.At(i.Tenant, i.ID), Machine: followup.IntentMachine(),
		From: i.State, Transition: i.Transition, Event: followup.Evidence, Set: set, Audit: r,
	}); err != nil {
		return err
	}
	if err := endTimer(ctx, store, c, i, r); err != nil {
		return err
	}
	if i.State != followup.InReview || i.Review == "" {
		return nil
	}
	return closeTask(ctx, store, c, i, r)
}

// loseLatest gives the attempt that is under way an owner when evidence of an
// earlier one ends the intent: its worker may be dead, and the timer of an
// intent that is accepted no longer looks for a lapsed lease. Unknown is what
// it is until its worker or the provider says more.
func loseLatest(ctx context.Context, store ledger.Store, c *ledger.Commit, i followup.Intent, r audit.Record) error {
	k := ledger.AttemptKey(i.Tenant, i.ID, i.Attempt)
	it, err := store.Get(ctx, k)
	if err != nil {
		return fmt.Errorf("read attempt %d of intent %s: %w", i.Attempt, i.ID, err)
	}
	if it.Text(machine.StateAttr) != followup.AttemptBegun {
		return nil
	}
	r.Reasons, r.MessageRef, r.Details = []string{"intent_accepted"}, "", map[string]string{"attempt": fmt.Sprint(i.Attempt)}
	_, err = c.Move(ledger.Step{
		Name: "attempt", Key: k, Machine: followup.AttemptMachine(), From: followup.AttemptBegun, Transition: it.Int(machine.TransitionAttr),
		Event: followup.Lose, Set: ledger.Item{machine.ReasonAttr: "intent_accepted", followup.SettledAtAttr: r.At}, Audit: r,
	})
	return err
}

// endTimer ends the operation that would have looked after the outcome.
func endTimer(ctx context.Context, store ledger.Store, c *ledger.Commit, i followup.Intent, r audit.Record) error {
	if i.Timer == "" {
		return nil
	}
	k := ledger.Operation.At(i.Tenant, i.Timer)
	it, err := store.Get(ctx, k)
	if err != nil {
		return fmt.Errorf("read operation %s: %w", i.Timer, err)
	}
	if it.Text(machine.StateAttr) != outbox.Open {
		return nil
	}
	r.MessageRef = ""
	_, err = c.Move(Finish(k, outbox.Open, it.Int(machine.TransitionAttr), "intent_accepted", r))
	return err
}

// Finish is the step that ends an operation of send with its result.
func Finish(k ledger.Key, from string, transition int64, result string, r audit.Record) ledger.Step {
	return ledger.Step{
		Name: "operation", Key: k, Machine: outbox.Machine(), From: from, Transition: transition, Event: outbox.Finish,
		Set: ledger.Item{
			claim.StatusAttr: claim.Completed, claim.ResultAttr: result, claim.CompletedAtAttr: r.At, claim.InProgressUntilAttr: "",
			claim.NotBeforeAttr: "", schema.DueAt: "", schema.DueShard: "", machine.ReasonAttr: "",
		},
		Audit: r,
	}
}

func closeTask(ctx context.Context, store ledger.Store, c *ledger.Commit, i followup.Intent, r audit.Record) error {
	k := ledger.ReviewTask.At(i.Tenant, i.Review)
	it, err := store.Get(ctx, k)
	if err != nil {
		return fmt.Errorf("read task %s: %w", i.Review, err)
	}
	if it.Text(machine.StateAttr) != review.Open {
		return nil
	}
	_, err = c.Move(ledger.Step{
		Key: k, Machine: review.Machine(), From: review.Open, Transition: it.Int(machine.TransitionAttr), Event: review.Close,
		Set: ledger.Item{review.OpenForAttr: "", review.AnsweredByAttr: r.By, review.AnsweredAtAttr: r.At, "note": "evidence"}, Audit: r,
	})
	return err
}

// IndexMessage adds the item that finds an intent by its provider message ID.
func IndexMessage(c *ledger.Commit, provider, messageID, tenantID, intent string, attempt int64, now utc.Time) error {
	return c.Create("message_index",
		ledger.ProviderMessage.At(ledger.NoTenant, provider+":"+messageID),
		followup.ProviderMessage{Tenant: tenantID, Intent: intent, Attempt: attempt, At: now})
}

// Indexed tells whether an item of the message index names this attempt.
func Indexed(it ledger.Item, tenantID, intent string, attempt int64) bool {
	return it.Text("of_tenant") == tenantID && it.Text("intent") == intent && it.Int("attempt") == attempt
}

// AlarmMessageID says that the message ID of an attempt belongs to something
// else: two intents of one mail, or a provider that repeats its IDs. Somebody
// has to look.
func AlarmMessageID(ctx context.Context, log *slog.Logger, tenantID, intent string, attempt int64) {
	log.LogAttrs(ctx, slog.LevelError, "provider message id is taken", slog.String("tenant", tenantID), slog.String("intent", intent),
		slog.Int64("attempt", attempt), slog.String("alarm", "duplicate_message_id"), metric.Count(schema.DuplicateMessageIDs, 1))
}

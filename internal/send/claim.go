package send

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/audit"
	"onefold/internal/record/claim"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// mayStart asks what is not a condition of the claim because it is of many
// people at once: the stops of tenant and deployment, and the rule's mode. It
// is read just before each claim. true means that the matter is settled for
// now.
func (s *Service) mayStart(ctx context.Context, op *outbox.Operation, i followup.Intent) (bool, error) {
	stopped, err := s.stopped(ctx, i.Tenant)
	if err != nil {
		return false, err
	}
	if stopped {
		return true, s.later(ctx, *op, i, s.now().Add(stopWait), "stopped")
	}
	policy, err := s.Policies.Fresh(ctx, i.Tenant)
	var invalid *tenant.InvalidError
	switch {
	case errors.Is(err, versions.ErrNone):
		return true, s.refer(ctx, *op, i, "rule_off")
	case errors.As(err, &invalid):
		// Other code wrote the policy. It is this tenant's matter and must not
		// hold up the changes of others.
		return true, s.later(ctx, *op, i, s.now().Add(15*time.Minute), "policy_unreadable")
	case err != nil:
		return false, err
	}
	rule, ok := policy.Rule(i.Rule)
	if !ok || rule.Mode == tenant.ModeObserve {
		return true, s.refer(ctx, *op, i, "rule_off")
	}
	if (rule.Mode == tenant.ModeDraft || rule.HighImpact) && i.ApprovedBy == "policy" {
		return true, s.refer(ctx, *op, i, "rule_wants_approval")
	}
	if !i.NotAfter.IsZero() && s.now().After(i.NotAfter) {
		return true, s.refer(ctx, *op, i, "too_late")
	}
	return false, nil
}

// stopWait is how long a stopped intent rests before it asks again.
const stopWait = 5 * time.Minute

// stopped reads the stops of deployment and tenant.
func (s *Service) stopped(ctx context.Context, tenantID string) (bool, error) {
	stops, err := s.Store.GetMany(ctx, []ledger.Key{ledger.Stop.At(ledger.NoTenant, "stop"), ledger.Stop.At(tenantID, "stop")})
	if err != nil {
		return false, fmt.Errorf("read the stops: %w", err)
	}
	for _, it := range stops {
		if it["stopped"] == true {
			return true, nil
		}
	}
	return false, nil
}

// claim is the one commit before the call. It returns the intent as claimed,
// and whether the claim is ours.
func (s *Service) claim(ctx context.Context, op outbox.Operation, i followup.Intent) (followup.Intent, bool, error) {
	owner := idempotency.NewOwner() // kept across repeats of this call
	now := s.now()
	claimed := i
	claimed.Owner, claimed.Attempt, claimed.LeaseUntil = owner, i.Attempt+1, now.Add(idempotency.Lease(s.Timeout))
	to, err := s.addressee(ctx, i)
	if err != nil {
		return i, false, err
	}
	c, err := s.claimCommit(op, i, claimed, to, now)
	if err != nil {
		return i, false, err
	}
	err = s.Store.Commit(ctx, c)
	if r, refused := ledger.AsRefused(err); refused {
		if f, ok := r.By("intent"); ok && ours(f.Current, claimed) {
			return after(claimed), true, nil // the answer to our own first try was lost
		}
		return i, false, s.refusedClaim(ctx, op, i, r)
	}
	if err == nil {
		return after(claimed), true, nil
	}
	if ledger.NotWritten(err) {
		return i, false, fmt.Errorf("claim intent %s: %w", i.ID, err)
	}
	// No answer. Only the row can say whether the claim is ours; if it cannot
	// be read now, or is not ours, nothing is sent.
	it, readErr := s.Store.Get(ctx, intentKey(i.Tenant, i.ID))
	if readErr == nil && ours(it, claimed) {
		return after(claimed), true, nil
	}
	s.Log.LogAttrs(ctx, slog.LevelWarn, "claim without an answer", slog.String("intent", i.ID), slog.String("error", err.Error()))
	return i, false, err
}

func ours(it ledger.Item, claimed followup.Intent) bool {
	return it.Text(machine.StateAttr) == followup.Sending && it.Text(followup.OwnerAttr) == claimed.Owner && it.Int(followup.AttemptAttr) == claimed.Attempt
}

// after is the intent once the claim has committed.
func after(claimed followup.Intent) followup.Intent {
	claimed.State = followup.Sending
	claimed.Transition++
	return claimed
}

func (s *Service) claimCommit(op outbox.Operation, i, claimed followup.Intent, to addressee, now utc.Time) (ledger.Commit, error) {
	var c ledger.Commit
	r := s.audit(i)
	r.Details = map[string]string{
		"attempt": fmt.Sprint(claimed.Attempt), "content_hash": i.ContentHash, "idempotency_key": i.ID,
		"guard": i.Guard, "guard_result": "clear", "consent_version": fmt.Sprint(i.ConsentVersion), "approved_by": i.ApprovedBy,
	}
	// The content that goes out is hashed again here and must be the content
	// that was approved.
	if _, err := c.Move(ledger.Step{
		Key: intentKey(i.Tenant, i.ID), Machine: followup.IntentMachine(), From: i.State, Transition: i.Transition, Event: followup.Claim,
		If:    ledger.All(ledger.Is(followup.ApprovedHashAttr, i.HashContent()), ledger.Is(followup.ContentHashAttr, i.HashContent())),
		Set:   ledger.Item{followup.OwnerAttr: claimed.Owner, followup.AttemptAttr: claimed.Attempt, followup.LeaseUntilAttr: claimed.LeaseUntil, "timer": op.ID, machine.ReasonAttr: ""},
		Audit: r,
	}); err != nil {
		return c, err
	}
	c.Check("guard", ledger.Guard.At(i.Tenant, i.Guard), clear(i))
	c.Check("contact", ledger.Contact.At(i.Tenant, i.Contact),
		ledger.All(ledger.All(ledger.Is(contact.StatusAttr, contact.Active), ledger.Is(contact.ConsentVersionAttr, i.ConsentVersion)), to.sameReach()))
	to.conditions(&c, i)
	if err := c.Update("cadence", ledger.Cadence.Under(i.Tenant, i.Contact, i.Rule),
		ledger.Any(ledger.Is(followup.SendingIntentAttr, i.ID), ledger.Absent(followup.QuietUntilAttr), ledger.AtMost(followup.QuietUntilAttr, now)),
		ledger.Item{followup.SendingIntentAttr: i.ID, followup.QuietUntilAttr: now.Add(time.Duration(i.QuietPeriod) * time.Millisecond)}); err != nil {
		return c, err
	}
	a := followup.Attempt{
		Tenant: i.Tenant, Intent: i.ID, Number: claimed.Attempt, Owner: claimed.Owner,
		State: followup.AttemptBegun, Transition: 1, ClaimedAt: now, LeaseUntil: claimed.LeaseUntil,
	}
	a.ResendAccepted = acceptedResend(i)
	if err := c.Insert(ledger.Step{
		Name: "attempt", Key: ledger.AttemptKey(i.Tenant, i.ID, a.Number), Machine: followup.AttemptMachine(), Event: followup.Begin, Audit: s.audit(i),
	}, a, a.State); err != nil {
		return c, err
	}
	// The timer moves behind the lease in the same commit: if this process
	// dies now, the sweeper finds the lapsed lease. It must be the timer that
	// was read: had the intent been claimed and thrown back since, the intent
	// is ready as before, and only the timer shows that it has to wait.
	behind := claimed.LeaseUntil.Add(time.Second)
	return c, c.Update("operation", operationKey(op),
		ledger.All(ledger.Is(machine.StateAttr, outbox.Open), ledger.Is(machine.TransitionAttr, op.Transition), ledger.Is(claim.NotBeforeAttr, op.NotBefore)),
		ledger.Item{claim.NotBeforeAttr: behind, schema.DueAt: behind, claim.NudgesAttr: 0, machine.ReasonAttr: outbox.ReasonSending})
}

// clear is the guard's condition: no item at all, or nothing in it that
// forbids this scope, and no erasure since the intent was made.
func clear(i followup.Intent) ledger.Cond {
	return ledger.Any(ledger.Missing(), ledger.All(
		ledger.Absent(guard.StopAttr(guard.ScopeAll)),
		ledger.Absent(guard.StopAttr(i.Scope)),
		ledger.Absent(guard.HoldAttr),
		ledger.Any(ledger.Absent(guard.ErasedAtAttr), ledger.Less(guard.ErasedAtAttr, i.CreatedAt)),
	))
}

// refusedClaim turns the refused condition into what it means. The order is of
// weight: what forbids the mail comes before what delays it.
func (s *Service) refusedClaim(ctx context.Context, op outbox.Operation, i followup.Intent, r *ledger.Refused) error {
	content, changed := r.By("intent")
	if changed && (content.Current.Text(machine.StateAttr) != followup.Ready || content.Current.Int(machine.TransitionAttr) != i.Transition) {
		return s.leave(ctx, i, "claimed_by_another")
	}
	if f, ok := r.By("guard"); ok {
		word := guard.Blocks(f.Current, i.Scope)
		switch {
		case f.Current.Text(guard.ErasedAtAttr) >= i.CreatedAt.String():
			return s.suppress(ctx, op, i, "erased")
		case word == "opt_out_in_doubt":
			return s.refer(ctx, op, i, word)
		}
		return s.suppress(ctx, op, i, cmp.Or(word, "suppressed"))
	}
	if f, ok := r.By("contact"); ok {
		if f.Current.Text(contact.StatusAttr) == contact.Merged {
			return s.refer(ctx, op, i, "contact_merged")
		}
		if f.Current == nil || f.Current.Text(contact.StatusAttr) != contact.Active {
			return s.suppress(ctx, op, i, "contact_inactive")
		}
		if f.Current.Int(contact.ConsentVersionAttr) != i.ConsentVersion {
			return s.suppress(ctx, op, i, "consent_withdrawn")
		}
	}
	switch word := saidElsewhere(r, i.Scope); word {
	case "":
	case guard.InDoubt:
		return s.refer(ctx, op, i, word)
	default:
		return s.suppress(ctx, op, i, word)
	}
	_, moved := r.By("contact")
	if _, led := r.By("recipient"); moved || led {
		// Other addresses than those that were read lead to the contact now, or the
		// recipient's to another.
		return s.later(ctx, op, i, s.now(), "addresses_changed")
	}
	if changed {
		return s.refer(ctx, op, i, "content_not_approved")
	}
	if f, ok := r.By("cadence"); ok {
		until, err := utc.Parse(f.Current.Text(followup.QuietUntilAttr))
		if err != nil || f.Current == nil {
			return s.refer(ctx, op, i, "cadence_unreadable")
		}
		return s.later(ctx, op, i, until, "quiet_period")
	}
	return s.leave(ctx, i, "moved_by_another") // attempt or operation
}

// audit is the part of a record that every step on an intent shares.
func (s *Service) audit(i followup.Intent, reasons ...string) audit.Record {
	return audit.Record{At: s.now(), By: "send", Reasons: reasons, InboundEvent: i.Event, Contact: i.Contact, Intent: i.ID}
}

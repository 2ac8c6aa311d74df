package decide

import (
	"slices"
	"time"

	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/reading/reader"
	"onefold/internal/record/audit"
	"onefold/internal/record/claim"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// OperationDue is when the sweeper first looks for an operation that nobody
// has moved: later than any function's timeout.
const OperationDue = 2 * time.Minute

// audit is the part of an audit record that every step of this decision
// shares.
func (b *builder) audit(reasons []string) audit.Record {
	r := audit.Record{
		At: b.g.Now, By: b.g.By, Reasons: reasons,
		InboundEvent: b.g.Event.ID, Contact: b.res.Contact, Intent: b.res.Intent,
	}
	// What came to nothing is still found by the person it was about.
	if c := b.contact(); r.Contact == "" && c != nil && (!b.g.Person.Shared || c == b.g.Seen.Customer) {
		r.Contact = c.ID
	}
	return r
}

// decided ends the event with an outcome, in the same commit as everything
// that follows from it.
func (b *builder) decided(outcome string, reasons []string) error {
	b.res.Outcome, b.res.Reasons = outcome, reasons
	r := b.audit(reasons)
	r.Details = b.provenance()
	r.Details["outcome"] = outcome
	_, err := b.c.Move(ledger.Step{
		Key:     b.eventKey(),
		Machine: inbound.Machine(), From: b.g.Event.State, Transition: b.g.Event.Transition, Event: inbound.Decide,
		Set: ledger.Item{
			"outcome": outcome, inbound.ReasonsAttr: reasons, "cause": b.g.Facts.Cause,
			"contact": b.res.Contact, "intent": b.res.Intent,
			"decided_at": b.g.Now, "policy_version": b.g.Policy.Version,
			claim.StatusAttr: claim.Completed, claim.CompletedAtAttr: b.g.Now, claim.InProgressUntilAttr: "",
			claim.NotBeforeAttr: "", schema.DueAt: "", schema.DueShard: "",
		},
		Audit: r,
	})
	if err != nil {
		return err
	}
	return b.closeTask()
}

// refer puts the question to a person, instead of anything else.
func (b *builder) refer(reasons ...string) error {
	if b.g.Answer != nil {
		return b.referAgain(reasons)
	}
	reasons = append(slices.Clone(reasons), b.candidates()...)
	b.res.Outcome, b.res.Reasons = Referred, reasons
	b.res.Task = b.decideTask()
	r := b.audit(reasons)
	r.Details = b.provenance()
	_, err := b.c.Move(ledger.Step{
		Key:     b.eventKey(),
		Machine: inbound.Machine(), From: b.g.Event.State, Transition: b.g.Event.Transition, Event: inbound.Refer,
		Set: ledger.Item{
			inbound.ReasonsAttr: reasons, "review": b.res.Task, "cause": b.g.Facts.Cause, "policy_version": b.g.Policy.Version,
			claim.StatusAttr: claim.Completed, claim.CompletedAtAttr: b.g.Now, claim.InProgressUntilAttr: "",
			claim.NotBeforeAttr: "", schema.DueAt: "", schema.DueShard: "",
		},
		Audit: r,
	})
	if err != nil {
		return err
	}
	task := review.Task{
		Tenant: b.tenant(), ID: b.res.Task, Kind: review.DecideEvent, State: review.Open, Transition: 1,
		Event: b.g.Event.ID, Reasons: reasons,
		Guard: b.guardResult(), OpenFor: b.tenant(), OpenedAt: b.g.Now,
	}
	b.name(&task)
	return b.c.Insert(ledger.Step{
		Key:     ledger.ReviewTask.At(b.tenant(), task.ID),
		Machine: review.Machine(), Event: review.Put, Audit: b.audit(reasons),
	}, task, review.Open)
}

// referAgain keeps the task open: the person's answer did not settle it. What
// the task said before it still says, so that the next answer is not asked
// about that again.
func (b *builder) referAgain(reasons []string) error {
	t := b.g.Seen.Task
	reasons = unique(append(append([]string(nil), t.Reasons...), reasons...))
	b.res.Outcome, b.res.Reasons, b.res.Task = Referred, reasons, t.ID
	_, err := b.c.Move(ledger.Step{
		Key:     ledger.ReviewTask.At(b.tenant(), t.ID),
		Machine: review.Machine(), From: t.State, Transition: t.Transition, Event: review.Refresh,
		Set: ledger.Item{review.ReasonsAttr: reasons}, Audit: b.audit(reasons),
	})
	return err
}

// closeTask ends the task whose answer this decision is.
func (b *builder) closeTask() error {
	t, a := b.g.Seen.Task, b.g.Answer
	if t == nil || a == nil {
		return nil
	}
	event := "approve"
	if !a.Approve {
		event = "reject"
	}
	return MoveTask(&b.c, *t, event, a.By, b.audit([]string{"answer"}))
}

// MoveTask ends a task and takes it out of the list of open ones.
func MoveTask(c *ledger.Commit, t review.Task, event, by string, r audit.Record) error {
	if r.Contact == "" {
		r.Contact = t.Contact
	}
	if r.Intent == "" {
		r.Intent = t.Intent
	}
	_, err := c.Move(ledger.Step{
		Key:     ledger.ReviewTask.At(t.Tenant, t.ID),
		Machine: review.Machine(), From: t.State, Transition: t.Transition, Event: event,
		Set:   ledger.Item{review.OpenForAttr: "", review.AnsweredByAttr: by, review.AnsweredAtAttr: r.At},
		Audit: r,
	})
	return err
}

func (b *builder) eventKey() ledger.Key {
	return ledger.Event.At(b.tenant(), b.g.Event.ID)
}

// provenance names what the decision was made from, for the audit.
func (b *builder) provenance() map[string]string {
	d := map[string]string{"cause": b.g.Facts.Cause, "raw": b.g.Event.Raw, "kind": string(b.g.Facts.Kind)}
	if x := b.g.Extraction; x != nil {
		d["model"], d["prompt_version"] = x.Model, x.PromptVersion
	}
	return d
}

// matched stores why the event belongs to whom it belongs to.
func (b *builder) matched(res match.Result, contactID string) error {
	d := match.Decision{
		Tenant: b.tenant(), Event: b.g.Event.ID, Outcome: res.Outcome, Contact: contactID,
		Candidates: res.Candidates, Reasons: res.Reasons, Policy: b.g.Policy.Version, At: b.g.Now,
		Rule: b.keyRule(),
	}
	if x := b.g.Extraction; x != nil {
		d.Model, d.Prompt = x.Model, x.PromptVersion
	}
	return b.c.Create("match_decision", ledger.MatchDecision.At(b.tenant(), b.g.Event.ID), d)
}

// born puts an operation into the outbox, with the timers it keeps until it is
// terminal.
func (b *builder) born(op outbox.Operation) error {
	op.Tenant = b.tenant()
	return InsertOperation(&b.c, op, b.g.Now, b.audit(nil))
}

// InsertOperation puts an operation into a commit. NotBefore defaults to now.
func InsertOperation(c *ledger.Commit, op outbox.Operation, now utc.Time, r audit.Record) error {
	op.State, op.Transition, op.CreatedAt = outbox.Open, 1, now
	if op.NotBefore.IsZero() {
		op.NotBefore = now
	}
	op.DueAt, op.DueShard = op.NotBefore.Add(OperationDue), schema.Shard(op.ID)
	r.Contact, r.Intent = op.Contact, op.Intent
	r.Reasons = append([]string{op.Kind}, r.Reasons...)
	return c.Insert(ledger.Step{
		Name: "operation", Key: ledger.Operation.At(op.Tenant, op.ID),
		Machine: outbox.Machine(), Event: outbox.Create, Audit: r,
	}, op, outbox.Open)
}

// lowConfidence says whether the stated confidence in who wrote adds a reason
// for review. It never takes one away.
func lowConfidence(x *reader.Stored, limit int64) bool {
	return x != nil && x.Record.SenderEmail.Value != "" && x.Record.SenderEmail.Confidence < limit
}

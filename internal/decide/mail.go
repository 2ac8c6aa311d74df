package decide

import (
	"time"

	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/wish"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/schema"
)

// followUpPlan is what is to become of the enquiry's answer.
type followUpPlan struct {
	outcome  string
	reasons  []string
	rule     tenant.Rule
	intentID string
	make     bool     // make the intent; otherwise intentID is one that exists, or ""
	ask      []string // why a person approves the mail, besides the rule's mode
}

// RuleFor is the rule that answers what the extraction says is wanted.
func RuleFor(g Ground) (tenant.Rule, bool) {
	word := ""
	if g.Extraction != nil {
		word = string(g.Extraction.Record.Intent)
	}
	return g.Policy.RuleFor(word)
}

func (b *builder) scope() string {
	if r, ok := RuleFor(b.g); ok && r.Scope != "" {
		return r.Scope
	}
	return tenant.ScopeFollowUp
}

// slotIsDead tells whether the intent in the slot ended without a mail. To
// fold into it would leave the enquiry without any answer.
func (b *builder) slotIsDead() bool {
	s := b.g.Seen.Slot
	return s != nil && (s.State == followup.Cancelled || s.State == followup.Suppressed || s.State == followup.Rejected)
}

// planFollowUp decides, in this order: is this an answer to a mail of ours; is
// there a rule; may this person be mailed at all; does another intent stand
// open to fold into.
func (b *builder) planFollowUp() followUpPlan {
	if plan, ok := b.replyPlan(); ok {
		return plan
	}
	rule, ok := RuleFor(b.g)
	if !ok {
		return followUpPlan{outcome: inbound.NoRule, reasons: []string{"no_rule"}}
	}
	if word := b.blocked(); word != "" {
		return followUpPlan{outcome: inbound.Suppressed, reasons: []string{word}}
	}
	if word := b.blockedElsewhere(); word != "" {
		return followUpPlan{outcome: inbound.Suppressed, reasons: []string{word}}
	}
	if c := b.g.Seen.Cadence; c != nil && c.Intent != "" && b.g.Now.Before(c.FoldUntil) && !b.slotIsDead() {
		return followUpPlan{outcome: inbound.Folded, reasons: []string{"within_fold_window"}, intentID: c.Intent, rule: rule}
	}
	p := followUpPlan{
		outcome: inbound.FollowUp, reasons: []string{"rule_" + rule.ID}, rule: rule, make: true,
		intentID: followup.IntentID(b.ids, b.tenant(), b.g.Facts.Cause, rule.ID, rule.Version),
	}
	if rule.Mode == tenant.ModeObserve {
		p.outcome = inbound.Observed
	}
	return p
}

// writeFollowUp makes the intent, its place in the contact's cadence, and what
// moves it on: an operation in auto mode, a review task in draft mode, nothing
// in observe mode.
func (b *builder) writeFollowUp(p followUpPlan, intent followup.Intent) error {
	if !p.make {
		if p.rule.ID != "" && b.g.Seen.Cadence != nil {
			// Folding stands on the slot as it was read.
			b.c.Check("cadence", b.cadenceKey(p.rule.ID), ledger.AtVersion(b.g.Seen.Cadence.Version))
		}
		return nil
	}
	reasons := p.reasons
	switch p.rule.Mode {
	case tenant.ModeObserve:
		intent.State, intent.Reason = followup.Observed, "observe_mode"
	case tenant.ModeAuto:
		if len(p.ask) > 0 {
			b.propose(&intent)
			break
		}
		intent.State = followup.Ready
		intent.ApprovedHash, intent.ApprovedBy, intent.ApprovedAt = intent.ContentHash, "policy", b.g.Now
	default:
		b.propose(&intent)
	}
	b.res.Mail = &intent
	r := b.audit(append(reasons[:len(reasons):len(reasons)], p.ask...))
	r.Details = map[string]string{
		"rule": p.rule.ID, "rule_version": itoa(p.rule.Version), "template_version": itoa(p.rule.Template.Version),
		"content_hash": intent.ContentHash, "mode": p.rule.Mode, "guard": intent.Guard, "guard_result": "clear",
	}
	if err := b.c.Insert(ledger.Step{
		Key:     ledger.Intent.At(b.tenant(), intent.ID),
		Machine: followup.IntentMachine(), Event: followup.Create, Audit: r,
	}, intent, intent.State); err != nil {
		return err
	}
	if err := b.countFollowUp(); err != nil {
		return err
	}
	if intent.State == followup.Observed {
		return nil
	}
	if err := b.takeSlot(p, intent); err != nil {
		return err
	}
	if intent.State == followup.Ready {
		return b.born(SendOperation(b.ids, intent))
	}
	return b.askApproval(p, intent)
}

// render fills the template. It is done here, in full, so that what is
// approved is what is sent.
func (b *builder) render(p followUpPlan) (followup.Intent, error) {
	values := b.values()
	subject, text, err := p.rule.Render(tenant.TemplateData{
		Name: values["name"], Company: values["company"], Subject: bare(b.g.Facts.Source.Subject),
		Business: b.g.Policy.Name, PostalAddress: b.g.Policy.Sender.PostalAddress,
	})
	if err != nil {
		return followup.Intent{}, err
	}
	consent := int64(1)
	if c := b.contact(); c != nil && c.ID == b.res.Contact {
		consent = c.ConsentVersion
	}
	i := followup.Intent{
		Tenant: b.tenant(), ID: p.intentID, Cause: b.g.Facts.Cause, Rule: p.rule.ID, RuleVersion: p.rule.Version,
		Mode: p.rule.Mode, Scope: b.scope(), Contact: b.res.Contact, Event: b.g.Event.ID, Guard: b.g.Person.GuardID,
		Transition: 1, From: b.g.Policy.Sender.From, ReplyTo: b.g.Policy.Sender.ReplyTo,
		Recipient: b.g.Person.Address.String(), Subject: subject, Text: text,
		ConfigurationSet: b.g.Policy.Sender.ConfigurationSet, TemplateVersion: p.rule.Template.Version,
		ConsentVersion: consent, NotAfter: b.g.Now.Add(time.Duration(p.rule.SendWithin)),
		SendWithin:  time.Duration(p.rule.SendWithin).Milliseconds(),
		QuietPeriod: time.Duration(p.rule.QuietPeriod).Milliseconds(), OnUnknown: p.rule.OnUnknown,
		UnknownWithin: time.Duration(p.rule.UnknownWithin).Milliseconds(),
		CreatedAt:     b.g.Now, ContactRef: schema.Ref(b.tenant(), b.res.Contact),
	}
	i.InReplyTo, i.References = threading(b.g.Facts)
	i.ContentHash = i.HashContent()
	return i, nil
}

// takeSlot puts the intent into the contact's cadence as the one that later
// causes fold into.
func (b *builder) takeSlot(p followUpPlan, i followup.Intent) error {
	k := b.cadenceKey(p.rule.ID)
	until := b.g.Now.Add(time.Duration(p.rule.FoldWindow))
	if c := b.g.Seen.Cadence; c != nil {
		return b.c.Update("cadence", k, ledger.AtVersion(c.Version), ledger.Item{"intent": i.ID, "fold_until": until})
	}
	return b.c.Create("cadence", k, followup.Cadence{
		Tenant: b.tenant(), Contact: b.res.Contact, Rule: p.rule.ID, Intent: i.ID, FoldUntil: until,
	})
}

func (b *builder) cadenceKey(rule string) ledger.Key {
	return ledger.Cadence.Under(b.tenant(), b.res.Contact, rule)
}

func (b *builder) askApproval(p followUpPlan, i followup.Intent) error {
	task := review.Task{
		Tenant: b.tenant(), ID: i.Review, Kind: review.ApproveIntent, State: review.Open, Transition: 1,
		Event: b.g.Event.ID, Intent: i.ID, Contact: b.res.Contact, Reasons: whyApproved(p),
		ContentHash: i.ContentHash, Guard: GuardClear, OpenFor: b.tenant(), OpenedAt: b.g.Now,
	}
	b.name(&task)
	return b.c.Insert(ledger.Step{
		Name: "approval_task", Key: ledger.ReviewTask.At(b.tenant(), task.ID),
		Machine: review.Machine(), Event: review.Put, Audit: b.audit(task.Reasons),
	}, task, review.Open)
}

// SendOperation is the timer of an intent that became ready: one for each
// time it did.
func SendOperation(ids idMaker, i followup.Intent) outbox.Operation {
	return outbox.Operation{
		Tenant: i.Tenant, ID: ids.ID("op", outbox.SendIntent, i.Tenant, i.ID, itoa(i.Transition)),
		Kind: outbox.SendIntent, Intent: i.ID, Contact: i.Contact, Event: i.Event, Guard: i.Guard,
	}
}

type idMaker interface {
	ID(purpose string, parts ...string) string
}

// threading puts the answer into the thread of the mail answered (RFC 5322
// section 3.6.4), within what SES takes as a header value (870 bytes; API
// Reference, MessageHeader, read 2026-11).
func threading(f content.Facts) (inReplyTo, references string) {
	if f.MessageID == "" || len(f.MessageID) > 800 || !printable(f.MessageID) {
		return "", ""
	}
	inReplyTo = "<" + f.MessageID + ">"
	references = inReplyTo
	for n := len(f.References) - 1; n >= 0; n-- {
		id := f.References[n]
		if len(id)+3+len(references) > 800 || !printable(id) {
			break
		}
		references = "<" + id + "> " + references
	}
	return inReplyTo, references
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] <= 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// bare is a subject without the marks of a reply, since a template puts its
// own before it.
func bare(subject string) string {
	rest, _ := wish.CutReplyPrefix(subject)
	return rest
}

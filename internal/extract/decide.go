package extract

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"onefold/internal/blob"
	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/ours"
	"onefold/internal/reading/reader"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

// MaxDecideTries is how often a decision is made again on a ground that had
// changed, before the event waits a while.
const MaxDecideTries = 6

// decide reads the ground, decides and commits, until the commit stands on a
// ground that had not changed. q is a person's answer to a task, or nil.
func (s *Service) decide(ctx context.Context, e inbound.Event, q *answered) (decide.Result, error) {
	var none decide.Result
	policy, err := s.Policies.Current(ctx, e.Tenant)
	if err != nil {
		return none, err
	}
	facts, err := s.facts(ctx, e, policy)
	if err != nil {
		return none, err
	}
	var x *reader.Stored
	// What a person has before him and approves is read like any other.
	facts.Dropped = facts.Dropped && q == nil
	if decide.Reader(facts) {
		if x, err = s.reading(ctx, e, policy, facts, q != nil); err != nil {
			return none, err
		}
	}
	if facts.Machine() && !facts.Dropped {
		if err := s.stopFirst(ctx, e, policy, facts, q); err != nil {
			return none, err
		}
	}
	var res decide.Result
	var last error // of a commit
	err = ledger.Retry(ctx, MaxDecideTries, func() (again bool, err error) {
		if res, err = read(ctx, s, s.input(e, policy, facts, x, q), decide.Decide); err != nil {
			return false, fmt.Errorf("decide: %w", err)
		}
		err = s.Store.Commit(ctx, res.Commit)
		if last = err; err == nil {
			s.logDecision(ctx, e, res)
			return false, nil
		}
		if ledger.NotWritten(err) && !ledger.Moved(err) {
			return false, err
		}
		// It may have been written: the event's row tells.
		now, readErr := s.event(ctx, e.Tenant, e.ID)
		if readErr != nil {
			return false, readErr
		}
		if now == nil || now.State != e.State || now.Transition != e.Transition {
			return false, errSettled
		}
		s.countConflict(ctx, e, res.Commit, err)
		return true, nil
	})
	if errors.Is(err, ledger.ErrContention) && !ledger.NotWritten(last) {
		err = fmt.Errorf("commit of a decision: %w", last) // it may still come to be written
	}
	if err != nil {
		return none, err
	}
	return res, nil
}

// answered is a person's answer with the task as it was shown.
type answered struct {
	task   review.Task
	answer decide.Answer
}

// input is what an event is decided from besides the ledger.
func (s *Service) input(e inbound.Event, policy tenant.Policy, facts content.Facts, x *reader.Stored, q *answered) decide.Input {
	in := decide.Input{Event: e, Policy: policy, Facts: facts, Extraction: x, By: "extract", Now: utc.At(s.Now())}
	if q != nil {
		a := q.answer
		a.Asked, in.Answer, in.By = &q.task, &a, a.By
	}
	return in
}

// facts reads the raw content. Content that is gone or is not what was put
// there is a loss that a person must see: no further try brings it back.
func (s *Service) facts(ctx context.Context, e inbound.Event, policy tenant.Policy) (content.Facts, error) {
	if e.IsVirus() {
		return content.OfVirus(e, policy), nil
	}
	raw, err := s.Blob.Get(ctx, blob.Ref(e.Raw))
	switch {
	case errors.Is(err, blob.ErrMissing):
		return content.Unread(e, "raw_missing"), nil
	case errors.Is(err, blob.ErrDamaged), errors.Is(err, blob.ErrInvalid):
		return content.Unread(e, "raw_damaged"), nil
	case err != nil:
		return content.Facts{}, fmt.Errorf("read raw content: %w", err)
	}
	return FactsOf(s.IDs, e, raw, policy), nil
}

// FactsOf reads raw content by rule alone. Content with a virus is not read.
// With ids the marks of our own mail are checked.
func FactsOf(ids digest.Key, e inbound.Event, raw []byte, policy tenant.Policy) content.Facts {
	if e.IsVirus() {
		return content.OfVirus(e, policy)
	}
	if e.Content == tenant.ContentMail {
		genuine := func(mark string) bool { return followup.IsMark(ids, e.Tenant, mark) }
		m := ours.ReadMail(policy, raw, genuine, e.EnvelopeFrom)
		f := content.OfMail(m)
		for _, mark := range slices.Concat(m.ReturnedMarks, m.PassedOn) {
			if intent, ok := followup.Marked(ids, e.Tenant, mark); ok {
				f.Returned = append(f.Returned, intent)
			}
		}
		return content.Screen(f, e, policy)
	}
	var fields tenant.FieldMap
	if ep, ok := policy.Endpoint(e.Source); ok {
		fields = ep.Fields
	}
	values, err := fields.Read(raw)
	if err != nil {
		return content.Unread(e, "form_unreadable")
	}
	return content.Screen(content.OfForm(e, values), e, policy)
}

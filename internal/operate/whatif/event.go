package whatif

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"onefold/internal/blob"
	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/inbound"
)

// job is one event that is decided again.
type job struct {
	*run
	e    inbound.Event
	kept decide.Kept
	raw  []byte
	gone string          // why the content cannot be had, as the decider would have said it
	in   decide.Input    // of its own decision
	seen decide.Snapshot // what that was made from
}

// event decides one event again, under its own policy and under the other.
func (n *run) event(ctx context.Context, it ledger.Item) (finding, error) {
	j := &job{run: n}
	if err := it.Decode(&j.e); err != nil {
		return finding{}, fmt.Errorf("read event %s: %w", decide.LogID(it.Text("tenant"), it.Text("id")), err)
	}
	f := finding{event: j.e}
	if j.e.State != inbound.Decided && j.e.State != inbound.InReview {
		f.undecided = true
		return f, nil
	}
	text := it.Text(decide.GroundAttr)
	if text == "" {
		f.untold = NoGround
		return f, nil
	}
	var err error
	if j.kept, err = decide.Thaw(text); err != nil {
		f.untold = GroundDamaged
		return f, nil
	}
	if j.kept.TooLarge {
		f.untold = GroundTooLarge
		return f, nil
	}
	if f.untold, err = j.asItWas(ctx); f.untold != "" || err != nil {
		return f, err
	}
	was, missing, err := decide.Decide(j.in, j.seen, j.IDs)
	if verdict := decide.VerdictOf(was); len(missing) > 0 || err != nil || !equal(verdict, j.kept.Verdict) {
		if j.kept.Form < decide.GroundForm {
			f.untold = ParserChanged // it was decided before equal values and disputes counted
			return f, nil
		}
		then, now := sideOf(j.kept.Policy, j.kept.Verdict), sideOf(j.kept.Policy, verdict)
		if err != nil {
			now.Outcome = "error"
		}
		f.fault = &Baseline{j.e.ID, j.e.ReceivedAt, then, now}
		return f, nil
	}
	would, untold, err := j.another(ctx)
	if f.untold = untold; untold != "" || err != nil {
		return f, err
	}
	differs := differences(was, would)
	if f.same = len(differs) == 0; !f.same {
		f.change = &Change{
			Event: j.e.ID, ReceivedAt: j.e.ReceivedAt, Differs: differs,
			From: sideOf(j.kept.Policy, decide.VerdictOf(was)), To: sideOf(n.o.Policy.Version, decide.VerdictOf(would)),
		}
	}
	return f, nil
}

// equal compares verdicts; of reasons there may be none in two forms.
func equal(a, b decide.Verdict) bool {
	same := slices.Equal(a.Reasons, b.Reasons)
	a.Reasons, b.Reasons = nil, nil
	return same && reflect.DeepEqual(a, b)
}

// asItWas puts the event's own ground together again, or says why that cannot
// be done.
func (j *job) asItWas(ctx context.Context) (untold string, err error) {
	p, err := j.policy(ctx, j.kept.Policy)
	if err != nil {
		return "", err
	}
	if p == nil {
		return PolicyGone, nil
	}
	if err := j.content(ctx); err != nil {
		return "", err
	}
	x, found, err := j.answer(ctx)
	if err != nil {
		return "", err
	}
	if !found {
		return ReadingGone, nil
	}
	f := j.facts(*p)
	var g decide.Ground
	g.Facts = f
	for n, person := range j.people(decide.Input{Policy: *p, Facts: f, Extraction: x}) {
		if n == 0 {
			g.Person = person
			continue
		}
		g.Also = append(g.Also, decide.Party{Person: person})
	}
	switch {
	case decide.ReadingDigest(j.IDs, g) == j.kept.Facts:
	case j.gone != "":
		return ContentGone, nil
	default:
		return ParserChanged, nil
	}
	if j.in, j.seen, err = j.kept.Snapshot(j.IDs, j.e, *p, f, x); err != nil {
		return GroundDamaged, nil
	}
	return "", nil
}

// content reads the raw content. Of a mail with a virus it is not read.
func (j *job) content(ctx context.Context) error {
	if j.e.IsVirus() {
		return nil
	}
	var err error
	j.raw, err = j.Content.Get(ctx, blob.Ref(j.e.Raw))
	switch {
	case errors.Is(err, blob.ErrMissing):
		j.gone = "raw_missing"
	case errors.Is(err, blob.ErrDamaged), errors.Is(err, blob.ErrInvalid):
		j.gone = "raw_damaged"
	case err != nil:
		return fmt.Errorf("%w: event %s: %w", ErrContent, decide.LogID(j.e.Tenant, j.e.ID), err)
	}
	return nil
}

// facts reads the content under a policy. Content that was gone already when the
// event was decided was decided as such.
func (j *job) facts(p tenant.Policy) content.Facts {
	if j.gone != "" {
		return content.Unread(j.e, j.gone)
	}
	return j.Facts(j.IDs, j.e, j.raw, p)
}

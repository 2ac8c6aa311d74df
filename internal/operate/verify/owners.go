package verify

import (
	"context"
	"errors"
	"fmt"

	"onefold/internal/blob"
	"onefold/internal/ledger"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
)

func extractionKey(r ref, model, prompt string) ledger.Key {
	return ledger.Extraction.Under(r.tenant, r.id, model+"@"+prompt)
}

func eventsOwned(f *finder) {
	for r, e := range f.v.events {
		switch e.state {
		case inbound.Recorded:
			if e.dueAt == "" || e.dueShard == "" {
				f.wrong(on(e.key), "event %s is recorded and has no due time: nothing brings it back", r.id)
			}
			continue
		case inbound.InReview:
			f.asked(e.key, e.review, "event", review.DecideEvent)
		}
		if e.dueAt != "" || e.dueShard != "" {
			f.wrong(on(e.key), "event %s is %s and still has a due time", r.id, e.state)
		}
	}
}

// asked wants an open task of one of the kinds for a row that waits for a
// person.
func (f *finder) asked(k ledger.Key, task, noun string, kinds ...string) {
	tk := taskKey(k.Tenant, task)
	t := f.v.tasks[refOf(tk)]
	if t != nil && t.state == review.Open {
		for _, kind := range kinds {
			if t.kind == kind {
				return
			}
		}
	}
	f.wrong(on(k, tk), "%s %s waits for a person and its task %q is not an open one", noun, k.ID, task)
}

func operationsOwned(f *finder) {
	for r, op := range f.v.operations {
		timed := op.dueAt != "" && op.dueShard != ""
		switch op.state {
		case outbox.Open, outbox.Waiting:
			if !timed {
				f.wrong(on(op.key), "operation %s is %s and has no due time: nothing brings it back", r.id, op.state)
			}
		default:
			if op.dueAt != "" || op.dueShard != "" {
				f.wrong(on(op.key), "operation %s is %s and still has a due time", r.id, op.state)
			}
		}
	}
}

func intentsOwned(f *finder) {
	for r, i := range f.v.intents {
		switch i.state {
		case followup.Ready, followup.Sending, followup.Unknown:
			if !f.timed(r) {
				rows := on(i.key)
				for _, op := range f.v.timers[r] {
					rows = append(rows, op.key)
				}
				f.wrong(rows, "intent %s is %s and no open operation names it: nothing brings it back", r.id, i.state)
			}
		case followup.Proposed:
			f.asked(i.key, i.review, "intent", review.ApproveIntent)
		case followup.InReview:
			f.asked(i.key, i.review, "intent", review.HeldSend, review.UnknownSend)
		}
	}
}

// timed tells whether an intent has a timer that runs, or one that was parked
// and so is with a person.
func (f *finder) timed(r ref) bool {
	for _, op := range f.v.timers[r] {
		if op.state == outbox.Open || op.state == outbox.Parked {
			return true
		}
	}
	return false
}

func tasksAsk(f *finder) {
	for r, t := range f.v.tasks {
		if t.state != review.Open {
			if t.openFor != "" {
				f.wrong(on(t.key), "task %s is %s and still in the list of open ones", r.id, t.state)
			}
			continue
		}
		if t.openFor != r.tenant {
			f.wrong(on(t.key), "task %s is open and not in its tenant's list of open ones", r.id)
		}
		ek, ik := eventKey(r.tenant, t.event), intentKey(r.tenant, t.intent)
		switch t.kind {
		case review.DecideEvent:
			if e := f.v.events[refOf(ek)]; e == nil || e.state != inbound.InReview {
				f.wrong(on(t.key, ek), "task %s asks about event %s, which does not wait for it", r.id, t.event)
			}
		case review.ApproveIntent, review.HeldSend, review.UnknownSend:
			want := followup.InReview
			if t.kind == review.ApproveIntent {
				want = followup.Proposed
			}
			if i := f.v.intents[refOf(ik)]; i == nil || i.state != want {
				f.wrong(on(t.key, ik), "task %s asks about intent %s, which does not wait for it", r.id, t.intent)
			}
		}
	}
}

// rawKept asks for the raw content of what a person or a worker has still to
// read. A fault of the blob store is no finding.
func rawKept(ctx context.Context, f *finder) error {
	for r, e := range f.v.events {
		if e.state == inbound.Decided {
			continue
		}
		_, err := f.o.Blob.Get(ctx, blob.Ref(e.raw))
		switch {
		case err == nil:
		case errors.Is(err, blob.ErrMissing):
			f.wrong(on(e.key), "event %s is %s and its raw content is gone", r.id, e.state)
		case errors.Is(err, blob.ErrDamaged), errors.Is(err, blob.ErrInvalid):
			f.wrong(on(e.key), "event %s is %s and its raw content is not what was stored", r.id, e.state)
		default:
			return fmt.Errorf("read raw content of an event: %w", err)
		}
	}
	return nil
}

func allQuiet(f *finder) {
	for r, e := range f.v.events {
		if e.state == inbound.Recorded {
			f.wrong(on(e.key), "event %s is not decided yet", r.id)
		}
	}
	for r, i := range f.v.intents {
		if !ended(i.state) && i.state != followup.Proposed && i.state != followup.InReview {
			f.wrong(on(i.key), "intent %s is still %s", r.id, i.state)
		}
	}
	for r, op := range f.v.operations {
		if op.state == outbox.Open || op.state == outbox.Waiting {
			f.wrong(on(op.key), "operation %s (%s) is still %s", r.id, op.kind, op.state)
		}
	}
}

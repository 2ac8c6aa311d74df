package idempotency

import (
	"context"
	"fmt"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/record/claim"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// Complete saves the result and keeps it for keep, at least a second, after
// which the key is free. The result has at most what an item holds:
// ledger.MaxItemBytes with the key and fingerprint.
func (r Records) Complete(ctx context.Context, h Held, result string, keep time.Duration) error {
	return r.end(ctx, h, claim.Completed, result, keep)
}

// Fail saves that the work failed for good, and how: who begins it again while
// that is kept is told so.
func (r Records) Fail(ctx context.Context, h Held, result string, keep time.Duration) error {
	return r.end(ctx, h, claim.Failed, result, keep)
}

func (r Records) end(ctx context.Context, h Held, status claim.Status, result string, keep time.Duration) error {
	if keep < time.Second {
		return fmt.Errorf("%w: a record that is kept for %s guards nothing", ledger.ErrInvalid, keep)
	}
	now := utc.At(r.Now())
	// Rounded up: kept for at least as long as was asked for.
	expires := now.Std().Add(keep + time.Second - time.Nanosecond).Unix()
	return r.finish(ctx, h, status, Join(Complete(result, now), ledger.Item{claim.StatusAttr: status, schema.ExpiresAt: expires}))
}

// Release gives back work that is known not to have had any effect; due again
// at the given time, or at once if that is zero.
func (r Records) Release(ctx context.Context, h Held, at utc.Time) error {
	return r.finish(ctx, h, claim.Failed, Join(Release(), ledger.Item{claim.NotBeforeAttr: at}))
}

// Lose says that the work may have had its effect. Who begins it next is told
// that it is a takeover.
func (r Records) Lose(ctx context.Context, h Held) error {
	return r.finish(ctx, h, claim.Unknown, Lost())
}

// finish makes the fenced write. The fence does not ask whether the claim has
// lapsed: while nobody has taken the work over, the outcome is the outcome.
func (r Records) finish(ctx context.Context, h Held, status claim.Status, set ledger.Item) error {
	var c ledger.Commit
	if err := c.Update("record", h.key, Fence(h.record), set); err != nil {
		return err
	}
	err := r.Store.Commit(ctx, c)
	if refused, ok := ledger.AsRefused(err); ok {
		f, _ := refused.By("record")
		if finished(f.Current, h, status) {
			return nil // our own write, whose answer was lost
		}
		return ErrLost
	}
	if err != nil {
		return fmt.Errorf("finish work for %s: %w", h.key.Sub, err)
	}
	return nil
}

// finished tells whether a record shows that this very claim ended so. The
// token is the claim's alone, so no other can have written it.
func finished(it ledger.Item, h Held, status claim.Status) bool {
	return it.Text(claim.OwnerAttr) == h.record.Owner && it.Int(claim.AttemptAttr) == h.record.Attempt && it.Text(claim.StatusAttr) == string(status)
}

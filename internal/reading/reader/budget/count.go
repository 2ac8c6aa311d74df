package budget

import (
	"context"
	"log/slog"
	"math"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/reading/reader"
)

// Count is what a tenant's readings of one day came to.
type Count struct {
	Tenant       string `json:"tenant"`
	Day          string `json:"day"` // of UTC
	Calls        int64  `json:"calls"`
	Unanswered   int64  `json:"unanswered"` // of the calls; counted at their bound
	InputTokens  int64  `json:"input_tokens"`
	OutputTokens int64  `json:"output_tokens"`
	MicroUSD     int64  `json:"micro_usd"`
	ExpiresAt    int64  `json:"expires_at"` // retention: see keep
}

// keep is how long a day's count is kept: a bill is questioned months later.
const keep = 400 * 24 * time.Hour

// DayOf is the day that a reading counts for.
func DayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

func key(tenant, day string) ledger.Key {
	return ledger.Spending.At(tenant, day)
}

// read is the count of a day; a day without one has cost nothing.
func read(ctx context.Context, store ledger.Store, tenant, day string) (Count, error) {
	it, err := store.Get(ctx, key(tenant, day))
	if err != nil || it == nil {
		return Count{}, err
	}
	var c Count
	return c, it.Decode(&c)
}

// micro rounds up: many small sums must not vanish.
func micro(usd float64) int64 { return int64(math.Ceil(usd * 1e6)) }

// maxTries is how often a count is written that others write at the same time.
const maxTries = 10

// writeTime bounds the counting, which goes on when the reading has ended.
const writeTime = 5 * time.Second

// count raises the day's count. A call that was never made used up nothing. The
// answer is used whether or not this succeeds: it has been paid for.
func (r *Reader) count(ctx context.Context, tenant, day string, used reader.Usage) {
	if used == (reader.Usage{}) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	err := r.raise(ctx, tenant, day, used)
	if err != nil {
		r.cfg.Log.LogAttrs(ctx, slog.LevelError, "the cost of a reading was not counted", slog.String("alarm", "spending_not_counted"),
			slog.String("tenant", tenant), slog.String("day", day), slog.Float64("usd", max(used.CostUSD, used.AtMostUSD)), slog.String("error", err.Error()))
	}
}

func (r *Reader) raise(ctx context.Context, tenant, day string, used reader.Usage) error {
	k := key(tenant, day)
	return ledger.Retry(ctx, maxTries, func() (again bool, err error) {
		it, err := r.cfg.Store.Get(ctx, k)
		if err != nil {
			return false, err
		}
		c, err := r.raised(k, it, used)
		if err != nil {
			return false, err
		}
		err = r.cfg.Store.Commit(ctx, c)
		return ledger.Moved(err), err // an unknown one may have been written: twice would be too much
	})
}

// raised is the commit that adds a call to the count as it was seen.
func (r *Reader) raised(k ledger.Key, seen ledger.Item, used reader.Usage) (ledger.Commit, error) {
	n := Count{Tenant: k.Tenant, Day: k.ID, ExpiresAt: r.cfg.Now().Add(keep).Unix()}
	if seen != nil {
		if err := seen.Decode(&n); err != nil {
			return ledger.Commit{}, err
		}
	}
	n.Calls++
	n.InputTokens += used.InputTokens
	n.OutputTokens += used.OutputTokens
	n.MicroUSD += micro(max(used.CostUSD, used.AtMostUSD))
	if used.AtMostUSD > 0 {
		n.Unanswered++
	}
	var c ledger.Commit
	var err error
	if seen == nil {
		err = c.Create("spending", k, n)
	} else {
		err = c.Update("spending", k, ledger.AtVersion(seen.Version()), ledger.Item{
			"calls": n.Calls, "unanswered": n.Unanswered, "input_tokens": n.InputTokens, "output_tokens": n.OutputTokens, "micro_usd": n.MicroUSD,
		})
	}
	return c, err
}

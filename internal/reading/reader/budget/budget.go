// Package budget puts a tenant's daily budget before a reader that costs, and
// the rules beside it.
//
// It owns the count of what a tenant's readings cost on a day (UTC), one item of
// the ledger, read before each call and raised after it. Once the count has
// reached the budget no call is made until the next day: the rules read, and
// each such reading asks for a person.
//
// How far a day can pass its budget: a call is begun while the count is below
// it, so by one call for each worker that reads at that time, at the bounds of a
// message and an answer; and by what was not counted, which is the calls of
// workers that died, or could not write, between answer and count (an error in
// the log with the alarm word "spending_not_counted"). A call that brought no
// answer counts with the most it can have cost.
//
// The rules read along with every answer: what makes them want a person to look
// is added to it, for a model that has been talked round is the last to say so;
// and a sender's address, name or company that contradicts the one they find is
// for a person. They never take anything away.
package budget

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"onefold/internal/ledger"
	"onefold/internal/reading/reader"
)

// ReasonSpent is why a person looks at what the rules alone have read.
const ReasonSpent = "reader_budget_spent"

// Config is what a Reader needs; all of it.
type Config struct {
	Model    reader.Metered // what costs
	Rules    reader.Reader  // what does not
	Store    ledger.Store
	Now      func() time.Time
	DailyUSD float64 // of one tenant; 0 lets the model read nothing
	Log      *slog.Logger
}

// Reader reads on a tenant's account. It is safe for concurrent use.
type Reader struct{ cfg Config }

var _ reader.Accounted = (*Reader)(nil)

// New makes a Reader; an error names what is missing.
func New(cfg Config) (*Reader, error) {
	if cfg.Model == nil || cfg.Rules == nil || cfg.Store == nil || cfg.Now == nil || cfg.Log == nil {
		return nil, errors.New("budget: a part is missing")
	}
	if cfg.DailyUSD < 0 {
		return nil, errors.New("budget: a negative budget")
	}
	return &Reader{cfg: cfg}, nil
}

// Model is that of the reader that costs: answers are stored under its name,
// whoever gave them, so that none is asked for twice.
func (r *Reader) Model() string { return r.cfg.Model.Model() }

// PromptVersion is likewise the model's.
func (r *Reader) PromptVersion() string { return r.cfg.Model.PromptVersion() }

// AtMost is the model's bound; of one that has none it is zero. The rules cost
// nothing.
func (r *Reader) AtMost(s reader.Source) reader.Usage {
	if f, ok := r.cfg.Model.(reader.Foreseen); ok {
		return f.AtMost(s)
	}
	return reader.Usage{}
}

// Extract reads on the account of the deployment itself.
func (r *Reader) Extract(ctx context.Context, s reader.Source) (reader.Record, error) {
	reading, _, err := r.ReadFor(ctx, ledger.NoTenant, s)
	return reading.Record, err
}

// ReadFor asks the model, or the rules once the tenant's day is spent. When the
// count cannot be read nobody is asked.
func (r *Reader) ReadFor(ctx context.Context, tenant string, s reader.Source) (reader.Reading, reader.Usage, error) {
	day := DayOf(r.cfg.Now())
	count, err := read(ctx, r.cfg.Store, tenant, day)
	if err != nil {
		return reader.Reading{}, reader.Usage{}, fmt.Errorf("read what the day has cost: %w", err)
	}
	byRules, err := r.cfg.Rules.Extract(ctx, s)
	if err != nil {
		return reader.Reading{}, reader.Usage{}, fmt.Errorf("read by rules: %w", err)
	}
	if count.MicroUSD >= micro(r.cfg.DailyUSD) {
		r.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "the budget for readings is spent, the rules read",
			slog.String("tenant", tenant), slog.String("day", day), slog.Int64("calls", count.Calls), slog.String("reason", ReasonSpent))
		return reader.Reading{
			Record: byRules, Reasons: []string{ReasonSpent},
			Model: r.cfg.Rules.Model(), PromptVersion: r.cfg.Rules.PromptVersion(),
		}, reader.Usage{}, nil
	}
	record, used, err := r.cfg.Model.ExtractMetered(ctx, s)
	r.count(ctx, tenant, day, used)
	if err != nil {
		return reader.Reading{}, used, err
	}
	return reader.Reading{Record: joined(record, byRules), Model: r.Model(), PromptVersion: r.PromptVersion()}, used, nil
}

// joined is a model's record with what the rules hold against it. Reply-To is
// as good an address as From, but which of them a mail is from is not for its
// own text to say.
func joined(record, byRules reader.Record) reader.Record {
	record.ReviewReasons = append(record.ReviewReasons, byRules.ReviewReasons...)
	if differ(record.SenderEmail, byRules.SenderEmail, reader.SameAddress) || differ(record.ContactName, byRules.ContactName, sameName) ||
		differ(record.Company, byRules.Company, sameName) {
		record.ReviewReasons = append(record.ReviewReasons, reader.ReasonDisputed)
	}
	record.PossibleOptOut = record.PossibleOptOut || byRules.PossibleOptOut
	record.Class = byRules.Class // for code alone to judge
	return record
}

// differ: both have a value, and they are of two people.
func differ(a, b reader.Field, same func(a, b string) bool) bool {
	return a.Value != "" && b.Value != "" && !same(a.Value, b.Value)
}

// sameName: all words of the shorter name stand in the longer, in any order.
func sameName(a, b string) bool {
	x, y := wordsOf(a), wordsOf(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	return !slices.ContainsFunc(x, func(w string) bool { return !slices.Contains(y, w) })
}

func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFKC.String(name)), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
}

package eval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onefold/internal/reading/reader"
)

// Sitting is one reading of a set.
type Sitting struct {
	Reader reader.Reader
	Bench  *Bench
	Kept   *Answers // nil: answers are kept nowhere
	// MostGarbled is how many unreadable answers of one mail end its reading.
	MostGarbled int
	Wait        func(context.Context, time.Duration)
	Say         func(line string)
}

// The waits for a reader that is busy or silent: each twice the one before, and
// how many of them.
const (
	firstWait = 2 * time.Second
	longest   = time.Minute
	mostWaits = 8
	// sayEach is after how many answers a reading that costs tells where it is.
	sayEach = 10
)

// Read asks about every case, in order. An outcome is nil from the case on at
// which something ended the reading. Answers at hand are not asked for again.
func (s *Sitting) Read(ctx context.Context, cases []Case) ([]*Outcome, error) {
	outcomes := make([]*Outcome, len(cases))
	asked, usd := 0, 0.0
	for i, c := range cases {
		if err := ctx.Err(); err != nil {
			return outcomes, err
		}
		q := s.Bench.Open(c)
		var a Reply
		if source, wanted := q.Source(); wanted {
			at, have := s.Kept.find(c.ID, s.Reader, source)
			if a = at; !have {
				var err error
				if a, err = s.ask(ctx, source); err != nil {
					return outcomes, err
				}
				if err := s.Kept.put(c.ID, s.Reader, source, a); err != nil {
					return outcomes, err
				}
				usd += a.Usage.CostUSD + a.Usage.AtMostUSD
				if asked++; asked%sayEach == 0 && s.costs() {
					s.Say(fmt.Sprintf("mail %d of %d, %d calls, USD %.4f so far", i+1, len(cases), asked, usd))
				}
			}
		}
		o, err := s.Bench.Outcome(q, a)
		if err != nil {
			return outcomes, fmt.Errorf("case %s: %w", c.ID, err)
		}
		outcomes[i] = &o
	}
	return outcomes, nil
}

func (s *Sitting) costs() bool {
	_, yes := s.Reader.(reader.Foreseen)
	return yes
}

// ask asks until there is an answer or it is settled that there is none, which
// is an answer too: a person reads the mail. Anything else is no property of
// the reader and ends the reading. An interrupt does not cut off a call, which
// may have been paid for; it ends the waits between calls.
func (s *Sitting) ask(ctx context.Context, source reader.Source) (Reply, error) {
	call := context.WithoutCancel(ctx) // the reader bounds its calls itself
	var used reader.Usage
	garbled, pause := 0, firstWait
	for waits := 0; ; waits++ {
		a, err := Ask(call, s.Reader, source)
		used.InputTokens += a.Usage.InputTokens
		used.OutputTokens += a.Usage.OutputTokens
		used.CostUSD += a.Usage.CostUSD
		used.AtMostUSD += a.Usage.AtMostUSD
		a.Usage = used
		var no *reader.NoAnswer
		switch {
		case err == nil:
			return a, nil
		case !errors.As(err, &no):
			return a, err
		case no.Outcome == reader.Garbled:
			garbled++
		}
		switch {
		case no.Outcome.Settled(), garbled >= s.MostGarbled:
			return Reply{None: true, Reasons: []string{no.Reason}, Usage: used}, nil
		case no.Outcome == reader.Misconfigured:
			return a, err
		case waits == mostWaits:
			return a, err
		case no.Outcome == reader.Garbled:
			continue
		}
		s.Say(fmt.Sprintf("%s: again in %v", no.Reason, pause))
		s.Wait(ctx, pause)
		if ctx.Err() != nil {
			return a, ctx.Err()
		}
		pause = min(2*pause, longest)
	}
}

// Ahead counts the calls that a reading would make, the answers at hand, and
// what the calls cost at most.
func (s *Sitting) Ahead(foreseen reader.Foreseen, cases []Case) (calls, have int, usd float64) {
	for _, c := range cases {
		source, wanted := s.Bench.Open(c).Source()
		if !wanted {
			continue
		}
		if _, at := s.Kept.find(c.ID, s.Reader, source); at {
			have++
			continue
		}
		calls++
		usd += foreseen.AtMost(source).AtMostUSD
	}
	return calls, have, usd
}

// Whole are the cases that were measured, without attacks whose twin was not:
// those prove nothing.
func Whole(cases []Case, outcomes []*Outcome) ([]Case, []Outcome) {
	measured := map[string]bool{}
	for i, c := range cases {
		measured[c.ID] = outcomes[i] != nil
	}
	all := true
	for _, yes := range measured {
		all = all && yes
	}
	var done []Case
	var seen []Outcome
	for i, c := range cases {
		if outcomes[i] != nil && (all || c.Labels.Twin == "" || measured[c.Labels.Twin]) {
			done, seen = append(done, c), append(seen, *outcomes[i])
		}
	}
	return done, seen
}

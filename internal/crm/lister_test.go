package crm_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/crm"
)

// pages answers List with what is given, one answer after the other.
type pages struct {
	answers []crm.Result // "" as outcome is a page
	asked   []string
	at      []time.Time
}

func (p *pages) List(_ context.Context, cursor string) (crm.Page, crm.Result) {
	p.asked, p.at = append(p.asked, cursor), append(p.at, time.Now())
	if len(p.answers) > 0 {
		res := p.answers[0]
		if p.answers = p.answers[1:]; res.Outcome != "" {
			return crm.Page{}, res
		}
	}
	switch cursor {
	case "":
		return crm.Page{Records: []crm.Record{{ID: "1"}, {ID: "2"}}, Next: "2"}, crm.Result{Outcome: crm.Done}
	case "2":
		return crm.Page{Next: "3"}, crm.Result{Outcome: crm.Done}
	}
	return crm.Page{Records: []crm.Record{{ID: "3"}}}, crm.Result{Outcome: crm.Done}
}

func listed(ctx context.Context, l crm.Lister) (ids []string, err error) {
	for r, e := range crm.Records(ctx, l) {
		if e != nil {
			return ids, e
		}
		ids = append(ids, r.ID)
	}
	return ids, nil
}

func TestAPageThatIsRefusedForAWhileIsAskedForAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pages{answers: []crm.Result{{}, {Outcome: crm.Busy, RetryAfter: 7 * time.Second}, {Outcome: crm.Unknown}}}
		ids, err := listed(t.Context(), p)
		if err != nil || !slices.Equal(ids, []string{"1", "2", "3"}) || !slices.Equal(p.asked, []string{"", "2", "2", "2", "3"}) {
			t.Errorf("%v, %v, asked for %q", ids, err, p.asked)
		}
		if wait := p.at[2].Sub(p.at[1]); wait < 7*time.Second {
			t.Errorf("asked again after %v", wait)
		}
	})
}

func TestAListThatCannotBeReadSaysWhy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := crm.Result{Outcome: crm.NotBegun, Reason: crm.ReasonNoConnection}
		for _, c := range []struct {
			answers []crm.Result
			calls   int
			reason  string
		}{
			{[]crm.Result{{Outcome: crm.Refused, Reason: crm.ReasonAuth}}, 1, crm.ReasonAuth},
			{[]crm.Result{{Outcome: crm.Busy, Reason: crm.ReasonRateLimit, RetryAfter: time.Hour}}, 1, crm.ReasonRateLimit},
			{[]crm.Result{down, down, down, down, down, down}, 5, crm.ReasonNoConnection},
		} {
			p := &pages{answers: c.answers}
			_, err := listed(t.Context(), p)
			var why *crm.ListError
			if !errors.As(err, &why) || why.Result.Reason != c.reason || len(p.asked) != c.calls {
				t.Errorf("%s: %v after %d calls", c.reason, err, len(p.asked))
			}
		}
	})
}

func TestAListEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p := &pages{answers: []crm.Result{{Outcome: crm.Busy, RetryAfter: time.Minute}}}
		if _, err := listed(ctx, p); !errors.Is(err, context.DeadlineExceeded) || len(p.asked) != 1 {
			t.Errorf("%v after %d calls", err, len(p.asked))
		}
	})
}

func TestARecordHasItsMainAddressFirst(t *testing.T) {
	t.Parallel()
	r := crm.Record{Values: crm.Values{crm.FieldEmail: "a@example.com"}, Also: []string{"b@example.com"}}
	if got := r.Emails(); !slices.Equal(got, []string{"a@example.com", "b@example.com"}) {
		t.Errorf("%v", got)
	}
	if got := (crm.Record{Also: r.Also}).Emails(); !slices.Equal(got, r.Also) {
		t.Errorf("%v", got)
	}
}

package ingest_test

import (
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/record/inbound"
)

// holdAtFirstPut lets the first n deliveries go on only when all of them have
// read the ledger and are about to store their content.
func (b *bench) holdAtFirstPut(n int) {
	var all sync.WaitGroup
	all.Add(n)
	var came atomic.Int64
	b.store.reset(func(_ int, call string) (bool, error) {
		if call == "put" && came.Add(1) <= int64(n) {
			all.Done()
			all.Wait()
		}
		return true, nil
	}, nil)
}

// Twenty processes deliver the same at once. All find that there is no event
// before any of them goes on, so that the commit alone decides.
func TestOfDeliveriesAtOnceOneIsRecordedAndTheRestAreDuplicates(t *testing.T) {
	t.Parallel()
	const n = 20
	onEachStore(t, func(b *bench) {
		b.answers(form("warm", enquiry), 200, "recorded")
		b.holdAtFirstPut(n)
		answers := make([]ingest.Response, n)
		var over sync.WaitGroup
		for i := range answers {
			over.Go(func() { answers[i] = b.deliver(form("msg_1", enquiry)) })
		}
		over.Wait()
		got := map[string]int{}
		for _, a := range answers {
			if a.Status != 200 || a.Event != "form/website/msg_1" || a.State != "recorded" {
				b.Errorf("answered %+v", a)
			}
			got[a.Answer]++
		}
		if want := map[string]int{"recorded": 1, "duplicate": n - 1}; !reflect.DeepEqual(got, want) {
			b.Errorf("answers %v, want %v", got, want)
		}
		b.counts(2, 1+n, 0)
	})
}

// Half of them carry other content: whichever comes first is the event, and
// all of the other half are one question to a person.
func TestOfTwoContentsAtOnceOneIsTheEventAndTheOtherOneTask(t *testing.T) {
	t.Parallel()
	const n = 20
	onEachStore(t, func(b *bench) {
		b.answers(form("warm", enquiry), 200, "recorded")
		b.holdAtFirstPut(n)
		bodies := [2]string{enquiry, `{"other":"content"}`}
		answers := make([]ingest.Response, n)
		var over sync.WaitGroup
		for i := range answers {
			over.Go(func() { answers[i] = b.deliver(form("msg_1", bodies[i%2])) })
		}
		over.Wait()
		var got [2]map[string]int
		for i, a := range answers {
			if got[i%2] == nil {
				got[i%2] = map[string]int{}
			}
			got[i%2][a.Answer]++
		}
		winner := map[string]int{"recorded": 1, "duplicate": n/2 - 1}
		loser := map[string]int{"conflict": n / 2}
		if !reflect.DeepEqual(got, [2]map[string]int{winner, loser}) && !reflect.DeepEqual(got, [2]map[string]int{loser, winner}) {
			b.Errorf("answers %v", got)
		}
		b.counts(2, 1+n, 1)
	})
}

// A second process may find the event between its read and its commit, decided
// already: its sender is told the state that the commit met.
func TestLoserOfTheRaceIsToldThePresentState(t *testing.T) {
	t.Parallel()
	b := newBench(t, onMem(t))
	b.answers(form("warm", enquiry), 200, "recorded")
	r := form("msg_1", enquiry)
	b.store.reset(func(_ int, call string) (bool, error) {
		if call != "put" {
			return true, nil
		}
		b.store.reset(nil, nil)
		b.answers(r, 200, "recorded")
		var c ledger.Commit
		k := ledger.Event.At(demo, "form/website/msg_1")
		if err := c.Update("event", k, ledger.AtVersion(1), ledger.Item{"state": inbound.Decided, "outcome": inbound.Ignored}); err != nil {
			b.Fatal(err)
		}
		if err := b.store.Store.Commit(b.Context(), c); err != nil {
			b.Fatal(err)
		}
		return true, nil
	}, nil)
	if got := b.answers(r, 200, "duplicate"); got.State != inbound.Decided || got.Outcome != inbound.Ignored {
		t.Errorf("answered %+v, want decided, ignored", got)
	}
	b.counts(2, 3, 0)
	b.whole()
}

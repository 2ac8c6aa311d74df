package lambdaio_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/operate/verify"
	"onefold/internal/proof/streamreader"
	"onefold/internal/reading/reader"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
)

// Half an hour in which everything that Lambda, the stream and the ledger may
// do goes wrong at chance: no second mail, no second contact, every promise
// holds, and a day later nothing is open that no person has.
func TestHalfAnHourOfEverythingGoingWrong(t *testing.T) {
	t.Parallel()
	seeds := 8
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { soak(t, rand.New(rand.NewPCG(uint64(seed), 4))) })
		})
	}
}

func soak(t *testing.T, chance *rand.Rand) {
	all := []streamreader.Assume{}
	for _, a := range cloudAssumptions() {
		all = append(all, a)
	}
	c := newCloud(t, cloudPlan{assume: all[chance.IntN(len(all))], shards: 1 + uint32(chance.IntN(3)), change: func(m *streamreader.Mapping) {
		if chance.IntN(2) == 0 {
			m.ParallelizationFactor = 3
		}
	}})
	c.latency, c.limit = 50*time.Millisecond, 3+chance.IntN(8)
	c.callTakes = time.Duration(1+chance.IntN(10)) * time.Second
	c.read = func(ctx context.Context, _ reader.Source) { cloudSpend(ctx, 5*time.Second) }
	var barred schema.Function
	c.throttled = func(f schema.Function) bool { return f == barred }
	c.lost = func(ledger.Change) bool { return chance.IntN(20) == 0 }
	c.begin()
	people := 0
	for end := time.Now().Add(30 * time.Minute); time.Now().Before(end); c.pass(time.Duration(1+chance.IntN(20)) * time.Second) {
		switch chance.IntN(8) {
		case 0, 1:
			if people < 20 {
				c.form(people, cloudQuestion)
				people++
			}
		case 2:
			until := time.Now().Add(time.Duration(chance.IntN(90)) * time.Second)
			c.away.Store(&until)
		case 3:
			c.kill()
		case 4:
			w := c.workers[chance.IntN(len(c.workers))]
			w.reader.Die()
		case 5:
			barred = []schema.Function{"", schema.Extract, schema.Send, schema.CRMSync}[chance.IntN(4)]
		case 6:
			c.twice = !c.twice
		case 7:
			c.hear()
		}
	}
	barred, c.lost, c.twice = "", nil, false
	for range 24 * 4 {
		c.hear()
		if c.until(15*time.Minute, c.settled) {
			break
		}
	}
	for _, it := range c.rows(schema.Outbox, ledger.Operation) {
		if s := it.Text("state"); s == outbox.Open || s == outbox.Waiting {
			t.Errorf("an operation %s is %s, %s", it.Text("kind"), s, it.Text("reason"))
		}
	}
	rep, err := verify.Check(context.Background(), c.store, verify.Options{IDs: &c.ids, Blob: c.blobs})
	c.must(err)
	for _, f := range rep.Findings {
		if f.Severity == verify.Violation {
			t.Errorf("%s: %s %v", f.Check, f.What, f.Keys)
		}
	}
	if rep.Counts["event"] != people || people == 0 || rep.Counts["contact.active"] != rep.Counts["event.decided"] {
		t.Errorf("%d people, %d events, %d of them decided, %d contacts", people, rep.Counts["event"], rep.Counts["event.decided"], rep.Counts["contact.active"])
	}
	for who, n := range c.sent {
		if n != 1 {
			t.Errorf("%s was sent %d mails", who, n)
		}
	}
}

// settled tells whether everything has ended or is with a person.
func (c *cloud) settled() bool {
	for _, it := range c.rows(schema.Events, ledger.Event) {
		if it.Text("state") == inbound.Recorded {
			return false
		}
	}
	for _, it := range c.rows(schema.Outbox, ledger.Operation) {
		if s := it.Text("state"); s == outbox.Open || s == outbox.Waiting {
			return false
		}
	}
	return true
}

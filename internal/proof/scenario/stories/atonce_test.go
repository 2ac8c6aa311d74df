package stories_test

// The second story once more, by schedule and not by chance. Real and fake are
// as in together_test.go; the proxy holds both decisions until both stand
// before the ledger. So it may be asserted that two workers each saw nobody,
// each decided to make the contact, and one contact came of it. The seed is of
// identifiers only.

import (
	"bytes"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"onefold/internal/proof/faultproxy"
	"onefold/internal/schema"
)

// makesContact tells whether a transaction puts a contact key: then its worker
// has found nobody.
func makesContact(r faultproxy.Request) bool {
	return bytes.Contains(r.Body, []byte(`"`+schema.Entity+`":{"S":"contact_key"}`))
}

func TestTwoWorkersThatBothFoundNobodyMakeOneContact(t *testing.T) {
	t.Parallel()
	const seed = 43
	t.Logf("seed %d", seed)
	w := newWorld(t, seed, nil)
	var urls []string
	for range 4 {
		urls = append(urls, w.start(ingestWorker, extractWorker, crmWorker, sendWorker).address())
	}
	random := rand.New(rand.NewPCG(seed, 0))
	written := pairs(5) // one of each kind
	for _, p := range written {
		var met atomic.Int64
		both := make(chan struct{})
		meet := func(faultproxy.Request) {
			if met.Add(1) == 2 {
				close(both)
			}
			select {
			case <-both:
			case <-time.After(patience / 4): // within a worker's time
			}
		}
		if err := w.proxy.Set(faultproxy.Rule{
			Fault: faultproxy.Delay, Operation: "TransactWriteItems", When: makesContact, Times: 2, Wait: time.Nanosecond, Hit: meet,
		}); err != nil {
			t.Fatal(err)
		}
		w.together(random, p, urls)
		w.until(p.kind+" is decided", func() bool { return w.undecided() == 0 })
		if met.Load() != 2 {
			t.Errorf("%s: %d decisions to make a contact were held, want two", p.kind, met.Load())
		}
	}
	w.until("everything is done", func() bool { return w.pending() == 0 })
	w.flush()
	for _, p := range written {
		w.judge(p)
		if n := w.mailsTo(p.person); n != 1 {
			t.Errorf("%s: the provider has %d mails, want one", p.kind, n)
		}
	}
	w.holds(true)
}

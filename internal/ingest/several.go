package ingest

import (
	"cmp"
	"context"
	"sync"

	"onefold/internal/webhook"
)

// atOnce is how many events of one request are recorded at the same time. The
// SDK keeps at most 10 idle connections to a host: more would be opened and
// closed again.
const atOnce = 8

// each makes the deliveries of one request durable and returns an answer for
// each, in their order. Those of one ID follow each other, so that the first in
// the body is the event and the others are judged by it. It returns when no
// call is under way any more.
func (s *Service) each(ctx context.Context, x arrival, all []webhook.Delivery) []Response {
	answers := make([]Response, len(all))
	var chains [][]int // of one ID each, by place in the body
	chain := map[[2]string]int{}
	for i, d := range all {
		id := [2]string{cmp.Or(d.Mailbox, x.endpoint.Mailbox), d.ID}
		n, known := chain[id]
		if !known {
			n = len(chains)
			chain[id], chains = n, append(chains, nil)
		}
		chains[n] = append(chains[n], i)
	}
	var over sync.WaitGroup
	room, panics := make(chan struct{}, atOnce), make(chan any, len(chains))
	for _, places := range chains {
		room <- struct{}{}
		over.Go(func() {
			defer func() { <-room }()
			// A panic is the request's, whose caller makes a fault of it.
			defer func() {
				if v := recover(); v != nil {
					panics <- v
				}
			}()
			for _, i := range places {
				answers[i] = s.one(ctx, x, all[i])
				s.tell(ctx, x.event.Tenant, x.request, answers[i], len(all[i].Raw))
			}
		})
	}
	over.Wait()
	select {
	case v := <-panics:
		panic(v)
	default:
		return answers
	}
}

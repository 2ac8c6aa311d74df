package send_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"onefold/internal/mailer"
)

// verdict is what the provider does with one call.
type verdict struct {
	takes     bool // the mail goes out
	result    mailer.Result
	dieBefore bool
	dieAfter  bool
}

var (
	taken      = verdict{takes: true, result: mailer.Result{Outcome: mailer.Accepted, RequestID: "r"}}
	rejected   = verdict{result: mailer.Result{Outcome: mailer.Rejected, Reason: "MessageRejected", RequestID: "r"}}
	throttled  = verdict{result: mailer.Result{Outcome: mailer.Throttled, Reason: "TooManyRequestsException", RequestID: "r"}}
	halted     = verdict{result: mailer.Result{Outcome: mailer.Throttled, Reason: "SendingPausedException", Halt: true}}
	notBegun   = verdict{result: mailer.Result{Outcome: mailer.NotBegun, Reason: "no_connection"}}
	lostTaken  = verdict{takes: true, result: mailer.Result{Outcome: mailer.Unknown, Reason: "timeout"}}
	lostUntake = verdict{result: mailer.Result{Outcome: mailer.Unknown, Reason: "timeout"}}
)

// first gives one verdict to the first call and another to the rest.
func first(a, rest verdict) func(int) verdict {
	return func(n int) verdict {
		if n == 1 {
			return a
		}
		return rest
	}
}

// submission is a call that reached the provider.
type submission struct {
	intent  string
	attempt int64
	taken   bool
	mail    mailer.Mail
}

// When the events of taken mail come.
const (
	eventsInTime = iota
	eventsTwice
	eventsEarly // before the answer to the call
	eventsLost
)

// postbox is a provider: it keeps what reached it and reports what it took.
type postbox struct {
	w       *world
	verdict func(call int) verdict
	before  func(call int)
	after   func(call int)
	events  int

	mu      sync.Mutex
	calls   int
	got     []submission
	pending []mailer.Event
}

func (p *postbox) Provider() string { return "fake" }

func (p *postbox) Submit(ctx context.Context, m mailer.Mail) mailer.Result {
	p.mu.Lock()
	p.calls++
	n := p.calls
	p.mu.Unlock()
	if p.before != nil {
		p.before(n)
	}
	gate(ctx)
	if ctx.Err() != nil {
		return mailer.Result{Outcome: mailer.NotBegun, Reason: "no_time"}
	}
	v := p.verdict(n)
	if v.dieBefore {
		panic(death{})
	}
	tags := map[string]string{}
	for _, t := range m.Tags {
		tags[t.Name] = t.Value
	}
	attempt, _ := strconv.ParseInt(tags[mailer.TagAttempt], 10, 64)
	id := fmt.Sprintf("m%d", n)
	p.mu.Lock()
	p.got = append(p.got, submission{tags[mailer.TagIntent], attempt, v.takes, m})
	if v.takes {
		for _, kind := range []mailer.EventType{mailer.EventSent, mailer.EventDelivered} {
			p.pending = append(p.pending, mailer.Event{Type: kind, MessageID: id, At: time.Now(), Tags: tags, DedupeKey: id + string(kind)})
		}
	}
	p.mu.Unlock()
	if p.events == eventsEarly {
		p.deliver()
	}
	if v.dieAfter {
		panic(death{})
	}
	gate(ctx)
	if p.after != nil {
		p.after(n)
	}
	if v.result.Outcome == mailer.Accepted {
		v.result.MessageID = id
	}
	return v.result
}

// deliver brings the events that are due to feedback.
func (p *postbox) deliver() {
	p.mu.Lock()
	list := p.pending
	p.pending = nil
	p.mu.Unlock()
	if p.events == eventsLost {
		return
	}
	if p.events == eventsTwice { // and out of order
		for n := len(list) - 1; n >= 0; n-- {
			p.w.happen(list[n])
		}
	}
	for _, e := range list {
		p.w.happen(e)
	}
}

// taken counts what the provider took of an intent.
func (p *postbox) taken(intent string) (n int) {
	for _, s := range p.got {
		if s.intent == intent && s.taken {
			n++
		}
	}
	return n
}

// event is one of the provider's about an attempt of i1.
func event(kind mailer.EventType, attempt int, message, dedupe string) mailer.Event {
	return mailer.Event{Type: kind, MessageID: message, At: time.Now(), DedupeKey: dedupe, Tags: map[string]string{
		mailer.TagTenant: "demo", mailer.TagIntent: "i1", mailer.TagAttempt: strconv.Itoa(attempt),
	}}
}

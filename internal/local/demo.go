package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"onefold/events"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
)

// DemoPolicy is the example policy with its rule in auto mode, so that mail
// goes out without a person.
func DemoPolicy() []byte {
	return bytes.Replace(tenant.Example(), []byte(`"mode": "draft"`), []byte(`"mode": "auto"`), 1)
}

// RunScript delivers the samples in order and waits until nothing moves. say
// is told each step and its answer.
func (s *System) RunScript(ctx context.Context, say func(name, answer string)) error {
	sender, err := s.Sender(ctx)
	if err != nil {
		return err
	}
	script := events.Demo()
	for i := 0; i < len(script); {
		j := i + 1
		for j < len(script) && script[j].Together {
			j++
		}
		if script[i].AfterQuiet {
			if err := s.WaitQuiet(ctx, demoHorizon); err != nil {
				return err
			}
		}
		if err := deliver(ctx, sender, script[i:j], say); err != nil {
			return err
		}
		i = j
	}
	return s.WaitQuiet(ctx, demoHorizon)
}

// demoHorizon: what is not due within it waits for a person or for evidence,
// and is no longer moving.
const demoHorizon = 10 * time.Minute

// deliver sends steps at the same moment.
func deliver(ctx context.Context, sender Sender, steps []events.Delivery, say func(name, answer string)) error {
	answers := make([]string, len(steps))
	faults := make([]error, len(steps))
	var wg sync.WaitGroup
	for n, d := range steps {
		wg.Go(func() {
			for try := range max(d.Repeat, 1) {
				r, err := sender.Send(ctx, Outgoing{
					Endpoint: d.Endpoint, ID: d.ID, EnvelopeFrom: d.EnvelopeFrom, EnvelopeTo: d.EnvelopeTo, Body: d.Body,
				})
				if err != nil || r.Status/100 != 2 {
					faults[n] = errors.Join(err, fmt.Errorf("%s was answered %d %s", d.Name, r.Status, r.Error))
					return
				}
				if try > 0 {
					answers[n] += ", "
				}
				answers[n] += r.Answer
			}
		})
	}
	wg.Wait()
	for n, d := range steps {
		say(d.Name, answers[n])
	}
	return errors.Join(faults...)
}

// Count counts what the ledger holds, in the demo's terms.
func (s *System) Count(ctx context.Context) (events.Counts, error) {
	c := events.Counts{Mails: s.SentMail()}
	for _, spec := range schema.Specs() {
		for cursor := ""; ; {
			page, err := s.Opened.Store.Scan(ctx, ledger.Scan{Table: spec.Name, Segments: 1, Cursor: cursor, Limit: 500})
			if err != nil {
				return c, err
			}
			for _, it := range page.Items {
				count(&c, it)
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
	}
	return c, nil
}

func count(c *events.Counts, it ledger.Item) {
	switch ledger.Entity(it.Text(schema.Entity)) {
	case ledger.Delivery:
		if it.Text("answer") != inbound.AnswerConflict {
			c.Deliveries++
		}
	case ledger.Event:
		c.Events++
	case ledger.Contact:
		c.Contacts++
	case ledger.Enquiry:
		c.Enquiries++
	case ledger.Intent:
		c.Intents++
	case ledger.ReviewTask:
		c.Reviews++
	case ledger.Guard:
		if it.Text(guard.StopAttr(guard.ScopeAll)) != "" {
			c.Stopped++
		}
	case ledger.Operation:
		countOperation(&c.Operations, it.Text("kind"))
	default:
	}
}

func countOperation(o *events.Operations, kind string) {
	switch kind {
	case outbox.SendIntent:
		o.SendIntent++
	case outbox.CancelIntents:
		o.CancelIntents++
	case outbox.CRMContact:
		o.CRMContact++
	case outbox.CRMNote:
		o.CRMNote++
	case outbox.CRMTask:
		o.CRMTask++
	}
}

package ingest

import (
	"context"
	"log/slog"
	"slices"

	"onefold/internal/blob"
	"onefold/internal/decide"
	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/audit"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/utc"
	"onefold/internal/webhook"
	"onefold/internal/webhook/standard"
)

// Headers by which a sender of raw mail states the SMTP envelope.
const (
	HeaderEnvelopeFrom = standard.HeaderEnvelopeFrom
	HeaderEnvelopeTo   = standard.HeaderEnvelopeTo
)

const nullSender = webhook.NullSender

// event is what a delivery is recorded as, or why it cannot be.
func (s *Service) event(r Request, ep tenant.Endpoint, d webhook.Delivery) (inbound.Event, *Response) {
	e := inbound.Event{
		Tenant: r.Tenant, Source: ep.Name, Content: d.Content, Mailbox: d.Mailbox, DeliveryID: d.ID, EnvelopeFrom: d.EnvelopeFrom,
		Fingerprint: d.Fingerprint, Verdicts: d.Verdicts, ReceivedAt: utc.At(s.Now()), State: inbound.Recorded, Transition: 1,
	}
	if e.Mailbox == "" {
		e.Mailbox = ep.Mailbox
	}
	if d.JSON != nil {
		volatile := append(slices.Clone(d.Volatile), ep.Volatile...)
		if meaning, err := idempotency.FingerprintWithout(d.JSON, volatile...); err == nil {
			e.Fingerprint, e.Bytes = meaning, webhook.Fingerprint(d.JSON)
		} // else readers could take it for two values: its bytes count
	}
	var err error
	if e.ID, err = inbound.ID(e.Source, e.Mailbox, e.DeliveryID); err != nil {
		return e, &Response{Error: "id_invalid", Hint: "mailbox and the delivery's id have 1 to 256 bytes each"}
	}
	e.Raw = string(blob.RefOf(e.Tenant, e.ID, d.Raw))
	e.NotBefore, e.DueAt, e.DueShard = e.ReceivedAt, e.ReceivedAt.Add(FirstDue), schema.Shard(e.ID)
	return e, nil
}

// newEvent is the commit that makes a delivery an event.
func (s *Service) newEvent(r Request, e inbound.Event) (ledger.Commit, error) {
	var c ledger.Commit
	err := c.Insert(ledger.Step{
		Key:     ledger.Event.At(e.Tenant, e.ID),
		Machine: inbound.Machine(), Event: "record",
		Audit: audit.Record{
			At: e.ReceivedAt, By: "ingest", InboundEvent: e.ID,
			Details: details(r, e),
		},
	}, e, inbound.Recorded)
	if err != nil {
		return c, err
	}
	if err := s.once(&c, r, e); err != nil {
		return c, err
	}
	return c, s.delivery(&c, r, e, inbound.AnswerRecorded)
}

func details(r Request, e inbound.Event) map[string]string {
	d := map[string]string{"content_hash": e.Fingerprint, "raw": e.Raw, "source": e.Source, "request": r.RequestID}
	if r.delivery.Kind != "" {
		d["kind"] = r.delivery.Kind
	}
	return d
}

func (s *Service) delivery(c *ledger.Commit, r Request, e inbound.Event, answer string) error {
	return c.Create("delivery", ledger.Delivery.Under(e.Tenant, e.ID, token(e.ReceivedAt)), inbound.Delivery{
		Tenant: e.Tenant, Event: e.ID, At: e.ReceivedAt, RequestID: r.RequestID, Fingerprint: e.Fingerprint, Bytes: e.Bytes, Answer: answer,
	})
}

// again answers a delivery of an ID that is recorded: with the event's present
// state if the content is the same, and with a conflict, which a person gets
// to see, if not. Nothing is overwritten.
func (s *Service) again(ctx context.Context, a webhook.Answers, r Request, e inbound.Event, seen ledger.Item) Response {
	answer, status := inbound.AnswerDuplicate, a.Duplicate
	var c ledger.Commit
	if !sameContent(seen, e, r.delivery) {
		answer, status = inbound.AnswerConflict, a.Conflict
		if err := s.Blob.Put(ctx, blob.Ref(e.Raw), r.Body); err != nil {
			return s.fault(ctx, a, "store_raw", err)
		}
		content := e.Fingerprint
		if seen.Text("content_bytes") == "" {
			content = r.delivery.Fingerprint // as the question about such an event was named before
		}
		if err := s.askAbout(&c, e, content); err != nil {
			return s.fault(ctx, a, "make_task", err)
		}
	}
	if answer == inbound.AnswerDuplicate {
		// A repeat may have a proof of its own, which is used up with it. One that
		// does not fit its event is not: it may still come with the event it is of.
		if err := s.once(&c, r, e); err != nil {
			return s.fault(ctx, a, "make_once", err)
		}
	}
	if err := s.delivery(&c, r, e, answer); err != nil {
		return s.fault(ctx, a, "make_delivery", err)
	}
	more := len(c.Writes) > 1
	err := s.Store.Commit(ctx, c)
	asked := err == nil && answer == inbound.AnswerConflict
	if _, isRefused := ledger.AsRefused(err); isRefused && more {
		// This other content was seen before: its task stands. Or this proof was:
		// it is used up. The delivery is still written down.
		c = ledger.Commit{}
		if err = s.delivery(&c, r, e, answer); err == nil {
			err = s.Store.Commit(ctx, c)
		}
	}
	if err != nil {
		return s.fault(ctx, a, "store_delivery", err)
	}
	if asked {
		s.Log.LogAttrs(ctx, slog.LevelInfo, "delivery put before a person", slog.String("event", decide.LogID(e.Tenant, e.ID)), metric.Count(schema.ReviewsOpened, 1))
	}
	resp := Response{Status: status, Answer: answer, Event: e.ID, State: seen.Text(machine.StateAttr), Outcome: seen.Text("outcome")}
	if answer == inbound.AnswerConflict {
		resp.Error, resp.Hint = "id_reused", "this id was used with other content; a new message needs a new id"
	}
	return resp
}

// sameContent reports whether a delivery brings what is recorded under its ID:
// the same value where both are JSON, else the same bytes. An event recorded
// before values were compared has the source's own fingerprint alone.
func sameContent(seen ledger.Item, e inbound.Event, d webhook.Delivery) bool {
	recorded, bytes := seen.Text("content_fingerprint"), seen.Text("content_bytes")
	switch {
	case recorded == e.Fingerprint:
		return true
	case bytes == "":
		return recorded == d.Fingerprint
	case e.Bytes == "" && d.JSON != nil:
		return bytes == webhook.Fingerprint(d.JSON)
	}
	return false
}

// askAbout asks a person about the conflict, once for each other content.
func (s *Service) askAbout(c *ledger.Commit, e inbound.Event, content string) error {
	t := review.Task{
		Tenant: e.Tenant, ID: s.IDs.ID("task", review.IDConflict, e.Tenant, e.ID, content), Kind: review.IDConflict,
		State: review.Open, Transition: 1, Event: e.ID, Reasons: []string{"id_reused_with_other_content"},
		Raw: e.Raw, OpenFor: e.Tenant, OpenedAt: e.ReceivedAt,
	}
	return c.Insert(ledger.Step{
		Key:     ledger.ReviewTask.At(e.Tenant, t.ID),
		Machine: review.Machine(), Event: "open",
		Audit: audit.Record{At: e.ReceivedAt, By: "ingest", InboundEvent: e.ID, Reasons: t.Reasons, Details: map[string]string{"content_hash": content}},
	}, t, review.Open)
}

package ingest

import (
	"context"

	"onefold/internal/blob"
	"onefold/internal/ledger"
	"onefold/internal/record/claim"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
	"onefold/internal/webhook"
)

// onceFor is what the idempotency records of webhook.Delivery.Once are for.
const onceFor = "delivery_once"

// used says which event a word was used for. It has no end: the words outlive
// content, as the IDs do.
type used struct {
	Tenant string `json:"tenant"`
	Event  string `json:"event"`
	claim.Record
}

// once puts the word that the sender signs beside the event, in the commit of the
// event or of a repeat that has a word of its own, so that no second event is
// made with it under another ID.
func (s *Service) once(c *ledger.Commit, r Request, e inbound.Event) error {
	if r.delivery.Once == "" {
		return nil
	}
	return c.Create("once", ledger.Idempotency.Under(e.Tenant, s.IDs.ID("once", e.Source, r.delivery.Once), onceFor), used{Tenant: e.Tenant, Event: e.ID, Record: claim.Record{
		Status: claim.Completed, Fingerprint: e.Fingerprint, Result: e.ID, CompletedAt: utc.At(s.Now()),
	}})
}

// underAnotherID answers a delivery whose word was used for an event of
// another ID: the ID is one that the sender does not sign, so this is that
// event again if the content is the same, and a conflict with it if not.
func (s *Service) underAnotherID(ctx context.Context, a webhook.Answers, r Request, e inbound.Event, word ledger.Item) Response {
	e.ID = word.Text("event")
	seen, err := s.Store.Get(ctx, eventKey(e))
	if err != nil {
		return s.fault(ctx, a, "read_event", err)
	}
	if seen == nil {
		return s.fault(ctx, a, "read_event", errNoEvent)
	}
	e.Raw = string(blob.RefOf(e.Tenant, e.ID, r.Body))
	r.delivery.Once = "" // it is used up
	return s.again(ctx, a, r, e, seen)
}

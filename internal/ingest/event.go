package ingest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"

	"onefold/internal/blob"
	"onefold/internal/decide"
	"onefold/internal/fetch"
	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/audit"
	"onefold/internal/record/claim"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/utc"
	"onefold/internal/webhook"
	"onefold/internal/webhook/authres"
	"onefold/internal/webhook/standard"
)

// Headers by which a sender of raw mail states the SMTP envelope.
const (
	HeaderEnvelopeFrom = standard.HeaderEnvelopeFrom
	HeaderEnvelopeTo   = standard.HeaderEnvelopeTo
)

const nullSender = webhook.NullSender

// onceFor is what the idempotency records of webhook.Delivery.Once are for.
const onceFor = "delivery_once"

// errNoEvent: a word is written with its event, in one commit.
var errNoEvent = errors.New("ingest: a used word without its event")

// used says which event a word was used for. It has no end: the words outlive
// content, as the IDs do.
type used struct {
	Tenant string `json:"tenant"`
	Event  string `json:"event"`
	claim.Record
}

// arrival is one delivery and what it is recorded as.
type arrival struct {
	answers  webhook.Answers
	endpoint tenant.Endpoint // zero for mail that SES received
	request  string          // ID of the HTTP request or of the queue's message
	delivery webhook.Delivery
	event    inbound.Event // only tenant and source until the delivery is known
}

// one makes one delivery durable.
func (s *Service) one(ctx context.Context, x arrival, d webhook.Delivery) Response {
	e := inbound.Event{
		Tenant: x.event.Tenant, Source: x.event.Source, Content: d.Content, Mailbox: d.Mailbox, DeliveryID: d.ID, EnvelopeFrom: d.EnvelopeFrom,
		Fingerprint: d.Fingerprint, Verdicts: d.Verdicts, ReceivedAt: utc.At(s.Now()), State: inbound.Recorded, Transition: 1,
	}
	if e.Mailbox == "" {
		e.Mailbox = x.endpoint.Mailbox
	}
	if d.JSON != nil {
		volatile := append(slices.Clone(d.Volatile), x.endpoint.Volatile...)
		if meaning, err := idempotency.FingerprintWithout(d.JSON, volatile...); err == nil {
			e.Fingerprint, e.Bytes = meaning, webhook.Fingerprint(d.JSON)
		} // else readers could take it for two values: its bytes count
	}
	var err error
	if e.ID, err = inbound.ID(e.Source, e.Mailbox, e.DeliveryID); err != nil {
		return Response{Status: x.answers.Malformed, Error: "id_invalid", Hint: "mailbox and the delivery's id have 1 to 256 bytes each"}
	}
	e.NotBefore, e.DueAt, e.DueShard = e.ReceivedAt, e.ReceivedAt.Add(FirstDue), schema.Shard(e.ID)
	x.delivery, x.event = d, e
	seen, err := s.Store.Get(ctx, ledger.Event.At(e.Tenant, e.ID))
	if err != nil {
		return s.fault(ctx, x.answers, "read_event", err)
	}
	return s.record(ctx, x, seen)
}

// record makes the event durable, or answers for the one that is there already.
// seen is what the caller has read of it.
func (s *Service) record(ctx context.Context, x arrival, seen ledger.Item) Response {
	resp := Response{Status: x.answers.Recorded, Answer: inbound.AnswerRecorded, Event: x.event.ID, State: x.event.State}
	var step string
	var err error
	if seen == nil {
		seen, step, err = s.create(ctx, &x)
	}
	if seen != nil && err == nil {
		resp, step, err = s.again(ctx, x, seen)
	}
	if err != nil {
		return s.fault(ctx, x.answers, step, err)
	}
	return resp
}

// create makes the event durable, or returns the event that is there by now
// and makes x a delivery of that. With an error it returns the step that failed.
func (s *Service) create(ctx context.Context, x *arrival) (seen ledger.Item, step string, err error) {
	if x.delivery.Fetch != "" && s.Content != nil {
		raw, err := s.Content(ctx, x.event.Tenant, x.endpoint, x.delivery.Fetch)
		switch {
		case err == nil:
			x.delivery.Raw = raw
		case !errors.Is(err, fetch.ErrGone) && !errors.Is(err, fetch.ErrTooLarge):
			return nil, "fetch_content", err
		} // else retrying will not help: a person sees the metadata
	}
	x.checked()
	// Raw content first: an event always has its content.
	if err := s.keep(ctx, x); err != nil {
		return nil, "store_raw", err
	}
	c, err := s.newEvent(*x)
	if err != nil {
		return nil, "make_event", err
	}
	err = s.Store.Commit(ctx, c)
	if ref, isRefused := ledger.AsRefused(err); isRefused {
		if f, ok := ref.By("event"); ok && f.Current != nil {
			return f.Current, "", nil
		}
		if f, ok := ref.By("once"); ok && f.Current != nil {
			seen, err = s.underAnotherID(ctx, x, f.Current)
			return seen, "read_event", err
		}
	}
	// After an error it may have been written; the sender's next try will tell.
	return nil, "store_event", err
}

// checked adds what the server that the endpoint names wrote into the mail about
// its sender. It counts before what the provider says, since it knows of DMARC.
func (x *arrival) checked() {
	if x.endpoint.AuthservID == "" || x.event.Content != tenant.ContentMail {
		return
	}
	if v := authres.Of(x.delivery.Raw, x.endpoint.AuthservID); v != (inbound.Verdicts{}) {
		x.event.SPF, x.event.DKIM, x.event.DMARC = v.SPF, v.DKIM, v.DMARC
	}
}

// keep stores the raw content and names it in the event.
func (s *Service) keep(ctx context.Context, x *arrival) error {
	ref := blob.RefOf(x.event.Tenant, x.event.ID, x.delivery.Raw)
	x.event.Raw = string(ref)
	return s.Blob.Put(ctx, ref, x.delivery.Raw)
}

// newEvent is the commit that makes a delivery an event.
func (s *Service) newEvent(x arrival) (ledger.Commit, error) {
	e := x.event
	details := map[string]string{"content_hash": e.Fingerprint, "raw": e.Raw, "source": e.Source, "request": x.request}
	if x.delivery.Kind != "" {
		details["kind"] = x.delivery.Kind
	}
	var c ledger.Commit
	err := c.Insert(ledger.Step{
		Key:     ledger.Event.At(e.Tenant, e.ID),
		Machine: inbound.Machine(), Event: inbound.Record,
		Audit: audit.Record{At: e.ReceivedAt, By: "ingest", InboundEvent: e.ID, Details: details},
	}, e, inbound.Recorded)
	if err != nil {
		return c, err
	}
	return c, s.delivery(&c, x, inbound.AnswerRecorded)
}

// delivery writes the delivery down in the commit of its event or of its
// answer, and beside it the word that the sender signs, so that no second event
// is made with that under another ID. A repeat may have a word of its own, which
// is used up with it. A conflict uses up no word: it may still come with the
// event that it belongs to.
func (s *Service) delivery(c *ledger.Commit, x arrival, answer string) error {
	e := x.event
	if x.delivery.Once != "" && answer != inbound.AnswerConflict {
		err := c.Create("once", ledger.Idempotency.Under(e.Tenant, s.IDs.ID("once", e.Source, x.delivery.Once), onceFor), used{Tenant: e.Tenant, Event: e.ID, Record: claim.Record{
			Status: claim.Completed, Fingerprint: e.Fingerprint, Result: e.ID, CompletedAt: utc.At(s.Now()),
		}})
		if err != nil {
			return err
		}
	}
	var tail [6]byte // a row for each delivery
	_, _ = rand.Read(tail[:])
	return c.Create("delivery", ledger.Delivery.Under(e.Tenant, e.ID, e.ReceivedAt.String()+"-"+hex.EncodeToString(tail[:])), inbound.Delivery{
		Tenant: e.Tenant, Event: e.ID, At: e.ReceivedAt, RequestID: x.request, Fingerprint: e.Fingerprint, Bytes: e.Bytes, Answer: answer,
	})
}

// underAnotherID reads the event that a word was used for and makes x a delivery
// of that: the sender does not sign the ID, so this is that event again if the
// content is the same, and a conflict with it if not.
func (s *Service) underAnotherID(ctx context.Context, x *arrival, word ledger.Item) (ledger.Item, error) {
	x.event.ID = word.Text("event")
	seen, err := s.Store.Get(ctx, ledger.Event.At(x.event.Tenant, x.event.ID))
	if err == nil && seen == nil {
		err = errNoEvent
	}
	x.delivery.Once = "" // it is used up
	return seen, err
}

// again answers a delivery of an ID that is recorded: with the event's present
// state if the content is the same, and with a conflict, which a person gets
// to see, if not. Nothing is overwritten. With an error it
// returns the step that failed.
func (s *Service) again(ctx context.Context, x arrival, seen ledger.Item) (resp Response, step string, err error) {
	answer, status := inbound.AnswerDuplicate, x.answers.Duplicate
	var c ledger.Commit
	if !sameContent(seen, x.event, x.delivery) {
		answer, status = inbound.AnswerConflict, x.answers.Conflict
		if err := s.keep(ctx, &x); err != nil {
			return resp, "store_raw", err
		}
		content := x.event.Fingerprint
		if seen.Text("content_bytes") == "" {
			content = x.delivery.Fingerprint // as the question about such an event was named before
		}
		if err := s.askAbout(&c, x.event, content); err != nil {
			return resp, "make_task", err
		}
	}
	if err := s.delivery(&c, x, answer); err != nil {
		return resp, "make_delivery", err
	}
	more := len(c.Writes) > 1
	err = s.Store.Commit(ctx, c)
	asked := err == nil && answer == inbound.AnswerConflict
	if _, isRefused := ledger.AsRefused(err); isRefused && more {
		// This other content was seen before: its task stands. Or this proof was:
		// it is used up. The delivery is still written down.
		c, x.delivery.Once = ledger.Commit{}, ""
		if err = s.delivery(&c, x, answer); err == nil {
			err = s.Store.Commit(ctx, c)
		}
	}
	if err != nil {
		return resp, "store_delivery", err
	}
	if asked {
		s.Log.LogAttrs(ctx, slog.LevelInfo, "delivery put before a person", slog.String("event", decide.LogID(x.event.Tenant, x.event.ID)), metric.Count(schema.ReviewsOpened, 1))
	}
	resp = Response{Status: status, Answer: answer, Event: x.event.ID, State: seen.Text(machine.StateAttr), Outcome: seen.Text("outcome")}
	if answer == inbound.AnswerConflict {
		resp.Error, resp.Hint = "id_reused", "this id was used with other content; a new message needs a new id"
	}
	return resp, "", nil
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
		Machine: review.Machine(), Event: review.Put,
		Audit: audit.Record{At: e.ReceivedAt, By: "ingest", InboundEvent: e.ID, Reasons: t.Reasons, Details: map[string]string{"content_hash": content}},
	}, t, review.Open)
}

package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/queue"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
	"onefold/internal/utc"
	"onefold/internal/webhook"
	"onefold/internal/webhook/sesreceipt"
)

// MaxMail is the most bytes of a mail that SES received: the 40 MB that it
// takes for S3 (Developer Guide, "Service quotas", read 2026-11), and room for
// the headers that it adds. The whole mail is in memory once, while it is
// copied, so the function takes one at a time.
const MaxMail = 42 << 20

var (
	// ErrForeignMail means that a notification is not of our topic or names an
	// object outside our bucket. Nothing is read or recorded. The queue sets it
	// aside; a person finds out who may write to the queue.
	ErrForeignMail = errors.New("ingest: a notification of another topic or bucket")
	// ErrUnknownMailbox means that some of a mail's recipients are no tenant's, or
	// of a form that no event can be filed under.
	// For the others it is recorded. The queue brings it again and sets it aside
	// in the end, so that nothing is lost: once a policy has the mailbox, a person
	// moves it back, and what was recorded before is a duplicate then.
	ErrUnknownMailbox = errors.New("ingest: mail for a mailbox that no policy has")
	// ErrMailNotRecorded means that the ledger or the content store failed for
	// some of a mail's mailboxes. The queue brings it again.
	ErrMailNotRecorded = errors.New("ingest: mail not recorded for each of its mailboxes")
	// ErrMailSize means that the object is empty or has more than MaxMail bytes.
	// No try changes that; the queue sets it aside.
	ErrMailSize = errors.New("ingest: mail that is empty or too large")
)

// Object reads an object of the bucket of received mail whole. It may refuse
// more than MaxMail bytes. An object that is not there is an error as any
// other: it may come yet, and if not, the queue sets the notification aside.
type Object func(ctx context.Context, key string) ([]byte, error)

// Mail takes in what SES received and announced on a queue. All fields but
// Topic are needed.
type Mail struct {
	Service *Service
	Bucket  string // where SES puts mail; objects elsewhere are never read
	Topic   string // ARN of the topic that announces it; "" where the queue's policy is all there is
	Object  Object
}

// Handle takes one message of the queue; nil means that it may be deleted. A
// message that comes again, or another of the same mail, makes deliveries of
// events that exist. An error names no address.
//
// Each mailbox of the mail gets an event of its own, in a commit of its own.
// A crash leaves, before the first put: nothing; between a put and its commit:
// content that no event names, which the retention rule removes; between two
// mailboxes: the events of the first. Each time the message comes again and
// goes on with what is missing. The object in the mail bucket is only read, and
// only while an event is missing.
func (m *Mail) Handle(ctx context.Context, msg queue.Message) error {
	err := m.handle(ctx, msg)
	if err == nil || errors.Is(err, ErrMailNotRecorded) {
		return err // counted with the mailbox
	}
	counts := schema.DeliveriesFailed
	if errors.Is(err, ErrUnknownMailbox) {
		counts = schema.DeliveriesRefused
	}
	m.Service.Log.LogAttrs(ctx, slog.LevelError, "received mail not taken in",
		slog.String("record", msg.ID), slog.String("error", err.Error()), metric.Count(counts, 1))
	return err
}

func (m *Mail) handle(ctx context.Context, msg queue.Message) error {
	n, err := sesreceipt.Parse(msg.Body)
	if err != nil {
		return err
	}
	// Whose topic it is stands before everything that it says.
	if m.Topic != "" && n.Topic != "" && n.Topic != m.Topic {
		return fmt.Errorf("%w: topic", ErrForeignMail)
	}
	if n.Setup {
		m.Service.Log.LogAttrs(ctx, slog.LevelInfo, "SES announced that it can reach the mail queue", slog.String("record", msg.ID))
		return nil
	}
	if n.Bucket != m.Bucket {
		return fmt.Errorf("%w: bucket", ErrForeignMail)
	}
	events, unknown, err := m.events(ctx, n)
	if err != nil {
		return err
	}
	if err := m.record(ctx, msg, n, events); err != nil {
		return err
	}
	if unknown > 0 {
		return fmt.Errorf("%w: %d of %d recipients", ErrUnknownMailbox, unknown, len(n.Recipients))
	}
	return nil
}

// events makes the event of each mailbox that is somebody's, still without its
// content, once where recipients lead to one mailbox.
func (m *Mail) events(ctx context.Context, n sesreceipt.Notice) (events []inbound.Event, unknown int, err error) {
	made := map[ledger.Key]bool{}
	for _, recipient := range n.Recipients {
		route, ok, err := m.Service.Policies.Route(ctx, recipient)
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			unknown++
			continue
		}
		e, err := m.event(n, route)
		if err != nil {
			// No event can be filed under it. Whoever wrote the mail chose it, and it
			// must not keep the mail from the other mailboxes.
			unknown++
			continue
		}
		if k := ledger.Event.At(e.Tenant, e.ID); !made[k] {
			made[k] = true
			events = append(events, e)
		}
	}
	return events, unknown, nil
}

// record makes each event durable or finds that it is. The mail is fetched
// once, and only if an event is missing: by SES's ID a mail is the same
// whatever its object says, so a duplicate needs no object, which may have
// expired.
func (m *Mail) record(ctx context.Context, msg queue.Message, n sesreceipt.Notice, events []inbound.Event) error {
	if len(events) == 0 {
		return nil
	}
	keys := make([]ledger.Key, len(events))
	for i, e := range events {
		keys[i] = ledger.Event.At(e.Tenant, e.ID)
	}
	seen, err := m.Service.Store.GetMany(ctx, keys)
	if err != nil {
		return fmt.Errorf("read the events of a received mail: %w", err)
	}
	var raw []byte
	for _, it := range seen {
		if it != nil {
			continue
		}
		if raw, err = m.fetch(ctx, n.Key); err != nil {
			return err
		}
		break
	}
	failed := 0
	for i, e := range events {
		x := arrival{answers: webhook.StandardWebhooks(), request: msg.ID, delivery: webhook.Delivery{Raw: raw}, event: e}
		if seen[i] != nil { // the same mail, whose content was not fetched
			x.event.Fingerprint = seen[i].Text("content_fingerprint")
		} else {
			x.event.Fingerprint = webhook.Fingerprint(raw)
		}
		resp := m.Service.record(ctx, x, seen[i])
		m.tell(ctx, msg, e, resp, len(raw))
		if resp.Answer == "" {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%w: %d of %d", ErrMailNotRecorded, failed, len(events))
	}
	return nil
}

// fetch reads the mail from where SES put it.
func (m *Mail) fetch(ctx context.Context, key string) ([]byte, error) {
	raw, err := m.Object(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("read a received mail: %w", err)
	}
	if len(raw) == 0 || len(raw) > MaxMail {
		return nil, fmt.Errorf("%w: %d bytes", ErrMailSize, len(raw))
	}
	return raw, nil
}

func (m *Mail) tell(ctx context.Context, msg queue.Message, e inbound.Event, resp Response, size int) {
	level := slog.LevelInfo
	if resp.Answer == "" {
		level = slog.LevelError
	}
	m.Service.Log.LogAttrs(ctx, level, "received mail answered",
		slog.String("answer", resp.Answer), slog.String("error", resp.Error), slog.String("tenant", e.Tenant),
		slog.String("event", decide.LogID(e.Tenant, e.ID)), slog.String("record", msg.ID),
		slog.String("spam", e.Spam), slog.String("virus", e.Virus), slog.Int("bytes", size), counted(resp))
}

// event is what a notice says, for one mailbox.
func (m *Mail) event(n sesreceipt.Notice, route versions.Route) (inbound.Event, error) {
	at := utc.At(m.Service.Now())
	e := inbound.Event{
		Tenant: route.Tenant, Source: route.Endpoint, Content: tenant.ContentMail, Mailbox: route.Mailbox,
		DeliveryID: "ses:" + n.MessageID, EnvelopeFrom: n.Source, Verdicts: n.Verdicts,
		ReceivedAt: at, State: inbound.Recorded, Transition: 1, NotBefore: at, DueAt: at.Add(FirstDue),
	}
	if e.EnvelopeFrom == sesreceipt.NullSender {
		e.EnvelopeFrom = nullSender
	}
	var err error
	if e.ID, err = inbound.ID(e.Source, e.Mailbox, e.DeliveryID); err != nil {
		return e, err
	}
	e.DueShard = schema.Shard(e.ID)
	return e, nil
}

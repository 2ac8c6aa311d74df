package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"onefold/internal/audit"
	"onefold/internal/blob"
	"onefold/internal/inbound"
	"onefold/internal/ledger"
	"onefold/internal/review"
	"onefold/internal/schema"
	"onefold/internal/tenant"
	"onefold/internal/utc"
	"onefold/internal/webhook"
)

// Headers by which a sender of raw mail states the SMTP envelope. They are
// not signed themselves; webhook-id, which is, holds their hash.
const (
	HeaderEnvelopeFrom = "x-onefold-envelope-from"
	HeaderEnvelopeTo   = "x-onefold-envelope-to"
)

// nullSender is what an event stores of an envelope sender that is empty or
// "<>": nobody may answer it (RFC 5321 section 4.5.5, RFC 3834 section 2). "" would
// be a sender that was not stated.
const nullSender = "<>"

// read makes the event that a verified delivery carries, or says why none can
// be made of it.
func (s *Service) read(r Request, ep tenant.Endpoint, id string) (inbound.Event, *Response) {
	e := inbound.Event{
		Tenant: r.Tenant, Source: ep.Name, Content: ep.Content, Mailbox: ep.Mailbox, DeliveryID: id,
		Fingerprint: webhook.Fingerprint(r.Body), ReceivedAt: utc.At(s.Now()), State: inbound.Recorded, Transition: 1,
	}
	if ep.Content == tenant.ContentMail {
		if bad := readMail(r, id, &e); bad != nil {
			return e, bad
		}
	} else if bad := readForm(r.Body); bad != nil {
		return e, bad
	}
	var err error
	if e.ID, err = inbound.ID(e.Source, e.Mailbox, e.DeliveryID); err != nil {
		return e, &Response{Error: "id_invalid", Hint: "mailbox and webhook-id have 1 to 256 bytes each"}
	}
	e.Raw = string(blob.RefOf(e.Tenant, e.ID, r.Body))
	e.NotBefore, e.DueAt, e.DueShard = e.ReceivedAt, e.ReceivedAt.Add(FirstDue), schema.Shard(e.ID)
	return e, nil
}

// readMail takes any bytes as mail: what cannot be parsed is for a person to
// see, since a mail cannot be asked for again. Only the envelope has a form.
func readMail(r Request, id string, e *inbound.Event) *Response {
	from, stated := r.Headers[HeaderEnvelopeFrom]
	to := r.Headers[HeaderEnvelopeTo]
	switch {
	case len(r.Body) == 0:
		return &Response{Error: "mail_empty", Hint: "the body is the raw MIME message"}
	case !stated:
		// Left out it could be a bounce's, and a bounce must never be answered.
		return &Response{Error: "envelope_missing", Hint: HeaderEnvelopeFrom + " names the envelope sender; of mail that has none it is empty or <>"}
	case to == "" || len(to) > inbound.MaxIDPart || len(from) > inbound.MaxIDPart:
		return &Response{Error: "envelope_missing", Hint: HeaderEnvelopeTo + " names the envelope recipient, at most 256 bytes"}
	case control(from) || control(to):
		// The hash below joins its parts with line feeds; none may hold one.
		return &Response{Error: "envelope_invalid", Hint: "the envelope addresses have no control characters"}
	case id != webhook.MailID(from, to, r.Body):
		return &Response{Error: "id_not_of_this_mail", Hint: "webhook-id of raw mail is mail_ and the hex SHA-256 of envelope sender, LF, envelope recipient, LF, message"}
	}
	e.Mailbox, e.EnvelopeFrom = lower(to), from
	if sender := strings.TrimSpace(from); sender == "" || sender == nullSender {
		e.EnvelopeFrom = nullSender
	}
	return nil
}

// readForm wants one JSON object in UTF-8 and nothing after it.
func readForm(body []byte) *Response {
	var object map[string]json.RawMessage
	switch {
	case !utf8.Valid(body):
		return &Response{Error: "body_not_utf8", Hint: "the body is a JSON object in UTF-8"}
	case !json.Valid(body):
		return &Response{Error: "body_not_json", Hint: "the body is one JSON object"}
	case json.Unmarshal(bytes.TrimSpace(body), &object) != nil || object == nil:
		return &Response{Error: "body_no_object", Hint: "the body is one JSON object"}
	}
	return nil
}

// newEvent is the commit that makes a delivery an event.
func (s *Service) newEvent(r Request, e inbound.Event) (ledger.Commit, error) {
	var c ledger.Commit
	err := c.Born(ledger.Step{
		Key:     ledger.Key{Entity: ledger.Event, Tenant: e.Tenant, ID: e.ID},
		Machine: inbound.Machine(), Event: "record",
		Audit: audit.Record{
			At: e.ReceivedAt, By: "ingest", InboundEvent: e.ID,
			Details: map[string]string{"content_hash": e.Fingerprint, "raw": e.Raw, "source": e.Source, "request": r.RequestID},
		},
	}, e, inbound.Recorded)
	if err != nil {
		return c, err
	}
	return c, s.delivery(&c, r, e, inbound.AnswerRecorded)
}

func (s *Service) delivery(c *ledger.Commit, r Request, e inbound.Event, answer string) error {
	return c.Create("delivery", ledger.Key{Entity: ledger.Delivery, Tenant: e.Tenant, ID: e.ID, Sub: token(e.ReceivedAt)}, inbound.Delivery{
		Tenant: e.Tenant, Event: e.ID, At: e.ReceivedAt, RequestID: r.RequestID, Fingerprint: e.Fingerprint, Answer: answer,
	})
}

// again answers a delivery of an ID that is recorded: with the event's present
// state if the content is the same, and with a conflict, which a person gets
// to see, if not. Nothing is overwritten.
func (s *Service) again(ctx context.Context, a webhook.Answers, r Request, e inbound.Event, seen ledger.Item) Response {
	answer, status := inbound.AnswerDuplicate, a.Duplicate
	var c ledger.Commit
	if seen.Text("content_fingerprint") != e.Fingerprint {
		answer, status = inbound.AnswerConflict, a.Conflict
		if err := s.Blob.Put(ctx, blob.Ref(e.Raw), r.Body); err != nil {
			return s.fault(ctx, a, "store_raw", err)
		}
		if err := s.askAbout(&c, e); err != nil {
			return s.fault(ctx, a, "make_task", err)
		}
	}
	if err := s.delivery(&c, r, e, answer); err != nil {
		return s.fault(ctx, a, "make_delivery", err)
	}
	err := s.Store.Commit(ctx, c)
	if _, isRefused := ledger.AsRefused(err); isRefused && answer == inbound.AnswerConflict {
		// This other content was seen before: its task stands. The delivery is
		// still written down.
		c = ledger.Commit{}
		if err = s.delivery(&c, r, e, answer); err == nil {
			err = s.Store.Commit(ctx, c)
		}
	}
	if err != nil {
		return s.fault(ctx, a, "store_delivery", err)
	}
	resp := Response{Status: status, Answer: answer, Event: e.ID, State: seen.Text("state"), Outcome: seen.Text("outcome")}
	if answer == inbound.AnswerConflict {
		resp.Error, resp.Hint = "id_reused", "this webhook-id was used with other content; a new message needs a new id"
	}
	return resp
}

// askAbout puts the conflict before a person, once for each other content.
func (s *Service) askAbout(c *ledger.Commit, e inbound.Event) error {
	t := review.Task{
		Tenant: e.Tenant, ID: s.IDs.ID("task", review.IDConflict, e.Tenant, e.ID, e.Fingerprint), Kind: review.IDConflict,
		State: review.Open, Transition: 1, Event: e.ID, Reasons: []string{"id_reused_with_other_content"},
		Raw: e.Raw, OpenFor: e.Tenant, OpenedAt: e.ReceivedAt,
	}
	return c.Born(ledger.Step{
		Key:     ledger.Key{Entity: ledger.ReviewTask, Tenant: e.Tenant, ID: t.ID},
		Machine: review.Machine(), Event: "open",
		Audit: audit.Record{At: e.ReceivedAt, By: "ingest", InboundEvent: e.ID, Reasons: t.Reasons, Details: map[string]string{"content_hash": e.Fingerprint}},
	}, t, review.Open)
}

func control(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] == 0x7f {
			return true
		}
	}
	return false
}

// lower folds ASCII only: a mailbox is one of the tenant's own.
func lower(s string) string { return string(bytes.ToLower([]byte(s))) }

package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"onefold/internal/decide"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/inbound"
	"onefold/internal/webhook"
)

const unknownWord = "unknown_endpoint"

// Handle takes one request. For each event that it carries it makes at most one
// read and one commit of the ledger and one write of raw content; of a
// duplicate, one read and one commit, and one commit more where the same proof
// comes again (webhook.Delivery, Once).
func (s *Service) Handle(ctx context.Context, r Request) Response {
	resp := s.handle(ctx, r)
	if resp.Batch == nil { // whose events were logged one by one
		s.tell(ctx, r.Tenant, r.RequestID, resp, len(r.Body))
	}
	return resp
}

func (s *Service) tell(ctx context.Context, tenantID, request string, resp Response, size int) {
	level := slog.LevelInfo
	if failed(resp) {
		level = slog.LevelError
	}
	event := ""
	if resp.Event != "" {
		event = decide.LogID(tenantID, resp.Event)
	}
	s.Log.LogAttrs(ctx, level, "delivery answered",
		slog.Int("status", resp.Status), slog.String("answer", resp.Answer), slog.String("error", resp.Error),
		slog.String("event", event), slog.String("request", request), slog.Int("bytes", size), counted(resp))
}

// failed reports whether the answer is a fault of ours. An unknown endpoint and
// a refused stranger are not, whatever the code.
func failed(r Response) bool { return r.Status >= 500 && r.Error != unknownWord && !r.unproven }

// fault answers what is our fault: nothing is promised, the sender tries
// again.
func (s *Service) fault(ctx context.Context, a webhook.Answers, step string, err error) Response {
	s.Log.LogAttrs(ctx, slog.LevelError, "delivery not recorded", slog.String("step", step), slog.String("error", err.Error()))
	return Response{Status: a.Fault, Error: "not_recorded", Hint: "send the same delivery again"}
}

// handle finds the endpoint's source and says only what its sender may learn.
func (s *Service) handle(ctx context.Context, r Request) Response {
	policy, err := s.Policies.Current(ctx, r.Tenant)
	if errors.Is(err, versions.ErrNone) {
		// No sender was ever given an address of a tenant that is not there.
		return unknownEndpoint(404)
	}
	if err != nil {
		return s.fault(ctx, webhook.StandardWebhooks(), "read_policy", err)
	}
	ep, ok := policy.Endpoint(r.Endpoint)
	if !ok || ep.Scheme == tenant.SchemeSES { // which has no address here
		return unknownEndpoint(webhook.UnknownEndpoint)
	}
	source, err := ep.Source()
	if err != nil { // a policy of newer code
		return s.fault(ctx, webhook.StandardWebhooks(), "make_source", err)
	}
	request := asSent(r, ep)
	resp := s.receive(ctx, arrivalOf(r, ep), request, source)
	if b, ok := source.(webhook.BrowserSource); ok {
		if h := b.AnswerHeaders(request); len(h) > 0 {
			resp.Headers = &h
		}
	}
	if source.About().Public {
		// Who sent it is not known, so nothing is told of what we have.
		resp.Event, resp.State, resp.Outcome = "", "", ""
	}
	return resp
}

// arrivalOf is what the receiver knows of a request that is not opened yet.
func arrivalOf(r Request, ep tenant.Endpoint) arrival {
	return arrival{endpoint: ep, request: r.RequestID, event: inbound.Event{Tenant: r.Tenant, Source: ep.Name}}
}

// asSent is the request as its sender made it.
func asSent(r Request, ep tenant.Endpoint) webhook.Request {
	out := webhook.Request{Method: r.Method, URL: ep.PublicURL, Headers: r.Headers, Body: r.Body}
	if out.Method == "" {
		out.Method = "POST"
	}
	if out.URL == "" {
		out.URL = "https://" + out.Headers.Get("host") + r.Path
	}
	if r.Query != "" {
		out.URL += "?" + r.Query
	}
	return out
}

// receive has the source verify the request, and takes what it carries.
func (s *Service) receive(ctx context.Context, x arrival, request webhook.Request, source webhook.Source) Response {
	about := source.About()
	x.answers = about.Answers
	if request.Method != "POST" && !slices.Contains(about.Methods, request.Method) {
		return Response{Status: 405, Error: "method_not_allowed", Hint: "POST a delivery"}
	}
	if len(request.Body) > about.MaxBody {
		return Response{Status: about.Answers.TooLarge, Error: "body_too_large", Hint: fmt.Sprintf("at most %d bytes: larger mail cannot be taken this way", about.MaxBody)}
	}
	set := webhook.Setting{Content: x.endpoint.Content, Now: s.Now()}
	if x.endpoint.Secret != "" {
		secrets, err := s.Secrets(ctx, x.event.Tenant, x.endpoint.Secret)
		if err != nil {
			return s.fault(ctx, about.Answers, "read_secret", err)
		}
		set.Secrets = secrets
	}
	if bad := s.document(ctx, source, request, &set); bad != nil {
		return *bad
	}
	opened, err := source.Open(request, set)
	if err != nil {
		return refused(about.Answers, err)
	}
	if opened.Note != "" {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "a source has something to tell", slog.String("note", opened.Note), slog.String("scheme", about.Scheme), slog.String("endpoint", x.endpoint.Name), slog.String("request", x.request))
	}
	if opened.Visit != "" {
		if s.Visit == nil {
			return s.fault(ctx, about.Answers, "confirm_subscription", errNoVisit)
		}
		if err := s.Visit(ctx, opened.Visit); err != nil {
			return s.fault(ctx, about.Answers, "confirm_subscription", err)
		}
	}
	if opened.Reply != nil {
		return Response{Status: opened.Reply.Status, Own: opened.Reply}
	}
	return s.take(ctx, x, opened)
}

var (
	errNoFetch = errors.New("ingest: this deployment fetches no documents")
	errNoVisit = errors.New("ingest: this deployment confirms no subscriptions")
)

// document fetches what a source verifies with, once the source has approved
// of the address.
func (s *Service) document(ctx context.Context, source webhook.Source, r webhook.Request, set *webhook.Setting) *Response {
	d, ok := source.(webhook.DocumentSource)
	if !ok {
		return nil
	}
	a := source.About().Answers
	url, err := d.Document(r)
	if err != nil {
		resp := refused(a, err)
		return &resp
	}
	if url == "" {
		return nil
	}
	err = errNoFetch
	if s.Fetch != nil {
		set.Document, err = s.Fetch(ctx, url)
	}
	if err != nil {
		resp := s.fault(ctx, a, "fetch_document", err)
		return &resp
	}
	return nil
}

// take makes each delivery durable and gives the one answer: see
// webhook.Source, "What the receiver does with it".
func (s *Service) take(ctx context.Context, x arrival, opened webhook.Opened) Response {
	a := x.answers
	if len(opened.Deliveries) == 0 && opened.Broken == 0 {
		return Response{Status: a.Recorded, Hint: "it carries no event that this endpoint takes"}
	}
	if len(opened.Deliveries) == 1 && opened.Broken == 0 {
		return s.one(ctx, x, opened.Deliveries[0]) // logged by Handle
	}
	n := Batch{Broken: opened.Broken}
	for _, resp := range s.each(ctx, x, opened.Deliveries) {
		switch {
		case resp.Status == a.Fault:
			n.Failed++
		case resp.Answer == "":
			n.Broken++
		case resp.Answer == inbound.AnswerConflict: // whose code may be that of the others
			n.Conflict++
		case resp.Answer == inbound.AnswerDuplicate:
			n.Duplicate++
		default:
			n.Recorded++
		}
	}
	resp := Response{Status: a.Recorded, Answer: "recorded", Batch: &n}
	switch {
	case n.Failed > 0:
		resp.Status, resp.Answer, resp.Error, resp.Hint = a.Fault, "", "not_recorded", "send the same delivery again: what was recorded is not recorded twice"
	case n.Broken > 0:
		resp.Status, resp.Answer, resp.Error, resp.Hint = a.Malformed, "", "parts_malformed", "some events of the payload have no id that can be a key; the others are recorded"
	}
	return resp
}

func unknownEndpoint(status int) Response {
	return Response{Status: status, Error: unknownWord, Hint: "the path is /v1/{tenant}/{endpoint}; see `onefold policy show`"}
}

// refused answers a request that its source does not take.
func refused(a webhook.Answers, err error) Response {
	word, hint := webhook.Told(err)
	return Response{Status: a.Refusal(err), Error: word, Hint: hint, unproven: webhook.Unproven(err)}
}

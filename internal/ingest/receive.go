package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/inbound"
	"onefold/internal/webhook"
)

const unknownWord = "unknown_endpoint"

// handle finds the endpoint's source, has it verify the request, and makes
// durable what it carries.
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
	resp := s.receive(ctx, r, request, ep, source)
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

func (s *Service) receive(ctx context.Context, r Request, request webhook.Request, ep tenant.Endpoint, source webhook.Source) Response {
	about := source.About()
	if request.Method != "POST" && !slices.Contains(about.Methods, request.Method) {
		return Response{Status: 405, Error: "method_not_allowed", Hint: "POST a delivery"}
	}
	if len(r.Body) > about.MaxBody {
		return Response{Status: about.Answers.TooLarge, Error: "body_too_large", Hint: fmt.Sprintf("at most %d bytes: larger mail cannot be taken this way", about.MaxBody)}
	}
	set := webhook.Setting{Content: ep.Content, Now: s.Now()}
	if ep.Secret != "" {
		secrets, err := s.Secrets(ctx, r.Tenant, ep.Secret)
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
		s.Log.LogAttrs(ctx, slog.LevelWarn, "a source has something to tell", slog.String("note", opened.Note), slog.String("scheme", about.Scheme), slog.String("endpoint", ep.Name), slog.String("request", r.RequestID))
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
	return s.take(ctx, about.Answers, r, ep, opened)
}

var (
	errNoFetch = errors.New("ingest: this deployment fetches no documents")
	// errNoEvent: a word is written with its event, in one commit.
	errNoEvent = errors.New("ingest: a used word without its event")
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
func (s *Service) take(ctx context.Context, a webhook.Answers, r Request, ep tenant.Endpoint, opened webhook.Opened) Response {
	if len(opened.Deliveries) == 1 && opened.Broken == 0 {
		return s.one(ctx, a, r, ep, opened.Deliveries[0])
	}
	if len(opened.Deliveries) == 0 && opened.Broken == 0 {
		return Response{Status: a.Recorded, Hint: "it carries no event that this endpoint takes"}
	}
	n := Batch{Broken: opened.Broken}
	for _, d := range opened.Deliveries {
		resp := s.one(ctx, a, r, ep, d)
		s.tell(ctx, r, resp, len(d.Raw))
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

// one makes one delivery durable.
func (s *Service) one(ctx context.Context, a webhook.Answers, r Request, ep tenant.Endpoint, d webhook.Delivery) Response {
	e, bad := s.event(r, ep, d)
	if bad != nil {
		bad.Status = a.Malformed
		return *bad
	}
	r.Body = d.Raw
	r.delivery, r.endpoint = d, ep
	return s.record(ctx, a, r, e)
}

func unknownEndpoint(status int) Response {
	return Response{Status: status, Error: unknownWord, Hint: "the path is /v1/{tenant}/{endpoint}; see `onefold policy show`"}
}

// refused answers a request that its source does not take.
func refused(a webhook.Answers, err error) Response {
	word, hint := webhook.Told(err)
	return Response{Status: a.Refusal(err), Error: word, Hint: hint, unproven: webhook.Unproven(err)}
}

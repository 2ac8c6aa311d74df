package ingest

import (
	"context"

	"onefold/internal/policy/tenant"
	"onefold/internal/webhook"
)

// HandleBy handles a request by a source that no policy names.
func (s *Service) HandleBy(ctx context.Context, r Request, ep tenant.Endpoint, source webhook.Source) Response {
	return s.receive(ctx, arrivalOf(r, ep), asSent(r, ep), source)
}

// Told is HandleBy with the line of the log that Handle writes.
func (s *Service) Told(ctx context.Context, r Request, ep tenant.Endpoint, source webhook.Source) Response {
	resp := s.HandleBy(ctx, r, ep, source)
	s.tell(ctx, r.Tenant, r.RequestID, resp, len(r.Body))
	return resp
}

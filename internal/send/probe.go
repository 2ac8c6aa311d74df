package send

import (
	"context"
	"log/slog"

	"onefold/internal/mailer"
	"onefold/internal/policy/tenant"
)

// SimulatorSuccess is the address at which SES accepts, delivers and reports a
// mail without anybody getting it (Developer Guide, "Sending test emails in
// Amazon SES with the simulator", read 2026-11).
const SimulatorSuccess = "success@simulator.amazonses.com"

// Probe sends one mail to the provider's simulator, whose events prove that
// the feedback feed works. Without them, silence about a lost outcome would
// count for nothing, and no unknown send would ever reach its deadline. It is
// called by a schedule; what it comes to is seen in the feed, not here.
//
// Nothing is written before or after it: it is about no person and no intent,
// so a crash leaves nothing, a probe too many is harmless, and one too few is
// made up for by the next.
func (s *Service) Probe(ctx context.Context, from tenant.Sender) mailer.Result {
	s.logFeed(ctx) // of the probes before this one
	ctx, cancel := context.WithTimeout(ctx, s.CallTime)
	defer cancel()
	res := s.Mailer.Submit(ctx, mailer.Mail{
		From: from.From, To: SimulatorSuccess, Subject: "Onefold feed probe", Text: "This mail proves that the provider's events arrive.",
		ConfigurationSet: from.ConfigurationSet, Tags: []mailer.Tag{{Name: mailer.TagProbe, Value: "1"}},
	})
	level := slog.LevelDebug
	if res.Outcome != mailer.Accepted {
		level = slog.LevelWarn
	}
	s.Log.LogAttrs(ctx, level, "feed probe", slog.String("outcome", string(res.Outcome)), slog.String("reason", res.Reason))
	return res
}

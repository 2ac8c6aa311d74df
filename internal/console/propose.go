package console

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"onefold/internal/decide"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
)

// Preview says what the rules would make of a yes to a task about an event, and
// writes nothing.
type Preview func(ctx context.Context, t review.Task) (decide.Result, error)

// seeProposal shows what a yes leads to. It is no part of the question: without
// it the task can be answered all the same.
func (s *Service) seeProposal(ctx context.Context, v *View) {
	if s.Preview == nil || v.Task.Kind != review.DecideEvent || v.Task.State != review.Open {
		return
	}
	res, err := s.Preview(ctx, v.Task)
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "no preview", slog.String("tenant", v.Task.Tenant), slog.String("task", v.Task.ID), slog.String("error", err.Error()))
		return
	}
	v.Proposal = &res
}

// Goes tells how the mail of a proposal would leave.
func (v *View) Goes() string {
	switch i := v.Proposal.Mail; {
	case i == nil:
		return ""
	case i.State == followup.Ready:
		return "It is sent at once, by the rule: this answer is the last word on it."
	case i.State == followup.Observed:
		return "It is only noted down: the rule observes."
	}
	return "It is put before a person again, as the mail that it is, before it goes."
}

// New tells whether a proposal makes a contact.
func (v *View) New() bool {
	return !slices.ContainsFunc(v.Contacts, func(c contact.Contact) bool { return c.ID == v.Proposal.Contact })
}

// By says what leads from the event to a contact, or "".
func (v *View) By(c contact.Contact) string {
	at := slices.Index(v.Task.Candidates, c.ID)
	switch {
	case c.FromEvent != "" && c.FromEvent == v.Task.Event:
		return "made by this message"
	case at < 0 || at >= len(v.Task.CandidatesBy):
		return ""
	}
	var by []string
	for word := range strings.SplitSeq(v.Task.CandidatesBy[at], "+") {
		said := map[string]string{review.ByEmail: "its address", review.ByCustomer: "its customer ID", review.ByNextForm: "its address, under the rule that is migrated to", review.ByReplyTo: "the address that it wants answered", review.ByCause: "an earlier approval of this very message", review.ByMail: "our mail that it answers or gives back"}[word]
		if said == "" {
			said = word
		}
		by = append(by, said)
	}
	return "found by " + strings.Join(by, " and ")
}

// Sender says what the checks of who received the mail found, or "".
func (v *View) Sender() string {
	e := v.Event
	if e == nil || e.Content != tenant.ContentMail || e.SPF+e.DKIM+e.DMARC == "" {
		return ""
	}
	said := "neither proves nor disproves the sender"
	switch e.Verdicts.Sender() {
	case inbound.SenderCorroborated:
		said = "its domain or a server of it sent this, which does not prove who wrote it"
	case inbound.SenderContradicted:
		said = "contradicts the sender: his domain says that this is not its mail"
	}
	var checks []string
	for _, c := range [][2]string{{"DMARC", e.DMARC}, {"SPF", e.SPF}, {"DKIM", e.DKIM}} {
		if c[1] != "" {
			checks = append(checks, c[0]+" "+strings.ToLower(strings.ReplaceAll(c[1], "_", " ")))
		}
	}
	return strings.Join(checks, ", ") + ": " + said
}

// Contradicted tells whether they contradict the sender.
func (v *View) Contradicted() bool {
	return v.Event != nil && v.Event.Verdicts.Sender() == inbound.SenderContradicted
}

// Within is how long an approval of the mail holds.
func (v *View) Within() string {
	return tenant.Duration(sendWithin(*v.Intent).Round(time.Minute)).String()
}

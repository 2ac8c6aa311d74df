package explain

import (
	"fmt"
	"strings"

	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/words"
)

// saysEvent tells in one sentence what became of an event.
func saysEvent(e Event) string {
	said := map[string]string{
		inbound.Recorded: "it waits to be read",
		inbound.InReview: "it waits for a person",
		inbound.Parked:   "it could not be decided and waits for an operator",
	}[e.State]
	if e.State == inbound.Decided {
		said = map[string]string{
			inbound.FollowUp:   "a follow-up was made",
			inbound.Folded:     "it joined a follow-up that another event made",
			inbound.Observed:   "a follow-up was recorded and not sent, since the rule only observes",
			inbound.NoRule:     "it was filed, and no follow-up was made",
			inbound.Suppressed: "it was filed, and no follow-up was made since the person must not be mailed",
			inbound.OptedOut:   "it was taken as an opt-out",
			inbound.Ignored:    "it was put aside",
			inbound.Feedback:   "it was taken as news of a mail that did not arrive",
			inbound.Dismissed:  "it was dismissed",
		}[e.Outcome]
		if e.Outcome == inbound.Folded && e.Intent == "" {
			said = "it was filed already, and that had made no follow-up"
		}
	}
	if said == "" {
		said = e.State + " " + e.Outcome
	}
	if why := sentences(e.Reasons); why != "" {
		said += ": " + why
	}
	return said
}

// saysIntent tells where a follow-up stands.
func saysIntent(i Intent) string {
	said := map[string]string{
		followup.Observed:   "it was only recorded",
		followup.Proposed:   "it waits for a person's approval",
		followup.Ready:      "it waits to be sent",
		followup.Sending:    "it is being sent",
		followup.Unknown:    "it may have been sent; evidence is awaited",
		followup.InReview:   "it waits for a person",
		followup.Accepted:   "the provider took it",
		followup.Rejected:   "the provider refused it; it was not sent",
		followup.Suppressed: "it was stopped before it was sent",
		followup.Cancelled:  "it was cancelled",
	}[i.State]
	if said == "" {
		said = i.State
	}
	if i.Reason != "" {
		said += ": " + words.Plain(i.Reason)
	}
	return said
}

// saysAttempt tells what is known of a submission.
func saysAttempt(a Attempt) string {
	said := map[string]string{
		followup.AttemptBegun:     "begun, no result stored",
		followup.AttemptAccepted:  "accepted",
		followup.AttemptRejected:  "refused for good",
		followup.AttemptThrottled: "refused for now",
		followup.AttemptNotBegun:  "not begun",
		followup.AttemptUnknown:   "outcome unknown",
	}[a.State]
	if said == "" {
		said = a.State
	}
	parts := []string{said}
	if a.MessageID != "" {
		parts = append(parts, "message "+a.MessageID)
	}
	for _, e := range []struct{ what, at string }{
		{"sent", a.SentAt.String()}, {"delivered", a.DeliveredAt.String()}, {"bounced", a.BouncedAt.String()}, {"complained", a.ComplainedAt.String()},
	} {
		if e.at != "" {
			parts = append(parts, e.what+" "+short(e.at))
		}
	}
	if a.Reason != "" {
		parts = append(parts, words.Plain(a.Reason))
	}
	if a.ResendAccepted != "" {
		parts = append(parts, "made although an earlier outcome was unknown, since "+words.Plain(a.ResendAccepted))
	}
	return strings.Join(parts, ", ")
}

// short writes a stored time for people: a space for the T, no milliseconds.
func short(at string) string {
	if len(at) < 19 {
		return at
	}
	return strings.Replace(at[:19], "T", " ", 1)
}

// plural writes a number with the word that fits it.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

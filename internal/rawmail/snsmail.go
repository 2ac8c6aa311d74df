package rawmail

import (
	"encoding/json"
	"strings"
)

// notice is an SES notification that SNS sent as a mail.
type notice struct {
	kind string
	list []Suppression
}

// snsNotice reads the text of an SNS mail whose message is an SES event
// (Amazon SES developer guide, "Amazon SNS notification contents").
func snsNotice(text string) (notice, bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return notice{}, false
	}
	// Relays break lines longer than 998 bytes, inside JSON strings too; between
	// tokens a line end means nothing.
	text = strings.ReplaceAll(text, "\n", "")
	var outer struct{ Type, Message string }
	// Raw delivery leaves the envelope out, so the text may be the event itself.
	inner := text
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&outer); err == nil && outer.Message != "" {
		inner = outer.Message
	}
	type recipient struct {
		EmailAddress, Status, Action, DiagnosticCode string
	}
	var event struct {
		NotificationType string
		Bounce           struct {
			BounceType        string
			BouncedRecipients []recipient
		}
		Complaint struct {
			ComplaintFeedbackType string
			ComplainedRecipients  []recipient
		}
	}
	if err := json.NewDecoder(strings.NewReader(inner)).Decode(&event); err != nil {
		return notice{}, false
	}
	n := notice{kind: event.NotificationType}
	switch n.kind {
	case "Bounce":
		for _, r := range event.Bounce.BouncedRecipients {
			f := failure{address: r.EmailAddress, action: strings.ToLower(r.Action), status: r.Status, text: r.DiagnosticCode}
			n.list = append(n.list, Suppression{Address: f.address, Reason: "bounce", Code: f.code(), Hard: f.hard()})
		}
	case "Complaint":
		for _, r := range event.Complaint.ComplainedRecipients {
			kind := event.Complaint.ComplaintFeedbackType
			n.list = append(n.list, Suppression{Address: r.EmailAddress, Reason: "complaint", Hard: kind == "" || kind == "abuse" || strings.HasPrefix(kind, "opt-out")})
		}
	case "Delivery":
	default:
		return notice{}, false
	}
	n.list = n.list[:min(len(n.list), maxRecipients)]
	return n, true
}

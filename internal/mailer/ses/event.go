package ses

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"onefold/internal/digest"
	"onefold/internal/mailer"
)

// ErrNotEvent says that a message is JSON but reports nothing of a sent mail:
// not an SES event, and no SNS notification of one. It will be the same next
// time; the caller sets it aside.
var ErrNotEvent = errors.New("ses: not an event of a sent mail")

// validated is what SES publishes once to a topic when an event destination is
// made. It is plain text, not JSON.
const validated = "Successfully validated SNS topic"

// ParseEvent reads one event that SES publishes for a configuration set, bare
// (raw message delivery) or inside an SNS notification. Field names:
// developer guide, event-publishing-retrieving-sns-contents.
//
// A kind it does not know is mailer.EventOther. It fails on what is not JSON
// and, with ErrNotEvent, on JSON without an event type; SES's plain-text notice
// that the topic works is EventOther too. An identity's feedback notification
// (notificationType) is read as well; it carries no tags.
//
// The signature of an SNS envelope is not checked here.
func ParseEvent(data []byte) (mailer.Event, error) {
	if isNotice(string(data)) {
		return notice(""), nil
	}
	var envelope struct {
		Type, Message string
		MessageID     string `json:"MessageId"`
	}
	// An event has none of these fields at its top, so this cannot take an
	// event for an envelope; a type mismatch is reported by the second read.
	if err := json.Unmarshal(data, &envelope); err == nil && envelope.Type == "Notification" {
		if isNotice(envelope.Message) {
			return notice(envelope.MessageID), nil
		}
		data = []byte(envelope.Message)
	}
	var e wireEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return mailer.Event{}, fmt.Errorf("read SES event: %w", redacted(err))
	}
	if e.EventType == "" {
		e.EventType = e.NotificationType
	}
	if e.EventType == "" {
		return mailer.Event{}, ErrNotEvent
	}
	out := e.neutral()
	if out.MessageID == "" && out.Type != mailer.EventOther {
		return mailer.Event{}, fmt.Errorf("%w: no message ID", ErrNotEvent)
	}
	return out, nil
}

func isNotice(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), validated) }

func notice(id string) mailer.Event {
	return mailer.Event{Type: mailer.EventOther, Subtype: "topic_validated", DedupeKey: "notice:" + id}
}

// redacted drops what a JSON error may quote of its input, which holds
// addresses.
func redacted(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("syntax error at byte %d", syntax.Offset)
	}
	return errors.New("a field has another type than documented")
}

type wireEvent struct {
	EventType        string `json:"eventType"`
	NotificationType string `json:"notificationType"`
	Mail             struct {
		Timestamp   string              `json:"timestamp"`
		MessageID   string              `json:"messageId"`
		Destination []string            `json:"destination"`
		Tags        map[string][]string `json:"tags"`
	} `json:"mail"`
	Bounce struct {
		detail
		BounceType    string `json:"bounceType"`
		BounceSubType string `json:"bounceSubType"`
		Recipients    []who  `json:"bouncedRecipients"`
	} `json:"bounce"`
	Complaint struct {
		detail
		SubType      string `json:"complaintSubType"`
		FeedbackType string `json:"complaintFeedbackType"`
		Recipients   []who  `json:"complainedRecipients"`
	} `json:"complaint"`
	Delivery struct {
		detail
		Recipients []string `json:"recipients"`
	} `json:"delivery"`
	DeliveryDelay struct {
		detail
		DelayType  string `json:"delayType"`
		Recipients []who  `json:"delayedRecipients"`
	} `json:"deliveryDelay"`
	Open         detail `json:"open"`
	Click        detail `json:"click"`
	Subscription detail `json:"subscription"`
}

type detail struct {
	Timestamp  string `json:"timestamp"`
	FeedbackID string `json:"feedbackId"`
}

type who struct {
	EmailAddress string `json:"emailAddress"`
}

func (e *wireEvent) neutral() mailer.Event {
	out := mailer.Event{Type: mailer.EventOther, MessageID: e.Mail.MessageID, Tags: firstValues(e.Mail.Tags)}
	var d detail
	switch e.EventType {
	case "Send":
		out.Type = mailer.EventSent
	case "Delivery":
		out.Type, out.Recipients, d = mailer.EventDelivered, e.Delivery.Recipients, e.Delivery.detail
	case "Bounce":
		out.Type, out.Recipients, d = mailer.EventBounced, addresses(e.Bounce.Recipients), e.Bounce.detail
		out.BounceType, out.Subtype = e.Bounce.BounceType, e.Bounce.BounceSubType
		out.Permanent = e.Bounce.BounceType == "Permanent"
	case "Complaint":
		out.Type, out.Recipients, d = mailer.EventComplained, addresses(e.Complaint.Recipients), e.Complaint.detail
		out.Subtype = e.Complaint.FeedbackType
		if out.Subtype == "" {
			out.Subtype = e.Complaint.SubType
		}
	case "Reject":
		out.Type = mailer.EventRejected
	case "Rendering Failure":
		out.Type, out.Subtype = mailer.EventRejected, "RenderingFailure"
	case "DeliveryDelay":
		out.Type, out.Recipients, d = mailer.EventDelayed, addresses(e.DeliveryDelay.Recipients), e.DeliveryDelay.detail
		out.Subtype = e.DeliveryDelay.DelayType
	default:
		out.Subtype = e.EventType
		// At most one of these is there.
		for _, other := range []detail{e.Open, e.Click, e.Subscription} {
			if other.Timestamp != "" {
				d = other
			}
		}
	}
	if d.Timestamp == "" {
		d.Timestamp = e.Mail.Timestamp
	}
	out.At = moment(d.Timestamp)
	if len(out.Recipients) == 0 {
		out.Recipients = e.Mail.Destination
	}
	out.DedupeKey = dedupeKey(e.EventType, d, out)
	return out
}

// dedupeKey prefers the feedback ID, which SES calls unique to a bounce or a
// complaint. Of other kinds the same event is the same mail, kind, time and
// recipients. The hash keeps addresses out of sight, not secret.
func dedupeKey(eventType string, d detail, e mailer.Event) string {
	if d.FeedbackID != "" {
		return strings.ToLower(eventType) + ":" + d.FeedbackID
	}
	recipients := slices.Clone(e.Recipients)
	slices.Sort(recipients)
	hash := digest.Parts(append([]string{e.MessageID}, recipients...)...)
	kind := strings.ReplaceAll(strings.ToLower(eventType), " ", "_")
	return strings.Join([]string{kind, e.MessageID, d.Timestamp, hash[:16]}, ":")
}

// moment reads SES's time; what cannot be read is no time, never an error, as
// the event stands without it.
func moment(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func addresses(ws []who) []string {
	var out []string
	for _, w := range ws {
		out = append(out, w.EmailAddress)
	}
	return out
}

func firstValues(tags map[string][]string) map[string]string {
	if len(tags) == 0 {
		return nil
	}
	out := make(map[string]string, len(tags))
	for name, values := range tags {
		if len(values) > 0 {
			out[name] = values[0]
		}
	}
	return out
}

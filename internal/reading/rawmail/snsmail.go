package rawmail

import (
	"bytes"
	"encoding/json"
	"strings"

	"onefold/internal/reading/diagnosis"
)

// notice is an SES notification that SNS sent as a mail.
type notice struct {
	kind  string
	list  []Suppression
	marks []string // of the mail that it is about, where SES adds its header
}

// snsNotice reads the text of an SNS mail whose message is an SES event, nil
// for any other text
// (Amazon SES developer guide, "Amazon SNS notification contents").
func snsNotice(text string) *notice {
	if text = strings.TrimSpace(text); !strings.HasPrefix(text, "{") {
		return nil
	}
	// Relays break lines longer than 998 bytes, inside JSON strings too; between
	// tokens a line end means nothing.
	inner := firstObject(strings.ReplaceAll(text, "\n", ""))
	// Raw delivery leaves the envelope out, so the text may be the event itself.
	var outer struct{ Type, Message string }
	if err := json.Unmarshal([]byte(inner), &outer); err == nil && outer.Message != "" {
		inner = firstObject(outer.Message)
	}
	var event struct {
		NotificationType string
		Mail             json.RawMessage
		Bounce           struct {
			BounceType        string
			BouncedRecipients recipients
		}
		Complaint struct {
			ComplaintFeedbackType string
			ComplainedRecipients  recipients
		}
	}
	if err := json.Unmarshal([]byte(inner), &event); err != nil {
		return nil
	}
	n := notice{kind: event.NotificationType}
	var about struct{ Headers markHeaders }
	if json.Unmarshal(event.Mail, &about) == nil {
		n.marks = about.Headers // without a header that can be read, there are none
	}
	switch n.kind {
	case "Bounce":
		for _, r := range event.Bounce.BouncedRecipients {
			f := diagnosis.Failure{Address: r.EmailAddress, Action: strings.ToLower(r.Action), Status: r.Status, Text: r.DiagnosticCode}
			n.list = append(n.list, Suppression{Address: f.Address, Reason: "bounce", Code: f.Code(), Hard: f.Hard()})
		}
	case "Complaint":
		for _, r := range event.Complaint.ComplainedRecipients {
			kind := event.Complaint.ComplaintFeedbackType
			n.list = append(n.list, Suppression{Address: r.EmailAddress, Reason: "complaint", Hard: kind == "" || kind == "abuse" || strings.HasPrefix(kind, "opt-out")})
		}
	case "Delivery":
	default:
		return nil
	}
	return &n
}

// firstObject cuts a text behind the JSON object that it begins with: SNS mails
// have a footer.
func firstObject(text string) string {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth <= 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

type recipient struct {
	EmailAddress, Status, Action, DiagnosticCode string
}

// recipients takes the first maxRecipients of a list, which may be as long as
// the mail.
type recipients []recipient

func (r *recipients) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil // no list: no recipients
	}
	for d.More() && len(*r) < maxRecipients {
		var one recipient
		if err := d.Decode(&one); err != nil {
			return err
		}
		*r = append(*r, one)
	}
	return nil
}

// markHeaders keeps of the header of the original mail, a list of names and
// values, what marks our own mail.
type markHeaders []string

func (h *markHeaders) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil // no list: no header
	}
	for read := 0; d.More() && read < maxFields; read++ {
		var one struct{ Name, Value string }
		if err := d.Decode(&one); err != nil {
			return err
		}
		if strings.EqualFold(one.Name, MarkHeader) && len(*h) < maxReturned {
			*h = append(*h, one.Value)
		}
	}
	return nil
}

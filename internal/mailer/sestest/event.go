package sestest

import (
	"crypto/sha256"
	"encoding/json"
	"mime"
	"slices"
	"strings"

	"onefold/internal/mailer"
)

// The shapes and names are those of the developer guide, pages
// event-publishing-retrieving-sns-contents and -examples.
type publishedEvent struct {
	EventType string         `json:"eventType"`
	Bounce    *bounceObject  `json:"bounce,omitempty"`
	Complaint *complaint     `json:"complaint,omitempty"`
	Delivery  *delivery      `json:"delivery,omitempty"`
	Mail      publishedMail  `json:"mail"`
	Send      map[string]any `json:"send,omitzero"`
}

type publishedMail struct {
	Timestamp        string              `json:"timestamp"`
	Source           string              `json:"source"`
	SourceARN        string              `json:"sourceArn"`
	SendingAccountID string              `json:"sendingAccountId"`
	MessageID        string              `json:"messageId"`
	Destination      []string            `json:"destination"`
	HeadersTruncated bool                `json:"headersTruncated"`
	Headers          []publishedHeader   `json:"headers"`
	CommonHeaders    commonHeaders       `json:"commonHeaders"`
	Tags             map[string][]string `json:"tags"`
}

type publishedHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type commonHeaders struct {
	From      []string `json:"from"`
	ReplyTo   []string `json:"replyTo,omitempty"`
	To        []string `json:"to"`
	MessageID string   `json:"messageId"`
	Subject   string   `json:"subject"`
}

type bounceObject struct {
	BounceType    string             `json:"bounceType"`
	BounceSubType string             `json:"bounceSubType"`
	Recipients    []bouncedRecipient `json:"bouncedRecipients"`
	Timestamp     string             `json:"timestamp"`
	FeedbackID    string             `json:"feedbackId"`
	ReportingMTA  string             `json:"reportingMTA"`
}

type bouncedRecipient struct {
	EmailAddress   string `json:"emailAddress"`
	Action         string `json:"action,omitempty"`
	Status         string `json:"status,omitempty"`
	DiagnosticCode string `json:"diagnosticCode,omitempty"`
}

type complaint struct {
	Recipients   []complainedRecipient `json:"complainedRecipients"`
	Timestamp    string                `json:"timestamp"`
	FeedbackID   string                `json:"feedbackId"`
	UserAgent    string                `json:"userAgent"`
	FeedbackType string                `json:"complaintFeedbackType"`
	ArrivalDate  string                `json:"arrivalDate"`
}

type complainedRecipient struct {
	EmailAddress string `json:"emailAddress"`
}

type delivery struct {
	Timestamp            string   `json:"timestamp"`
	ProcessingTimeMillis int      `json:"processingTimeMillis"`
	Recipients           []string `json:"recipients"`
	SMTPResponse         string   `json:"smtpResponse"`
	ReportingMTA         string   `json:"reportingMTA"`
}

const (
	account = "123456789012" // the documentation account of AWS
	maxHead = 10 << 10       // above it headers are truncated (contents page)
)

// reports tells whether mail of this configuration set has events.
func (s *Server) reports(set string) bool {
	return s.opts.Sink != nil && set != "" &&
		slices.ContainsFunc(s.opts.ConfigurationSets, func(c ConfigurationSet) bool { return c.Name == set && c.Events })
}

// events is all that SES will publish of the mail, in order, a pure function
// of it: made again after a restart, they are the same bytes.
func (s *Server) events(m SentMail) [][]byte {
	if !s.reports(m.ConfigurationSet) {
		return nil
	}
	bounced := func(subtype, status, diagnostic string) publishedEvent {
		b := &bounceObject{BounceType: "Permanent", BounceSubType: subtype, Timestamp: m.At.String(),
			FeedbackID: feedbackID("Bounce", m.MessageID), ReportingMTA: "dns; mta.example.com"}
		for _, to := range m.To {
			b.Recipients = append(b.Recipients, bouncedRecipient{addrSpec(to), "failed", status, diagnostic})
		}
		return publishedEvent{EventType: "Bounce", Bounce: b}
	}
	var list []publishedEvent
	switch local := localPart(m.recipient()); {
	case s.suppressed(m.recipient()):
		list = append(list, bounced("OnAccountSuppressionList", "5.1.1",
			"Amazon SES did not send the message to this address because it is on the suppression list for your account."))
	case local == Bounce:
		list = append(list, bounced("General", "5.1.1", "smtp; 550 5.1.1 user unknown"))
	default:
		list = append(list, publishedEvent{EventType: "Delivery", Delivery: &delivery{Timestamp: m.At.String(),
			ProcessingTimeMillis: 1, Recipients: m.To, SMTPResponse: "250 2.6.0 Message received", ReportingMTA: "mta.example.com"}})
		if local == Complain {
			c := &complaint{Timestamp: m.At.String(), FeedbackID: feedbackID("Complaint", m.MessageID),
				UserAgent: "Example FBL/1.0", FeedbackType: "abuse", ArrivalDate: m.At.String()}
			for _, to := range m.To {
				c.Recipients = append(c.Recipients, complainedRecipient{addrSpec(to)})
			}
			list = append(list, publishedEvent{EventType: "Complaint", Complaint: c})
		}
	}
	list = slices.Insert(list, 0, publishedEvent{EventType: "Send", Send: map[string]any{}})

	var out [][]byte
	for _, e := range list {
		e.Mail = s.publishedMail(m)
		if data, err := json.Marshal(e); err == nil { // unreachable otherwise: texts only
			out = append(out, data)
		}
	}
	return out
}

func (s *Server) suppressed(address string) bool {
	return slices.ContainsFunc(s.opts.Suppressed, func(a string) bool { return strings.EqualFold(a, address) })
}

func (s *Server) publishedMail(m SentMail) publishedMail {
	domain := domainOf(m.From)
	p := publishedMail{
		Timestamp: m.At.String(), Source: m.From, SendingAccountID: account, MessageID: m.MessageID,
		SourceARN:     "arn:aws:ses:" + s.opts.Region + ":" + account + ":identity/" + domain,
		Destination:   m.To,
		CommonHeaders: commonHeaders{From: []string{m.From}, ReplyTo: m.ReplyTo, To: m.To, MessageID: m.MessageID, Subject: m.Subject},
		Tags: map[string][]string{
			"ses:operation":         {"SendEmail"},
			"ses:configuration-set": {m.ConfigurationSet},
			"ses:source-ip":         {"192.0.2.1"},
			"ses:from-domain":       {domain},
			"ses:caller-identity":   {"onefold"},
		},
	}
	for _, t := range m.Tags {
		p.Tags[t.Name] = append(p.Tags[t.Name], t.Value)
	}
	fields := []mailer.Header{{Name: "From", Value: m.From}, {Name: "To", Value: strings.Join(m.To, ", ")}}
	if len(m.ReplyTo) > 0 {
		fields = append(fields, mailer.Header{Name: "Reply-To", Value: strings.Join(m.ReplyTo, ", ")})
	}
	fields = append(fields,
		mailer.Header{Name: "Subject", Value: mime.BEncoding.Encode("UTF-8", m.Subject)},
		mailer.Header{Name: "MIME-Version", Value: "1.0"})
	size := 0
	for _, h := range append(fields, m.Headers...) {
		if size += len(h.Name) + len(h.Value); size > maxHead {
			p.HeadersTruncated = true
			break
		}
		p.Headers = append(p.Headers, publishedHeader(h))
	}
	return p
}

// feedbackID is fixed by kind and mail, so that an event emitted again is
// recognised.
func feedbackID(kind, messageID string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + messageID))
	return messageID[:16] + "-" + formatUUID([16]byte(sum[:16])) + "-000000"
}

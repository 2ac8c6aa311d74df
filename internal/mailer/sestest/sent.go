package sestest

import (
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"time"

	"onefold/internal/mailer"
	"onefold/internal/utc"
)

// SentMail is one mail that the Server accepted.
type SentMail struct {
	MessageID     string   `json:"message_id"`      // as SendEmail answers it
	WireMessageID string   `json:"wire_message_id"` // the Message-ID that the recipient sees
	At            utc.Time `json:"at"`
	From          string   `json:"from"`
	ReplyTo       []string `json:"reply_to,omitempty"`
	To            []string `json:"to"` // all recipients, To first, then Cc and Bcc
	Subject       string   `json:"subject"`
	Text          string   `json:"text,omitempty"`
	HTML          string   `json:"html,omitempty"`
	// Headers are those submitted, without Message-ID and Date, which SES
	// replaces.
	Headers          []mailer.Header `json:"headers,omitempty"`
	Tags             []mailer.Tag    `json:"tags,omitempty"`
	ConfigurationSet string          `json:"configuration_set,omitempty"`
	EventsDone       bool            `json:"events_done"` // its events were handed out, were lost, or there are none
}

// Tag is the value of the first tag of that name, or "".
func (m SentMail) Tag(name string) string {
	for _, t := range m.Tags {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}

// recipient is whose local part decides how the mail fares: the first.
func (m SentMail) recipient() string {
	if len(m.To) == 0 {
		return "" // only in what Restore is given
	}
	return addrSpec(m.To[0])
}

func (m SentMail) clone() SentMail {
	m.ReplyTo, m.To = slices.Clone(m.ReplyTo), slices.Clone(m.To)
	m.Headers, m.Tags = slices.Clone(m.Headers), slices.Clone(m.Tags)
	return m
}

// newMessageID has the form of SES's: the time, a random UUID, a counter. The
// 122 random bits make it unique across restarts.
func newMessageID(random io.Reader, at time.Time) (string, error) {
	id, err := newUUID(random)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("0100%012x-%s-000000", at.UnixMilli(), id), nil
}

func newUUID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("read randomness: %w", err)
	}
	return formatUUID(b), nil
}

// formatUUID sets version 4 and variant (RFC 9562 section 5.4).
func formatUUID(b [16]byte) string {
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// mailDomain is the domain of the Message-ID that SES writes.
func mailDomain(region string) string {
	if region == "us-east-1" {
		return "email.amazonses.com"
	}
	return region + ".amazonses.com"
}

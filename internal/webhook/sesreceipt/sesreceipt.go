// Package sesreceipt reads what Amazon SES announces of a mail that it
// received: of one that it put into S3, as it lies on a queue (inside an SNS
// notification, or bare: raw message delivery), or as SNS posts it, where the
// mail may be in the notification itself.
//
// Its invariant: a Notice is whole. It names one SES message, its envelope and
// either its bytes or one object whose name ends in that very message ID, so no
// notice can make one mail pass for another. It does no I/O, checks no SNS signature (the queue's
// policy says who may send to it) and quotes nothing of a message in an error.
//
// Source: Amazon SES Developer Guide, "Contents of notifications for Amazon SES
// email receiving", read 2026-11.
package sesreceipt

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"onefold/internal/record/inbound"
)

// NullSender is what a Notice has for an envelope sender that is empty: nobody
// may answer it (RFC 5321 section 4.5.5).
const NullSender = "<>"

// MaxRecipients is the most envelope recipients of a notice. A receipt rule
// has at most 100 (Developer Guide, "Service quotas").
const MaxRecipients = 100

// ErrNotReceipt means that the message does not announce a received mail. It
// will not next time either: the caller lets the queue set it aside, where a
// person sees it.
var ErrNotReceipt = errors.New("sesreceipt: not a notification of a received mail")

// ErrBadReceipt means that the message announces a mail and lacks or
// contradicts what is needed to take it in. The caller does as with
// ErrNotReceipt.
var ErrBadReceipt = errors.New("sesreceipt: a notification that cannot be acted on")

// Setup is what SES calls the message that it sends, and the object that it
// writes, when a receipt rule is made. It is no mail.
const Setup = "AMAZON_SES_SETUP_NOTIFICATION"

// validated begins the plain text that SES publishes to try a topic.
const validated = "Successfully validated SNS topic"

// Notice is one mail that SES received.
type Notice struct {
	// Setup: SES tries its way here, and there is no mail. Only Topic is set.
	Setup bool
	// Topic is the ARN of the SNS topic by which it came; "" where it is not
	// stated.
	Topic string
	// MessageID is SES's own ID of the mail: the same in each notice of it, be it
	// repeated or made by another rule. Letters, digits, '-' and '_'.
	MessageID string
	// Source is MAIL FROM, or NullSender.
	Source string
	// Recipients are the RCPT TO addresses that the rule matched, as written, 1
	// to MaxRecipients. An address may stand twice.
	Recipients []string
	// Bucket and Key are where the raw mail is. Nobody has checked that the
	// bucket is ours.
	Bucket string
	Key    string
	// Content is the mail itself, of a receipt rule's SNS action; nil where it is
	// in S3.
	Content  []byte
	Verdicts inbound.Verdicts
}

// envelope is SNS's (SNS Developer Guide, "Message and JSON formats").
type envelope struct {
	Type     string
	TopicArn string
	Message  string
}

type wire struct {
	NotificationType string `json:"notificationType"`
	Content          string `json:"content"`
	Mail             struct {
		Source    *string `json:"source"`
		MessageID string  `json:"messageId"`
	} `json:"mail"`
	Receipt struct {
		Recipients []string `json:"recipients"`
		Spam       verdict  `json:"spamVerdict"`
		Virus      verdict  `json:"virusVerdict"`
		SPF        verdict  `json:"spfVerdict"`
		DKIM       verdict  `json:"dkimVerdict"`
		DMARC      verdict  `json:"dmarcVerdict"`
		Policy     string   `json:"dmarcPolicy"`
		Action     struct {
			Type       string `json:"type"`
			TopicArn   string `json:"topicArn"`
			Encoding   string `json:"encoding"`
			BucketName string `json:"bucketName"`
			ObjectKey  string `json:"objectKey"`
		} `json:"action"`
	} `json:"receipt"`
}

type verdict struct {
	Status string `json:"status"`
}

// Parse reads the body of one queue message, of a mail in S3. The error wraps
// ErrNotReceipt or ErrBadReceipt.
func Parse(body []byte) (Notice, error) {
	topic, inner := "", body
	var e envelope
	// What SES announces has none of these fields at its top, so this cannot
	// take a bare notice for an envelope.
	if err := json.Unmarshal(body, &e); err == nil && e.Type != "" {
		if e.Type != "Notification" {
			return Notice{}, fmt.Errorf("%w: an SNS message of another type", ErrNotReceipt)
		}
		topic, inner = e.TopicArn, []byte(e.Message)
	}
	n, err := ParseMessage(topic, inner)
	if err == nil && n.Content != nil {
		return Notice{}, fmt.Errorf("%w: the mail is not in S3", ErrBadReceipt)
	}
	return n, err
}

// ParseMessage reads what SES published to a topic, the mail in S3 or in the
// notice. topic is the ARN of the topic by which it came; "" where that is not
// known. Errors are those of Parse.
func ParseMessage(topic string, inner []byte) (Notice, error) {
	if strings.HasPrefix(strings.TrimSpace(string(inner)), validated) {
		return Notice{Setup: true, Topic: topic}, nil
	}
	var w wire
	if err := json.Unmarshal(inner, &w); err != nil {
		return Notice{}, fmt.Errorf("%w: not JSON of the documented form", ErrNotReceipt)
	}
	if w.NotificationType != "Received" {
		return Notice{}, fmt.Errorf("%w: another notification type", ErrNotReceipt)
	}
	action := w.Receipt.Action
	if topic != "" && action.TopicArn != "" && topic != action.TopicArn {
		return Notice{}, fmt.Errorf("%w: it came by another topic than it names", ErrBadReceipt)
	}
	if topic == "" {
		topic = action.TopicArn
	}
	if w.Mail.MessageID == Setup {
		return Notice{Setup: true, Topic: topic}, nil
	}
	n := Notice{
		Topic: topic, MessageID: w.Mail.MessageID, Recipients: w.Receipt.Recipients,
		Bucket: action.BucketName, Key: action.ObjectKey,
		Verdicts: inbound.Verdicts{
			Spam: w.Receipt.Spam.word(), Virus: w.Receipt.Virus.word(), SPF: w.Receipt.SPF.word(),
			DKIM: w.Receipt.DKIM.word(), DMARC: w.Receipt.DMARC.word(),
			DMARCPolicy: strings.ToLower(verdict{strings.ToUpper(w.Receipt.Policy)}.word()),
		},
	}
	if w.Mail.Source == nil {
		// Left out it could be a bounce's, and a bounce must never be answered.
		return Notice{}, fmt.Errorf("%w: no envelope sender", ErrBadReceipt)
	}
	if n.Source = strings.TrimSpace(*w.Mail.Source); n.Source == "" {
		n.Source = NullSender
	}
	if action.Type == "SNS" {
		if n.Content = content(w.Content, action.Encoding); n.Content == nil {
			return Notice{}, fmt.Errorf("%w: the mail is not in it", ErrBadReceipt)
		}
	}
	if err := n.check(action.Type); err != nil {
		return Notice{}, err
	}
	return n, nil
}

// content is the mail in a notice of an SNS action, whose encoding is UTF-8 or
// Base64 ("Publish to Amazon SNS topic action"). That the notice says which is
// not documented, so what it leaves out is seen in the text: a mail begins with
// a header, and base64 has no colon.
func content(text, encoding string) []byte {
	if strings.EqualFold(encoding, "base64") || encoding == "" && !strings.Contains(text, ":") {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(raw) == 0 {
			return nil
		}
		return raw
	}
	if text == "" {
		return nil
	}
	return []byte(text)
}

// check refuses a notice that is not whole.
func (n Notice) check(action string) error {
	switch {
	case action != "S3" && n.Content == nil:
		return fmt.Errorf("%w: the mail is not in S3", ErrBadReceipt)
	case !isID(n.MessageID):
		return fmt.Errorf("%w: no message ID", ErrBadReceipt)
	case n.Content == nil && n.Bucket == "":
		return fmt.Errorf("%w: no bucket", ErrBadReceipt)
	case n.Content == nil && !isKeyOf(n.Key, n.MessageID):
		return fmt.Errorf("%w: the object is not of this message", ErrBadReceipt)
	case len(n.Recipients) == 0 || len(n.Recipients) > MaxRecipients:
		return fmt.Errorf("%w: %d recipients", ErrBadReceipt, len(n.Recipients))
	case len(n.Source) > inbound.MaxIDPart:
		return fmt.Errorf("%w: an envelope sender of %d bytes", ErrBadReceipt, len(n.Source))
	}
	for _, r := range n.Recipients {
		if r == "" || len(r) > inbound.MaxIDPart {
			return fmt.Errorf("%w: a recipient of %d bytes", ErrBadReceipt, len(r))
		}
	}
	return nil
}

// isKeyOf tells whether an object key is a prefix and the message ID. The
// prefix is of plain words: nothing that a path, a URL or a person could read
// as another place.
func isKeyOf(key, id string) bool {
	prefix, ok := strings.CutSuffix(key, id)
	if !ok || len(key) > 512 || strings.HasPrefix(prefix, "/") || strings.Contains(prefix, "..") || strings.Contains(prefix, "//") {
		return false
	}
	return prefix == "" || strings.HasSuffix(prefix, "/") && strings.Trim(prefix, wordBytes+"./") == ""
}

const wordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

func isID(s string) bool { return s != "" && len(s) <= 128 && strings.Trim(s, wordBytes) == "" }

// word is a verdict as it is stored: a word in capitals, or UNREADABLE for what
// is none, so that nothing from outside gets into a log or a page by it.
func (v verdict) word() string {
	if v.Status == "" {
		return ""
	}
	if len(v.Status) > 32 || strings.Trim(v.Status, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
		return "UNREADABLE"
	}
	return v.Status
}

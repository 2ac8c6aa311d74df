package sesreceipt_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"onefold/internal/record/inbound"
	"onefold/internal/webhook/sesreceipt"
)

const topic = "arn:aws:sns:eu-west-1:123456789012:onefold-mail"

// announced has the documented form of what SES publishes for an S3 action:
// the fields and order of the Developer Guide's page, with invented content.
const announced = `{
  "notificationType":"Received",
  "receipt":{
    "timestamp":"2026-01-15T09:00:01.000Z","processingTimeMillis":406,
    "recipients":["Sales@demo.example","info@demo.example"],
    "spamVerdict":{"status":"PASS"},"virusVerdict":{"status":"PASS"},"spfVerdict":{"status":"GRAY"},
    "dkimVerdict":{"status":"PROCESSING_FAILED"},"dmarcVerdict":{"status":"FAIL"},"dmarcPolicy":"quarantine",
    "action":{"type":"S3","topicArn":"` + topic + `","bucketName":"sample-mail","objectKeyPrefix":"in/","objectKey":"in/d6sample0001"}
  },
  "mail":{
    "timestamp":"2026-01-15T09:00:00.000Z","source":"ada@example.org","messageId":"d6sample0001",
    "destination":["sales@demo.example"],"headersTruncated":false,
    "headers":[{"name":"Subject","value":"A walk"}],
    "commonHeaders":{"returnPath":"ada@example.org","from":["Ada <ada@example.org>"],"to":["sales@demo.example"],"messageId":"<1@example.org>","subject":"A walk"}
  }
}`

// bySNS is a message in SNS's envelope.
func bySNS(t *testing.T, message string) string {
	t.Helper()
	b, err := json.Marshal(map[string]string{
		"Type": "Notification", "MessageId": "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324", "TopicArn": topic, "Subject": "Amazon SES Email Receipt Notification",
		"Message": message, "Timestamp": "2026-01-15T09:00:01.000Z", "SignatureVersion": "1", "Signature": "EXAMPLE",
		"SigningCertURL": "EXAMPLE", "UnsubscribeURL": "EXAMPLE",
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestANoticeIsReadWithAndWithoutItsEnvelope(t *testing.T) {
	t.Parallel()
	want := fmt.Sprintf("%+v", sesreceipt.Notice{
		Topic: topic, MessageID: "d6sample0001", Source: "ada@example.org", Recipients: []string{"Sales@demo.example", "info@demo.example"},
		Bucket: "sample-mail", Key: "in/d6sample0001",
		Verdicts: inbound.Verdicts{Spam: "PASS", Virus: "PASS", SPF: "GRAY", DKIM: "PROCESSING_FAILED", DMARC: "FAIL", DMARCPolicy: "quarantine"},
	})
	for name, body := range map[string]string{"raw delivery": announced, "in SNS": bySNS(t, announced)} {
		n, err := sesreceipt.Parse([]byte(body))
		if got := fmt.Sprintf("%+v", n); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
}

// Each row changes one thing of what SES announced.
func TestWhatIsNotWholeIsRefused(t *testing.T) {
	t.Parallel()
	key := func(k string) []string { return []string{`"objectKey":"in/d6sample0001"`, `"objectKey":"` + k + `"`} }
	for name, change := range map[string][]string{
		"SNS action":                {`"type":"S3"`, `"type":"SNS"`},
		"Lambda action":             {`"type":"S3"`, `"type":"Lambda"`},
		"no message ID":             {`"messageId":"d6sample0001"`, `"messageId":""`},
		"message ID with a slash":   {`"messageId":"d6sample0001"`, `"messageId":"in/d6sample0001"`},
		"message ID of another":     {`"messageId":"d6sample0001"`, `"messageId":"d6sample0002"`},
		"no bucket":                 {`"bucketName":"sample-mail"`, `"bucketName":""`},
		"no key":                    key(""),
		"key of another mail":       key("in/d6sample0002"),
		"key that only ends so":     key("in/xd6sample0001"),
		"key out of the folder":     key("in/../d6sample0001"),
		"key from the root":         key("/d6sample0001"),
		"key with an empty part":    key("in//d6sample0001"),
		"key that is a URL":         key("https://example.org/d6sample0001"),
		"key with an escape":        key("in%2F../d6sample0001"),
		"key with a line feed":      key("in\\n/d6sample0001"),
		"key with more behind":      key("in/d6sample0001/x"),
		"no recipients":             {`["Sales@demo.example","info@demo.example"]`, `[]`},
		"an empty recipient":        {`"info@demo.example"]`, `""]`},
		"101 recipients":            {`"Sales@demo.example"`, strings.Repeat(`"a@demo.example",`, 99) + `"b@demo.example"`},
		"a recipient of 257 bytes":  {`"info@demo.example"]`, `"` + strings.Repeat("a", 257) + `"]`},
		"no envelope sender":        {`"source":"ada@example.org",`, ``},
		"a sender of 300 bytes":     {`"source":"ada@example.org"`, `"source":"` + strings.Repeat("a", 300) + `"`},
		"another topic than it was": {`"topicArn":"` + topic + `"`, `"topicArn":"arn:aws:sns:eu-west-1:999999999999:other"`},
	} {
		body := strings.Replace(announced, change[0], change[1], 1)
		if body == announced {
			t.Fatalf("%s changes nothing", name)
		}
		n, err := sesreceipt.Parse([]byte(bySNS(t, body)))
		if !errors.Is(err, sesreceipt.ErrBadReceipt) || n.MessageID != "" || n.Recipients != nil {
			t.Errorf("%s: %+v, %v", name, n, err)
		}
		if err != nil && (strings.Contains(err.Error(), "@") || strings.Contains(err.Error(), "d6sample")) {
			t.Errorf("%s: the error quotes the message: %v", name, err)
		}
	}
}

func TestWhatAnnouncesNoReceivedMailIsRefused(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"empty":                "",
		"text":                 "hello",
		"null":                 "null",
		"a list":               "[]",
		"an object":            "{}",
		"a bounce":             `{"notificationType":"Bounce","mail":{"messageId":"x"}}`,
		"an event of a send":   `{"eventType":"Delivery","mail":{"messageId":"x"}}`,
		"an event of S3":       `{"Records":[{"eventName":"ObjectCreated:Put","s3":{"object":{"key":"x"}}}]}`,
		"an empty envelope":    `{"Type":"Notification","Message":""}`,
		"a text in SNS":        bySNS(t, "hello"),
		"SNS in SNS":           bySNS(t, bySNS(t, announced)),
		"a confirmation":       strings.Replace(bySNS(t, announced), `"Notification"`, `"SubscriptionConfirmation"`, 1),
		"an unsubscription":    strings.Replace(bySNS(t, announced), `"Notification"`, `"UnsubscribeConfirmation"`, 1),
		"recipients as a text": strings.Replace(announced, `["Sales@demo.example","info@demo.example"]`, `"sales@demo.example"`, 1),
		"cut short":            announced[:len(announced)-20],
	} {
		if n, err := sesreceipt.Parse([]byte(body)); !errors.Is(err, sesreceipt.ErrNotReceipt) || n.Setup {
			t.Errorf("%s: %+v, %v", name, n, err)
		}
	}
}

func TestWhatSESSendsToTryItsWayIsNoMail(t *testing.T) {
	t.Parallel()
	setup := strings.ReplaceAll(announced, "d6sample0001", sesreceipt.Setup)
	for name, body := range map[string]string{
		"setup":           bySNS(t, setup),
		"setup, raw":      setup,
		"validation":      bySNS(t, "Successfully validated SNS topic for Amazon SES event publishing."),
		"validation, raw": "Successfully validated SNS topic for Amazon SES event publishing.",
	} {
		n, err := sesreceipt.Parse([]byte(body))
		if err != nil || !n.Setup || n.MessageID != "" || n.Key != "" {
			t.Errorf("%s: %+v, %v", name, n, err)
		}
		if stated := name != "validation, raw"; (n.Topic == topic) != stated {
			t.Errorf("%s: topic %q", name, n.Topic)
		}
	}
}

func TestAnEmptySenderIsTheNullSender(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"", "<>", " "} {
		body := strings.Replace(announced, `"source":"ada@example.org"`, `"source":"`+source+`"`, 1)
		if n, err := sesreceipt.Parse([]byte(body)); err != nil || n.Source != sesreceipt.NullSender {
			t.Errorf("source %q: %q, %v", source, n.Source, err)
		}
	}
}

func TestAVerdictIsAWordOrNothing(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{
		"": "", "FAIL": "FAIL", "DISABLED": "DISABLED", "fail": "UNREADABLE", "<b>": "UNREADABLE", "A\\nB": "UNREADABLE", strings.Repeat("A", 33): "UNREADABLE",
	} {
		body := strings.Replace(announced, `"spamVerdict":{"status":"PASS"}`, `"spamVerdict":{"status":"`+status+`"}`, 1)
		if n, err := sesreceipt.Parse([]byte(body)); err != nil || n.Verdicts.Spam != want {
			t.Errorf("%q: %q, %v; want %q", status, n.Verdicts.Spam, err, want)
		}
	}
	without := strings.Replace(announced, `"spamVerdict":{"status":"PASS"},"virusVerdict":{"status":"PASS"},`, "", 1)
	if n, err := sesreceipt.Parse([]byte(without)); err != nil || n.Verdicts.IsSpam() || n.Verdicts.IsVirus() || n.Verdicts.Virus != "" {
		t.Errorf("unsaid: %+v, %v", n.Verdicts, err)
	}
}

// FuzzParse: whatever is on the queue, a notice that comes out is whole.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{announced, `{"Type":"Notification","Message":"{}"}`, `{"notificationType":"Received"}`, "{", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		n, err := sesreceipt.Parse(body)
		if err != nil {
			if !errors.Is(err, sesreceipt.ErrBadReceipt) && !errors.Is(err, sesreceipt.ErrNotReceipt) {
				t.Errorf("an error of its own: %v", err)
			}
			return
		}
		if n.Setup {
			return
		}
		if n.MessageID == "" || !strings.HasSuffix(n.Key, n.MessageID) || strings.Contains(n.Key, "..") || n.Bucket == "" || n.Source == "" ||
			len(n.Recipients) == 0 || len(n.Recipients) > sesreceipt.MaxRecipients {
			t.Errorf("%+v", n)
		}
	})
}

package events_test

import (
	"crypto/md5"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	samples "onefold/events"
)

const mailTopic = "arn:aws:sns:eu-west-1:123456789012:onefold-mail"

// received is one mail as SES takes it.
type received struct {
	name, base   string // of the file, and the mail below mail/ that it is
	id, source   string
	recipients   []string
	spam, virus  string
	bare, object bool // without SNS's envelope; with the object in S3
}

func receivedMails() []received {
	const hello = "hello@demo.example"
	return []received{
		{"enquiry", "plain/enquiry.eml", "sampleses000000000000000000enquiry0001", "alex.morgan@customer.example", []string{hello}, "PASS", "PASS", false, true},
		{"enquiry-by-another-rule", "plain/enquiry.eml", "sampleses000000000000000000enquiry0001", "alex.morgan@customer.example", []string{hello}, "PASS", "PASS", true, false},
		{"two-recipients", "two-mailboxes/sales.eml", "sampleses00000000000000000twomailboxes", "sam.okafor@outdoorclub.example", []string{"sales@demo.example", "info@demo.example"}, "PASS", "PASS", false, true},
		{"null-sender", "null-sender/acknowledgement.eml", "sampleses0000000000000000000nullsender", "", []string{hello}, "PASS", "PASS", false, true},
		{"spam", "plain/pricing.eml", "sampleses00000000000000000000000000spam", "robin.hale@buyer.example", []string{hello}, "FAIL", "PASS", false, true},
		{"virus", "multipart/html-and-plain.eml", "sampleses0000000000000000000000000virus", "mina.falk@studio.example", []string{hello}, "GRAY", "FAIL", false, true},
	}
}

// addSESMail makes what lies in the bucket and what a queue subscribed to the
// topic of the S3 action receives: SES notification in SNS notification in SQS
// record (SES developer guide, receiving-email-notifications-examples).
func addSESMail(t *testing.T, into map[string]any) {
	t.Helper()
	at := signedAt().Format("2006-01-02T15:04:05.000Z")
	for _, m := range receivedMails() {
		raw := samples.Mail(m.base)
		if raw == nil {
			t.Fatalf("%s: no mail %s", m.name, m.base)
		}
		if m.object {
			into["ses-mail/"+m.name+".eml"] = append([]byte(trace(m)), raw...)
		}
		into["ses-mail/"+m.name+".json"] = queued(t, m.name, at, m.bare, m.notice(at))
	}
	setup := received{id: "AMAZON_SES_SETUP_NOTIFICATION", source: "aws@example.com", recipients: []string{"recipient@example.com"}, spam: "PASS", virus: "PASS"}
	into["ses-mail/setup.json"] = queued(t, "setup", at, false, setup.notice(at))
}

// trace is what SES puts before a mail that it stores.
func trace(m received) string {
	return strings.ReplaceAll("Return-Path: <"+m.source+">\n"+
		"Received: from mx.sender.example (mx.sender.example [192.0.2.80])\n"+
		" by inbound-smtp.example with SMTP id "+m.id+"\n"+
		" for "+m.recipients[0]+";\n Thu, 15 Jan 2026 09:00:00 +0000 (UTC)\n"+
		"X-SES-Spam-Verdict: "+m.spam+"\nX-SES-Virus-Verdict: "+m.virus+"\n", "\n", "\r\n")
}

func (m received) notice(at string) map[string]any {
	verdict := func(word string) map[string]string { return map[string]string{"status": word} }
	return map[string]any{
		"notificationType": "Received",
		"mail": map[string]any{
			"timestamp": at, "source": m.source, "messageId": m.id, "destination": m.recipients, "headersTruncated": false,
			"headers":       []any{map[string]string{"name": "Return-Path", "value": "<" + m.source + ">"}},
			"commonHeaders": map[string]any{"returnPath": m.source, "to": m.recipients},
		},
		"receipt": map[string]any{
			"timestamp": at, "processingTimeMillis": 412, "recipients": m.recipients,
			"spamVerdict": verdict(m.spam), "virusVerdict": verdict(m.virus), "spfVerdict": verdict("PASS"),
			"dkimVerdict": verdict("GRAY"), "dmarcVerdict": verdict("FAIL"), "dmarcPolicy": "none",
			"action": map[string]string{
				"type": "S3", "topicArn": mailTopic, "bucketName": "onefold-sample-mail", "objectKeyPrefix": "", "objectKey": m.id,
			},
		},
	}
}

func queued(t *testing.T, name, at string, bare bool, notice map[string]any) map[string]any {
	t.Helper()
	body := marshal(t, notice)
	if !bare {
		body = marshal(t, map[string]string{
			"Type": "Notification", "MessageId": "00000000-0000-4000-8000-" + (name + "000000000000")[:12],
			"TopicArn": mailTopic, "Subject": "Amazon SES Email Receipt Notification",
			"Message": body, "Timestamp": at, "SignatureVersion": "1", "Signature": "EXAMPLE", "SigningCertURL": "EXAMPLE", "UnsubscribeURL": "EXAMPLE",
		})
	}
	sent, sum := strconv.FormatInt(signedAt().UnixMilli(), 10), md5.Sum([]byte(body))
	return map[string]any{"Records": []any{map[string]any{
		"messageId": "sample-" + name, "receiptHandle": "sample", "body": body, "md5OfBody": hex.EncodeToString(sum[:]),
		"eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:onefold-mail", "awsRegion": "us-east-1",
		"attributes": map[string]string{
			"ApproximateReceiveCount": "1", "SentTimestamp": sent, "SenderId": "sample", "ApproximateFirstReceiveTimestamp": sent,
		},
		"messageAttributes": map[string]any{},
	}}}
}

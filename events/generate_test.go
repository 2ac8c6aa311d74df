package events_test

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	samples "onefold/events"
	"onefold/internal/mailer"
	"onefold/internal/webhook"
)

//go:generate go test -run TestGeneratedFilesAreCurrent . -update
var update = flag.Bool("update", false, "write the generated samples instead of comparing them")

// signedAt is when every provider signed.
func signedAt() time.Time { return time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC) }

func TestGeneratedFilesAreCurrent(t *testing.T) {
	generated := map[string]any{}
	addForms(t, generated)
	addMail(t, generated)
	addHooks(t, generated)
	addProviders(t, generated)
	addFeedback(t, generated)
	addSESMail(t, generated)
	for name, payload := range generated {
		want, isRaw := payload.([]byte)
		if !isRaw {
			var err error
			if want, err = json.MarshalIndent(payload, "", "  "); err != nil {
				t.Fatal(err)
			}
			want = append(want, '\n')
		}
		if *update {
			if err := os.MkdirAll(path.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not what go generate makes", name)
		}
	}
	for _, folder := range []string{"form", "hooks", "mail-api", "ses-feedback", "ses-mail"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if _, ok := generated[folder+"/"+e.Name()]; !ok {
				t.Errorf("%s/%s is not made by go generate", folder, e.Name())
			}
		}
	}
}

// request is an HTTP API event, payload version 2.0, on our own domain name.
func request(endpoint, contentType string, at time.Time, headers map[string]string, body []byte, isBase64 bool) map[string]any {
	text := string(body)
	if isBase64 {
		text = base64.StdEncoding.EncodeToString(body)
	}
	all := map[string]string{
		"content-length": strconv.Itoa(len(body)), "content-type": contentType, "host": "hooks.demo.example",
		"user-agent": "sample-sender/1.0", "x-forwarded-for": "192.0.2.50", "x-forwarded-port": "443", "x-forwarded-proto": "https",
	}
	for name, v := range headers {
		all[name] = v
	}
	const route = "POST /v1/{tenant}/{endpoint}"
	target := "/v1/demo/" + endpoint
	return map[string]any{
		"version": "2.0", "routeKey": route, "rawPath": target, "rawQueryString": "", "headers": all,
		"pathParameters": map[string]string{"tenant": "demo", "endpoint": endpoint},
		"requestContext": map[string]any{
			"routeKey": route, "accountId": "123456789012", "stage": "$default", "apiId": "sample",
			"requestId": "sample-" + strconv.FormatInt(at.Unix(), 10), "domainName": "hooks.demo.example", "domainPrefix": "hooks",
			"time": at.Format("02/Jan/2006:15:04:05 -0700"), "timeEpoch": at.UnixMilli(),
			"http": map[string]string{
				"method": "POST", "path": target, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.50", "userAgent": "sample-sender/1.0",
			},
		},
		"body": text, "isBase64Encoded": isBase64,
	}
}

func signature(t *testing.T, secret, id string, at time.Time, body []byte) map[string]string {
	t.Helper()
	s, err := webhook.ParseSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"webhook-id": id, "webhook-timestamp": strconv.FormatInt(at.Unix(), 10), "webhook-signature": webhook.Sign(s, id, at, body),
	}
}

const (
	enquiryBody = `{"type":"form.submitted","timestamp":"2026-01-15T08:59:58Z","data":{"email":"jamie.quinn@garden.example","name":"Jamie Quinn","company":"Quinn Gardens Ltd","phone":"+44 20 7946 0018","subject":"Guided walk for our staff","message":"Do you offer guided walks for groups of eight on a weekday in May?"}}`
	otherBody   = `{"type":"form.submitted","timestamp":"2026-01-15T09:01:00Z","data":{"email":"kai.berg@other.example","name":"Kai Berg","subject":"Something else","message":"Do you offer courses in map reading?"}}`
)

func addForms(t *testing.T, into map[string]any) {
	t.Helper()
	const jsonType = "application/json"
	at := signedAt()
	form := func(name, id string, signed, came time.Time, body string, change func(map[string]string)) {
		headers := signature(t, samples.SecretForm, id, signed, []byte(body))
		if change != nil {
			change(headers)
		}
		into["form/"+name+".json"] = request("form", jsonType, came, headers, []byte(body), false)
	}
	form("enquiry-1", "msg_sample_0001", at, at, enquiryBody, nil)
	form("enquiry-2", "msg_sample_0001", at.Add(5*time.Second), at.Add(5*time.Second), enquiryBody, nil)
	form("enquiry-3", "msg_sample_0001", at.Add(305*time.Second), at.Add(305*time.Second), enquiryBody, nil)
	form("same-id-other-content", "msg_sample_0001", at, at, otherBody, nil)
	form("malformed-json", "msg_sample_0002", at, at, `{"type":"form.submitted","data":{"email":"jamie.quinn@garden.example",`, nil)
	form("missing-id", "msg_sample_0004", at, at, otherBody, func(h map[string]string) { delete(h, "webhook-id") })
	form("old-timestamp", "msg_sample_0005", at.Add(-time.Hour), at, otherBody, nil)
	form("wrong-signature", "msg_sample_0006", at, at, otherBody, func(h map[string]string) {
		h["webhook-signature"] = "v1," + base64.StdEncoding.EncodeToString(make([]byte, 32))
	})
	form("id-of-10-kb", "msg_"+strings.Repeat("x", 10236), at, at, otherBody, nil)
	form("id-with-slash-and-hash", "form/7#42", at, at, otherBody, nil)

	// A gateway hands over as base64 what it does not know to be text.
	broken := []byte(strings.Replace(otherBody, "Kai Berg", "Kai B\xe9rg", 1))
	into["form/invalid-utf8.json"] = request("form", "application/octet-stream", at,
		signature(t, samples.SecretForm, "msg_sample_0003", at, broken), broken, true)
}

func addMail(t *testing.T, into map[string]any) {
	t.Helper()
	const from, to = "alex.morgan@customer.example", "hello@demo.example"
	raw := samples.Mail("plain/enquiry.eml")
	headers := signature(t, samples.SecretMail, webhook.MailID(from, to, raw), signedAt(), raw)
	headers["x-onefold-envelope-from"], headers["x-onefold-envelope-to"] = from, to
	into["mail-api/raw-mail.json"] = request("mail", "message/rfc822", signedAt(), headers, raw, true)

	changed := map[string]string{}
	for name, v := range headers {
		changed[name] = v
	}
	changed["x-onefold-envelope-to"] = "sales@demo.example"
	into["mail-api/changed-recipient.json"] = request("mail", "message/rfc822", signedAt(), changed, raw, true)
}

// addFeedback makes what a queue subscribed to the topic of the configuration
// set's event destination receives: SES event in SNS notification in SQS
// record (SES developer guide, event-publishing-retrieving-sns-examples).
func addFeedback(t *testing.T, into map[string]any) {
	t.Helper()
	const message, to = "0100019bc0a5e4f0-5a3c1d2e-0000-4000-8000-00000000a001-000000", "alex.morgan@customer.example"
	at := signedAt().Format("2006-01-02T15:04:05.000Z")
	mail := map[string]any{
		"timestamp": at, "source": "Fernweh Hiking <hello@demo.example>", "sourceArn": "arn:aws:ses:us-east-1:123456789012:identity/demo.example",
		"sendingAccountId": "123456789012", "messageId": message, "destination": []string{to}, "headersTruncated": false,
		"headers": []any{
			map[string]string{"name": "From", "value": "Fernweh Hiking <hello@demo.example>"},
			map[string]string{"name": "To", "value": to},
			map[string]string{"name": "Subject", "value": "Re: Hut tour in July"},
		},
		"commonHeaders": map[string]any{"from": []string{"Fernweh Hiking <hello@demo.example>"}, "to": []string{to}, "messageId": message, "subject": "Re: Hut tour in July"},
		"tags": map[string][]string{
			"ses:configuration-set": {"onefold"}, "ses:operation": {"SendEmail"}, "ses:from-domain": {"demo.example"},
			mailer.TagTenant: {"demo"}, mailer.TagIntent: {"sampleintentaaaaaaaaaaaaaaaaaaaa"}, mailer.TagAttempt: {"1"},
		},
	}
	details := map[string]any{
		"Send":     map[string]any{},
		"Delivery": map[string]any{"timestamp": at, "processingTimeMillis": 812, "recipients": []string{to}, "smtpResponse": "250 2.0.0 OK", "reportingMTA": "mta.example.net"},
		"Bounce": map[string]any{
			"bounceType": "Permanent", "bounceSubType": "General", "timestamp": at, "reportingMTA": "dns; mta.example.net",
			"feedbackId":        "0100019bc0a5f000-00000000-0000-4000-8000-00000000b001-000000",
			"bouncedRecipients": []any{map[string]string{"emailAddress": to, "action": "failed", "status": "5.1.1", "diagnosticCode": "smtp; 550 5.1.1 user unknown"}},
		},
		"Complaint": map[string]any{
			"complainedRecipients": []any{map[string]string{"emailAddress": to}}, "timestamp": at, "arrivalDate": at, "userAgent": "Sample Feedback Loop",
			"feedbackId": "0100019bc0a60000-00000000-0000-4000-8000-00000000c001-000000", "complaintFeedbackType": "abuse",
		},
	}
	for kind, detail := range details {
		name := strings.ToLower(kind)
		event := marshal(t, map[string]any{"eventType": kind, name: detail, "mail": mail})
		body := marshal(t, map[string]string{
			"Type": "Notification", "MessageId": "00000000-0000-4000-8000-" + (name + "000000000000")[:12],
			"TopicArn": "arn:aws:sns:us-east-1:123456789012:onefold-ses-events", "Subject": "Amazon SES Email Event Notification",
			"Message": event, "Timestamp": at, "SignatureVersion": "1", "Signature": "EXAMPLE", "SigningCertURL": "EXAMPLE", "UnsubscribeURL": "EXAMPLE",
		})
		sent, sum := strconv.FormatInt(signedAt().UnixMilli(), 10), md5.Sum([]byte(body))
		into["ses-feedback/"+name+".json"] = map[string]any{"Records": []any{map[string]any{
			"messageId": "sample-" + name, "receiptHandle": "sample", "body": body, "md5OfBody": hex.EncodeToString(sum[:]),
			"eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:onefold-feedback", "awsRegion": "us-east-1",
			"attributes": map[string]string{
				"ApproximateReceiveCount": "1", "SentTimestamp": sent, "SenderId": "sample", "ApproximateFirstReceiveTimestamp": sent,
			},
			"messageAttributes": map[string]any{},
		}}}
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

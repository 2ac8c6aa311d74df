package ses_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"onefold/internal/mailer"
	"onefold/internal/mailer/ses"
)

// mailObject is the mail part of every sample, with the fields that the
// developer guide documents (event-publishing-retrieving-sns-contents).
const mailObject = `"mail":{"timestamp":"2026-03-04T05:06:07.089Z","source":"Desk <desk@example.com>",
"sourceArn":"arn:aws:ses:us-east-1:123456789012:identity/example.com","sendingAccountId":"123456789012",
"messageId":"0100-m1","destination":["kunde@example.net"],"headersTruncated":false,
"headers":[{"name":"To","value":"kunde@example.net"}],
"commonHeaders":{"from":["Desk <desk@example.com>"],"to":["kunde@example.net"],"messageId":"0100-m1","subject":"Hello"},
"tags":{"ses:configuration-set":["follow-up"],"onefold_intent":["int_1","ignored"],"empty":[]}}`

func sample(rest string) string { return "{" + rest + "," + mailObject + "}" }

func TestEventsBecomeNeutral(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 7, 0, 669e6, time.UTC)
	mailAt := time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC)
	one := []string{"kunde@example.net"}
	for _, c := range []struct {
		name, json string
		want       mailer.Event // without what all share
	}{
		{"send", `"eventType":"Send","send":{}`, mailer.Event{Type: mailer.EventSent, At: mailAt}},
		{"delivery", `"eventType":"Delivery","delivery":{"timestamp":"2026-03-04T05:07:00.669Z","processingTimeMillis":546,
			"recipients":["kunde@example.net"],"smtpResponse":"250 2.6.0 Message received","reportingMTA":"mta.example.com"}`,
			mailer.Event{Type: mailer.EventDelivered, At: at}},
		{"permanent bounce", `"eventType":"Bounce","bounce":{"bounceType":"Permanent","bounceSubType":"General",
			"bouncedRecipients":[{"emailAddress":"kunde@example.net","action":"failed","status":"5.1.1","diagnosticCode":"smtp; 550"}],
			"timestamp":"2026-03-04T05:07:00.669Z","feedbackId":"fb-1","reportingMTA":"dsn; mta.example.com"}`,
			mailer.Event{Type: mailer.EventBounced, At: at, BounceType: "Permanent", Permanent: true, Subtype: "General", DedupeKey: "bounce:fb-1"}},
		{"transient bounce", `"eventType":"Bounce","bounce":{"bounceType":"Transient","bounceSubType":"MailboxFull",
			"bouncedRecipients":[{"emailAddress":"kunde@example.net"}],"timestamp":"2026-03-04T05:07:00.669Z","feedbackId":"fb-2"}`,
			mailer.Event{Type: mailer.EventBounced, At: at, BounceType: "Transient", Subtype: "MailboxFull", DedupeKey: "bounce:fb-2"}},
		{"undetermined bounce is not permanent", `"eventType":"Bounce","bounce":{"bounceType":"Undetermined","bounceSubType":"Undetermined",
			"bouncedRecipients":[{"emailAddress":"kunde@example.net"}],"timestamp":"2026-03-04T05:07:00.669Z","feedbackId":"fb-3"}`,
			mailer.Event{Type: mailer.EventBounced, At: at, BounceType: "Undetermined", Subtype: "Undetermined", DedupeKey: "bounce:fb-3"}},
		{"complaint", `"eventType":"Complaint","complaint":{"complainedRecipients":[{"emailAddress":"kunde@example.net"}],
			"timestamp":"2026-03-04T05:07:00.669Z","feedbackId":"fb-1","complaintSubType":null,"complaintFeedbackType":"abuse"}`,
			mailer.Event{Type: mailer.EventComplained, At: at, Subtype: "abuse", DedupeKey: "complaint:fb-1"}},
		{"suppressed complaint", `"eventType":"Complaint","complaint":{"complainedRecipients":[{"emailAddress":"kunde@example.net"}],
			"timestamp":"2026-03-04T05:07:00.669Z","feedbackId":"fb-4","complaintSubType":"OnAccountSuppressionList"}`,
			mailer.Event{Type: mailer.EventComplained, At: at, Subtype: "OnAccountSuppressionList", DedupeKey: "complaint:fb-4"}},
		{"reject", `"eventType":"Reject","reject":{"reason":"Bad content"}`, mailer.Event{Type: mailer.EventRejected, At: mailAt}},
		{"rendering failure", `"eventType":"Rendering Failure","failure":{"errorMessage":"x","templateName":"y"}`,
			mailer.Event{Type: mailer.EventRejected, At: mailAt, Subtype: "RenderingFailure"}},
		{"delay", `"eventType":"DeliveryDelay","deliveryDelay":{"timestamp":"2026-03-04T05:07:00.669Z","delayType":"TransientCommunicationFailure",
			"expirationTime":"2026-03-05T05:07:00.669Z","delayedRecipients":[{"emailAddress":"kunde@example.net","status":"4.4.1"}]}`,
			mailer.Event{Type: mailer.EventDelayed, At: at, Subtype: "TransientCommunicationFailure"}},
		{"open", `"eventType":"Open","open":{"timestamp":"2026-03-04T05:07:00.669Z","ipAddress":"192.0.2.1"}`,
			mailer.Event{Type: mailer.EventOther, At: at, Subtype: "Open"}},
		{"a kind of the future", `"eventType":"Levitation","levitation":{"height":3}`,
			mailer.Event{Type: mailer.EventOther, At: mailAt, Subtype: "Levitation"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.MessageID, c.want.Recipients = "0100-m1", one
			c.want.Tags = map[string]string{"ses:configuration-set": "follow-up", "onefold_intent": "int_1"}
			bare, err := ses.ParseEvent([]byte(sample(c.json)))
			if err != nil {
				t.Fatal(err)
			}
			if c.want.DedupeKey == "" { // a key without feedback ID: see the next test
				c.want.DedupeKey = bare.DedupeKey
			}
			if !reflect.DeepEqual(bare, c.want) {
				t.Errorf("got  %+v\nwant %+v", bare, c.want)
			}
			if bare.DedupeKey == "" || strings.Contains(bare.DedupeKey, "@") {
				t.Errorf("dedupe key %q", bare.DedupeKey)
			}
			enveloped, err := ses.ParseEvent(envelope(t, sample(c.json)))
			if err != nil || !reflect.DeepEqual(enveloped, bare) {
				t.Errorf("in an envelope: %+v, %v", enveloped, err)
			}
		})
	}
}

func envelope(t *testing.T, message string) []byte {
	t.Helper()
	data, err := json.Marshal(map[string]string{"Type": "Notification", "MessageId": "sns-1",
		"TopicArn": "arn:aws:sns:us-east-1:123456789012:feedback", "Message": message, "Timestamp": "2026-03-04T05:07:01.000Z"})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDedupeKeyTellsEventsApartAndRepetitionsNot(t *testing.T) {
	t.Parallel()
	delivery := func(id, at, recipients string) string {
		return `{"eventType":"Delivery","delivery":{"timestamp":"` + at + `","recipients":[` + recipients + `]},"mail":{"messageId":"` + id + `"}}`
	}
	key := func(event string) string {
		e, err := ses.ParseEvent([]byte(event))
		if err != nil {
			t.Fatal(err)
		}
		return e.DedupeKey
	}
	const a, b, at = `"a@example.net"`, `"b@example.net"`, "2026-03-04T05:07:00.669Z"
	first := key(delivery("m1", at, a+","+b))
	if again := key(delivery("m1", at, b+","+a)); again != first {
		t.Error("the order of recipients made another event")
	}
	seen := map[string]string{first: "first"}
	for name, event := range map[string]string{
		"other mail":       delivery("m2", at, a+","+b),
		"other time":       delivery("m1", "2026-03-04T05:07:00.670Z", a+","+b),
		"other recipients": delivery("m1", at, a),
		"other kind":       `{"eventType":"Send","mail":{"messageId":"m1","timestamp":"` + at + `","destination":[` + a + "," + b + `]}}`,
	} {
		k := key(event)
		if other, ok := seen[k]; ok {
			t.Errorf("%s has the key of %s", name, other)
		}
		seen[k] = name
	}
}

func TestWhatIsNoEvent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data     []byte
		notEvent bool
	}{
		"empty":                   {[]byte(``), false},
		"not JSON":                {[]byte(`{"eventType":"Send","to":"kunde@example.net`), false},
		"text in an envelope":     {envelope(t, "kunde@example.net says hello"), false},
		"a field of wrong type":   {[]byte(`{"eventType":"Send","mail":{"messageId":["kunde@example.net"]}}`), false},
		"a number":                {[]byte(`7`), false},
		"no event type":           {[]byte(`{"mail":{"messageId":"m1"}}`), true},
		"null":                    {[]byte(`null`), true},
		"no message ID":           {[]byte(`{"eventType":"Bounce","mail":{}}`), true},
		"subscription to confirm": {[]byte(`{"Type":"SubscriptionConfirmation","Message":"confirm"}`), true},
	} {
		_, err := ses.ParseEvent(c.data)
		if err == nil || errors.Is(err, ses.ErrNotEvent) != c.notEvent {
			t.Errorf("%s: got error %v, want one, not-an-event %v", name, err, c.notEvent)
		}
		if err != nil && strings.Contains(err.Error(), "kunde") {
			t.Errorf("%s: the error quotes its input: %v", name, err)
		}
	}
}

func TestTopicNoticeIsNoError(t *testing.T) {
	t.Parallel()
	const text = "Successfully validated SNS topic for Amazon SES event publishing."
	for _, data := range [][]byte{[]byte(text), envelope(t, text)} {
		e, err := ses.ParseEvent(data)
		if err != nil || e.Type != mailer.EventOther || e.DedupeKey == "" {
			t.Errorf("got %+v, %v", e, err)
		}
	}
}

func TestIdentityNotificationIsReadWithoutTags(t *testing.T) {
	t.Parallel()
	e, err := ses.ParseEvent([]byte(`{"notificationType":"Bounce","bounce":{"bounceType":"Permanent","feedbackId":"fb-9"},"mail":{"messageId":"m1"}}`))
	if err != nil || e.Type != mailer.EventBounced || !e.Permanent || e.Tags != nil || e.DedupeKey != "bounce:fb-9" {
		t.Errorf("got %+v, %v", e, err)
	}
}

// The generated samples of AWS hold no published event, but the same mail
// object and the same envelope.
func TestCorpusOfAWSEvents(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "..", "..", "shared", "corpora")
	read := func(name string, into any) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(folder, "aws-events", name))
		if err != nil {
			t.Skipf("no corpus of AWS events: %v", err)
		}
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
	}
	var receiving struct {
		Records []struct {
			SES struct{ Mail json.RawMessage }
		}
	}
	read("SesEmailReceiving.json", &receiving)
	e, err := ses.ParseEvent([]byte(`{"eventType":"Send","send":{},"mail":` + string(receiving.Records[0].SES.Mail) + `}`))
	if err != nil || e.MessageID != "o3vrnil0e2ic28trm7dfhrc2v0clambda4nbp0g1" || !reflect.DeepEqual(e.Recipients, []string{"johndoe@example.com"}) {
		t.Errorf("got %+v, %v", e, err)
	}
	var sns struct {
		Records []struct{ Sns map[string]any }
	}
	read("Sns.json", &sns)
	sns.Records[0].Sns["Message"] = sample(`"eventType":"Send","send":{}`)
	data, err := json.Marshal(sns.Records[0].Sns)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := ses.ParseEvent(data); err != nil || e.Type != mailer.EventSent || e.MessageID != "0100-m1" {
		t.Errorf("got %+v, %v", e, err)
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add([]byte(sample(`"eventType":"Bounce","bounce":{"bounceType":"Permanent","feedbackId":"x"}`)))
	f.Add([]byte(`{"Type":"Notification","Message":"{\"eventType\":\"Send\",\"mail\":{\"messageId\":\"m\"}}"}`))
	f.Add([]byte(`{"eventType":"\u0000","mail":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ses.ParseEvent(data)
		if err != nil {
			return
		}
		if e.Type == "" || e.DedupeKey == "" {
			t.Errorf("an event without type or dedupe key: %+v", e)
		}
		if e.MessageID == "" && e.Type != mailer.EventOther {
			t.Errorf("%s of no mail", e.Type)
		}
	})
}

package events_test

import (
	"bytes"
	"crypto"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	samples "onefold/events"
)

// The topic of mail that the samples come by, and one that no policy lists.
const (
	hookTopic    = "arn:aws:sns:eu-west-1:123456789012:mail-by-https"
	foreignTopic = "arn:aws:sns:eu-west-1:999999999999:mail-by-https"
	hookPair     = "onefold:" + samples.SecretHook
)

func basic(pair string) map[string]string {
	return map[string]string{"authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))}
}

// addProviders are the requests of mail providers and of HubSpot.
func addProviders(t *testing.T, into map[string]any) {
	t.Helper()
	addSNS(t, into)
	addPostmark(t, into)
	addMailgun(into)
	addSendGrid(t, into)
	addHubSpot(into)
}

func addSNS(t *testing.T, into map[string]any) {
	t.Helper()
	at := signedAt()
	put := func(name string, m map[string]string) {
		signSNS(t, m)
		headers := map[string]string{"x-amz-sns-message-type": m["Type"], "x-amz-sns-topic-arn": m["TopicArn"]}
		into["hooks/"+name+".json"] = request("sns", "text/plain; charset=UTF-8", at, headers, asJSON(t, m), false)
	}
	stamp := at.Format("2006-01-02T15:04:05.000Z")
	notice := func(topic, message string) map[string]string {
		return map[string]string{"Type": "Notification", "MessageId": "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324", "TopicArn": topic, "Subject": "Amazon SES Email Receipt Notification", "Message": message, "Timestamp": stamp}
	}
	verdict := func(word string) map[string]string { return map[string]string{"status": word} }
	received := string(asJSON(t, map[string]any{
		"notificationType": "Received",
		"receipt": map[string]any{
			"timestamp": stamp, "recipients": []string{"hello@demo.example"}, "spamVerdict": verdict("PASS"), "virusVerdict": verdict("PASS"),
			"action": map[string]string{"type": "SNS", "topicArn": hookTopic, "encoding": "BASE64"},
		},
		"mail":    map[string]string{"timestamp": stamp, "source": "alex.morgan@customer.example", "messageId": "sampleses00000000000000000000byhttps01"},
		"content": base64.StdEncoding.EncodeToString(samples.Mail("plain/enquiry.eml")),
	}))
	put("sns", notice(hookTopic, received))
	put("sns-of-another-topic", notice(foreignTopic, strings.ReplaceAll(received, hookTopic, foreignTopic)))
	for name, kind := range map[string]string{"sns-subscription": "SubscriptionConfirmation", "sns-subscription-ended": "UnsubscribeConfirmation"} {
		put(name, map[string]string{
			"Type": kind, "MessageId": "165545c9-2a5c-472c-8df2-7ff2be2b3b1b", "Token": "sampletoken", "TopicArn": hookTopic, "Timestamp": stamp,
			"Message": "A confirmation of SNS.\nIt has lines.", "SubscribeURL": "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=" + hookTopic + "&Token=sampletoken",
		})
	}
}

func addPostmark(t *testing.T, into map[string]any) {
	t.Helper()
	whole := asJSON(t, map[string]any{
		"MessageStream": "inbound", "From": "alex.morgan@customer.example", "OriginalRecipient": "Hello@demo.example", "Subject": "Hut tour in July",
		"MessageID": "73e6d360-66eb-11e1-8e72-a8904824019b", "RawEmail": string(samples.Mail("plain/enquiry.eml")),
	})
	into["hooks/postmark.json"] = request("postmark", "application/json", signedAt(), basic(hookPair), whole, false)
	into["hooks/postmark-wrong-password.json"] = request("postmark", "application/json", signedAt(), basic("onefold:guessed"), whole, false)
	parts := asJSON(t, map[string]any{
		"MessageStream": "inbound", "From": "robin.hale@buyer.example", "FromFull": map[string]string{"Email": "robin.hale@buyer.example", "Name": "Robin Hale"},
		"To": "hello@demo.example", "OriginalRecipient": "hello@demo.example", "Subject": "Prices", "MessageID": "73e6d360-66eb-11e1-8e72-a8904824019c",
		"Date": "Thu, 15 Jan 2026 09:59:58 +0100", "TextBody": "What does a walk for twelve cost?", "Headers": []map[string]string{{"Name": "Message-ID", "Value": "<sample-parts@buyer.example>"}},
	})
	into["hooks/postmark-parts.json"] = request("postmark", "application/json", signedAt(), basic(hookPair), parts, false)
}

func addMailgun(into map[string]any) {
	post := func(name, endpoint, token string, fields url.Values) {
		stamp := strconv.FormatInt(signedAt().Unix(), 10)
		token = (token + strings.Repeat("0", 50))[:50]
		m := hmac.New(sha256.New, []byte(samples.SecretHook))
		m.Write([]byte(stamp + token))
		fields.Set("timestamp", stamp)
		fields.Set("token", token)
		fields.Set("signature", hex.EncodeToString(m.Sum(nil)))
		into["hooks/"+name+".json"] = request(endpoint, "application/x-www-form-urlencoded", signedAt(), nil, []byte(fields.Encode()), true)
	}
	mail := func(base string) url.Values {
		return url.Values{"recipient": {"hello@demo.example"}, "sender": {"alex.morgan@customer.example"}, "body-mime": {string(samples.Mail(base))}}
	}
	post("mailgun", "mailgun-mime", "one", mail("plain/enquiry.eml"))
	post("mailgun-token-used-again", "mailgun-mime", "one", mail("plain/pricing.eml"))
	post("mailgun-stored", "mailgun-mime", "two", url.Values{
		"recipient": {"hello@demo.example"}, "sender": {"robin.hale@buyer.example"}, "from": {"Robin Hale <robin.hale@buyer.example>"}, "subject": {"Prices"},
		"body-plain": {"What does a walk for twelve cost?"}, "message-headers": {`[["From","Robin Hale <robin.hale@buyer.example>"],["Subject","Prices"]]`},
		"message-url": {"https://storage-europe-west1.api.mailgun.net/v3/domains/demo.example/messages/samplekey"},
	})
}

func addSendGrid(t *testing.T, into map[string]any) {
	t.Helper()
	form := func(base, envelope string) []byte {
		var b bytes.Buffer
		for _, f := range [][2]string{{"to", "hello@demo.example"}, {"email", string(samples.Mail(base))}, {"envelope", envelope}, {"spam_score", "0.1"}} {
			b.WriteString("--xYzZY\r\nContent-Disposition: form-data; name=\"" + f[0] + "\"\r\n\r\n" + f[1] + "\r\n")
		}
		b.WriteString("--xYzZY--\r\n")
		return b.Bytes()
	}
	const media = "multipart/form-data; boundary=xYzZY"
	one := form("plain/enquiry.eml", `{"to":["hello@demo.example"],"from":"alex.morgan@customer.example"}`)
	into["hooks/sendgrid.json"] = request("sendgrid", media, signedAt(), basic(hookPair), one, true)

	two := form("two-mailboxes/sales.eml", `{"to":["sales@demo.example","info@demo.example"],"from":"sam.okafor@outdoorclub.example"}`)
	stamp := strconv.FormatInt(signedAt().Unix(), 10)
	sum := sha256.Sum256(append([]byte(stamp), two...))
	key, _ := sendGridKey(t)
	signature, err := key.Sign(nil, sum[:], crypto.SHA256) // without a source of chance: RFC 6979
	if err != nil {
		t.Fatal(err)
	}
	into["hooks/sendgrid-signed.json"] = request("sendgrid-signed", media, signedAt(), map[string]string{
		"x-twilio-email-event-webhook-signature": base64.StdEncoding.EncodeToString(signature), "x-twilio-email-event-webhook-timestamp": stamp,
	}, two, true)
}

func addHubSpot(into map[string]any) {
	post := func(name string, at time.Time, body string) {
		stamp := strconv.FormatInt(at.UnixMilli(), 10)
		m := sha([]byte(samples.SecretHook), "POSThttps://hooks.demo.example/v1/demo/hubspot"+body+stamp)
		into["hooks/"+name+".json"] = request("hubspot", "application/json", at, map[string]string{
			"x-hubspot-signature-v3": base64.StdEncoding.EncodeToString(m), "x-hubspot-request-timestamp": stamp,
		}, []byte(body), false)
	}
	event := func(object, try string) string {
		return `{"eventId":10` + try + `,"subscriptionId":12345,"portalId":62515,"occurredAt":1768467590000,"subscriptionType":"contact.creation","attemptNumber":` + try + `,"objectId":` + object + `,"changeSource":"CRM","changeFlag":"NEW","appId":54321}`
	}
	post("hubspot", signedAt(), "["+event("123", "0")+","+event("124", "0")+"]")
	post("hubspot-again", signedAt().Add(time.Hour), "["+event("124", "1")+","+event("125", "0")+"]")
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

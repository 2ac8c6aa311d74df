package sns_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"sort"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/sns"
	"onefold/internal/webhook/webhooktest"
)

const (
	topic = "arn:aws:sns:eu-west-1:123456789012:mail"
	cert  = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0001.pem"
	mail  = "From: ann@example.org\r\nSubject: Hut\r\n\r\nHello.\r\n"
)

func now() time.Time { return time.Unix(1_772_600_000, 0) }

func source(t testing.TB) sns.Source {
	t.Helper()
	s, err := sns.New([]string{topic})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// signer is SNS with a key of its own.
type signer struct {
	key  *rsa.PrivateKey
	cert []byte
}

func newSigner(t testing.TB, bits int) signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "sample"}, NotBefore: now().Add(-time.Hour), NotAfter: now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return signer{key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
}

// sign writes the names that are signed in byte order, as the documentation
// says, and not from the code under test.
func (s signer) sign(t testing.TB, version string, m map[string]string) webhook.Request {
	t.Helper()
	var names []string
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	text := ""
	for _, name := range names {
		text += name + "\n" + m[name] + "\n"
	}
	sum, hash := sha256.Sum256([]byte(text)), crypto.SHA256
	digest := sum[:]
	if version == "1" {
		short := sha1.Sum([]byte(text))
		digest, hash = short[:], crypto.SHA1
	}
	signature, err := rsa.SignPKCS1v15(nil, s.key, hash, digest)
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]string{"SignatureVersion": version, "Signature": base64.StdEncoding.EncodeToString(signature), "SigningCertURL": cert, "UnsubscribeURL": "https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe"}
	for name, v := range m {
		whole[name] = v
	}
	body, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return webhook.Request{Method: "POST", URL: "https://hooks.demo.example/v1/demo/sns", Body: body, Headers: webhook.Header{
		"content-type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": m["Type"], "x-amz-sns-topic-arn": m["TopicArn"],
	}}
}

func notice(message string) map[string]string {
	return map[string]string{
		"Type": "Notification", "MessageId": "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324", "TopicArn": topic, "Subject": "Amazon SES Email Receipt Notification",
		"Message": message, "Timestamp": "2026-03-04T05:06:07.000Z",
	}
}

// received is what SES publishes by an SNS action, with Base64 encoding.
func received(id string) string {
	return `{"notificationType":"Received","receipt":{"recipients":["Sales@demo.example"],"spamVerdict":{"status":"FAIL"},"virusVerdict":{"status":"PASS"},` +
		`"action":{"type":"SNS","topicArn":"` + topic + `","encoding":"BASE64"}},"mail":{"source":"ann@example.org","messageId":"` + id + `"},"content":"` +
		base64.StdEncoding.EncodeToString([]byte(mail)) + `"}`
}

func kit(t testing.TB, version string) webhooktest.Kit {
	t.Helper()
	ours, other := newSigner(t, 2048), newSigner(t, 2048)
	return webhooktest.Kit{
		Source: source(t), Content: webhook.ContentMail, Now: now(), Document: ours.cert,
		Secrets: [3]string{"the key of the certificate", "unused: there is one certificate", "the key of another"},
		Request: func(t testing.TB, secret string, _ time.Time, e ...string) webhook.Request {
			by := ours
			if strings.HasSuffix(secret, "another") {
				by = other
			}
			return by.sign(t, version, notice(received(e[0])))
		},
		BodyUncovered: true, // what is covered are values in it
		InBody: func(r webhook.Request) []string {
			var m map[string]json.RawMessage
			if err := json.Unmarshal(r.Body, &m); err != nil {
				return nil
			}
			var all []string
			for _, name := range []string{"Message", "MessageId", "TopicArn", "Timestamp", "Subject", "Signature", "SignatureVersion", "Type"} {
				all = append(all, `"`+name+`":`+string(m[name]))
			}
			return all
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1", "2"} {
		t.Run("version "+version, func(t *testing.T) {
			t.Parallel()
			webhooktest.Run(t, kit(t, version))
		})
	}
}

func FuzzSNS(f *testing.F) { webhooktest.Fuzz(f, kit(f, "2")) }

func opened(t *testing.T, message map[string]string) (webhook.Opened, error) {
	t.Helper()
	by := newSigner(t, 2048)
	return source(t).Open(by.sign(t, "2", message), webhook.Setting{Content: webhook.ContentMail, Document: by.cert, Now: now()})
}

func TestTheMailInANoticeIsTakenForEachRecipientOnce(t *testing.T) {
	t.Parallel()
	message := strings.Replace(received("ses1"), `["Sales@demo.example"]`, `["Sales@demo.example","sales@demo.example","info@demo.example"]`, 1)
	got, err := opened(t, notice(message))
	if err != nil || len(got.Deliveries) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, mailbox := range []string{"sales@demo.example", "info@demo.example"} {
		d := got.Deliveries[i]
		if d.ID != "ses:ses1" || d.Mailbox != mailbox || d.EnvelopeFrom != "ann@example.org" || string(d.Raw) != mail || d.Fetch != "" || !d.Verdicts.IsSpam() {
			t.Errorf("%+v", d)
		}
	}
}

func TestAMailInS3IsNamedForFetchingAndIsTheSameEvent(t *testing.T) {
	t.Parallel()
	message := strings.Replace(received("ses1"), `"action":{"type":"SNS","topicArn":"`+topic+`","encoding":"BASE64"}`, `"action":{"type":"S3","bucketName":"sample-mail","objectKey":"in/ses1"}`, 1)
	message, _, _ = strings.Cut(message, `,"content"`)
	message += "}"
	stored, err := opened(t, notice(message))
	if err != nil || len(stored.Deliveries) != 1 {
		t.Fatalf("%+v, %v", stored, err)
	}
	inline, err := opened(t, notice(received("ses1")))
	if err != nil {
		t.Fatal(err)
	}
	d := stored.Deliveries[0]
	if d.Fetch != "s3://sample-mail/in/ses1" || d.ID != inline.Deliveries[0].ID || d.Fingerprint != inline.Deliveries[0].Fingerprint || string(d.Raw) != message {
		t.Errorf("%+v", d)
	}
}

func TestASubscriptionIsConfirmedOnlyAtSNSAndOnlyOfAListedTopic(t *testing.T) {
	t.Parallel()
	confirmation := func(kind, address, arn string) map[string]string {
		return map[string]string{
			"Type": kind, "MessageId": "165545c9-2a5c-472c-8df2-7ff2be2b3b1b", "Token": "2336412f37", "TopicArn": arn, "SubscribeURL": address,
			"Message": "You have chosen to subscribe to the topic.\nVisit the SubscribeURL.", "Timestamp": "2026-03-04T05:06:07.000Z",
		}
	}
	const good = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=" + topic + "&Token=2336412f37"
	got, err := opened(t, confirmation("SubscriptionConfirmation", good, topic))
	if err != nil || got.Visit != good || len(got.Deliveries) > 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	got, err = opened(t, confirmation("UnsubscribeConfirmation", good, topic))
	if err != nil || got.Visit != "" || got.Note == "" || len(got.Deliveries) > 0 {
		t.Errorf("an end is answered with %+v, %v", got, err)
	}
	for _, c := range []struct {
		address, topic string
		want           error
	}{
		{good, topic + "2", webhook.ErrBadSignature},
		{"http" + strings.TrimPrefix(good, "https"), topic, webhook.ErrMalformed},
		{strings.Replace(good, "amazonaws.com", "amazonaws.com.evil.example", 1), topic, webhook.ErrMalformed},
		{strings.Replace(good, "sns.eu", "x@sns.eu", 1), topic, webhook.ErrMalformed},
		{strings.Replace(good, ".com/", ".com:8443/", 1), topic, webhook.ErrMalformed},
		{strings.Replace(good, "Confirm", "Delete", 1), topic, webhook.ErrMalformed},
		{good + "&Action=DeleteTopic", topic, webhook.ErrMalformed},
		{"https://169.254.169.254/?Action=ConfirmSubscription", topic, webhook.ErrMalformed},
	} {
		if got, err := opened(t, confirmation("SubscriptionConfirmation", c.address, c.topic)); !errors.Is(err, c.want) || got.Visit != "" {
			t.Errorf("%s of %s: %+v, %v, want %v", c.address, c.topic, got, err, c.want)
		}
	}
}

func TestWhatIsNoNoticeOfAMailIsToldApart(t *testing.T) {
	t.Parallel()
	for name, message := range map[string]string{
		"text": "hello", "a bounce": `{"notificationType":"Bounce","mail":{"messageId":"x"}}`, "no mail in it": strings.Replace(received("a"), `"content":"`, `"content":"*`, 1),
		"another topic's": strings.Replace(received("a"), topic, topic+"x", 1), "another action": strings.Replace(received("a"), `"type":"SNS"`, `"type":"Lambda"`, 1),
	} {
		if got, err := opened(t, notice(message)); !errors.Is(err, webhook.ErrMalformed) {
			t.Errorf("%s: %+v, %v, want ErrMalformed", name, got, err)
		}
	}
	if got, err := opened(t, notice("Successfully validated SNS topic for Amazon SES event publishing.")); err != nil || len(got.Deliveries) > 0 || got.Note == "" {
		t.Errorf("a trial of SES: %+v, %v", got, err)
	}
}

package sns

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // signature version 1 is SHA-1, and the default of topics
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"onefold/internal/webhook"
)

// The types of messages.
const (
	typeNotification = "Notification"
	typeSubscribe    = "SubscriptionConfirmation"
	typeUnsubscribe  = "UnsubscribeConfirmation"
)

// message is the texts of a message by their names, which have a case.
type message map[string]string

func read(body []byte) (message, error) {
	unread := webhook.Refuse(webhook.ErrBadSignature, "body_not_sns", "the body is a signed message of SNS; raw message delivery has no signature and cannot be taken")
	m, ok := texts(body)
	if !ok {
		return nil, unread
	}
	for name, text := range m {
		// In what is signed a line feed ends a value, so that only the first may
		// hold one.
		if name != "Message" && webhook.HasControl(text) {
			return nil, unread
		}
	}
	for _, name := range []string{"Type", "MessageId", "TopicArn", "Message", "Timestamp", "SignatureVersion", "Signature", "SigningCertURL"} {
		if m[name] == "" {
			return nil, unread
		}
	}
	return m, nil
}

// maxMembers bounds the members of a message, of which SNS writes a dozen.
const maxMembers = 40

// texts are the members of a JSON object in UTF-8 that are texts. Nobody knows
// yet who wrote it: what else stands there is passed over and takes no memory.
func texts(body []byte) (message, bool) {
	if !utf8.Valid(body) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	if begin, err := dec.Token(); err != nil || begin != json.Delim('{') {
		return nil, false
	}
	m := message{}
	for n := 0; dec.More(); n++ {
		name, err := dec.Token()
		key, ok := name.(string)
		var value json.RawMessage
		if err != nil || !ok || n == maxMembers || dec.Decode(&value) != nil {
			return nil, false
		}
		var text string
		if delete(m, key); value[0] == '"' && json.Unmarshal(value, &text) == nil {
			m[key] = text
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, false
	}
	_, err := dec.Token()
	return m, errors.Is(err, io.EOF)
}

// signed are the names of what is signed, in their order ("Verifying the
// signatures of Amazon SNS messages"); nil of a type that is not known. Amazon's
// JavaScript validator has another list for the end of a subscription; the
// documentation counts.
func signed(kind string) []string {
	switch kind {
	case typeNotification:
		return []string{"Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"}
	case typeSubscribe, typeUnsubscribe:
		return []string{"Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"}
	}
	return nil
}

// toSign is the text that SNS signs: each name and value on a line, those that
// are absent left out.
func (m message) toSign() string {
	var b strings.Builder
	for _, name := range signed(m["Type"]) {
		value, ok := m[name]
		if name == "Subject" && !ok {
			continue
		}
		b.WriteString(name + "\n" + value + "\n")
	}
	return b.String()
}

// verify wants a signature by the certificate's key, which is of use now.
func verify(m message, document []byte, now time.Time) error {
	key, err := keyOf(document, now)
	if err != nil {
		return err
	}
	signature, err := base64.StdEncoding.Strict().DecodeString(m["Signature"])
	if err != nil || signed(m["Type"]) == nil {
		return webhook.ErrBadSignature
	}
	text := []byte(m.toSign())
	switch m["SignatureVersion"] {
	case "1":
		sum := sha1.Sum(text) //nolint:gosec // see the import
		err = rsa.VerifyPKCS1v15(key, crypto.SHA1, sum[:], signature)
	case "2":
		sum := sha256.Sum256(text)
		err = rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature)
	default:
		return webhook.Refuse(webhook.ErrBadSignature, "signature_version", "SNS signs by version 1 or 2")
	}
	if err != nil {
		return webhook.ErrBadSignature
	}
	return nil
}

// keyOf reads the certificate. Its chain is that of the connection by which it
// came from Amazon's host; here it has to be in date.
func keyOf(document []byte, now time.Time) (*rsa.PublicKey, error) {
	bad := webhook.Refuse(webhook.ErrBadSignature, "certificate_invalid", "the certificate is one of SNS, and in date")
	block, _ := pem.Decode(document)
	if block == nil {
		return nil, bad
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil || now.Before(c.NotBefore) || now.After(c.NotAfter) {
		return nil, bad
	}
	key, ok := c.PublicKey.(*rsa.PublicKey)
	if !ok || key.N.BitLen() < 2048 {
		return nil, bad
	}
	return key, nil
}

// snsHost is SNS in any region. The pattern is narrower than that of Amazon's
// own validator, which takes the addresses that S3 gave to a bucket called sns
// (sns.s3-us-west-2.amazonaws.com), and such a bucket may be anybody's.
func snsHost(address string) (*url.URL, bool) {
	host := regexp.MustCompile(`^sns\.(?:(?:[abd-z][a-z]|c[a-mo-z])(?:-[a-z]+){1,3}-[0-9]{1,2}\.amazonaws\.com|cn(?:-[a-z]+){1,3}-[0-9]{1,2}\.amazonaws\.com\.cn)$`)
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Opaque != "" || !host.MatchString(u.Host) {
		return nil, false
	}
	return u, true
}

func certificateAddress(address string) bool {
	u, ok := snsHost(address)
	return ok && u.RawQuery == "" && strings.HasSuffix(u.Path, ".pem") && !strings.Contains(u.Path, "..")
}

// subscribeAddress is one that confirms and does nothing else.
func subscribeAddress(address string) bool {
	u, ok := snsHost(address)
	if !ok || u.Path != "/" && u.Path != "" {
		return false
	}
	actions := u.Query()["Action"]
	return len(actions) == 1 && actions[0] == "ConfirmSubscription"
}

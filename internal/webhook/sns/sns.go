// Package sns is the source for what Amazon SNS posts over HTTPS, as far as it
// is Amazon SES's notice of a mail that it received.
//
// Its invariant: a message counts only if the key of Amazon's certificate signed
// it and its topic is in the endpoint's list, and an address in it is visited
// only if both hold and the address is SNS's own. To SNS every code below 500 is
// a success, so it refuses to answer 4xx: what is not recorded has to reach the
// subscription's dead-letter queue, where a person sees it.
package sns

import (
	"errors"
	"regexp"
	"slices"

	"onefold/internal/digest"
	"onefold/internal/webhook"
	"onefold/internal/webhook/sesreceipt"
)

// maxBody is room for the 256 KB of an SNS message, escaped as JSON.
const maxBody = 2 << 20

// Source takes the messages of some topics.
type Source struct{ topics []string }

// New takes the ARNs of the topics whose messages count. The error is for the
// policy's writer.
func New(topics []string) (Source, error) {
	if len(topics) == 0 {
		return Source{}, errors.New("topics is missing: the ARNs of the SNS topics that may post here")
	}
	arn := regexp.MustCompile(`^arn:aws[a-z-]{0,20}:sns:[a-z0-9-]{3,30}:[0-9]{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$`)
	for _, t := range topics {
		if !arn.MatchString(t) {
			return Source{}, errors.New("a topic is an ARN such as \"arn:aws:sns:eu-west-1:123456789012:mail\"")
		}
	}
	return Source{topics: slices.Clone(topics)}, nil
}

// About is the source's row.
func (Source) About() webhook.About {
	return webhook.About{
		Scheme: "sns", Name: "SES receiving by SNS over HTTPS", Contents: []string{webhook.ContentMail},
		ID:      "`mail.messageId`, SES's own of the mail, for each recipient; SNS's `MessageId` is another for each notice",
		Auth:    "RSA signature of SNS, versions 1 (SHA-1) and 2 (SHA-256), by a certificate from sns.{region}.amazonaws.com; the topic must be in the endpoint's list",
		Keyless: true,
		Replay:  "SNS dates nothing: the ID, which is signed, stands against a replay. 4 tries in about a minute unless the topic's delivery policy says otherwise",
		Answers: webhook.Answers{
			Recorded: 200, Duplicate: 200,
			Conflict: 200, // it is before a person
			// The list of topics, or the certificate, may be a mistake of ours.
			Unauthenticated: 500,
			// A person has to see what cannot be read: the dead-letter queue.
			Malformed: 500, Kind: 500, TooLarge: 500,
			UnknownEndpoint: webhook.UnknownEndpoint, Fault: 503,
		},
		Checks: "SES's verdicts on SPF, DKIM and DMARC, in the notice beside the mail, which its sender does not write", DMARC: true,
		Final: []int{400, 401, 403, 404, 409, 410, 413, 415, 429}, MaxBody: maxBody,
		Limits: "mail of 150 KB in the notice itself (SNS action, Base64 encoding); larger mail lies in S3 and is read from the deployment's own mail bucket, below `TENANT/` alone: let the receipt rule write there. Give the subscription a dead-letter queue, since a minute of trouble is all that SNS bridges. A queue (scheme `ses`) is better where both are yours",
		Facts: []string{
			"https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html",
			"https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html",
			"https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html",
			"https://docs.aws.amazon.com/ses/latest/dg/receiving-email-notifications-contents.html",
		},
		Unverified: []string{
			"there is no published vector with a key: the string to sign is the one that the documentation shows",
			"the names under which certificates lie: sns.{region}.amazonaws.com, and .com.cn for regions in China, with a path that ends in .pem are taken",
			"whether the notice of an SNS action says how the mail in it is encoded: if not, it is seen in the text",
		},
	}
}

// Document is the address of the certificate, which is Amazon's.
func (s Source) Document(r webhook.Request) (string, error) {
	m, err := s.message(r)
	if err != nil {
		return "", err
	}
	address := m["SigningCertURL"]
	if !certificateAddress(address) {
		return "", webhook.Refuse(webhook.ErrBadSignature, "certificate_not_of_sns", "the certificate lies with SNS")
	}
	return address, nil
}

// Open verifies a message and gives the mail that it brings or announces.
func (s Source) Open(r webhook.Request, set webhook.Setting) (webhook.Opened, error) {
	m, err := s.message(r)
	if err != nil {
		return webhook.Opened{}, err
	}
	if err := verify(m, set.Document, set.Now); err != nil {
		return webhook.Opened{}, err
	}
	switch m["Type"] {
	case typeSubscribe:
		if !subscribeAddress(m["SubscribeURL"]) {
			return webhook.Opened{}, webhook.Refuse(webhook.ErrMalformed, "subscribe_url_not_of_sns", "the address of a confirmation is SNS's")
		}
		return webhook.Opened{Visit: m["SubscribeURL"], Note: "a subscription of a topic in the list is confirmed"}, nil
	case typeUnsubscribe:
		// Its SubscribeURL would subscribe again; who ended it may have meant it.
		return webhook.Opened{Note: "the subscription of a topic has ended: no more mail comes by it"}, nil
	}
	return open(m)
}

// message reads a message of a topic in the list. Nothing of it is trusted yet,
// so what cannot be read is no proof.
func (s Source) message(r webhook.Request) (message, error) {
	m, err := read(r.Body)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(s.topics, m["TopicArn"]) {
		return nil, webhook.Refuse(webhook.ErrBadSignature, "topic_not_allowed", "the topic is not in the endpoint's list")
	}
	return m, nil
}

// open gives a delivery for each recipient.
func open(m message) (webhook.Opened, error) {
	n, err := sesreceipt.ParseMessage(m["TopicArn"], []byte(m["Message"]))
	switch {
	case errors.Is(err, sesreceipt.ErrNotReceipt):
		return webhook.Opened{}, webhook.Refuse(webhook.ErrMalformed, "notice_not_of_ses", "the message is no notice of a mail that SES received")
	case err != nil:
		return webhook.Opened{}, webhook.Refuse(webhook.ErrMalformed, "notice_not_whole", "the notice names envelope and mail: the receipt rule's action is SNS or S3")
	case n.Setup:
		return webhook.Opened{Note: "SES announced that it can reach the topic"}, nil
	}
	var out webhook.Opened
	made := map[string]bool{}
	for _, recipient := range n.Recipients {
		d := webhook.Delivery{
			ID: "ses:" + n.MessageID, Content: webhook.ContentMail, Mailbox: webhook.Mailbox(recipient), Verdicts: n.Verdicts, Raw: n.Content,
			// By SES's ID a mail is the same whatever rule announces it, and how.
			Fingerprint: digest.Parts("ses", n.MessageID),
		}
		if d.EnvelopeFrom, err = webhook.EnvelopeFrom(n.Source); err != nil || d.Mailbox == "" {
			out.Broken++
			continue
		}
		if made[d.Mailbox] {
			continue
		}
		made[d.Mailbox] = true
		if n.Content == nil {
			d.Raw, d.Fetch = []byte(m["Message"]), FetchPrefix+n.Bucket+"/"+n.Key
		}
		out.Deliveries = append(out.Deliveries, d)
	}
	return out, nil
}

// FetchPrefix begins the Fetch of a mail in S3, before bucket, "/" and key.
const FetchPrefix = "s3://"

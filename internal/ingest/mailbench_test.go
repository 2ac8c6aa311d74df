package ingest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"onefold/internal/blob"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/queue"
)

const (
	mailBucket = "sample-mail"
	mailTopic  = "arn:aws:sns:eu-west-1:123456789012:onefold-mail"
	rawMail    = "From: Ann <ann@example.org>\r\nSubject: A walk\r\n\r\nDo you walk in May?\r\n"
)

// inbox is a bench that also receives by SES: hello@ and info@demo.example for
// the tenant demo, sales@demo.example for the other. Fake besides: the bucket.
type inbox struct {
	*bench
	mail *ingest.Mail

	mu      sync.Mutex
	objects map[string][]byte
}

func newInbox(t *testing.T, store ledger.Store) *inbox {
	t.Helper()
	b := &inbox{bench: newBench(t, store), objects: map[string][]byte{}}
	b.applies(demo, 2, "hello@demo.example", "info@demo.example")
	b.applies(other, 2, "sales@demo.example")
	b.again()
	return b
}

// again is a new process.
func (b *inbox) again() {
	b.restart()
	b.mail = &ingest.Mail{Service: b.service, Bucket: mailBucket, Topic: mailTopic, Object: role.Inbox(b.object)}
}

func (b *inbox) object(_ context.Context, key string) ([]byte, error) {
	n, apply, err := b.store.see("object")
	if err != nil || !apply {
		return nil, err
	}
	b.mu.Lock()
	raw, ok := b.objects[key]
	b.mu.Unlock()
	b.store.done(n)
	if !ok {
		return nil, fmt.Errorf("get %s: %w", key, blob.ErrMissing)
	}
	return slices.Clone(raw), nil
}

func (b *inbox) applies(of string, version int, mailboxes ...string) {
	b.Helper()
	doc := strings.NewReplacer(`"tenant": "demo"`, fmt.Sprintf("%q: %q", "tenant", of), `"version": 1,
  "name"`, fmt.Sprintf(`"version": %d,
  "name"`, version),
		`"endpoints": [`, `"endpoints": [{"name":"inbox","content":"mail","scheme":"ses","mailboxes":["`+strings.Join(mailboxes, `","`)+`"]},`,
	).Replace(string(tenant.Example()))
	if _, err := (&versions.Book{Store: b.store.Store, Now: b.clock}).Apply(b.Context(), []byte(doc), "test"); err != nil {
		b.Fatal(err)
	}
}

// notice is what SES announces, for change before it is wrapped.
type notice map[string]any

func noticeOf(id string, recipients ...string) notice {
	pass := map[string]string{"status": "PASS"}
	return notice{
		"notificationType": "Received",
		"mail":             map[string]any{"messageId": id, "source": "ann@example.org"},
		"receipt": map[string]any{
			"recipients": recipients, "spamVerdict": pass, "virusVerdict": pass, "spfVerdict": pass, "dkimVerdict": pass, "dmarcVerdict": pass,
			"action": map[string]any{"type": "S3", "topicArn": mailTopic, "bucketName": mailBucket, "objectKeyPrefix": "in/", "objectKey": "in/" + id},
		},
	}
}

// with changes one member, by the words of its path.
func (n notice) with(value any, path ...string) notice {
	at := map[string]any(n)
	for _, word := range path[:len(path)-1] {
		at, _ = at[word].(map[string]any)
	}
	at[path[len(path)-1]] = value
	return n
}

func (n notice) bare() queue.Message {
	b, err := json.Marshal(n)
	if err != nil {
		panic(err) // of maps and texts only
	}
	return queue.Message{ID: "queue-1", Body: b, Received: 1}
}

func (n notice) message() queue.Message {
	b, err := json.Marshal(map[string]string{"Type": "Notification", "MessageId": "sns-1", "TopicArn": mailTopic, "Message": string(n.bare().Body)})
	if err != nil {
		panic(err)
	}
	return queue.Message{ID: "queue-1", Body: b, Received: 1}
}

// holds puts a mail into the bucket.
func (b *inbox) holds(id, raw string) { b.objects["in/"+id] = []byte(raw) }

func (b *inbox) takes(m queue.Message) {
	b.Helper()
	if err := b.mail.Handle(b.Context(), m); err != nil {
		b.Fatal(err)
	}
}

// silent fails the test if an address is in the log.
func (b *inbox) silent() {
	b.Helper()
	if text := b.log.text(); strings.Contains(text, "@") {
		b.Errorf("the log names an address: %s", text)
	}
}

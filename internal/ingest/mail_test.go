package ingest_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"onefold/internal/blob"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/queue"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
	"onefold/internal/webhook/sesreceipt"
)

func TestReceivedMailIsRecordedWithWhatSESSaid(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) ledger.Store{"mem": onMem, "bolt": onBolt} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newInbox(t, open(t))
			b.holds("s1", rawMail)
			before := b.everything()
			b.takes(noticeOf("s1", "Hello@Demo.example").with(map[string]string{"status": "FAIL"}, "receipt", "spamVerdict").
				with(map[string]string{"status": "GRAY"}, "receipt", "dmarcVerdict").with("reject", "receipt", "dmarcPolicy").message())
			b.onlyAdds(before, ledger.Event, ledger.Delivery, ledger.Audit)
			b.counts(1, 1, 0)
			var e inbound.Event
			if err := b.of(ledger.Event)[0].Decode(&e); err != nil {
				t.Fatal(err)
			}
			at := utc.At(start)
			want := inbound.Verdicts{Spam: "FAIL", Virus: "PASS", SPF: "PASS", DKIM: "PASS", DMARC: "GRAY", DMARCPolicy: "reject"}
			if e.ID != "inbox/hello@demo.example/ses:s1" || e.Tenant != demo || e.Source != "inbox" || e.Mailbox != "hello@demo.example" ||
				e.DeliveryID != "ses:s1" || e.Content != "mail" || e.EnvelopeFrom != "ann@example.org" || e.Verdicts != want ||
				e.State != inbound.Recorded || e.ReceivedAt != at || e.NotBefore != at || e.DueAt != at.Add(ingest.FirstDue) || e.DueShard == "" {
				t.Errorf("the event is %+v", e)
			}
			if content, err := b.blob.Get(t.Context(), blob.Ref(e.Raw)); err != nil || string(content) != rawMail {
				t.Errorf("raw content %q, %v", content, err)
			}
			b.whole()
			b.silent()
		})
	}
}

func TestEachMailboxOfAMailIsAnEventOfItsTenant(t *testing.T) {
	t.Parallel()
	b := newInbox(t, onMem(t))
	b.holds("s1", rawMail)
	// The same mailbox in two spellings is one, a tagged address is its own.
	b.takes(noticeOf("s1", "hello@demo.example", "HELLO@demo.example", "hello+spring@demo.example", "sales@demo.example", "info@demo.example").message())
	var got []string
	for _, it := range b.of(ledger.Event) {
		got = append(got, it.Text("tenant")+" "+it.Text("mailbox"))
	}
	want := []string{"demo hello+spring@demo.example", "demo hello@demo.example", "demo info@demo.example", "second sales@demo.example"}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	b.counts(4, 4, 0)
	b.whole()
}

// Several rules that match, and a message that comes twice, are one mail. What
// SES says the second time changes nothing, and the object need not be there
// any more.
func TestTheSameMailAgainIsADuplicate(t *testing.T) {
	t.Parallel()
	b := newInbox(t, onMem(t))
	b.holds("s1", rawMail)
	b.takes(noticeOf("s1", "hello@demo.example").message())
	before := b.everything()
	delete(b.objects, "in/s1")
	b.takes(noticeOf("s1", "hello@demo.example").message())
	b.takes(noticeOf("s1", "hello@demo.example").with("by/another/rule/s1", "receipt", "action", "objectKey").
		with(map[string]string{"status": "FAIL"}, "receipt", "virusVerdict").bare())
	b.onlyAdds(before, ledger.Delivery)
	b.counts(1, 3, 0)
	for _, it := range b.of(ledger.Delivery)[1:] {
		if it.Text("answer") == inbound.AnswerConflict {
			t.Error("a repeated notification is a conflict")
		}
	}
	b.whole()
}

func TestANullSenderIsKept(t *testing.T) {
	t.Parallel()
	b := newInbox(t, onMem(t))
	b.holds("s1", rawMail)
	b.takes(noticeOf("s1", "hello@demo.example").with("", "mail", "source").message())
	if got := b.of(ledger.Event)[0].Text("envelope_from"); got != "<>" {
		t.Errorf("envelope sender %q, want <>", got)
	}
}

// What is refused is read by nobody, leaves nothing and stays in the queue.
func TestANotificationThatIsNotOursIsRefusedUnread(t *testing.T) {
	t.Parallel()
	of := func() notice { return noticeOf("s1", "hello@demo.example") }
	otherTopic := strings.Replace(mailTopic, "123456789012", "999999999999", 1)
	for name, c := range map[string]struct {
		m    queue.Message
		want error
	}{
		"another bucket":           {of().with("someone-elses", "receipt", "action", "bucketName").message(), ingest.ErrForeignMail},
		"another bucket by case":   {of().with("Sample-Mail", "receipt", "action", "bucketName").message(), ingest.ErrForeignMail},
		"bucket with a path":       {of().with(mailBucket+"/in", "receipt", "action", "bucketName").message(), ingest.ErrForeignMail},
		"another topic, raw":       {of().with(otherTopic, "receipt", "action", "topicArn").bare(), ingest.ErrForeignMail},
		"topics that contradict":   {of().with(otherTopic, "receipt", "action", "topicArn").message(), sesreceipt.ErrBadReceipt},
		"setup of another topic":   {of().with(sesreceipt.Setup, "mail", "messageId").with(otherTopic, "receipt", "action", "topicArn").bare(), ingest.ErrForeignMail},
		"key of another mail":      {of().with("in/s2", "receipt", "action", "objectKey").message(), sesreceipt.ErrBadReceipt},
		"key out of the folder":    {of().with("in/../s1", "receipt", "action", "objectKey").message(), sesreceipt.ErrBadReceipt},
		"not a notification":       {queue.Message{ID: "q", Body: []byte("hello")}, sesreceipt.ErrNotReceipt},
		"no body":                  {queue.Message{ID: "q"}, sesreceipt.ErrNotReceipt},
		"mailbox that is too long": {of().with([]string{`"` + strings.Repeat("é", 120) + `"@demo.example`}, "receipt", "recipients").message(), ingest.ErrUnknownMailbox},
	} {
		b := newInbox(t, onMem(t))
		b.holds("s1", rawMail)
		b.holds("s2", rawMail)
		before := b.everything()
		b.store.reset(nil, nil)
		if err := b.mail.Handle(t.Context(), c.m); !errors.Is(err, c.want) || strings.Contains(fmt.Sprint(err), "@") {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if slices.Contains(b.store.seen(), "object") || slices.Contains(b.store.seen(), "put") {
			t.Errorf("%s: calls %v", name, b.store.seen())
		}
		b.onlyAdds(before)
		b.silent()
	}
}

func TestSetupIsIgnoredWithALine(t *testing.T) {
	t.Parallel()
	b := newInbox(t, onMem(t))
	before := b.everything()
	setup := noticeOf(sesreceipt.Setup, "recipient@example.com")
	b.takes(setup.message())
	b.takes(setup.bare())
	b.onlyAdds(before)
	if n := strings.Count(b.log.text(), "SES announced"); n != 2 {
		t.Errorf("%d lines, want 2: %s", n, b.log.text())
	}
}

func TestMailForNobodyStaysInTheQueueAndTheRestIsRecorded(t *testing.T) {
	t.Parallel()
	b := newInbox(t, onMem(t))
	b.holds("s1", rawMail)
	m := noticeOf("s1", "nobody@demo.example", "hello@demo.example", "sales@elsewhere.example").message()
	for range 2 {
		err := b.mail.Handle(t.Context(), m)
		if !errors.Is(err, ingest.ErrUnknownMailbox) || !strings.Contains(err.Error(), "2 of 3") {
			t.Fatalf("%v", err)
		}
	}
	b.counts(1, 2, 0)
	// A policy takes one of them in, and the message comes from the dead-letter
	// queue: the other recipient still is nobody's.
	b.applies(other, 3, "sales@demo.example", "nobody@demo.example")
	if err := b.mail.Handle(t.Context(), m); !errors.Is(err, ingest.ErrUnknownMailbox) {
		t.Fatalf("%v", err)
	}
	b.counts(2, 4, 0)
	b.whole()
	b.silent()
}

// A stranger chooses the recipients that he writes beside ours. One that can be
// no event's mailbox (each of its spaces takes three bytes of an event ID, which
// has 600) must not keep the mail from those whose mailboxes are in order.
func TestAMailboxThatCannotBeFiledKeepsTheMailFromNobodyElse(t *testing.T) {
	t.Parallel()
	b := newInbox(t, onMem(t))
	b.applies(other, 3, "@demo.example")
	b.holds("s1", rawMail)
	m := noticeOf("s1", `"`+strings.Repeat(" ", 200)+`"@demo.example`, "hello@demo.example").message()
	if err := b.mail.Handle(t.Context(), m); !errors.Is(err, ingest.ErrUnknownMailbox) || !strings.Contains(err.Error(), "1 of 2") {
		t.Errorf("%v", err)
	}
	b.counts(1, 1, 0)
	b.whole()
	b.silent()
}

func TestAMissingObjectIsTriedAgain(t *testing.T) {
	t.Parallel()
	b := newInbox(t, onMem(t))
	before := b.everything()
	m := noticeOf("s1", "hello@demo.example").message()
	if err := b.mail.Handle(t.Context(), m); !errors.Is(err, blob.ErrMissing) {
		t.Fatalf("%v, want ErrMissing", err)
	}
	b.onlyAdds(before)
	b.holds("s1", rawMail)
	b.takes(m)
	b.counts(1, 1, 0)
}

func TestTheLargestMailIsTakenAndNoneBeyondOrWithoutAByte(t *testing.T) {
	t.Parallel()
	b := newInbox(t, onMem(t))
	m := noticeOf("s1", "hello@demo.example").message()
	before := b.everything()
	for _, size := range []int{0, ingest.MaxMail + 1} {
		b.holds("s1", strings.Repeat("x", size))
		if err := b.mail.Handle(t.Context(), m); !errors.Is(err, ingest.ErrMailSize) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	b.onlyAdds(before)
	large := append([]byte(rawMail), bytes.Repeat([]byte("x"), ingest.MaxMail-len(rawMail))...)
	b.objects["in/s1"] = large
	b.takes(m)
	if content, err := b.blob.Get(t.Context(), blob.Ref(b.of(ledger.Event)[0].Text("raw"))); err != nil || !bytes.Equal(content, large) {
		t.Errorf("%d bytes kept, %v", len(content), err)
	}
}

func TestTheEndpointHasNoAddressInTheHTTPAPI(t *testing.T) {
	t.Parallel()
	b := newInbox(t, onMem(t))
	r := signed("inbox", "msg_1", start, []byte(rawMail))
	r.Headers[ingest.HeaderEnvelopeFrom], r.Headers[ingest.HeaderEnvelopeTo] = "a@example.org", "hello@demo.example"
	if got := b.deliver(r); got.Status != 503 || got.Error != "unknown_endpoint" {
		t.Errorf("answered %+v, want 503", got)
	}
	b.counts(0, 0, 0)
}

func TestNotificationsAtOnceAreOneEvent(t *testing.T) {
	t.Parallel()
	b := newInbox(t, onMem(t))
	b.holds("s1", rawMail)
	const n = 8
	b.holdAtFirstPut(n)
	var over sync.WaitGroup
	for range n {
		over.Go(func() {
			if err := b.mail.Handle(t.Context(), noticeOf("s1", "hello@demo.example").message()); err != nil {
				t.Error(err)
			}
		})
	}
	over.Wait()
	b.counts(1, n, 0)
	b.whole()
}

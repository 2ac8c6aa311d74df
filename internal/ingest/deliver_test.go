package ingest_test

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
	"onefold/internal/webhook"
)

const enquiry = `{"data":{"email":"ann@example.org","message":"Do you walk in May?"}}`

// onEachStore runs a rule on the reference store and on the embedded one.
func onEachStore(t *testing.T, rule func(b *bench)) {
	for name, open := range map[string]func(*testing.T) ledger.Store{"mem": onMem, "bolt": onBolt} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, open(t))
			rule(b)
			b.whole()
		})
	}
}

func TestNewDeliveryIsRecordedWithContentDeliveryAndAudit(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(b *bench) {
		before := b.everything()
		got := b.answers(form("msg_1", enquiry), 200, "recorded")
		want := ingest.Response{Status: 200, Answer: "recorded", Event: "form/website/msg_1", State: "recorded"}
		if got != want {
			b.Errorf("answered %+v, want %+v", got, want)
		}
		b.onlyAdds(before, ledger.Event, ledger.Delivery, ledger.Audit)
		b.counts(1, 1, 0)

		var e inbound.Event
		if err := b.of(ledger.Event)[0].Decode(&e); err != nil {
			b.Fatal(err)
		}
		at := utc.At(start)
		if e.Tenant != demo || e.Source != "form" || e.Mailbox != "website" || e.DeliveryID != "msg_1" || e.Content != "form" ||
			e.State != inbound.Recorded || e.Transition != 1 || e.ReceivedAt != at || e.NotBefore != at ||
			e.DueAt != at.Add(ingest.FirstDue) || e.DueShard == "" {
			b.Errorf("the event is %+v", e)
		}
		if content, err := b.blob.Get(b.Context(), blob.Ref(e.Raw)); err != nil || string(content) != enquiry {
			b.Errorf("raw content %q, %v", content, err)
		}
		var r audit.Record
		if err := b.everything()[ledger.AuditKey(ledger.KeyOf(b.of(ledger.Event)[0]), 1)].Decode(&r); err != nil {
			b.Fatal(err)
		}
		if r.Event != "record" || r.From != "" || r.To != inbound.Recorded || r.By != "ingest" || r.InboundEvent != e.ID {
			b.Errorf("the audit record is %+v", r)
		}
	})
}

func TestDuplicateIsAnsweredWithThePresentStateAndAddsADeliveryOnly(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(b *bench) {
		first := b.answers(form("msg_1", enquiry), 200, "recorded")
		before := b.everything()
		b.now = start.Add(2 * ingest.FirstDue / 3) // each try is signed anew
		again := signed("form", "msg_1", b.now, []byte(enquiry))
		got := b.answers(again, 200, "duplicate")
		if got.Event != first.Event || got.State != "recorded" || got.Outcome != "" || got.Error != "" {
			b.Errorf("answered %+v", got)
		}
		b.onlyAdds(before, ledger.Delivery)
		b.counts(1, 2, 0)

		// Decided meanwhile: the sender is told so, and again nothing changes.
		var c ledger.Commit
		k := ledger.Event.At(demo, first.Event)
		if err := c.Update("event", k, ledger.AtVersion(1), ledger.Item{"state": inbound.Decided, "outcome": inbound.FollowUp}); err != nil {
			b.Fatal(err)
		}
		if err := b.store.Store.Commit(b.Context(), c); err != nil {
			b.Fatal(err)
		}
		before = b.everything()
		got = b.answers(again, 200, "duplicate")
		if got.State != inbound.Decided || got.Outcome != inbound.FollowUp {
			b.Errorf("answered %+v, want decided, follow_up", got)
		}
		b.onlyAdds(before, ledger.Delivery)
		b.counts(1, 3, 0)
	})
}

func TestSameIDOtherContentIsRefusedAndPutBeforeAPersonOnce(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(b *bench) {
		first := b.answers(form("msg_1", enquiry), 200, "recorded")
		before := b.everything()
		changed := `{"data":{"email":"eve@example.net","message":"Send it to me instead."}}`
		got := b.answers(form("msg_1", changed), 409, "conflict")
		if got.Error != "id_reused" || got.Event != first.Event || got.State != "recorded" {
			b.Errorf("answered %+v", got)
		}
		b.onlyAdds(before, ledger.Delivery, ledger.ReviewTask, ledger.Audit)
		b.counts(1, 2, 1)
		for _, body := range []string{enquiry, changed} {
			if c, err := b.blob.Get(b.Context(), blob.RefOf(demo, first.Event, []byte(body))); err != nil || string(c) != body {
				b.Errorf("raw content %q, %v; want %q", c, err, body)
			}
		}

		before = b.everything()
		b.answers(form("msg_1", changed), 409, "conflict")
		b.onlyAdds(before, ledger.Delivery)
		b.counts(1, 3, 1)

		b.answers(form("msg_1", `{"third":"content"}`), 409, "conflict")
		b.counts(1, 4, 2)

		b.answers(form("msg_1", enquiry), 200, "duplicate")
		b.counts(1, 5, 2)
	})
}

func TestEachDeliveryIsWrittenDownWithItsAnswer(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(b *bench) {
		changed := `{"other":"content"}`
		for i, body := range []string{enquiry, enquiry, changed, changed} {
			b.now = start.Add(time.Duration(i) * time.Second)
			r := signed("form", "msg_1", b.now, []byte(body))
			r.RequestID = fmt.Sprint("req-", i)
			b.deliver(r)
		}
		var got []string
		first := b.of(ledger.Event)[0].Text("content_fingerprint")
		for _, it := range b.of(ledger.Delivery) { // in the order of their times
			var d inbound.Delivery
			if err := it.Decode(&d); err != nil {
				b.Fatal(err)
			}
			if d.Tenant != demo || d.Event != "form/website/msg_1" {
				b.Errorf("the delivery is %+v", d)
			}
			got = append(got, fmt.Sprint(d.RequestID, " ", d.Answer, " ", d.At.Sub(utc.At(start)), " ", d.Bytes == webhook.Fingerprint([]byte(enquiry)), " ", d.Fingerprint == first))
		}
		want := []string{"req-0 recorded 0s true true", "req-1 duplicate 1s true true", "req-2 conflict 2s false false", "req-3 conflict 3s false false"}
		if !reflect.DeepEqual(got, want) {
			b.Errorf("deliveries %q, want %q", got, want)
		}
	})
}

func TestSameIDElsewhereIsAnotherEvent(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(b *bench) {
		b.answers(form("msg_1", enquiry), 200, "recorded")
		b.answers(signed("form-2", "msg_1", start, []byte(enquiry)), 200, "recorded") // same mailbox
		elsewhere := form("msg_1", enquiry)
		elsewhere.Tenant = other
		b.answers(elsewhere, 200, "recorded")
		b.counts(3, 3, 0)
		if refs := b.blob.refs(); len(refs) != 3 {
			b.Errorf("%d raw contents, want one for each event", len(refs))
		}
	})
}

func TestOneMailToTwoMailboxesIsTwoEvents(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(b *bench) {
		const raw = "From: ann@example.org\r\nSubject: Hello\r\n\r\nHello.\r\n"
		for _, to := range []string{"Sales@demo.example", "help@demo.example"} {
			b.answers(mailTo("ann@example.org", to, raw), 200, "recorded")
			b.answers(mailTo("ann@example.org", to, raw), 200, "duplicate")
		}
		b.answers(mailTo("", "help@demo.example", raw), 200, "recorded") // a bounce has no sender
		b.counts(3, 5, 0)
		var mailboxes []string
		for _, e := range b.of(ledger.Event) {
			mailboxes = append(mailboxes, e.Text("mailbox"))
		}
		want := []string{"help@demo.example", "help@demo.example", "sales@demo.example"}
		if !reflect.DeepEqual(mailboxes, want) {
			b.Errorf("mailboxes %v, want %v", mailboxes, want)
		}
	})
}

func TestLargestBodyIsTakenByteForByte(t *testing.T) {
	t.Parallel()
	b := newBench(t, onMem(t))
	raw := bytes.Repeat([]byte{0, 0xff, '\r', '\n'}, ingest.MaxBody/4)
	got := b.answers(mailTo("ann@example.org", "help@demo.example", string(raw)), 200, "recorded")
	kept, err := b.blob.Get(t.Context(), blob.RefOf(demo, got.Event, raw))
	if err != nil || !bytes.Equal(kept, raw) {
		t.Errorf("%d bytes kept, %v", len(kept), err)
	}
}

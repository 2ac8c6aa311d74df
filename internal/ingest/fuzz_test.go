package ingest_test

import (
	"slices"
	"strings"
	"testing"

	"onefold/internal/ingest"
	"onefold/internal/ledger"
)

// FuzzHandle: whatever comes, the service answers with a status of its table,
// says 2xx to nobody who has not signed exactly these bytes under this ID at
// about this time, stores nothing for anybody else, and what it stores is
// whole. With sign, the input is signed here, so that what comes after the
// signature is met too.
func FuzzHandle(f *testing.F) {
	good := form("msg_1", enquiry)
	mail := mailTo("a@example.net", "help@demo.example", "Subject: x\r\n\r\nx")
	f.Add("demo", "form", "msg_1", good.Headers["webhook-timestamp"], good.Headers["webhook-signature"], "", "", []byte(enquiry), false, false)
	f.Add("demo", "form", "a/b%#", good.Headers["webhook-timestamp"], "", "", "", []byte(enquiry), true, true)
	f.Add("demo", "form", "msg_1", good.Headers["webhook-timestamp"], "v1,AAAA v1a, ,", "", "", []byte("[]"), false, false)
	f.Add("demo", "form", "msg_1", "99999999999999", "v1,", "", "", []byte("{\xff}"), true, false)
	f.Add("demo", "mail", mail.Headers["webhook-id"], mail.Headers["webhook-timestamp"], "", "a@example.net", "help@demo.example", mail.Body, true, false)
	f.Add("demo", "mail", "mail_00", mail.Headers["webhook-timestamp"], "", "a\nb", "\x00", []byte{}, true, true)
	f.Add("../second", "", "", "", "", "", "", []byte(nil), false, false)
	f.Fuzz(func(t *testing.T, tenant, endpoint, id, timestamp, sig, from, to string, body []byte, sign, alias bool) {
		b := newBench(t, onMem(t))
		b.now = start
		prefix := "webhook-"
		if alias {
			prefix = "svix-"
		}
		proof := signature(id, timestamp, body)
		if sign {
			sig = proof
		}
		r := ingest.Request{Tenant: tenant, Endpoint: endpoint, Body: body, RequestID: "r", Headers: map[string]string{
			prefix + "id": id, prefix + "timestamp": timestamp, prefix + "signature": sig,
			ingest.HeaderEnvelopeFrom: from, ingest.HeaderEnvelopeTo: to,
		}}
		got := b.deliver(r)
		if !slices.Contains([]int{200, 400, 401, 404, 413}, got.Status) && got.Error != "unknown_endpoint" {
			t.Errorf("answered %+v", got)
		}
		taken := got.Status == 200
		if taken && !strings.Contains(sig, proof) {
			t.Errorf("said yes without a signature: %+v", got)
		}
		want := 0
		if taken {
			want = 1
		}
		b.counts(want, want, 0)
		if n := len(b.blob.refs()); n != want {
			t.Errorf("%d raw contents", n)
		}
		b.whole()
		if !taken {
			return
		}
		// What was taken once is known the second time.
		if again := b.deliver(r); again.Status != 200 || again.Answer != "duplicate" || again.Event != got.Event {
			t.Errorf("again: answered %+v", again)
		}
		if err := ledger.KeyOf(b.of(ledger.Event)[0]).Validate(); err != nil {
			t.Error(err)
		}
	})
}

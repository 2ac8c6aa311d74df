package extract_test

import (
	"strings"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
)

// What cannot be read whole holds the address before the reader is
// asked, so that an intent that is ready for it is not claimed, and a person
// sees the text.
func TestReading05WhatIsNotReadHoldsTheAddress(t *testing.T) {
	t.Parallel()
	quoted := strings.Repeat("> We walked the whole day and then the next one too, from hut to hut.\r\n", 4500)
	parts := "Content-Type: multipart/mixed; boundary=\"b\"\r\n\r\n" + strings.Repeat("--b\r\nContent-Type: text/plain\r\n\r\nHello.\r\n", 600) +
		"--b\r\nContent-Type: text/plain\r\n\r\nPlease unsubscribe me.\r\n--b--\r\n"
	for name, raw := range map[string][]byte{
		"another language": rawMail("m2", ada, "Re: Huts", "Už mi neposílejte žádné e-maily. Odhlaste mě."),
		"its letters ours": rawMail("m2", ada, "Re: Huts", "Tolong jangan kirim email lagi kepada saya."),
		"another script":   rawMail("m2", ada, "Re: Huts", "Не присылайте мне больше писем."),
		"whose data":       rawMail("m2", ada, "Re: Huts", "Who gave you my address?"),
		"cut text":         rawMail("m2", ada, "Re: Huts", "Ben wrote:\r\n"+quoted+"\r\nPlease unsubscribe me."),
		"too many parts":   []byte(strings.Replace(string(rawMail("m2", ada, "Re: Huts", "")), "Content-Type: text/plain; charset=utf-8\r\n\r\n", parts, 1)),
	} {
		w := newWorld(t, tenant.ModeAuto)
		s := w.service(w.store, w.reader)
		w.settle(s, w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", "Do you have huts with a stove?")))
		if w.count(ledger.Intent) != 1 {
			t.Fatalf("%s: no intent is ready", name)
		}
		k := w.record("hello@demo.example", "m2", raw)
		w.settle(s, k)
		if e := w.event(k); e.State != inbound.InReview || w.count(ledger.Intent) != 1 {
			t.Errorf("%s: the event is %s %s, %d intents", name, e.State, e.Outcome, w.count(ledger.Intent))
		}
		for _, it := range w.all(ledger.Intent) {
			if guard.Blocks(w.item(ledger.Guard.At("demo", it.Text("guard"))), it.Text("scope")) == "" {
				t.Errorf("%s: the intent that is ready may be claimed", name)
			}
		}
	}
}

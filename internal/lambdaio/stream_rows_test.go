package lambdaio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/operate/verify"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/webhook"
)

func (c *cloud) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// forms brings in n forms from people numbered first on.
func (c *cloud) forms(first, n int) []ledger.Key {
	c.t.Helper()
	var events []ledger.Key
	for i := range n {
		events = append(events, c.form(first+i, cloudQuestion))
	}
	return events
}

// form brings a form in, past the streams and their faults.
func (c *cloud) form(n int, text string) ledger.Key {
	c.t.Helper()
	id := fmt.Sprintf("form-%d", n)
	body, err := json.Marshal(map[string]any{"data": map[string]string{"email": cloudPerson(n), "name": "Ada Sample", "subject": "A walk", "message": text}})
	c.must(err)
	c.sys.Ingest.Handle(c.t.Context(), ingest.Request{
		Tenant: "demo", Endpoint: "form", Body: body, RequestID: "r-" + id,
		Headers: map[string]string{
			"webhook-id": id, "webhook-timestamp": fmt.Sprint(time.Now().Unix()), "webhook-signature": webhook.Sign(c.secret, id, time.Now(), body),
		},
	})
	for _, it := range c.rows(schema.Events, ledger.Event) {
		if it.Text("delivery_id") == id {
			return ledger.KeyOf(it)
		}
	}
	c.t.Fatalf("form %d was not recorded", n)
	return ledger.Key{}
}

func cloudPerson(n int) string { return fmt.Sprintf("person%d@example%d.example", n, n) }

const cloudQuestion = "Hello, do you offer a guided walk in May? I would like to come."

// rows is the rows of an entity.
func (c *cloud) rows(t schema.Table, e ledger.Entity) []ledger.Item {
	c.t.Helper()
	page, err := c.store.Scan(context.Background(), ledger.Scan{Table: t, Segments: 1, Limit: 1000})
	c.must(err)
	if page.Next != "" {
		c.t.Fatal("more rows than this harness reads")
	}
	var rows []ledger.Item
	for _, it := range page.Items {
		if ledger.KeyOf(it).Entity == e {
			rows = append(rows, it)
		}
	}
	return rows
}

func (c *cloud) state(k ledger.Key) string {
	it, err := c.store.Get(context.Background(), k)
	c.must(err)
	return it.Text("state")
}

// decided is how many of the events are decided.
func (c *cloud) decided(events ...ledger.Key) int {
	n := 0
	for _, k := range events {
		if c.state(k) == inbound.Decided {
			n++
		}
	}
	return n
}

// quiet tells whether every event is decided and every operation ended.
func (c *cloud) quiet() bool {
	for _, it := range c.rows(schema.Events, ledger.Event) {
		if it.Text("state") != inbound.Decided {
			return false
		}
	}
	for _, it := range c.rows(schema.Outbox, ledger.Operation) {
		if s := it.Text("state"); s == outbox.Open || s == outbox.Waiting {
			return false
		}
	}
	return true
}

// wantAll asks that all of n people were answered once and are in the CRM, and
// that every promise holds.
func (c *cloud) wantAll(n int) {
	c.t.Helper()
	for i := range n {
		if c.sent[cloudPerson(i)] != 1 {
			c.t.Errorf("person %d was sent %d mails", i, c.sent[cloudPerson(i)])
		}
	}
	rep, err := verify.Check(context.Background(), c.store, verify.Options{IDs: &c.ids, Blob: c.blobs, Quiet: true})
	c.must(err)
	for _, f := range rep.Findings {
		c.t.Errorf("%s %s: %s %v", f.Severity, f.Check, f.What, f.Keys)
	}
	for name, want := range map[string]int{
		"event.decided": n, "intent.accepted": n, "attempt.accepted": n, "contact.active": n,
		"operation.send_intent.done": n, "operation.crm_contact.done": n, "operation.crm_note.done": n,
	} {
		if rep.Counts[name] != want {
			c.t.Errorf("%s is %d, want %d", name, rep.Counts[name], want)
		}
	}
}

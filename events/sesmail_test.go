package events_test

// Real: the wire format, ingest, process with the deterministic reader,
// ledger/mem. Fake: the bucket of received mail, which holds the samples; raw
// content in memory.

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	samples "onefold/events"
	"onefold/internal/blob"
	"onefold/internal/extract"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/queue"
	"onefold/internal/reading/reader/rules"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
	"onefold/internal/webhook/sesreceipt"
)

type contents map[blob.Ref][]byte

func (c contents) Put(_ context.Context, r blob.Ref, b []byte) error {
	c[r] = slices.Clone(b)
	return nil
}

func (c contents) Get(_ context.Context, r blob.Ref) ([]byte, error) {
	if b, ok := c[r]; ok {
		return b, nil
	}
	return nil, blob.ErrMissing
}

// outcomes is what became of each event, by the sample that made it.
func outcomes(t *testing.T, names ...string) map[string]string {
	t.Helper()
	store, raws, now := mem.New(), contents{}, func() time.Time { return signedAt().Add(time.Minute) }
	log := slog.New(slog.DiscardHandler)
	book := &versions.Book{Store: store, Now: now}
	policy := strings.Replace(string(tenant.Example()), `"endpoints": [`,
		`"endpoints": [{"name": "inbox", "content": "mail", "scheme": "ses", "mailboxes": ["@demo.example"]},`, 1)
	if _, err := book.Apply(t.Context(), []byte(policy), "test"); err != nil {
		t.Fatal(err)
	}
	ids := testKey(t)
	in := &ingest.Mail{
		Service: &ingest.Service{Store: store, Blob: raws, Policies: book, IDs: ids, Now: now, Log: log},
		Bucket:  "onefold-sample-mail", Topic: mailTopic,
		Object: func(_ context.Context, key string) ([]byte, error) {
			for _, m := range receivedMails() {
				if _, raw := samples.Received(m.name); m.id == key && raw != nil {
					return raw, nil
				}
			}
			return nil, blob.ErrMissing
		},
	}
	decide := &extract.Service{Store: store, Blob: raws, Policies: book, Reader: rules.New(), IDs: ids, Now: now, Timeout: time.Minute, Log: log}
	out := map[string]string{}
	for _, name := range names {
		body, _ := samples.Received(name)
		if err := in.Handle(t.Context(), queue.Message{ID: name, Body: body}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		page, err := store.Scan(t.Context(), ledger.Scan{Table: schema.Events, Segments: 1, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			k := ledger.KeyOf(it)
			if k.Entity != ledger.Event || out[k.ID] != "" {
				continue
			}
			if err := decide.Handle(t.Context(), ledger.Change{Key: k, Item: it}); err != nil {
				t.Fatal(err)
			}
			after, err := store.Get(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			var e inbound.Event
			if err := after.Decode(&e); err != nil {
				t.Fatal(err)
			}
			out[k.ID] = fmt.Sprintf("%s %s %s", name, e.State, strings.TrimPrefix(e.Outcome+" "+strings.Join(e.Reasons, ","), " "))
		}
	}
	return out
}

func TestReceivedMailBecomesAnEventForEachMailbox(t *testing.T) {
	t.Parallel()
	got := outcomes(t, "setup", "enquiry", "enquiry-by-another-rule", "two-recipients", "null-sender", "spam", "virus")
	const to = "inbox/hello@demo.example/ses:"
	for id, want := range map[string]string{
		to + "sampleses000000000000000000enquiry0001":                         "enquiry decided follow_up email_key_new,sender_not_authenticated,rule_welcome",
		"inbox/sales@demo.example/ses:sampleses00000000000000000twomailboxes": "two-recipients decided ",
		"inbox/info@demo.example/ses:sampleses00000000000000000twomailboxes":  "two-recipients decided ",
		to + "sampleses0000000000000000000nullsender":                         "null-sender decided ignored auto_reply",
		to + "sampleses00000000000000000000000000spam":                        "spam in_review spam_verdict",
		to + "sampleses0000000000000000000000000virus":                        "virus in_review unparseable,virus_verdict",
	} {
		if !strings.HasPrefix(got[id], want) {
			t.Errorf("%s: %q, want %q", id, got[id], want)
		}
		delete(got, id)
	}
	for id, what := range got {
		t.Errorf("%s: %s, and nothing should be of it", id, what)
	}
}

// The first of one mail's two mailboxes makes the follow-up, the other joins
// it.
func TestAMailThatSESReceivedForTwoMailboxesIsOneCause(t *testing.T) {
	t.Parallel()
	var made, folded int
	for _, what := range outcomes(t, "two-recipients") {
		switch {
		case strings.HasPrefix(what, "two-recipients decided follow_up"):
			made++
		case strings.HasPrefix(what, "two-recipients decided folded"):
			folded++
		}
	}
	if made != 1 || folded != 1 {
		t.Errorf("%d follow-ups and %d folded, want one each", made, folded)
	}
}

func TestEachNotificationIsReadWithItsEnvelope(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(samples.Files(), "ses-mail/*.json")
	if err != nil || len(names) != len(receivedMails())+1 {
		t.Fatalf("%d notifications, want %d and the setup: %v", len(names), len(receivedMails()), err)
	}
	for _, m := range receivedMails() {
		body, raw := samples.Received(m.name)
		n, err := sesreceipt.Parse(body)
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		source := m.source
		if source == "" {
			source = "<>"
		}
		if n.Setup || n.Topic != mailTopic || n.MessageID != m.id || n.Key != m.id || n.Source != source || !slices.Equal(n.Recipients, m.recipients) {
			t.Errorf("%s: %+v", m.name, n)
		}
		want := inbound.Verdicts{Spam: m.spam, Virus: m.virus, SPF: "PASS", DKIM: "GRAY", DMARC: "FAIL", DMARCPolicy: "none"}
		if n.Verdicts != want {
			t.Errorf("%s: verdicts %+v, want %+v", m.name, n.Verdicts, want)
		}
		if (raw != nil) != m.object {
			t.Errorf("%s: %d bytes of mail", m.name, len(raw))
		}
	}
	body, _ := samples.Received("setup")
	if n, err := sesreceipt.Parse(body); err != nil || !n.Setup {
		t.Errorf("setup: %+v, %v", n, err)
	}
}

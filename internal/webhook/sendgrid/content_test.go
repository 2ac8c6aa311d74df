package sendgrid_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"onefold/internal/reading/rawmail"
	"onefold/internal/webhook"
	"onefold/internal/webhook/sendgrid"
)

const pair = "onefold:sample password 1"

func open(t *testing.T, r webhook.Request) (webhook.Opened, error) {
	t.Helper()
	return sendgrid.New().Open(basic(r, pair), webhook.Setting{Content: webhook.ContentMail, Secrets: secrets(t, pair), Now: now()})
}

func TestTheRawMailIsTakenForEachRecipientOnce(t *testing.T) {
	t.Parallel()
	r := form("b", "envelope", `{"to":["Sales@demo.example","<sales@demo.example>","info@demo.example"],"from":""}`, "email", mail("Hut"))
	got, err := open(t, r)
	if err != nil || len(got.Deliveries) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	a, b := got.Deliveries[0], got.Deliveries[1]
	if string(a.Raw) != mail("Hut") || a.Mailbox != "sales@demo.example" || a.EnvelopeFrom != webhook.NullSender || b.Mailbox != "info@demo.example" || a.ID == b.ID {
		t.Errorf("%+v and %+v", a, b)
	}
	// One post for each recipient, with another boundary and more fields.
	again, err := open(t, form("c", "email", mail("Hut"), "spam_score", "1", "envelope", `{"to":["info@demo.example"],"from":""}`))
	if err != nil || again.Deliveries[0].ID != b.ID || again.Deliveries[0].Fingerprint != b.Fingerprint {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestAMailInPartsReadsAsItWas(t *testing.T) {
	t.Parallel()
	got, err := open(t, apart("Hut"))
	if err != nil || len(got.Deliveries) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	m := rawmail.Parse(got.Deliveries[0].Raw, func(string) bool { return false })
	if len(m.From) != 1 || m.From[0].Address != "ann@example.org" || m.Subject != "Hut" || m.MessageID != "Hut@example.org" {
		t.Errorf("from %+v, subject %q, message ID %q", m.From, m.Subject, m.MessageID)
	}
	if !strings.HasPrefix(m.Visible, "Grüße") { // in ISO 8859-1, as charsets says
		t.Errorf("text %q", m.Visible)
	}
}

func TestAPostWithoutItsEnvelopeIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		envelope string
		want     error
	}{
		"none": {"", webhook.ErrMalformed}, "no JSON": {"{", webhook.ErrMalformed}, "no recipient": {`{"to":[],"from":"a@example.org"}`, webhook.ErrMalformed},
		"no sender": {`{"to":["sales@demo.example"]}`, webhook.ErrMalformed}, "a sender in lines": {`{"to":["sales@demo.example"],"from":"a\nb"}`, webhook.ErrMalformed},
		"many": {`{"to":["a@demo.example"` + strings.Repeat(`,"a@demo.example"`, 200) + `],"from":""}`, webhook.ErrTooLarge},
	} {
		if got, err := open(t, form("b", "email", mail("a"), "envelope", c.envelope)); !errors.Is(err, c.want) {
			t.Errorf("%s: %+v, %v, want %v", name, got, err, c.want)
		}
	}
	got, err := open(t, form("b", "email", mail("a"), "envelope", `{"to":["","sales@demo.example","a\nb"],"from":""}`))
	if err != nil || len(got.Deliveries) != 1 || got.Broken != 2 {
		t.Errorf("recipients that are none: %+v, %v", got, err)
	}
}

// A header block of the largest size, folded all along.
func TestALongFoldedHeaderIsReadInTime(t *testing.T) {
	t.Parallel()
	r := form("b", "headers", "Subject: x"+strings.Repeat("\n y", 1<<20), "envelope", `{"to":["sales@demo.example"],"from":""}`)
	start := time.Now()
	if got, err := open(t, r); err != nil || len(got.Deliveries) != 1 {
		t.Errorf("%d deliveries, %v", len(got.Deliveries), err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("read in %s", took)
	}
}

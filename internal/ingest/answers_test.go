package ingest_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"onefold/internal/ingest"
	"onefold/internal/policy/tenant"
	"onefold/internal/schema"
	"onefold/internal/webhook"
)

// blunt is a source to which every code below 500 is a success, and which says
// 200 to a conflict: its requests carry an ID and a word on each line.
type blunt struct{}

func (blunt) About() webhook.About {
	return webhook.About{Scheme: "blunt", MaxBody: 1000, Answers: webhook.Answers{
		Recorded: 200, Duplicate: 200, Conflict: 200, Unauthenticated: 500, Malformed: 500, Kind: 500, TooLarge: 500, UnknownEndpoint: 503, Fault: 503,
	}}
}

func (blunt) Open(r webhook.Request, _ webhook.Setting) (webhook.Opened, error) {
	switch string(r.Body) {
	case "stranger":
		return webhook.Opened{}, webhook.ErrBadSignature
	case "unreadable":
		return webhook.Opened{}, webhook.ErrMalformed
	case "ended":
		return webhook.Opened{Note: "the subscription has ended"}, nil
	}
	var out webhook.Opened
	for line := range strings.SplitSeq(string(r.Body), "\n") {
		id, word, _ := strings.Cut(line, " ")
		raw, _ := json.Marshal(map[string]string{"word": word})
		d := webhook.Delivery{ID: id, Content: webhook.ContentForm, Raw: raw, Fingerprint: webhook.Fingerprint(raw)}
		d.Verdicts.Spam = word
		out.Deliveries = append(out.Deliveries, d)
	}
	return out, nil
}

func TestWhatBecameOfABatchIsCountedByItsWordAndNotByItsCode(t *testing.T) {
	t.Parallel()
	b := newBench(t, onMem(t))
	ep := tenant.Endpoint{Name: "blunt", Content: "form", Mailbox: "m"}
	send := func(body string) ingest.Batch {
		got := b.service.HandleBy(t.Context(), ingest.Request{Tenant: demo, Body: []byte(body)}, ep, blunt{})
		if got.Status != 200 || got.Batch == nil {
			t.Fatalf("%+v", got)
		}
		return *got.Batch
	}
	if n := send("1 a\n2 b"); n != (ingest.Batch{Recorded: 2}) {
		t.Errorf("%+v", n)
	}
	if n := send("1 a\n2 c\n3 d"); n != (ingest.Batch{Recorded: 1, Duplicate: 1, Conflict: 1}) {
		t.Errorf("%+v", n)
	}
	b.counts(3, 5, 1)
	b.whole()
}

// A code of 5xx that asks a sender to come again is a fault of ours only if
// something of ours failed.
func TestAStrangerWhoIsAnswered5xxRaisesNoAlarm(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		status        int
		level, counts string
	}{
		"stranger":   {500, "INFO", schema.DeliveriesRefused},
		"unreadable": {500, "ERROR", schema.DeliveriesFailed}, // authentic: a person has to look
	} {
		b := newBench(t, onMem(t))
		var log bytes.Buffer
		b.service.Log = slog.New(slog.NewJSONHandler(&log, nil))
		got := b.service.Told(t.Context(), ingest.Request{Tenant: demo, Body: []byte(body)}, tenant.Endpoint{Name: "blunt"}, blunt{})
		if got.Status != want.status || !strings.Contains(log.String(), `"level":"`+want.level+`"`) || !strings.Contains(log.String(), want.counts) {
			t.Errorf("%s: %d\n%s", body, got.Status, log.String())
		}
	}
}

func TestWhatAPersonShouldKnowIsLogged(t *testing.T) {
	t.Parallel()
	b := newBench(t, onMem(t))
	var log bytes.Buffer
	b.service.Log = slog.New(slog.NewJSONHandler(&log, nil))
	got := b.service.HandleBy(t.Context(), ingest.Request{Tenant: demo, Body: []byte("ended")}, tenant.Endpoint{Name: "blunt"}, blunt{})
	if got.Status != 200 || !strings.Contains(log.String(), "the subscription has ended") || !strings.Contains(log.String(), `"level":"WARN"`) {
		t.Errorf("%d\n%s", got.Status, log.String())
	}
}

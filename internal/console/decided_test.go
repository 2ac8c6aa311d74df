package console_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/console"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/extract"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/reading/reader"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// A question about an event is seen, previewed and answered by the real rules,
// put together as package app does, under the console's own role.
func TestAQuestionAboutAnEventIsAnsweredUnderTheConsolesRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := (&versions.Book{Store: w.Store, Now: w.service.Now}).Apply(t.Context(), tenant.Example(), "test"); err != nil {
		t.Fatal(err)
	}
	raw := oneContent{content: []byte("From: Ada <ada@example.org>\r\nTo: hello@demo.example\r\nDate: Mon, 02 Mar 2026 08:00:00 +0000\r\n" +
		"Message-ID: <m1@example.org>\r\nSubject: Huts\r\nContent-Type: text/plain\r\n\r\nPlease send two huts.\r\n")}
	id, err := inbound.ID("mail", "hello@demo.example", "m1")
	if err != nil {
		t.Fatal(err)
	}
	at, key := utc.At(now), ledger.Event.At("demo", id)
	w.born(key, ledger.Step{Machine: inbound.Machine(), Event: "record"}, inbound.Event{
		Tenant: "demo", ID: id, Source: "mail", Content: tenant.ContentMail, Mailbox: "hello@demo.example", DeliveryID: "m1",
		Fingerprint: digest.Content(raw.content), Raw: string(blob.RefOf("demo", id, raw.content)), ReceivedAt: at, State: inbound.Recorded, Transition: 1,
		NotBefore: at, DueAt: at.Add(time.Minute), DueShard: schema.Shard(id),
	}, inbound.Recorded)
	worker := extract.Service{
		Store: w.Store, Blob: &raw, Policies: &versions.Book{Store: w.Store, Now: w.service.Now}, Reader: doubtful{}, IDs: w.service.IDs,
		Now: w.service.Now, Timeout: time.Minute, Log: slog.New(slog.DiscardHandler),
	}
	if err := worker.Handle(t.Context(), ledger.Change{Key: key, Item: w.item(key)}); err != nil {
		t.Fatal(err)
	}
	worker.Store, worker.Blob, worker.Reader = role.Store(w), role.Blob(&raw), nil
	worker.Policies = &versions.Book{Store: role.Store(w), Now: w.service.Now}
	w.service.Decide, w.service.Preview = worker.Answer, worker.Preview
	w.service.Facts = func(ctx context.Context, e inbound.Event) (content.Facts, error) {
		body, err := worker.Blob.Get(ctx, blob.Ref(e.Raw))
		if err != nil {
			return content.Facts{}, err
		}
		policy, err := worker.Policies.Current(ctx, e.Tenant)
		return extract.FactsOf(worker.IDs, e, body, policy), err
	}

	task := w.item(key).Text("review")
	raw.gone = true // and not refused, so that the page can say so
	if v, err := w.service.See(t.Context(), "demo", task); err != nil || v.FactsError == "" {
		t.Errorf("without the content: %v, %+v", err, v)
	}
	raw.gone = false
	v, err := w.service.See(t.Context(), "demo", task)
	if err != nil || v.Facts == nil || v.Task.State != review.Open {
		t.Fatalf("%v, %+v", err, v)
	}
	if err := w.service.Answer(t.Context(), "demo", task, console.Form{Action: console.Approve, By: "grace", Transition: v.Task.Transition}); err != nil {
		t.Fatal(err)
	}
	if got := w.item(key).Text("state"); got == inbound.InReview || got == inbound.Recorded {
		t.Errorf("after the answer the event is %s", got)
	}
}

func (w *world) item(k ledger.Key) ledger.Item {
	w.Helper()
	it, err := w.Store.Get(context.Background(), k)
	if err != nil || it == nil {
		w.Fatalf("%v: %v", k.Entity, err)
	}
	return it
}

// oneContent is a bucket with one object.
type oneContent struct {
	content []byte
	gone    bool
}

func (*oneContent) Put(context.Context, blob.Ref, []byte) error { return nil }

func (o *oneContent) Get(context.Context, blob.Ref) ([]byte, error) {
	if o.gone {
		return nil, blob.ErrMissing
	}
	return o.content, nil
}

// doubtful asks for a person.
type doubtful struct{}

func (doubtful) Extract(_ context.Context, s reader.Source) (reader.Record, error) {
	field := reader.Field{Value: s.FromAddress, Confidence: 95, Evidence: s.FromAddress, Where: reader.InFrom}
	return reader.Record{Intent: reader.ProductQuestion, SenderEmail: field, NeedsHumanReview: true}, nil
}

func (doubtful) Model() string         { return "test" }
func (doubtful) PromptVersion() string { return "1" }

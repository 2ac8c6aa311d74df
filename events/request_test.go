package events_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	samples "onefold/events"
	"onefold/internal/blob/dir"
	"onefold/internal/digest"
	"onefold/internal/ingest"
	"onefold/internal/lambdaio"
	"onefold/internal/ledger/mem"
	"onefold/internal/mailer"
	"onefold/internal/mailer/ses"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/webhook"
)

func exampleDocument(t *testing.T) []byte {
	t.Helper()
	document, err := os.ReadFile("../internal/policy/tenant/policy.example.json")
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func examplePolicy(t *testing.T) tenant.Policy {
	t.Helper()
	p, err := tenant.Parse(exampleDocument(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func testKey(t *testing.T) digest.Key {
	t.Helper()
	k, err := digest.NewKey([]byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func secrets(_ context.Context, _, name string) ([]webhook.Secret, error) {
	text := map[string]string{"form": samples.SecretForm, "mail": samples.SecretMail}[name]
	s, err := webhook.ParseSecret(text)
	return []webhook.Secret{s}, err
}

// gateway answers HTTP API events at the time that they name.
type gateway struct {
	handle  lambdaio.HTTPHandler
	service *ingest.Service
	now     time.Time
}

func newGateway(t *testing.T) *gateway {
	t.Helper()
	return newGatewayOf(t, exampleDocument(t), secrets)
}

// newGatewayOf is a gateway before another policy.
func newGatewayOf(t *testing.T, document []byte, secrets ingest.Secrets) *gateway {
	t.Helper()
	g := &gateway{now: signedAt()}
	now := func() time.Time { return g.now }
	blobs, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	store := mem.New()
	book := &versions.Book{Store: store, Now: now, Keep: time.Hour}
	if _, err := book.Apply(t.Context(), document, "test"); err != nil {
		t.Fatal(err)
	}
	s := &ingest.Service{
		Store: store, Blob: blobs, Policies: book, Secrets: secrets, IDs: testKey(t), Now: now, Log: slog.New(slog.DiscardHandler),
	}
	g.handle, g.service = lambdaio.Ingest(s.Handle), s
	return g
}

func (g *gateway) send(t *testing.T, name string) (int, ingest.Response) {
	t.Helper()
	raw, err := fs.ReadFile(samples.Files(), name)
	if err != nil {
		t.Fatal(err)
	}
	var r events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	g.now = time.UnixMilli(r.RequestContext.TimeEpoch)
	resp, err := g.handle(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	var out ingest.Response
	if resp.StatusCode == 204 { // which has no body
		return resp.StatusCode, out
	}
	if err := json.Unmarshal([]byte(resp.Body), &out); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, out
}

func TestRequestsAreAnsweredAsTheSourceNeeds(t *testing.T) {
	t.Parallel()
	// In order: the first three and the fifth share a webhook-id.
	steps := []struct {
		file   string
		status int
		answer string // or the error's word
	}{
		{"form/enquiry-1.json", 200, "recorded"},
		{"form/enquiry-2.json", 200, "duplicate"},
		{"form/enquiry-3.json", 200, "duplicate"},
		{"form/same-id-other-content.json", 409, "conflict"},
		{"form/malformed-json.json", 400, "body_not_json"},
		{"form/invalid-utf8.json", 400, "body_not_utf8"},
		{"form/missing-id.json", 401, "header_missing"},
		{"form/old-timestamp.json", 401, "timestamp_too_old"},
		{"form/wrong-signature.json", 401, "signature_invalid"},
		{"form/id-of-10-kb.json", 400, "id_invalid"},
		{"form/id-with-slash-and-hash.json", 200, "recorded"},
		{"mail-api/raw-mail.json", 200, "recorded"},
		{"mail-api/changed-recipient.json", 400, "id_not_of_this_mail"},
	}
	g := newGateway(t)
	var used []string
	for _, s := range steps {
		used = append(used, s.file)
		status, resp := g.send(t, s.file)
		if said := resp.Answer; status != s.status || (said != s.answer && resp.Error != s.answer) {
			t.Errorf("%s: %d %s %s, want %d %s", s.file, status, said, resp.Error, s.status, s.answer)
		}
	}
	for _, pattern := range []string{"form/*", "mail-api/*"} {
		names, err := fs.Glob(samples.Files(), pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if !slices.Contains(used, name) {
				t.Errorf("%s is not sent", name)
			}
		}
	}
}

func TestSlashAndHashStayInsideTheirPartOfTheID(t *testing.T) {
	t.Parallel()
	_, resp := newGateway(t).send(t, "form/id-with-slash-and-hash.json")
	if want := "form/website/form%2F7#42"; resp.Event != want {
		t.Errorf("event %q, want %q", resp.Event, want)
	}
}

func TestFeedbackIsReadWithOurTags(t *testing.T) {
	t.Parallel()
	want := map[string]mailer.EventType{
		"ses-feedback/send.json": mailer.EventSent, "ses-feedback/delivery.json": mailer.EventDelivered,
		"ses-feedback/bounce.json": mailer.EventBounced, "ses-feedback/complaint.json": mailer.EventComplained,
	}
	names, err := fs.Glob(samples.Files(), "ses-feedback/*")
	if err != nil || len(names) != len(want) {
		t.Fatalf("%d files, want %d: %v", len(names), len(want), err)
	}
	for _, name := range names {
		raw, err := fs.ReadFile(samples.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		var batch events.SQSEvent
		if err := json.Unmarshal(raw, &batch); err != nil || len(batch.Records) != 1 {
			t.Fatalf("%s: %d records, %v", name, len(batch.Records), err)
		}
		e, err := ses.ParseEvent([]byte(batch.Records[0].Body))
		if err != nil {
			t.Fatal(err)
		}
		if e.Type != want[name] || e.Permanent != (e.Type == mailer.EventBounced) {
			t.Errorf("%s: type %s, permanent %t", name, e.Type, e.Permanent)
		}
		if e.Tags[mailer.TagTenant] != "demo" || e.Tags[mailer.TagIntent] == "" || e.Tags[mailer.TagAttempt] != "1" {
			t.Errorf("%s: tags %v", name, e.Tags)
		}
		if !e.At.Equal(signedAt()) {
			t.Errorf("%s: at %s", name, e.At)
		}
	}
}

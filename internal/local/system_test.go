package local_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/local"
	"onefold/internal/policy/tenant"
)

// start brings a system up on a folder of the test's own, with the example
// policy in the given mode.
func start(t *testing.T, kind, folder, mode string) *local.System {
	t.Helper()
	policy := bytes.Replace(tenant.Example(), []byte(`"mode": "draft"`), []byte(`"mode": "`+mode+`"`), 1)
	s, err := local.Start(t.Context(), local.Config{
		Data: local.Data{Dir: folder}, Ledger: kind, Listen: "127.0.0.1:0", Policy: policy,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)), SweepAt: 200 * time.Millisecond, HoldFor: 300 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.Background()) })
	return s
}

func send(t *testing.T, s *local.System, o local.Outgoing) {
	t.Helper()
	sender, err := s.Sender(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := sender.Send(t.Context(), o)
	if err != nil || r.Status != 200 {
		t.Fatalf("delivery answered %+v, %v", r, err)
	}
}

func quiet(t *testing.T, s *local.System) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := s.WaitQuiet(ctx, time.Minute); err != nil {
		t.Fatal(err)
	}
}

// items lists what the ledger holds of an entity.
func items(t *testing.T, s *local.System, e ledger.Entity) []ledger.Item {
	t.Helper()
	var out []ledger.Item
	for cursor := ""; ; {
		page, err := s.Opened.Store.Scan(t.Context(), ledger.Scan{Table: e.Table(), Segments: 1, Cursor: cursor, Limit: 200})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			if it.Text("entity") == string(e) {
				out = append(out, it)
			}
		}
		if cursor = page.Next; cursor == "" {
			return out
		}
	}
}

const mailText = "From: Alex Morgan <alex.morgan@customer.example>\r\nTo: sales@demo.example\r\nSubject: Question about boots\r\n" +
	"Message-ID: <one@customer.example>\r\nDate: Thu, 15 Jan 2026 09:00:00 +0000\r\n\r\nHello,\r\n\r\ndo you sell boots in size 43? How does it work?\r\n\r\nRegards,\r\nAlex Morgan\r\n"

func TestAMailGoesAllTheWay(t *testing.T) {
	for _, kind := range []string{local.LedgerMemory, local.LedgerBolt} {
		t.Run(kind, func(t *testing.T) {
			s := start(t, kind, t.TempDir(), "auto")
			send(t, s, local.Outgoing{Endpoint: "mail", EnvelopeFrom: "alex.morgan@customer.example", EnvelopeTo: "sales@demo.example", Body: []byte(mailText)})
			quiet(t, s)
			for e, want := range map[ledger.Entity]int{
				ledger.Event: 1, ledger.Contact: 1, ledger.Intent: 1, ledger.Attempt: 1, ledger.ReviewTask: 0, ledger.CRMMapping: 1,
			} {
				if got := items(t, s, e); len(got) != want {
					t.Errorf("%d of %s, want %d: %v", len(got), e, want, got)
				}
			}
			if n := s.SentMail(); n != 1 {
				t.Errorf("%d mails, want 1", n)
			}
			for _, op := range items(t, s, ledger.Operation) {
				if op.Text("state") != "done" {
					t.Errorf("operation %s is %s (%s)", op.Text("kind"), op.Text("state"), op.Text("reason"))
				}
			}
		})
	}
}

func TestWhatWasTakenOutlivesTheProcess(t *testing.T) {
	folder := t.TempDir()
	s := start(t, local.LedgerBolt, folder, "draft")
	send(t, s, local.Outgoing{Endpoint: "form", ID: "f-1", Body: []byte(`{"data":{"email":"sam@customer.example","name":"Sam Lee","message":"How much is a tent?"}}`)})
	s.Stop(t.Context())
	if _, err := os.Stat(folder + "/running.json"); err == nil {
		t.Error("running.json is left behind")
	}
	again := start(t, local.LedgerBolt, folder, "draft")
	quiet(t, again)
	tasks := items(t, again, ledger.ReviewTask)
	if len(tasks) != 1 || tasks[0].Text("kind") != "approve_intent" {
		t.Fatalf("tasks: %v", tasks)
	}
	if !strings.Contains(again.URL, "127.0.0.1") {
		t.Error("the API is not on the loopback")
	}
}

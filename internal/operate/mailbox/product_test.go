package mailbox_test

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/extract"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/operate/mailbox/planted"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader/rules"
	"onefold/internal/record/audit"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// The audit's rehearsal comes to what the product comes to: the same mails, each
// at its own date, through package process on the ledger in memory give as many
// events of each outcome and each reason for review. Real: parser, rules, flow,
// process, ledger. Fake: raw content (a map), clock. Forms of ours are left to
// the person here: the audit answers for him, and counts what he was asked.
func TestTheProductDecidesAsTheAuditSays(t *testing.T) {
	t.Parallel()
	box := planted.Whole()
	report := audited(t, box.File(nil), options(t))
	outcomes, reasons := theProducts(t, box.Mails())
	said := map[string]int{}
	for _, c := range report.Review.Reasons {
		said[c.Word] = c.Count
	}
	if !maps.Equal(reasons, said) {
		t.Errorf("reasons for review: the product has %v, the audit %v", reasons, said)
	}
	// A form's mail that the audit has approved takes the follow-up that the direct
	// mail gets here, or folds into it.
	for _, m := range []map[string]int{outcomes, report.Mailbox.Outcomes} {
		m[inbound.FollowUp] += m[inbound.Folded]
		delete(m, inbound.Folded)
	}
	if !maps.Equal(outcomes, report.Mailbox.Outcomes) {
		t.Errorf("outcomes: the product has %v, the audit %v", outcomes, report.Mailbox.Outcomes)
	}
}

// theProducts counts what process makes of mails.
func theProducts(t *testing.T, mails [][]byte) (outcomes, reasons map[string]int) {
	t.Helper()
	store, raws := mem.New(), rawMap{}
	ids, err := digest.NewKey([]byte("a key of this test, 32 bytes long"))
	if err != nil {
		t.Fatal(err)
	}
	var now time.Time
	clock := func() time.Time { return now }
	s := &extract.Service{
		Store: store, Blob: raws, Policies: &versions.Book{Store: store, Now: clock, Keep: 24 * 365 * time.Hour},
		Reader: rules.New(), IDs: ids, Now: clock, Timeout: 30 * time.Second, Log: slog.New(slog.DiscardHandler),
	}
	slices.SortStableFunc(mails, func(x, y []byte) int { return dated(x).Compare(dated(y)) })
	now = dated(mails[0])
	if _, err := s.Policies.Apply(t.Context(), tenant.Example(), "test"); err != nil {
		t.Fatal(err)
	}
	outcomes, reasons = map[string]int{}, map[string]int{}
	for i, raw := range mails {
		now = dated(raw)
		e := record(t, store, raws, raw, i, utc.At(now))
		if err := s.Handle(t.Context(), ledger.Change{Key: eventKey(e), Item: item(t, store, eventKey(e))}); err != nil {
			t.Fatal(err)
		}
		var after inbound.Event
		if err := item(t, store, eventKey(e)).Decode(&after); err != nil {
			t.Fatal(err)
		}
		switch after.State {
		case inbound.Decided:
			outcomes[after.Outcome]++
		case inbound.InReview:
			outcomes[decide.Referred]++
			for _, r := range after.Reasons {
				reasons[r]++
			}
		default:
			t.Errorf("mail %d is %s", i, after.State)
		}
	}
	return outcomes, reasons
}

// dated is the date of a mail; one without comes last, as in the audit.
func dated(raw []byte) time.Time {
	if d := rawmail.Parse(raw, nil).Date; !d.IsZero() {
		return d
	}
	return time.Date(2026, 1, 30, 18, 0, 0, 0, time.UTC)
}

func eventKey(e inbound.Event) ledger.Key {
	return ledger.Event.At(e.Tenant, e.ID)
}

func item(t *testing.T, store ledger.Store, k ledger.Key) ledger.Item {
	t.Helper()
	it, err := store.Get(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

// record puts an event as ingest does.
func record(t *testing.T, store ledger.Store, raws rawMap, raw []byte, n int, now utc.Time) inbound.Event {
	t.Helper()
	id, err := inbound.ID("mail", "hello@demo.example", strings.Repeat("x", n+1))
	if err != nil {
		t.Fatal(err)
	}
	e := inbound.Event{
		Tenant: "demo", ID: id, Source: "mail", Content: tenant.ContentMail, Mailbox: "hello@demo.example", DeliveryID: id,
		Fingerprint: digest.Content(raw), Raw: string(blob.RefOf("demo", id, raw)), ReceivedAt: now,
		State: inbound.Recorded, Transition: 1, NotBefore: now, DueAt: now.Add(time.Minute), DueShard: schema.Shard(id),
	}
	raws[blob.Ref(e.Raw)] = raw
	var c ledger.Commit
	if err := c.Insert(ledger.Step{Key: eventKey(e), Machine: inbound.Machine(), Event: "record", Audit: audit.Record{At: now, By: "ingest"}}, e, e.State); err != nil {
		t.Fatal(err)
	}
	if err := store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return e
}

// rawMap is raw content in memory.
type rawMap map[blob.Ref][]byte

func (m rawMap) Put(_ context.Context, ref blob.Ref, raw []byte) error { m[ref] = raw; return nil }

func (m rawMap) Get(_ context.Context, ref blob.Ref) ([]byte, error) {
	if raw, ok := m[ref]; ok {
		return raw, nil
	}
	return nil, blob.ErrMissing
}

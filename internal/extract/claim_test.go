package extract_test

import (
	"context"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/claim"
)

// between runs something once, after a worker has read and before its first
// commit.
type between struct {
	ledger.Store
	run func()
}

func (b *between) Commit(ctx context.Context, c ledger.Commit) error {
	if run := b.run; run != nil {
		b.run = nil
		run()
	}
	return b.Store.Commit(ctx, c)
}

// TestAClaimIsOfTheRowAsItWasRead: another worker claimed the event, failed and
// gave it back with a wait, all between this one's read and its claim. The
// state is the same; only the version tells.
func TestAClaimIsOfTheRowAsItWasRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.reader.script = func(int, reader.Source) (reader.Record, error) { return reader.Record{}, errBroken }
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	first := w.service(w.store, w.reader)
	late := w.service(&between{Store: w.store, run: func() {
		if err := w.handle(first, k); err != nil {
			t.Error(err)
		}
	}}, w.reader)
	if err := w.handle(late, k); err != nil {
		t.Fatal(err)
	}
	if e := w.event(k); w.reader.calls != 1 || e.Attempt != 1 || e.Status != claim.Failed {
		t.Errorf("%d calls of the reader, %+v: the wait that the first one set was passed over", w.reader.calls, e.Record)
	}
}

package extract_test

import (
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/record/inbound"
)

// TestAMailWithAVirusIsNeverFetched: its content is not read, not parsed and
// not shown to a reader; a person sees that it came.
func TestAMailWithAVirusIsNeverFetched(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "auto")
	k := w.record("hello", "v1", rawMail("m1", "Ada <ada@example.org>", "Huts", "Do you rent huts?"))
	var c ledger.Commit
	if err := c.Update("event", k, ledger.Cond{}, ledger.Item{"virus_verdict": inbound.VerdictFail}); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	clear(w.blob.content) // a read would now be a loss
	s := w.service(w.store, w.reader)
	w.settle(s, k)
	e := w.event(k)
	if e.State != inbound.InReview || len(e.Reasons) != 2 || e.Reasons[0] != "unparseable" || e.Reasons[1] != "virus_verdict" {
		t.Errorf("%s %v", e.State, e.Reasons)
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 0, ledger.Intent: 0, ledger.Extraction: 0, ledger.ReviewTask: 1})
}

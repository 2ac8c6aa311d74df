package extract_test

import (
	"testing"

	"onefold/internal/extract"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
)

// TestAnEventThatFailsEveryTimeIsParked: a fault that lasts must end where a
// person sees it, not go round for ever.
func TestAnEventThatFailsEveryTimeIsParked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "auto")
	k := w.record("hello@demo.example", "lasting", rawMail("lasting", "ann@example.com", "Question", "Do you sell boots?"))
	w.blob.fail, w.blob.fails = errBroken, 1000
	s := w.service(w.store, w.reader)
	w.settle(s, k)
	e := w.event(k)
	if e.State != inbound.Parked || e.Attempt != extract.MaxAttempts {
		t.Fatalf("the event is %s after %d attempts", e.State, e.Attempt)
	}
	it := w.item(k)
	for _, timer := range []string{schema.DueAt, schema.DueShard, "not_before"} {
		if it.Text(timer) != "" {
			t.Errorf("a parked event still has %s", timer)
		}
	}
}

package extract_test

import (
	"slices"
	"strings"
	"testing"

	"onefold/internal/decide/content"
	"onefold/internal/extract"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
)

// block applies a policy of that version which blocks the senders listed, as JSON.
func (w *world) block(version, list string) {
	w.t.Helper()
	doc := strings.Replace(string(tenant.Example()), `"mode": "draft"`, `"mode": "auto"`, 1)
	doc = strings.Replace(doc, `"version": 1`, `"version": `+version, 1)
	doc = strings.Replace(doc, `"limits"`, `"mail": {"blocked": [`+list+`]}, "limits"`, 1)
	w.policy(doc)
}

// TestABlockedSenderIsPutAsideUntilTheEntryIsGone: no reader is asked and
// nobody is written down; a wish not to be mailed counts all the same.
func TestABlockedSenderIsPutAsideUntilTheEntryIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.block("2", `"a.da@example.org"`)
	s := w.service(w.store, w.reader)
	k := w.record("hello@demo.example", "m1", rawMail("m1", "Ada <Ada+new@example.org>", "Huts", body))
	w.settle(s, k)
	if e := w.event(k); e.Outcome != inbound.Ignored || !slices.Equal(e.Reasons, []string{content.ReasonBlocked}) || w.reader.calls != 0 {
		t.Fatalf("%s %s %v, reader asked %d times", e.State, e.Outcome, e.Reasons, w.reader.calls)
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 0, ledger.Intent: 0, ledger.Extraction: 0, ledger.ReviewTask: 0, ledger.Guard: 0})

	w.block("3", ``)
	again := w.record("hello@demo.example", "m2", rawMail("m2", ada, "Huts again", body))
	w.settle(s, again)
	if e := w.event(again); e.Outcome != inbound.FollowUp || w.reader.calls != 1 {
		t.Errorf("after the entry is gone: %s %s %v", e.State, e.Outcome, e.Reasons)
	}

	w.block("4", `"@example.org"`)
	wish := w.record("hello@demo.example", "m3", rawMail("m3", ada, "Huts", "unsubscribe"))
	w.settle(s, wish)
	if e := w.event(wish); e.Outcome != inbound.OptedOut || w.count(ledger.Guard) != 1 {
		t.Errorf("the wish of a blocked sender: %s %s %v", e.State, e.Outcome, e.Reasons)
	}
}

func TestAFormOfABlockedSenderIsPutAside(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.block("2", `"@example.org"`)
	p, err := w.book.Current(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	e := inbound.Event{Tenant: "demo", ID: "form/website/f1", Source: "form", Content: tenant.ContentForm}
	for address, want := range map[string]bool{"ada@example.org": true, "ada@example.net": false} {
		raw := []byte(`{"data": {"email": "` + address + `", "message": "Do you rent huts?"}}`)
		if f := extract.FactsOf(w.ids, e, raw, p); f.Dropped != want || f.Source.FromAddress != address {
			t.Errorf("%s: %+v", address, f)
		}
	}
}

// TestAMarkWeDidNotMakeIsNoSignOfOurs: who writes our header into his mail has
// it read like any other; a wish under it is heard, and all else a person sees.
func TestAMarkWeDidNotMakeIsNoSignOfOurs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	s := w.service(w.store, w.reader)
	genuine := followup.Mark(w.ids, "demo", "i1")
	for n, c := range []struct {
		mark, text, state, outcome, reason string
	}{
		{genuine, body, inbound.Decided, inbound.Ignored, "own"},
		{"i1", body, inbound.InReview, "", rawmail.DoubtMark},
		{followup.Mark(w.ids, "other", "i1"), body, inbound.InReview, "", rawmail.DoubtMark},
		{"i1", "unsubscribe", inbound.Decided, inbound.OptedOut, "opt_out_words"},
	} {
		id := "m" + string(rune('1'+n))
		k := w.record("hello@demo.example", id, within(rawMail(id, ada, "Huts", c.text), rawmail.MarkHeader+": "+c.mark))
		w.settle(s, k)
		if e := w.event(k); e.State != c.state || e.Outcome != c.outcome || !slices.Contains(e.Reasons, c.reason) {
			t.Errorf("%d: %s %s %v, want %s %s %s", n, e.State, e.Outcome, e.Reasons, c.state, c.outcome, c.reason)
		}
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 0, ledger.Intent: 0})
}

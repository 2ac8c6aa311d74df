package extract_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/extract"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
)

// TestAPreviewIsWhatTheAnswerComesTo: and it writes nothing, whatever is asked.
func TestAPreviewIsWhatTheAnswerComesTo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode string
		raw  []byte
		mail bool
	}{
		"to be sent":       {tenant.ModeAuto, rawMail("m1", ada, "Huts", body), true},
		"to be approved":   {tenant.ModeDraft, rawMail("m1", ada, "Huts", body), true},
		"a shared inbox":   {tenant.ModeAuto, rawMail("m1", "info@example.org", "Huts", body), true},
		"a missing sender": {tenant.ModeAuto, rawMail("m1", "nobody", "Huts", body), false},
		"a wish in doubt":  {tenant.ModeAuto, rawMail("m1", ada, "Huts", "My colleague asks how she can unsubscribe."), true},
	} {
		w := newWorld(t, c.mode)
		w.reader.script = func(_ int, s reader.Source) (reader.Record, error) {
			r := plainRecord(s)
			r.ReviewReasons = []string{reader.ReasonSensitive}
			return r, nil
		}
		s := w.service(w.store, w.reader)
		k := w.record("hello@demo.example", "m1", c.raw)
		w.settle(s, k)
		task, before := w.task(k), fmt.Sprint(w.names())
		res, err := desk(s).Preview(t.Context(), task)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if fmt.Sprint(w.names()) != before || w.reader.calls != 1 {
			t.Errorf("%s: a preview leaves something, or asks the reader", name)
		}
		if (res.Mail != nil) != c.mail {
			t.Errorf("%s: %s %v, mail %v", name, res.Outcome, res.Reasons, res.Mail)
		}
		err = w.answer(s, k, yes)
		if res.Outcome == decide.Referred {
			if !errors.Is(err, extract.ErrStillOpen) {
				t.Errorf("%s: %v, and it was to stay open", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e := w.event(k)
		if e.Outcome != res.Outcome || !slices.Equal(e.Reasons, res.Reasons) || e.Contact != res.Contact || e.Intent != res.Intent {
			t.Errorf("%s: it came to %s %v, and %s %v was shown", name, e.Outcome, e.Reasons, res.Outcome, res.Reasons)
		}
		i := w.item(ledger.Intent.At("demo", e.Intent))
		if i.Text("content_hash") != res.Mail.ContentHash || i.Text("recipient") != res.Mail.Recipient || i.Text("state") != res.Mail.State {
			t.Errorf("%s: another mail than was shown", name)
		}
		if _, err := desk(s).Preview(t.Context(), task); !errors.Is(err, extract.ErrNotOpen) {
			t.Errorf("%s: of an answered task: %v", name, err)
		}
	}
}

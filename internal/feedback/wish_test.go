package feedback_test

import (
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/record/contact"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
)

func contactKey(id string) ledger.Key {
	return ledger.Contact.At("demo", id)
}

// mergeInto is contact c2, into which c1 was merged.
func (w *world) mergeInto() (c ledger.Commit) {
	w.t.Helper()
	w.must(c.Create("contact", contactKey("c2"), contact.Contact{Tenant: "demo", ID: "c2", Status: contact.Active, ConsentVersion: 1, Absorbed: []string{"c1"}, Transition: 1}))
	w.must(c.Update("merge", contactKey("c1"), ledger.Cond{}, ledger.Item{"status": contact.Merged, "merged_into": "c2", "transition": 2}))
	return c
}

// A complaint is a person's own wish and holds for all of her addresses: it
// raises the consent version, through merges, once. A bounce says only that one
// address does not work.
func TestAComplaintWithdrawsConsentAndABounceDoesNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   mailer.EventType
		merged bool
		want   map[string]int64
		ends   []string // contacts whose waiting follow-ups are ended
	}{
		"complaint":               {mailer.EventComplained, false, map[string]int64{"c1": 2}, []string{"c1"}},
		"complaint, merged since": {mailer.EventComplained, true, map[string]int64{"c1": 1, "c2": 2}, []string{"c1", "c2"}},
		"bounce":                  {mailer.EventBounced, false, map[string]int64{"c1": 1}, []string{"c1"}},
		"bounce, merged since":    {mailer.EventBounced, true, map[string]int64{"c1": 1, "c2": 1}, []string{"c1"}},
	} {
		w := newWorld(t)
		if c.merged {
			w.must(w.store.Store.Commit(t.Context(), w.mergeInto()))
		}
		e := w.event(c.kind, "d1")
		e.Permanent = true
		for range 2 {
			w.must(w.handle(e))
		}
		for id, want := range c.want {
			if got := w.get(contactKey(id)).Int("consent_version"); got != want {
				t.Errorf("%s: consent version of %s is %d, want %d", name, id, got, want)
			}
		}
		page, err := w.store.Scan(t.Context(), ledger.Scan{Table: schema.Outbox, Segments: 1, Limit: 100})
		w.must(err)
		ended := map[string]int{}
		for _, it := range page.Items {
			if it.Text("kind") == outbox.CancelIntents {
				ended[it.Text("contact")]++
			}
		}
		if len(ended) != len(c.ends) {
			t.Errorf("%s: ends what waits for %v", name, ended)
		}
		for _, id := range c.ends {
			if ended[id] != 1 {
				t.Errorf("%s: ends what waits for %v, want %v", name, ended, c.ends)
			}
		}
	}
}

// The contact moves between read and commit: the complaint is told to it as it
// is then.
func TestAComplaintMeetsAMerge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	merge := w.mergeInto()
	w.store.hook = func(n int) (bool, error) {
		if n == 2 { // the stop, after the evidence
			w.must(w.store.Store.Commit(t.Context(), merge))
		}
		return true, nil
	}
	w.must(w.handle(w.event(mailer.EventComplained, "d1")))
	if a, b := w.get(contactKey("c1")).Int("consent_version"), w.get(contactKey("c2")).Int("consent_version"); a != 1 || b != 2 {
		t.Errorf("consent versions %d and %d, want 1 and 2", a, b)
	}
}

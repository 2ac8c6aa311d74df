package extract_test

import (
	"strings"
	"testing"

	"onefold/internal/console"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/followup"
	"onefold/internal/utc"
)

// Whether somebody has had an approved mail is not a question of one rule: who
// asks for something else while his first mail waits, or after it was refused,
// is as new as he was.
func TestAProspectIsOneUnderEveryRule(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		state  string // of the mail of the other rule
	}{
		"the first mail waits":       {"", followup.Proposed},
		"the first mail is refused":  {console.Reject, followup.Proposed},
		"the first mail is approved": {console.Approve, followup.Ready},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tenant.ModeAuto)
			w.apply(`"min_confidence": 70`, `"min_confidence": 70, "new_contacts": true`,
				`"rules": [`, `"rules": [{"id": "prices", "version": 1, "mode": "auto", "intents": ["pricing"],
				"template": {"version": 1, "subject": "Prices", "text": "Our prices. {{.PostalAddress}}"}},`)
			w.reader.script = func(_ int, s reader.Source) (reader.Record, error) {
				r := plainRecord(s)
				if strings.Contains(s.Visible, "price") {
					r.Intent = reader.Pricing
				}
				return r, nil
			}
			s := w.service(w.store, w.reader)
			first := w.form("1", adaAddress, "", "Do you have huts?")
			w.settle(s, first)
			i := w.intent(w.event(first).Intent)
			if c.answer != "" {
				desk := console.Service{Store: w.store, IDs: w.ids, Now: w.clock.Now, Log: s.Log}
				a := console.Form{Action: c.answer, By: "grace", Transition: 1, ContentHash: i.ContentHash}
				if err := desk.Answer(t.Context(), "demo", i.Review, a); err != nil {
					t.Fatal(err)
				}
			}
			w.clock.goTo(utc.At(w.clock.Now()).Add(3600e9))
			second := w.form("2", adaAddress, "", "And what is the price?")
			w.settle(s, second)
			if got := w.intent(w.event(second).Intent); got.Rule != "prices" || got.State != c.state {
				t.Errorf("the mail of rule %s is %s, want %s", got.Rule, got.State, c.state)
			}
		})
	}
}

func (w *world) intent(id string) (i followup.Intent) {
	w.t.Helper()
	if err := w.item(ledger.Intent.At("demo", id)).Decode(&i); err != nil {
		w.t.Fatal(err)
	}
	return i
}

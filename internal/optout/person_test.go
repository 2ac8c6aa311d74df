package optout_test

import (
	"net/http"
	"strings"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/optout"
	"onefold/internal/policy/versions"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// mailed adds a mail to another contact at another spelling of the address,
// which has the same guard.
func (w *world) mailed(intent, contactID string) {
	w.t.Helper()
	w.contact(contact.Contact{ID: contactID, Status: contact.Active})
	i := w.i
	i.ID, i.Contact, i.ContactRef, i.Recipient = intent, contactID, schema.Ref("demo", contactID), "kim+"+contactID+"@example.com"
	var c ledger.Commit
	w.must(c.Insert(ledger.Step{
		Key: w.key(ledger.Intent, intent), Machine: followup.IntentMachine(), Event: "create", Audit: audit.Record{At: i.CreatedAt, By: "test"},
	}, i, i.State))
	w.must(w.store.Store.Commit(w.t.Context(), c))
}

func (w *world) consent(id string) int64 { return w.get(ledger.Contact, id).Int("consent_version") }

// One guard covers every spelling of an address, and each spelling may be a
// contact of its own. A click is about the person whose mail it was in, even
// where the address was stopped before.
func TestAClickStopsItsOwnPersonWhereTheAddressIsStoppedAlready(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mailed("i2", "c2")
	for _, step := range []struct {
		intent string
		want   [2]int64 // consent versions of c1 and c2
	}{{"i1", [2]int64{2, 1}}, {"i1", [2]int64{2, 1}}, {"i2", [2]int64{2, 2}}, {"i2", [2]int64{2, 2}}, {"i1", [2]int64{2, 2}}} {
		if rec := w.do(http.MethodPost, optout.Link(w.ids, "demo", step.intent)); rec.Code != http.StatusOK {
			t.Fatalf("%s: %d", step.intent, rec.Code)
		}
		if got := [2]int64{w.consent("c1"), w.consent("c2")}; got != step.want {
			t.Errorf("after a click in %s: consent versions %v, want %v", step.intent, got, step.want)
		}
	}
}

// Lifted by a person and stopped by a bounce later: the old click says nothing
// of what she agreed to in between, a new one does.
func TestAClickAfterALiftedStopIsHeardAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do(http.MethodPost, w.link())
	w.change(ledger.Guard, w.i.Guard, ledger.Item{guard.StopAttr(guard.ScopeAll): "", "reason": ""})
	later := utc.At(w.s.Now().AddDate(0, 1, 0))
	w.change(ledger.Guard, w.i.Guard, ledger.Item{guard.StopAttr(guard.ScopeAll): later, "reason": guard.ReasonBounce})
	w.do(http.MethodPost, w.link())
	if got := w.consent("c1"); got != 3 {
		t.Errorf("consent version %d, want 3", got)
	}
}

// What keeps a contact from being found must not keep its address from being
// stopped: the guard alone forbids every mail to it.
func TestAnAddressIsStoppedThoughItsPersonCannotBeFound(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*world){
		"a policy of newer code": func(w *world) {
			w.change(ledger.PolicyCurrent, "policy", ledger.Item{"document": `{"tenant": "demo", "version": 2, "of_newer_code": true}`})
		},
		"merges in a circle": func(w *world) {
			w.change(ledger.Contact, "c1", ledger.Item{"status": contact.Merged, "merged_into": "c1"})
		},
		"a contact of newer code": func(w *world) {
			w.change(ledger.Contact, "c1", ledger.Item{"consent_version": "two"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			damage(w)
			w.s.Policies = &versions.Book{Store: role.Store(w.store), Now: w.s.Now} // which remembers nothing
			if rec := w.do(http.MethodPost, w.link()); rec.Code != http.StatusOK {
				t.Errorf("%d, log %s", rec.Code, w.logs)
			}
			if g := w.get(ledger.Guard, w.i.Guard); guard.Blocks(g, "follow_up") != "suppressed_all" {
				t.Errorf("guard %v", g)
			}
			if !strings.Contains(w.logs.String(), "alarm=opt_out_in_part") {
				t.Errorf("nobody is told: %s", w.logs)
			}
		})
	}
}

package send_test

import (
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/address"
	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/utc"
)

// elsewhereKey is the guard of another address of the contact.
func (w *world) elsewhereKey(written string) ledger.Key {
	w.t.Helper()
	a, err := address.Parse(written)
	w.must(err)
	return ledger.Guard.At("demo", decide.GuardID(w.ids, "demo", a))
}

const aliasOf, mergedOf = "kim@example.org", "lou@example.org"

// many gives the contact an alias, and another contact that was merged into it.
func (w *world) many() {
	w.t.Helper()
	w.set(contactKey, ledger.Item{"keys": []string{"email:kim@example.com", "email:" + aliasOf}, "absorbed": []string{"c2"}, "reach": 2})
	w.set(ledger.Contact.At("demo", "c2"), ledger.Item{"tenant": "demo", "id": "c2", "status": contact.Merged, "merged_into": "c1", "keys": []string{"email:" + mergedOf}})
}

// beforeClaim has something happen once, when all is read and the claim is about
// to be committed.
func (w *world) beforeClaim(do func()) {
	w.store.hook = func(int, ledger.Commit) (bool, error) {
		w.store.hook = nil
		do()
		return true, nil
	}
}

// The claim itself asks every address of the person, so whatever got past the
// decision does not get out.
func TestAClaimAsksEveryAddressOfThePerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attrs         ledger.Item
		state, reason string
	}{
		"opt-out":   {ledger.Item{"stop_all": "2000-01-01T00:00:00.000Z", "reason": guard.ReasonOptOut}, followup.Suppressed, "opted_out_elsewhere"},
		"complaint": {ledger.Item{"stop_follow_up": "2000-01-01T00:00:00.000Z", "reason": guard.ReasonComplaint}, followup.Suppressed, "opted_out_elsewhere"},
		"hold":      {ledger.Item{"hold": "2000-01-01T00:00:00.000Z"}, followup.InReview, "opt_out_in_doubt"},
		"bounce":    {ledger.Item{"stop_all": "2000-01-01T00:00:00.000Z", "reason": guard.ReasonBounce}, followup.Accepted, ""},
		"nothing":   {ledger.Item{"bounces": 1}, followup.Accepted, ""},
	} {
		for _, where := range []string{aliasOf, mergedOf} {
			for when, at := range map[string]func(*world, func()){
				"before":                  func(_ *world, do func()) { do() },
				"between read and commit": (*world).beforeClaim,
			} {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, nil)
					w.many()
					at(w, func() { w.set(w.elsewhereKey(where), c.attrs) })
					w.must(w.run())
					w.post.deliver()
					if i := w.get(w.key("i1")); i.Text("state") != c.state || i.Text("reason") != c.reason {
						t.Errorf("%s at %s, %s: %s %q, want %s %q", name, where, when, i.Text("state"), i.Text("reason"), c.state, c.reason)
					}
				})
			}
		}
	}
}

// Other addresses than those that were read lead to the contact at the claim: it
// is not made, no attempt is burnt, and the next one asks them too.
func TestAClaimStandsOnTheAddressesThatWereRead(t *testing.T) {
	t.Parallel()
	for name, held := range map[string]bool{"clear": false, "held": true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, nil)
			w.beforeClaim(func() {
				if held {
					w.set(w.elsewhereKey(aliasOf), ledger.Item{"hold": utc.At(time.Now())})
				}
				w.many()
			})
			w.must(w.run())
			if w.state() != followup.Ready || w.attempt(1) != nil || w.get(w.op).Text("reason") != "addresses_changed" {
				t.Errorf("%s: %s, attempt %v, operation %v", name, w.state(), w.attempt(1), w.get(w.op))
			}
			w.untilQuiet()
			want := followup.Accepted
			if held {
				want = followup.InReview
			}
			if w.state() != want {
				t.Errorf("%s: %s, want %s", name, w.state(), want)
			}
		})
	}
}

// A contact that is split off again while its claim waits was read as merged;
// the claim is not made on that.
func TestAClaimOfAContactThatWasMergedWhenReadIsMadeAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.set(contactKey, ledger.Item{"status": contact.Merged, "merged_into": "c2", "reach": 1})
		w.beforeClaim(func() { w.set(contactKey, ledger.Item{"status": contact.Active, "merged_into": "", "reach": 2}) })
		w.must(w.run())
		if w.state() != followup.Ready || w.get(w.op).Text("reason") != "addresses_changed" {
			t.Errorf("%s, operation %v", w.state(), w.get(w.op))
		}
		w.untilQuiet()
		if w.state() != followup.Accepted {
			t.Error(w.state())
		}
	})
}

// The recipient's address may be of another contact than the one the mail was
// made for: a customer ID beat the address, or a merge was taken back. That
// person's wish at another address counts too.
func TestAClaimAsksWhomTheRecipientsAddressLeadsTo(t *testing.T) {
	t.Parallel()
	stop := ledger.Item{"stop_all": "2000-01-01T00:00:00.000Z", "reason": guard.ReasonOptOut}
	for name, c := range map[string]struct {
		attrs         ledger.Item
		merged        bool
		state, reason string
	}{
		"opt-out":                     {stop, false, followup.Suppressed, "opted_out_elsewhere"},
		"hold":                        {ledger.Item{"hold": "2000-01-01T00:00:00.000Z"}, false, followup.InReview, "opt_out_in_doubt"},
		"opt-out of one merged there": {stop, true, followup.Suppressed, "opted_out_elsewhere"},
		"nothing":                     {ledger.Item{"bounces": 1}, false, followup.Accepted, ""},
	} {
		for when, at := range map[string]func(*world, func()){
			"before":                  func(_ *world, do func()) { do() },
			"between read and commit": (*world).beforeClaim,
		} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, nil)
				w.leadsTo("c3", aliasOf)
				if c.merged {
					w.leadsTo("c3", "lee@example.net")
					w.set(people.Key("demo", "c3"), ledger.Item{"absorbed": []string{"c4"}, "reach": 1})
					w.set(people.Key("demo", "c4"), ledger.Item{"tenant": "demo", "id": "c4", "status": contact.Merged, "merged_into": "c3", "keys": []string{"email:" + aliasOf}})
				}
				at(w, func() { w.set(w.elsewhereKey(aliasOf), c.attrs) })
				w.must(w.run())
				w.post.deliver()
				if i := w.get(w.key("i1")); i.Text("state") != c.state || i.Text("reason") != c.reason {
					t.Errorf("%s, %s: %s %q, want %s %q", name, when, i.Text("state"), i.Text("reason"), c.state, c.reason)
				}
			})
		}
	}
}

// leadsTo gives the recipient's address to another contact, with one more address.
func (w *world) leadsTo(id, more string) {
	w.t.Helper()
	keys := []string{"email:kim@example.com", "email:" + more}
	if w.get(people.Key("demo", id)) != nil {
		w.set(people.Key("demo", id), ledger.Item{"keys": keys})
		return
	}
	w.set(people.Key("demo", id), ledger.Item{"tenant": "demo", "id": id, "status": contact.Active, "consent_version": 1, "transition": 1, "keys": keys})
	w.set(ledger.ContactKey.At("demo", "email:kim@example.com"), ledger.Item{"tenant": "demo", "id": "email:kim@example.com", "contact": id})
}

// An address that comes to another contact between read and commit makes the
// claim anew.
func TestAClaimStandsOnWhomTheRecipientsAddressLeadsTo(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{"nobody's before": false, "another's, who gets one more": true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, nil)
			if known {
				w.leadsTo("c3", mergedOf)
			}
			w.beforeClaim(func() {
				w.set(w.elsewhereKey(aliasOf), ledger.Item{"stop_all": "2000-01-01T00:00:00.000Z", "reason": guard.ReasonComplaint})
				w.leadsTo("c3", aliasOf)
				w.set(people.Key("demo", "c3"), ledger.Item{"reach": 1})
			})
			w.must(w.run())
			if w.state() != followup.Ready || w.get(w.op).Text("reason") != "addresses_changed" {
				t.Errorf("%s: %s, operation %v", name, w.state(), w.get(w.op))
			}
			w.untilQuiet()
			if w.state() != followup.Suppressed {
				t.Errorf("%s: %s", name, w.state())
			}
		})
	}
}

package console_test

import (
	"net/http"
	"strings"
	"testing"

	"onefold/internal/address"
	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// merged makes contact c2, into which c1 was merged since the mail was made.
func (w *world) merged() {
	w.Helper()
	w.born(key(ledger.Contact, "c2"), ledger.Step{Event: "create"}, contact.Contact{
		Tenant: "acme", ID: "c2", Status: contact.Active, Email: "ada@example.org", Name: "Ada Lovelace", Absorbed: []string{"c1"},
		ConsentVersion: 4, Revision: 1, CreatedAt: utc.At(now), Transition: 1,
	}, "")
	w.set(key(ledger.Contact, "c1"), ledger.Item{"status": contact.Merged, "merged_into": "c2"})
}

func (w *world) create(k ledger.Key, noun any) {
	w.Helper()
	var c ledger.Commit
	err := c.Create("row", k, noun)
	if err == nil {
		err = w.Store.Commit(w.Context(), c)
	}
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) slot(contactID string, c followup.Cadence) {
	w.Helper()
	c.Tenant, c.Contact, c.Rule = "acme", contactID, "answer"
	k := key(ledger.Cadence, contactID)
	k.Sub = "answer"
	w.create(k, c)
}

// A mail of a contact that was merged cannot be claimed for it. Its approval
// moves it to the survivor, as the same one intent, in the survivor's cadence.
func TestAnApprovalMovesAMailToTheSurvivor(t *testing.T) {
	t.Parallel()
	soon, later := utc.At(now).Add(3600e9), utc.At(now).Add(7200e9)
	for name, c := range map[string]struct {
		kind, state string
		slots       func(*world)
		sending     string
		quiet       utc.Time
	}{
		"proposed":           {review.ApproveIntent, followup.Proposed, nil, "", utc.Time{}},
		"held":               {review.HeldSend, followup.InReview, nil, "", utc.Time{}},
		"unknown, and again": {review.UnknownSend, followup.InReview, nil, "", utc.Time{}},
		"a slot of the loser": {review.HeldSend, followup.InReview, func(w *world) {
			w.slot("c1", followup.Cadence{Intent: "i0", SendingIntent: "i0", QuietUntil: soon})
		}, "i0", soon},
		"a slot of the survivor": {review.HeldSend, followup.InReview, func(w *world) {
			w.slot("c2", followup.Cadence{Intent: "i2", SendingIntent: "i2", QuietUntil: later})
			w.slot("c1", followup.Cadence{Intent: "i0", SendingIntent: "i0", QuietUntil: soon})
		}, "i2", later},
		"the loser's is quiet longer": {review.HeldSend, followup.InReview, func(w *world) {
			w.slot("c2", followup.Cadence{Intent: "i2", SendingIntent: "i2", QuietUntil: soon})
			w.slot("c1", followup.Cadence{Intent: "i0", SendingIntent: "i0", QuietUntil: later})
		}, "i0", later},
		"its own quiet period": {review.UnknownSend, followup.InReview, func(w *world) {
			w.slot("c1", followup.Cadence{Intent: "i1", SendingIntent: "i1", QuietUntil: later})
		}, "", utc.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			i := w.intent(c.kind, c.state)
			w.merged()
			if c.slots != nil {
				c.slots(w)
			}
			if p := w.do(http.MethodGet, "t1", nil); !strings.Contains(p.body, "merged into c2") || !strings.Contains(p.body, "Ada Lovelace") {
				t.Error("the page does not show whom the contact leads to")
			}
			if p := w.do(http.MethodPost, "t1", form("approve", i.ContentHash)); p.status != http.StatusSeeOther {
				t.Fatalf("%d %s", p.status, p.body)
			}
			got := w.row(key(ledger.Intent, "i1"))
			if got.Text("state") != followup.Ready || got.Text("contact") != "c2" || got.Int("consent_version") != 4 ||
				got.Text("contact_ref") != schema.Ref("acme", "c2") || got.Text("recipient") != i.Recipient || got.Text("approved_hash") != i.ContentHash {
				t.Errorf("%v", got)
			}
			if ops := w.sends(); len(ops) != 1 || ops[0].Kind != outbox.SendIntent || ops[0].Contact != "c2" {
				t.Errorf("%+v", ops)
			}
			k := key(ledger.Cadence, "c2")
			k.Sub = "answer"
			if slot := w.row(k); slot == nil || slot.Text("sending_intent") != c.sending || slot.Text("quiet_until") != c.quiet.String() {
				t.Errorf("%v, want %q until %s", slot, c.sending, c.quiet)
			}
		})
	}
}

// Whom the contact leads to may have been erased. The mail moves there, where the
// claim ends it; else it would come back to a person for ever.
func TestAnApprovalMovesAMailToOneWhoWasErased(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.intent(review.HeldSend, followup.InReview)
	w.merged()
	w.set(key(ledger.Contact, "c2"), ledger.Item{"status": contact.Erased})
	if p := w.do(http.MethodPost, "t1", form("approve", i.ContentHash)); p.status != http.StatusSeeOther {
		t.Fatalf("%d %s", p.status, p.body)
	}
	if got := w.row(key(ledger.Intent, "i1")); got.Text("contact") != "c2" || got.Text("state") != followup.Ready {
		t.Errorf("%v", got)
	}
}

// An approval of a mail whose contact was not merged moves nothing, and neither
// does a no.
func TestOnlyAnApprovalMovesAMail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		merged bool
		action string
	}{"approved, not merged": {false, "approve"}, "rejected": {true, "reject"}} {
		w := newWorld(t)
		i := w.intent(review.ApproveIntent, followup.Proposed)
		if c.merged {
			w.merged()
		}
		w.do(http.MethodPost, "t1", form(c.action, i.ContentHash))
		if got := w.row(key(ledger.Intent, "i1")); got.Text("contact") != "c1" || got.Int("consent_version") != 1 || got.Text("state") == followup.Proposed {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What the approval stands on is in its commit: consent withdrawn, another
// merge or a split in between, and nothing happens.
func TestAMoveStandsOnTheContactsAsTheyWereRead(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*world){
		"consent withdrawn": func(w *world) { w.set(key(ledger.Contact, "c2"), ledger.Item{"consent_version": 5}) },
		"merged on": func(w *world) {
			w.set(key(ledger.Contact, "c2"), ledger.Item{"status": contact.Merged, "merged_into": "c3"})
		},
		"split": func(w *world) {
			w.set(key(ledger.Contact, "c1"), ledger.Item{"status": contact.Active, "merged_into": ""})
		},
	} {
		w := newWorld(t)
		i := w.intent(review.ApproveIntent, followup.Proposed)
		w.merged()
		w.commit = func(c ledger.Commit) error {
			w.commit = nil
			meanwhile(w)
			return w.Store.Commit(w.Context(), c)
		}
		if p := w.do(http.MethodPost, "t1", form("approve", i.ContentHash)); p.status != http.StatusConflict {
			t.Errorf("%s: %d", name, p.status)
		}
		if got := w.row(key(ledger.Intent, "i1")); got.Text("state") != followup.Proposed || len(w.sends()) != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The page says what the person's other addresses have against a mail, and that
// no answer makes one person of two.
func TestThePageShowsAWishAtAnotherAddressAndWhoMayMerge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.intent(review.ApproveIntent, followup.Proposed)
	w.set(key(ledger.Contact, "c1"), ledger.Item{"keys": []string{"email:ada@example.com", "email:ada@example.org"}})
	const said = "the person wants no mail, and said so at another address"
	if p := w.do(http.MethodGet, "t1", nil); strings.Contains(p.body, said) || strings.Contains(p.body, "onefold contact merge") {
		t.Error("a wish that nobody has uttered, or a question that nobody asked")
	}
	a, err := address.Parse("ada@example.org")
	if err != nil {
		t.Fatal(err)
	}
	w.create(key(ledger.Guard, decide.GuardID(w.service.IDs, "acme", a)), ledger.Item{"stop_all": utc.At(now).String(), "reason": guard.ReasonOptOut})
	w.set(key(ledger.ReviewTask, "t1"), ledger.Item{"reasons": []string{"several_contacts"}})
	if p := w.do(http.MethodGet, "t1", nil); !strings.Contains(p.body, said) || !strings.Contains(p.body, "onefold contact merge") {
		t.Error("the page does not show the wish, or who can merge")
	}
}

// Between the two a merge may be taken back while the page is answered: the mail
// is then not the survivor's.
func TestAnApprovalMovesNoMailAlongAMergeThatWasTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.intent(review.HeldSend, followup.InReview)
	w.merged()
	w.set(key(ledger.Contact, "c1"), ledger.Item{"merged_into": "c3"})
	w.born(key(ledger.Contact, "c3"), ledger.Step{Event: "create"}, contact.Contact{
		Tenant: "acme", ID: "c3", Status: contact.Merged, MergedInto: "c2", ConsentVersion: 1, CreatedAt: utc.At(now), Transition: 1,
	}, "")
	w.commit = func(c ledger.Commit) error {
		w.commit = nil
		w.set(key(ledger.Contact, "c3"), ledger.Item{"status": contact.Active, "merged_into": ""})
		w.set(key(ledger.Contact, "c2"), ledger.Item{"absorbed": "", "reach": 2})
		return w.Store.Commit(w.Context(), c)
	}
	w.do(http.MethodPost, "t1", form("approve", i.ContentHash))
	if got := w.row(key(ledger.Intent, "i1")); got.Text("contact") != "c1" || got.Text("state") != followup.InReview {
		t.Errorf("%v", got)
	}
}

// A mail to an address of another contact: what either of the two wants is shown.
func TestThePageShowsTheWishOfWhomTheAddressIsOf(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"c1", "c5"} {
		w := newWorld(t)
		w.intent(review.ApproveIntent, followup.Proposed)
		w.born(key(ledger.Contact, "c5"), ledger.Step{Event: "create"}, contact.Contact{Tenant: "acme", ID: "c5", Status: contact.Active, ConsentVersion: 1, CreatedAt: utc.At(now), Transition: 1}, "")
		w.set(key(ledger.Contact, of), ledger.Item{"keys": []string{"email:ada@example.org"}})
		a, err := address.Parse("ada@example.org")
		if err != nil {
			t.Fatal(err)
		}
		w.create(key(ledger.Guard, decide.GuardID(w.service.IDs, "acme", a)), ledger.Item{"stop_all": utc.At(now).String(), "reason": guard.ReasonOptOut})
		w.set(key(ledger.ReviewTask, "t1"), ledger.Item{"reasons": []string{decide.ReasonAddressOfAnother}, "candidates": []string{"c5", "c1"}})
		if p := w.do(http.MethodGet, "t1", nil); !strings.Contains(p.body, "said so at another address") {
			t.Errorf("the wish of %s is not shown", of)
		}
	}
}

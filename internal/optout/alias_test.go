package optout_test

import (
	"net/http"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/optout"
	"onefold/internal/record/contact"
)

// Nobody has the key of a mail out of a shared inbox that is shared no longer.
// An alias gives it to somebody just before the click commits: that person is
// told too.
func TestAClickMeetsAnAliasOfItsAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.contact(contact.Contact{ID: "c2", Status: contact.Active})
	i := w.i
	i.ID, i.Recipient = "i9", "ann@example.com"
	who := decide.Identify(w.ids, w.policy(), i.Recipient)
	i.Guard = who.GuardID
	var c ledger.Commit
	w.must(c.Create("intent", w.key(ledger.Intent, "i9"), i))
	w.must(w.store.Store.Commit(t.Context(), c))
	w.store.hook = func(ledger.Commit) (bool, error) {
		w.store.hook = nil
		var c ledger.Commit
		w.must(c.Create("contact_key", w.key(ledger.ContactKey, who.KeyID), contact.Key{Tenant: "demo", ID: who.KeyID, Contact: "c2"}))
		w.must(w.store.Store.Commit(t.Context(), c))
		return true, nil
	}
	if rec := w.do(http.MethodPost, optout.Link(w.ids, "demo", "i9")); rec.Code != http.StatusOK {
		t.Fatalf("%d", rec.Code)
	}
	if got := w.consent("c2"); got != 2 {
		t.Errorf("consent version %d of who has the address now, want 2", got)
	}
}

package console_test

import (
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/review"
)

func TestAQuestionAboutTwoPeopleShowsBothAndWhatTheAnswersMean(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for id, email := range map[string]string{"c1": "ada@example.com", "c2": "ada+shop@example.com"} {
		w.born(key(ledger.Contact, id), ledger.Step{Event: "create"}, contact.Contact{Tenant: "acme", ID: id, Status: contact.Active, Email: email, Transition: 1}, "")
	}
	var c ledger.Commit
	k := key(ledger.ContactKey, "email.v2:ada@example.com")
	if err := c.Create("key", k, contact.Key{Tenant: "acme", ID: k.ID, Contact: "c1"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	w.task(review.Task{ID: "t1", Kind: review.IdentityCollision, Contact: "c2", Candidates: []string{"c2", "c1"}, Key: k.ID, Reasons: []string{"identity_rule_collision"}})
	w.shows(w.do("GET", "t1", nil), "Are these two one person?", "ada@example.com", "ada&#43;shop@example.com", "They are two people", "They are one person", "the identity rule that comes next takes it for another contact")
	w.shows(w.do("GET", "", nil), "Are these two one person?")
}

package console_test

import (
	"testing"

	"onefold/internal/console"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
)

// A field that somebody changed in the CRM: yes puts one operation that writes
// that field over, no none.
func TestAnAnswerAboutTheCRMPutsOneOperationOrNone(t *testing.T) {
	t.Parallel()
	for action, state := range map[string]string{console.Approve: review.Approved, console.Reject: review.Rejected} {
		w := newWorld(t)
		w.born(key(ledger.Contact, "c1"), ledger.Step{Event: "create"},
			contact.Contact{Tenant: "acme", ID: "c1", Status: contact.Active, Email: "ada@example.com", Phone: "+441632960001", Transition: 1}, "")
		w.task(review.Task{ID: "t1", Kind: review.CRMEdit, Contact: "c1", Candidates: []string{"c1"}, Field: "phone", Reasons: []string{"crm_edited_phone"}})
		w.shows(w.do("GET", "t1", nil), "Somebody changed this contact in the CRM", "ada@example.com", "&#43;441632960001", "Write ours", "Leave theirs",
			"somebody changed the phone number in the CRM, and the contact has another")
		if err := w.service.Answer(t.Context(), "acme", "t1", console.Form{Action: action, By: "eve", Transition: 1}); err != nil {
			t.Fatal(err)
		}
		page, err := w.Store.Scan(t.Context(), ledger.Scan{Table: "outbox", Segments: 1, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		var got review.Task
		it, err := w.Store.Get(t.Context(), key(ledger.ReviewTask, "t1"))
		if err == nil {
			err = it.Decode(&got)
		}
		if err != nil || got.State != state || got.AnsweredBy != "person:eve" {
			t.Errorf("%s: %+v, %v", action, got, err)
		}
		if action == console.Reject {
			if len(page.Items) != 0 {
				t.Errorf("no makes %v", page.Items)
			}
			continue
		}
		if len(page.Items) != 1 {
			t.Fatalf("yes makes %v", page.Items)
		}
		var op outbox.Operation
		if err := page.Items[0].Decode(&op); err != nil || op.Kind != outbox.CRMContact || op.Contact != "c1" || len(op.Ours) != 1 || op.Ours[0] != "phone" {
			t.Errorf("yes makes %+v", op)
		}
		// A second click is told, and puts nothing.
		if err := w.service.Answer(t.Context(), "acme", "t1", console.Form{Action: action, By: "eve", Transition: 1}); err == nil {
			t.Error("a second answer is taken")
		}
	}
}

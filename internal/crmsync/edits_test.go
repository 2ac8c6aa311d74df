package crmsync_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/hubspottest"
	"onefold/internal/crmsync"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/schema"
)

// changed is a contact that Onefold wrote to HubSpot with every field, in which
// somebody there then changed something.
func changed(t *testing.T, c crm.CRM, server *hubspottest.Server, edit map[string]string) *world {
	t.Helper()
	w := newWorld(t, c)
	w.person("ada")
	w.set(personKey("ada"), ledger.Item{"company": "Example Ltd", "phone": "+441632960001"})
	w.operation(outbox.Operation{ID: "first", Kind: outbox.CRMContact, Contact: "ada", Revision: 1})
	w.settle()
	w.allDone("first")
	if err := server.Edit("contacts", server.Contacts()[0].ID, edit); err != nil {
		t.Fatal(err)
	}
	return w
}

func record(t *testing.T, server *hubspottest.Server, want map[string]string) {
	t.Helper()
	people := server.Contacts()
	if len(people) != 1 {
		t.Fatalf("the CRM has %d contacts", len(people))
	}
	for name, value := range want {
		if got := people[0].Properties[name]; got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
}

// Whatever becomes of the contact, what a person of the CRM typed stays, and it
// is on record that it did.
func TestWhatSomebodyChangedInTheCRMStays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field crm.Field
		typed map[string]string
	}{
		{crm.FieldEmail, map[string]string{"email": "ada.new@example.com"}},
		{crm.FieldName, map[string]string{"firstname": "Ada", "lastname": "King"}},
		{crm.FieldCompany, map[string]string{"company": "Example Holding"}},
		{crm.FieldPhone, map[string]string{"phone": ""}},
	} {
		server, client := newHubSpot(t)
		w := changed(t, client, server, c.typed)
		for revision := int64(2); revision < 5; revision++ {
			w.set(personKey("ada"), ledger.Item{"company": "Sample Ltd", "phone": "+441632960002"})
			w.revise("ada", revision)
			w.settle()
		}
		want := map[string]string{"email": "ada@example.com", "firstname": "Revision", "lastname": "4", "company": "Sample Ltd", "phone": "+441632960002"}
		for name, value := range c.typed {
			want[name] = value
		}
		record(t, server, want)
		if m := w.mapping("ada"); !slices.Equal(m.Left, []crm.Field{c.field}) || m.SentVersion != 4 {
			t.Errorf("%s: the mapping says that %v was left, at version %d", c.field, m.Left, m.SentVersion)
		}
		k := ledger.CRMMapping.Under(tenantID, "ada", "hubspot")
		reasons := w.get(ledger.AuditKey(k, w.mapping("ada").Transition))["reasons"]
		if got := fmt.Sprint(reasons); got != "[updated crm_left_"+string(c.field)+"]" {
			t.Errorf("%s: on record is %s", c.field, got)
		}
		w.sound()
	}
}

// What the mapping keeps of a value does not show it.
func TestWhatWasWrittenIsKeptAsAKeyedDigest(t *testing.T) {
	t.Parallel()
	server, client := newHubSpot(t)
	w := changed(t, client, server, map[string]string{"company": "Example Holding"})
	m := w.mapping("ada")
	if len(m.Wrote) != 4 || len(m.Tried) != 0 {
		t.Errorf("kept: %v, tried %v", m.Wrote, m.Tried)
	}
	for f, d := range m.Wrote {
		if len(d) != 32 || strings.Contains(d, "example") {
			t.Errorf("%s: %q", f, d)
		}
	}
}

// The row of an older release knows nothing of what was written: every field that
// is not empty counts as changed there.
func TestAMappingFromBeforeChangesNothingThatIsThere(t *testing.T) {
	t.Parallel()
	server, client := newHubSpot(t)
	w := changed(t, client, server, map[string]string{"phone": "", "company": "Example Holding"})
	w.set(ledger.CRMMapping.Under(tenantID, "ada", "hubspot"), ledger.Item{"wrote": "", "tried": "", "left": ""})
	w.revise("ada", 2)
	w.settle()
	record(t, server, map[string]string{"email": "ada@example.com", "lastname": "1", "company": "Example Holding", "phone": "+441632960001"})
}

// A write whose answer was lost is Onefold's all the same, so that the next
// value of the contact is not taken for one that fights with a person's.
func TestAValueThatNobodyConfirmedIsWrittenOver(t *testing.T) {
	t.Parallel()
	for _, landed := range []bool{true, false} {
		server, client := newHubSpot(t)
		lost := &scripted{CRM: client}
		w := changed(t, lost, server, nil)
		failing := true
		lost.answer = func(int) *crm.Result {
			if !failing {
				return nil
			}
			if landed {
				id := server.Contacts()[0].ID
				if err := server.Edit("contacts", id, map[string]string{"lastname": "2"}); err != nil {
					t.Error(err)
				}
			}
			return &crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}
		}
		w.revise("ada", 2)
		w.pump()
		failing = false
		w.revise("ada", 3)
		w.settle()
		record(t, server, map[string]string{"firstname": "Revision", "lastname": "3"})
		if m := w.mapping("ada"); len(m.Left) != 0 || len(m.Tried) != 0 {
			t.Errorf("landed %v: left %v, tried %v", landed, m.Left, m.Tried)
		}
	}
}

// The record of a contact that was merged away is taken over with what is known
// of its fields.
func TestAMergeKnowsWhatWasWrittenToTheRecordItTakesOver(t *testing.T) {
	t.Parallel()
	server, client := newHubSpot(t)
	w := changed(t, client, server, map[string]string{"company": "Example Holding"})
	w.person("bea")
	w.set(personKey("ada"), ledger.Item{"status": contact.Merged, "merged_into": "bea"})
	w.set(personKey("bea"), ledger.Item{"absorbed": []string{"ada"}, "name": "Bea Sample", "company": "Sample Ltd", "email": "ada@example.com"})
	w.operation(outbox.Operation{ID: "merge", Kind: outbox.CRMContact, Contact: "bea", Revision: 1})
	w.settle()
	record(t, server, map[string]string{"email": "ada@example.com", "firstname": "Bea", "lastname": "Sample", "company": "Example Holding", "phone": "+441632960001"})
	w.sound()
}

// While one value after the other is not confirmed, what is kept of them stays
// small.
func TestWhatIsKeptOfTriesIsBounded(t *testing.T) {
	t.Parallel()
	v := newVendor()
	lost := &scripted{CRM: v, answer: func(int) *crm.Result { return &crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer} }}
	w := newWorld(t, lost)
	w.person("ada")
	for revision := int64(2); revision < 30; revision++ {
		w.revise("ada", revision)
		w.advance(time.Hour)
		w.pump()
	}
	if n := len(w.mapping("ada").Tried[crm.FieldName]); n != 8 {
		t.Errorf("%d tries are kept", n)
	}
}

// asking gives the account whose policy asks about a field.
func asking(w *world, fields ...crm.Field) {
	w.accounts = func(context.Context, string) (crmsync.Account, error) {
		return crmsync.Account{CRM: w.crm, Ask: fields}, nil
	}
}

func (w *world) questions() []review.Task {
	w.Helper()
	var all []review.Task
	page, err := w.store.Query(context.Background(), ledger.Query{Table: schema.Ledger, Index: schema.ByOpenReview, Partition: tenantID, Limit: 100})
	if err != nil {
		w.Fatal(err)
	}
	for _, it := range page.Items {
		var t review.Task
		if err := it.Decode(&t); err != nil {
			w.Fatal(err)
		}
		all = append(all, t)
	}
	return all
}

// Where the policy says so, a person is asked: once for each value of the contact
// that the CRM has otherwise, however often it is sent.
func TestAPersonIsAskedOnceForEachValue(t *testing.T) {
	t.Parallel()
	server, client := newHubSpot(t)
	w := changed(t, client, server, map[string]string{"phone": "+441632960055", "company": "Example Holding"})
	asking(w, crm.FieldPhone)
	for n, phone := range []string{"+441632960002", "+441632960002", "+44 1632 960002", "+441632960003"} {
		w.set(personKey("ada"), ledger.Item{"phone": phone})
		w.revise("ada", int64(n+2))
		w.settle()
	}
	asked := w.questions()
	if len(asked) != 2 {
		t.Fatalf("%d questions", len(asked))
	}
	for _, q := range asked {
		if q.Kind != review.CRMEdit || q.Field != "phone" || q.Contact != "ada" || !slices.Equal(q.Reasons, []string{"crm_edited_phone"}) {
			t.Errorf("asked: %+v", q)
		}
	}
	record(t, server, map[string]string{"phone": "+441632960055", "company": "Example Holding"})
	w.sound()
}

// "Write ours" is one operation, which writes the one field over.
func TestAnAnswerWritesTheOneFieldOver(t *testing.T) {
	t.Parallel()
	server, client := newHubSpot(t)
	w := changed(t, client, server, map[string]string{"phone": "+441632960055", "company": "Example Holding"})
	w.operation(outbox.Operation{ID: "answer", Kind: outbox.CRMContact, Contact: "ada", Ours: []string{"phone"}})
	w.settle()
	w.allDone("answer")
	record(t, server, map[string]string{"phone": "+441632960001", "company": "Example Holding"})
	if m := w.mapping("ada"); !slices.Equal(m.Left, []crm.Field{crm.FieldCompany}) {
		t.Errorf("left: %v", m.Left)
	}
}

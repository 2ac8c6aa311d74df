package intake_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/operate/intake"
	"onefold/internal/policy/versions"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// dump is all that the ledger holds, for comparing.
func (w *world) dump() string {
	w.Helper()
	var lines []string
	for _, table := range []schema.Table{schema.Ledger, schema.Outbox, schema.Events, schema.Audit} {
		for cursor := ""; ; {
			page, err := w.store.Scan(w.Context(), ledger.Scan{Table: table, Segments: 1, Cursor: cursor, Limit: 1000})
			w.ok(err)
			for _, it := range page.Items {
				b, err := json.Marshal(it)
				w.ok(err)
				lines = append(lines, string(b))
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

func counts(r intake.Report) string {
	r.Findings = nil
	b, _ := json.Marshal(r)
	return string(b)
}

// found says what is reported of an entry: its reasons, the one for which it is
// left out first.
func found(r intake.Report, e intake.Entry) string {
	var words []string
	for _, f := range r.Findings {
		if f.Row != e.Row || f.Record != e.Record {
			continue
		}
		word := f.Why
		if f.LeftOut {
			word = "left:" + word
		}
		if f.Other != "" {
			word += "(" + f.Other + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func haveSentences(t *testing.T, r intake.Report) {
	t.Helper()
	for _, words := range []map[string]int{r.Reasons, r.Notes} {
		for word := range words {
			if intake.Says(word) == word {
				t.Errorf("%s has no sentence", word)
			}
		}
	}
}

func row(n int, emails ...string) intake.Entry { return intake.Entry{Row: n, Emails: emails} }

func TestARowMakesAContactUnderItsKeysAndNothingFollows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := intake.Entry{Row: 2, Emails: []string{"Ann.Ambler@Example.com", "ann@example.org"}, Name: " Ann  Ambler", Company: "Ambler Ltd", Phone: "+44 20 7946 0000"}
	rep := w.imports(ann, row(3, "bob@example.com"))
	if rep.Made != 2 || rep.Entries != 2 || !rep.Complete || len(rep.Findings) != 0 {
		t.Errorf("%+v", rep)
	}
	all := w.contacts()
	c := all[0]
	if len(all) != 2 || c.Email != "Ann.Ambler@example.com" || c.Name != "Ann Ambler" || c.Company != "Ambler Ltd" || c.Phone != "+44 20 7946 0000" ||
		c.Status != contact.Active || c.ConsentVersion != 1 || c.Revision != 1 || !slices.Equal(c.Keys, []string{"email:ann.ambler@example.com", "email:ann@example.org"}) {
		t.Errorf("%+v", all)
	}
	for _, e := range []ledger.Entity{ledger.Operation, ledger.Intent, ledger.ReviewTask, ledger.CRMMapping, ledger.Guard} {
		if n := len(w.rows(e)); n != 0 {
			t.Errorf("%d rows of %s", n, e)
		}
	}
	it, err := w.store.Get(t.Context(), ledger.AuditKey(ledger.Contact.At("demo", c.ID), 1))
	w.ok(err)
	if it.Text("event") != "import" || it.Text("by") != "person:tester" {
		t.Errorf("audit %v", it)
	}
	// The same again changes nothing.
	before := w.dump()
	if rep = w.imports(ann, row(3, "bob@example.com")); rep.Known != 2 || rep.Made != 0 || w.dump() != before {
		t.Errorf("a second run: %+v", rep)
	}
}

func TestWhatCannotNameSomebodyIsReportedAndLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `"crm": {`, `"customer_ids": { "use": "review_conflicts" }, "crm": {`)
	w.person("known", "Kim Lee", "email:kim@example.com", "customer:C-1")
	w.person("two", "", "email:two@example.com")
	w.person("gone", "", "email:gone@example.com")
	w.set(ledger.Contact.At("demo", "gone"), ledger.Item{"status": contact.Erased})
	w.ok(w.erased("erased@example.com"))
	w.person("inbox", "", "email:inbox@example.com")
	w.set(ledger.ContactKey.At("demo", "email:inbox@example.com"), ledger.Item{"shared": true})
	w.person("home", "Bea King", "email:home@example.com")
	w.set(ledger.ContactKey.At("demo", "email:home@example.com"), ledger.Item{"disputed": true})
	var eleven []string
	for n := range contact.MaxAddresses + 1 {
		eleven = append(eleven, fmt.Sprintf("p%d@example.com", n))
	}
	customer := func(e intake.Entry, id string) intake.Entry { e.CustomerID = id; return e }
	named := func(e intake.Entry, name string) intake.Entry { e.Name = name; return e }
	long := row(0, "long@example.com")
	long.Company, long.Phone = strings.Repeat("x", 161), strings.Repeat("1", 41)
	var entries []intake.Entry
	var wants []string
	for _, c := range []struct {
		e    intake.Entry
		want string
	}{
		{row(0), "left:identity_missing"},
		{customer(row(0), "C-9"), "left:identity_missing"},
		{row(0, "nobody"), "left:identity_invalid"},
		{row(0, "ann@demo.example"), "left:own_address"},
		{row(0, "info@example.com"), "left:shared_inbox"},
		{row(0, "no-reply@example.com"), "left:role_address"},
		{row(0, "inbox@example.com"), "left:shared_inbox"},
		{row(0, "kim@example.com", "two@example.com"), "left:several_contacts"},
		{row(0, "gone@example.com"), "left:contact_erased"},
		{row(0, "erased@example.com"), "left:contact_erased"},
		{row(0, "home@example.com"), "left:address_in_dispute"},
		{named(row(0, "home@example.com"), "Bea King"), ""},
		{customer(row(0, "kim@example.com"), "C-2"), "left:customer_id_differs"},
		{customer(row(0, "else@example.com"), "C-1"), "left:address_new_for_customer"},
		{row(0, eleven...), "left:too_many_addresses"},
		// Taken, with a word on what was not.
		{row(0, "new@example.com", "broken", "office@example.com"), "identity_invalid shared_inbox"},
		{row(0, "NEW@example.com"), "left:same_address(row 17)"},
		{customer(row(0, "sam@example.com"), "C-7"), ""},
		{customer(row(0, "sue@example.com"), "C-7"), "left:same_customer_id(row 19)"},
		{customer(row(0, "odd@example.com"), "C 7"), "customer_id_invalid"},
		{long, "value_left_out(company) value_left_out(phone)"},
		{named(row(0, "kim@example.com", "kim.lee@example.com"), "Pat Moss"), "name_differs(known) address_not_added(known)"},
		{customer(row(0, "two@example.com"), "C-3"), "customer_id_not_added(two)"},
	} {
		c.e.Row = len(entries) + 2
		entries, wants = append(entries, c.e), append(wants, c.want)
	}
	rep := w.imports(entries...)
	left := 0
	for n, e := range entries {
		if got := found(rep, e); got != wants[n] {
			t.Errorf("%v: %q, want %q", e.Emails, got, wants[n])
		}
		if strings.HasPrefix(wants[n], "left:") {
			left++
		}
	}
	if rep.LeftOut != left || rep.Made != 4 || rep.Known != len(entries)-left-4 {
		t.Errorf("%s", counts(rep))
	}
	haveSentences(t, rep)
	if c := w.contact("known"); c.Name != "Kim Lee" || len(c.Keys) != 2 || c.Version != 1 {
		t.Errorf("a known contact was changed: %+v", c)
	}
}

func (w *world) erased(written string) error {
	return w.guards(written, "erase", ledger.Item{"erased_at": "2026-03-01T00:00:00.000Z"})
}

// guards puts what stands at an address that nothing has guarded yet.
func (w *world) guards(written, event string, set ledger.Item) error {
	var c ledger.Commit
	if err := decide.ChangeGuard(&c, decide.GuardChange{
		Tenant: "demo", ID: w.guardKey(written).ID, Event: event, Set: set,
		Audit: audit.Record{At: utc.At(noon.Add(-time.Hour)), By: "test", Reasons: []string{set.Text("reason")}},
	}); err != nil {
		return err
	}
	return w.store.Commit(w.Context(), c)
}

func (w *world) contact(id string) (c contact.Contact) {
	w.Helper()
	it, err := w.store.Get(w.Context(), ledger.Contact.At("demo", id))
	w.ok(err)
	w.ok(it.Decode(&c))
	return c
}

func TestThePolicyDecidesWhatCountsAsOneAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `"fold_plus": false`, `"fold_plus": true`)
	if rep := w.imports(row(2, "ann+shop@example.com"), row(3, "ann@example.com")); rep.Made != 1 || found(rep, row(3)) != "left:same_address(row 2)" {
		t.Errorf("%+v", rep)
	}
	// With customer IDs that win, the customer is who it is, and gets no address.
	w = newWorld(t, `"crm": {`, `"customer_ids": { "use": "wins" }, "crm": {`)
	w.person("known", "", "email:kim@example.com", "customer:C-1")
	e := row(2, "kim.lee@example.com")
	e.CustomerID = "C-1"
	if rep := w.imports(e); rep.Known != 1 || found(rep, e) != "address_not_added(known)" || len(w.contacts()) != 1 {
		t.Errorf("%+v", rep)
	}
	// Without a word on customer IDs they make no key.
	w = newWorld(t)
	if rep := w.imports(e); rep.Made != 1 || found(rep, e) != "customer_id_ignored" || len(w.contacts()[0].Keys) != 1 {
		t.Errorf("%+v", rep)
	}
}

// While an identity rule is migrated both forms are put, and whom the next one
// names otherwise is left to a person.
func TestBothFormsOfAnAddressArePutDuringAMigration(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `"region"`, `"identity_next": { "version": 2, "fold_plus": true }, "region"`)
	rep := w.imports(row(2, "ann+a@example.com", "ann+b@example.com"), row(3, "ann@example.com"), row(4, "bob@example.com"))
	if rep.Made != 2 || found(rep, row(3)) != "left:identity_rule_collision(row 2)" {
		t.Errorf("%+v", rep)
	}
	if got := w.contacts()[0].Keys; !slices.Equal(got, []string{"email:ann+a@example.com", "email:ann+b@example.com", "email.v2:ann@example.com"}) {
		t.Errorf("keys %v", got)
	}
}

func TestALikelyDuplicateIsSuggestedAndNotMerged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := row(2, "ann@example.com"), row(3, "ann@example.org")
	one.Name, one.Phone, two.Name, two.Phone = "Ann Ambler", "+44 20 7946 0000", "Ann", "020 7946 0000"
	_, err := w.service(w.store).Run(t.Context(), of(true, one))
	w.ok(err)
	rep := w.imports(one, two)
	all := w.contacts()
	if rep.Made != 1 || len(all) != 2 || all[1].LikelySame != all[0].ID || all[0].LikelySame != "" || found(rep, two) != "phone_of_another_contact("+all[0].ID+")" {
		t.Errorf("%+v, %+v", rep, all)
	}
}

func TestATenantWithoutAPolicyHasNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := of(true, row(2, "ann@example.com"))
	l.Tenant = "nobody"
	if _, err := w.service(w.store).Run(t.Context(), l); !errors.Is(err, versions.ErrNone) {
		t.Errorf("%v", err)
	}
}

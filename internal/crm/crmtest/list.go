package crmtest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"onefold/internal/crm"
)

// someRecords are more than any page that is known has.
const someRecords = 230

// listing is a rule for adapters that can list contacts.
func listing(rule func(*testing.T, Vendor, crm.CRM, crm.Lister)) func(*testing.T, bench) {
	return func(t *testing.T, b bench) {
		v, c := b.start(t)
		l, can := c.(crm.Lister)
		if !can {
			t.Log("not asked: the adapter has no list")
			return
		}
		rule(t, v, c, l)
	}
}

// walk reads the list to its end; between is called after each page. A page is
// one call, which only reads.
func walk(t *testing.T, v Vendor, l crm.Lister, between func()) []crm.Record {
	t.Helper()
	var all []crm.Record
	for cursor, n := "", 0; ; n++ {
		calls := len(v.Calls())
		page, res := l.List(context.Background(), cursor)
		want(t, "list", res, crm.Done)
		if made := v.Calls()[calls:]; len(made) != 1 || !made[0].Reads {
			t.Fatalf("a page takes %d calls, or writes", len(made))
		}
		all = append(all, page.Records...)
		if page.Next == "" {
			return all
		}
		if page.Next == cursor || n > someRecords {
			t.Fatal("the list does not end")
		}
		cursor = page.Next
		between()
	}
}

func idsOf(records []crm.Record) []string {
	var ids []string
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return ids
}

func listGivesEachRecordOnce(t *testing.T, v Vendor, c crm.CRM, l crm.Lister) {
	if got := walk(t, v, l, func() {}); len(got) != 0 {
		t.Fatalf("an empty CRM lists %d records", len(got))
	}
	var ids []string
	for n := range someRecords {
		ids = append(ids, v.Put(t, map[string]string{Email: fmt.Sprintf("p%d@example.com", n), Company: fmt.Sprint("Company ", n)}))
	}
	ours := done(t, "upsert", upsert(t, c, ann(), "")).ID
	v.Archive(t, ids[7])
	v.Pass(c.Capabilities().IndexLag + time.Second)
	ids = append(slices.Delete(ids, 7, 8), ours)
	slices.Sort(ids)
	got := walk(t, v, l, func() {})
	if !slices.Equal(idsOf(got), ids) {
		t.Fatalf("%d records are listed, %d are there", len(got), len(ids))
	}
	for _, r := range got {
		if r.ID != ours {
			if r.Ref != "" || r.OptedOut || r.Values[crm.FieldName] != "" || len(r.Values) != 2 {
				t.Errorf("a record of somebody else: %+v", r)
			}
			continue
		}
		for f, value := range ann().Values() {
			if !crm.Same(f, r.Values[f], value) {
				t.Errorf("%s is listed as %q, want %q", f, r.Values[f], value)
			}
		}
		if r.Ref != ann().Ref || len(r.Also) > 0 || !slices.Equal(r.Emails(), []string{ann().Email}) {
			t.Errorf("our record: %+v", r)
		}
	}
}

// What is there all the time is listed once, whatever is made, edited and
// archived between two pages.
func listIsReadOnThroughChanges(t *testing.T, v Vendor, c crm.CRM, l crm.Lister) {
	var ids []string
	for n := range someRecords {
		ids = append(ids, v.Put(t, map[string]string{Email: fmt.Sprintf("p%d@example.com", n)}))
	}
	v.Pass(c.Capabilities().IndexLag + time.Second)
	n := 0
	got := walk(t, v, l, func() {
		v.Edit(t, Contacts, ids[n], map[string]string{Company: "Moved Ltd"})
		v.Archive(t, ids[n+1])
		v.Put(t, map[string]string{Email: fmt.Sprintf("late%d@example.com", n)})
		n += 2
	})
	seen := map[string]int{}
	for _, r := range got {
		seen[r.ID]++
	}
	for at, id := range ids {
		if gone := at < n && at%2 == 1; seen[id] > 1 || seen[id] == 0 && !gone {
			t.Errorf("record %d of %d is listed %d times", at, len(ids), seen[id])
		}
	}
}

func listTellsWhatIsTheAccounts(t *testing.T, v Vendor, c crm.CRM, l crm.Lister) {
	list := func() crm.Result { _, res := l.List(context.Background(), ""); return res }
	after := time.Duration(v.Throttle()) * time.Second
	if r := list(); r.Outcome != crm.Busy || !r.Account || r.RetryAfter != after {
		t.Errorf("beyond the account's rate: %+v", r)
	}
	// A client may repeat a read whose connection broke, and then has the whole page.
	v.Put(t, map[string]string{Email: "p@example.com"})
	v.Pass(c.Capabilities().IndexLag + time.Second)
	for _, f := range v.Faults() {
		v.Meet(f, 0)
		page, r := l.List(context.Background(), "")
		if whole := r.Outcome == crm.Done; len(page.Records) > 0 != whole || (r.Reason == "") != whole || whole && f.Refusal {
			t.Errorf("%s: %+v with %d records", f.Name, r, len(page.Records))
		}
	}
	want(t, "afterwards", list(), crm.Done)
	v.RefuseToken()
	if r := list(); r.Outcome != crm.Refused || r.Reason != crm.ReasonAuth || !r.Account {
		t.Errorf("with a token that is refused: %+v", r)
	}
	v.Stop()
	if r := list(); r.Outcome != crm.NotBegun || !r.Account {
		t.Errorf("without a connection: %+v", r)
	}
}

package contacts_test

import (
	"fmt"
	"slices"
	"testing"

	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/operate/contacts"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
)

func TestAMergeIsARedirectOfConstantSize(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("a", "ann@example.com")
	w.person("b", "bob@example.com")
	w.person("c", "cat@example.com")
	w.do(merge("a", "b"))
	w.do(merge("b", "c"))
	for id, want := range map[string]struct {
		status, into string
		absorbed     []string
	}{"a": {contact.Merged, "b", nil}, "b": {contact.Merged, "c", []string{"a"}}, "c": {contact.Active, "", []string{"a", "b"}}} {
		c := w.contact(id)
		if c.Status != want.status || c.MergedInto != want.into || !slices.Equal(c.Absorbed, want.absorbed) {
			t.Errorf("%s: %s into %q, absorbed %v", id, c.Status, c.MergedInto, c.Absorbed)
		}
		if c.ConsentVersion != 1 || len(c.Keys) != 1 {
			t.Errorf("%s: consent %d, keys %v: nobody opted out and no key moves", id, c.ConsentVersion, c.Keys)
		}
	}
	if n, m := len(w.store.seen[0].Writes), len(w.store.seen[1].Writes); n != 6 || m != 7 {
		t.Errorf("%d and %d writes, want two contacts, their records and the guards of the addresses", n, m)
	}
	if n := len(w.scan(schema.Outbox, ledger.Operation)); n != 0 {
		t.Errorf("%d operations, want none: nothing that a CRM holds has changed", n)
	}
}

func TestARepeatedMergeIsAResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("a", "ann@example.com")
	w.person("b", "bob@example.com")
	w.person("c", "cat@example.com")
	w.do(merge("a", "b"))
	w.do(merge("b", "c"))
	n := len(w.store.seen)
	for _, a := range []contacts.Act{
		merge("a", "b"), merge("a", "c"), merge("b", "a"), merge("c", "b"), merge("a", "a"),
		merge("ann@example.com", "cat@example.com"), merge("Ann@Example.com", "bob@example.com"),
	} {
		if p := w.do(a); p.Already == "" || len(p.Does) != 0 {
			t.Errorf("%s into %s: %+v", a.Contact, a.Into, p)
		}
	}
	if len(w.store.seen) != n {
		t.Error("a repetition commits")
	}
}

func TestFieldsAreFilledByTheRulesAndNeverOverwritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("a", "ann@example.com")
	w.person("b", "bob@example.com")
	w.set(people.Key("demo", "a"), ledger.Item{"name": "Ann Other", "company": "Riverside", "phone": "+44 20 7946 0000"})
	w.set(people.Key("demo", "b"), ledger.Item{"name": "Bob Lee"})
	w.record("a", "11")
	w.record("b", "12")
	p := w.do(merge("a", "b"))
	b := w.contact("b")
	if b.Name != "Bob Lee" || b.Company != "Riverside" || b.Phone == "" || b.Revision != 2 {
		t.Errorf("%+v", b)
	}
	if !says(p.Keeps, `name stays "Bob Lee"; a had "Ann Other"`) || !says(p.Keeps, "merge record 11 into record 12 there") || !says(p.Does, "Riverside") {
		t.Errorf("does %q, keeps %q", p.Does, p.Keeps)
	}
	if n := w.operations(outbox.CRMContact, "b"); n != 1 {
		t.Errorf("%d operations tell the CRM, want 1", n)
	}
}

// Opt-outs unite: whichever of the two said it, nothing that was decided for
// either goes out.
func TestOptOutsUniteInEveryMerge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		where, event, reason string
		raised               bool
	}{
		"opt-out of the one":   {"ann@example.com", "stop", guard.ReasonOptOut, true},
		"opt-out of the other": {"bob@example.com", "stop", guard.ReasonOptOut, true},
		"complaint":            {"ann@example.com", "stop", guard.ReasonComplaint, true},
		"operator":             {"ann@example.com", "stop", guard.ReasonPerson, true},
		"bounce":               {"ann@example.com", "stop", guard.ReasonBounce, false},
		// A claim asks the holds of every address, so the doubt ends nothing.
		"hold":                {"ann@example.com", "hold", "possible_opt_out", false},
		"of a former merge":   {"old@example.com", "stop", guard.ReasonOptOut, true},
		"in another spelling": {"A.nn+x@example.com", "stop", guard.ReasonOptOut, true},
	} {
		w := newWorld(t)
		w.person("a", "ann@example.com")
		w.person("b", "bob@example.com")
		w.person("o", "old@example.com")
		w.do(merge("o", "a"))
		w.guard(c.where, c.event, c.reason)
		p := w.do(merge("a", "b"))
		want := int64(1)
		if c.raised {
			want = 2
		}
		for _, id := range []string{"a", "b"} {
			if got := w.contact(id).ConsentVersion; got != want {
				t.Errorf("%s: consent version of %s is %d, want %d", name, id, got, want)
			}
			if got := w.operations(outbox.CancelIntents, id); got != int(want)-1 {
				t.Errorf("%s: %d operations end what waits for %s", name, got, id)
			}
		}
		if c.raised != says(p.Does, "counts for every address") || (c.event == "hold") != says(p.Does, "held") {
			t.Errorf("%s: does %q", name, p.Does)
		}
	}
}

func TestWhatCannotBeMergedIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"a", "b", "c", "gone"} {
		w.person(id, id+"x@example.com")
	}
	w.set(people.Key("demo", "gone"), ledger.Item{"status": contact.Erased})
	w.do(merge("a", "b"))
	for _, a := range []contacts.Act{
		merge("a", "c"), merge("c", "a"), merge("gone", "c"), merge("c", "gone"), merge("nobody", "c"), merge("c", "nobody"),
		merge("nobody@example.com", "c"), merge("c", "no address@"), merge("c", ""),
	} {
		w.refused(a)
	}
	// By an address it is whoever that leads to.
	w.do(merge("ax@example.com", "c"))
	if got := w.contact("c").Absorbed; !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("absorbed %v", got)
	}
}

func TestAPersonHasBounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("all", "all@example.com")
	for n := range contact.MaxAbsorbed + 1 {
		id := fmt.Sprintf("p%02d", n)
		w.person(id, id+"@example.com")
		if n < contact.MaxAbsorbed {
			w.do(merge(id, "all"))
		}
	}
	w.refused(merge("p20", "all"))
	w.refused(merge("all", "p20"))
	var many []string
	for n := range contact.MaxAddresses {
		many = append(many, fmt.Sprintf("many%d@example.com", n))
	}
	w.person("many", many...)
	w.refused(alias("many", "more@example.com"))
	w.do(split("p00"))
	w.do(alias("all", "last@example.com"))
	w.refused(merge("many", "all")) // 20 would lead there, with 31 addresses
	w.do(split("p01"))
	w.do(merge("many", "all")) // 30 addresses
	w.refused(alias("all", "more@example.com"))
	w.refused(change("all", "more@example.com"))
}

// A line of merges as long as can be made is read through to its end.
func TestTheLongestLineOfMergesIsFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range contact.MaxAbsorbed + 1 {
		id := fmt.Sprintf("p%02d", n)
		w.person(id, id+"@example.com")
		if n > 0 {
			w.do(merge(fmt.Sprintf("p%02d", n-1), id))
		}
	}
	c, chain, err := people.Find(t.Context(), w.store, "demo", "p00")
	if err != nil || c == nil || c.ID != "p20" || len(chain) != 21 {
		t.Fatalf("%v, chain of %d, %v", c, len(chain), err)
	}
	w.guard("p07@example.com", "stop", guard.ReasonOptOut)
	w.do(split("p00"))
	if got := len(w.contact("p20").Absorbed); got != 19 {
		t.Errorf("%d absorbed after a split at the far end, want 19", got)
	}
	if n := len(w.store.seen[len(w.store.seen)-1].Writes); n > ledger.MaxWrites {
		t.Errorf("%d writes", n)
	}
}

// What a CRM did not take of one of the two, such as an address that is another
// record's, it may take of both: the one that stays is brought there again, and
// what waits follows from that.
func TestAMergeHasTheCRMTriedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		records map[string]string // by contact
		want    int
	}{
		"of the one that leaves": {map[string]string{"a": "", "b": "51"}, 1},
		"of the one that stays":  {map[string]string{"a": "51", "b": ""}, 1},
		"of neither":             {map[string]string{"a": "50", "b": "51"}, 0},
		"never tried":            {nil, 0},
	} {
		w := newWorld(t)
		w.person("a", "ann@example.com")
		w.person("b", "bob@example.com")
		for id, record := range c.records {
			w.record(id, record)
		}
		p := w.do(merge("a", "b"))
		if got := w.operations(outbox.CRMContact, "b"); got != c.want || says(p.Does, "tried again") != (c.want > 0) {
			t.Errorf("%s: %d operations, want %d; does %q", name, got, c.want, p.Does)
		}
		if got := w.operations(outbox.CRMContact, "a"); got != 0 {
			t.Errorf("%s: %d operations for who is gone", name, got)
		}
	}
}

package rekey_test

import (
	"errors"
	"slices"
	"testing"

	"onefold/internal/console"
	"onefold/internal/ledger"
	"onefold/internal/operate/rekey"
	"onefold/internal/policy/versions"
	"onefold/internal/record/contact"
	"onefold/internal/record/review"
)

// wantKeys compares the keys with whom they name, by names of this test.
func (w *world) wantKeys(who map[string]string, want map[string]string) {
	w.t.Helper()
	got := w.keys()
	if len(got) != len(want) {
		w.t.Errorf("%d keys, want %d: %v", len(got), len(want), got)
	}
	for key, name := range want {
		star := ""
		if name[len(name)-1] == '*' {
			name, star = name[:len(name)-1], "*"
		}
		if got[key] != who[name]+star {
			w.t.Errorf("%s names %s, want %s%s (%s)", key, got[key], name, star, who[name])
		}
	}
}

func TestEveryKeyGetsItsNextFormAndThenTheRuleComesIntoForce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ruleOne)
	ada, kim := w.form("ada@example.org").Text("contact"), w.form("Kim+shop@example.com").Text("contact")
	who := map[string]string{"ada": ada, "kim": kim}
	if rep, err := w.service(w.store).Run(t.Context(), "demo"); !errors.Is(err, rekey.ErrNone) || rep.State != rekey.StateNone {
		t.Errorf("without a migration: %+v, %v", rep, err)
	}
	w.apply(toFold)
	rep, err := w.service(w.store).Run(t.Context(), "demo")
	if !errors.Is(err, rekey.ErrNotSettled) || rep.State != contact.MigrationStarted || rep.Settled || !rep.SettledAt.Std().Equal(w.now.Add(settle)) {
		t.Errorf("before it has settled: %+v, %v", rep, err)
	}
	w.wantKeys(who, map[string]string{"email:ada@example.org": "ada", "email:kim+shop@example.com": "kim"})
	rep = w.migrate()
	if !rep.Ready || rep.Added != 2 || rep.Keys != 2 || rep.Pass != 2 || len(rep.Collisions) != 0 {
		t.Errorf("%+v", rep)
	}
	want := map[string]string{
		"email:ada@example.org": "ada", "email.v2:ada@example.org": "ada",
		"email:kim+shop@example.com": "kim", "email.v2:kim@example.com": "kim",
	}
	w.wantKeys(who, want)
	w.sound("ready")
	// Again changes nothing but the counts.
	if rep = w.migrate(); !rep.Ready || rep.Added != 2 || rep.Pass != 3 {
		t.Errorf("again: %+v", rep)
	}
	w.wantKeys(who, want)
	w.apply(folded)
	if e := w.form("kim+other@example.com"); e.Text("contact") != kim {
		t.Errorf("under the rule in force another tag is of %s, want %s", e.Text("contact"), kim)
	}
	w.wantKeys(who, want)
	w.sound("in force")
}

func TestTwoPeopleUnderOneFormAreAPersonsToTellApart(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"two people", "merged", "said to be one, then merged"} {
		w := newWorld(t, ruleOne)
		ada, shop := w.form("ada@example.org").Text("contact"), w.form("ada+shop@example.org").Text("contact")
		w.apply(toFold)
		rep := w.migrate()
		tasks := w.tasks(review.IdentityCollision)
		if rep.Ready || rep.Added != 1 || len(rep.Collisions) != 1 || len(tasks) != 1 || len(tasks[0].Candidates) != 2 {
			t.Fatalf("%s: %+v, %d tasks", end, rep, len(tasks))
		}
		if again := w.migrate(); again.Ready || len(w.tasks(review.IdentityCollision)) != 1 {
			t.Fatalf("%s: again %+v", end, again)
		}
		if err := w.tryApply(folded); !errors.Is(err, versions.ErrNotReady) {
			t.Fatalf("%s: applied with an open question: %v", end, err)
		}
		w.sound(end + ": asked")
		first := w.holder("email.v2:ada@example.org")
		other := map[string]string{ada: shop, shop: ada}[first]
		switch end {
		case "two people":
			w.ok(w.answer(tasks[0], console.Approve))
		case "merged":
			w.merge(other, first)
		default:
			if err := w.answer(tasks[0], console.Reject); !errors.Is(err, console.ErrStillOpen) {
				t.Fatalf("%s: %v", end, err)
			}
			if rep := w.migrate(); rep.Ready || len(rep.Collisions) != 1 {
				t.Fatalf("%s: said, not merged: %+v", end, rep)
			}
			w.merge(other, first)
		}
		rep = w.migrate()
		if !rep.Ready || len(rep.Collisions) != 0 || len(w.tasks(review.IdentityCollision)) != 0 {
			t.Fatalf("%s: answered %+v", end, rep)
		}
		w.sound(end + ": ready")
		w.apply(folded)
		w.sound(end + ": in force")
		e := w.form("ada+new@example.org")
		if end == "two people" {
			if e.Text("state") != "in_review" {
				t.Errorf("a shared form names %q", e.Text("contact"))
			}
			continue
		}
		if e.Text("contact") != first {
			t.Errorf("%s: it is of %q, want the survivor", end, e.Text("contact"))
		}
	}
}

// A person who says that two are different, of two that have been merged since,
// has seen something else.
func TestTwoThatWereMergedMeanwhileAreNotMadeTwo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ruleOne)
	ada, shop := w.form("ada@example.org").Text("contact"), w.form("ada+shop@example.org").Text("contact")
	w.apply(toFold)
	w.migrate()
	tasks := w.tasks(review.IdentityCollision)
	w.merge(shop, ada)
	if err := w.answer(tasks[0], console.Approve); !errors.Is(err, console.ErrMoved) {
		t.Errorf("%v, want ErrMoved", err)
	}
}

// The new form leads where the old one does, so that a merge can be undone.
func TestTheFormOfAMergedContactsKeyLeadsToThatContact(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"a mail", "the command"} {
		w := newWorld(t, ruleOne)
		ada, kim := w.form("ada@example.org").Text("contact"), w.form("kim@example.com").Text("contact")
		w.merge(kim, ada)
		w.apply(toFold)
		if by == "a mail" {
			if got := w.form("kim@example.com").Text("contact"); got != ada {
				t.Fatalf("it is of %q", got)
			}
		} else {
			w.migrate()
		}
		if got := w.holder("email.v2:kim@example.com"); got != kim {
			t.Errorf("%s: the form leads to %s, not to the contact that was merged", by, got)
		}
		var c contact.Contact
		w.ok(w.get(contactKey(kim)).Decode(&c))
		if !slices.Contains(c.Keys, "email.v2:kim@example.com") {
			t.Errorf("%s: it lists %v", by, c.Keys)
		}
		w.migrate()
		w.sound(by)
	}
}

// Under a rule that keeps apart what the one before took for one, a key's form
// is that of the address as it was first written; an alias has its own.
func TestANarrowerRuleKeepsTheAddressAsFirstWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, next, after, first, other, key string }{
		"tags":  {`"identity": { "version": 1, "fold_plus": true },`, `"identity_next": { "version": 2 },`, `"identity": { "version": 2 },`, "ada+shop@example.org", "ada@example.org", "email.v2:ada+shop@example.org"},
		"case":  {ruleOne, `"identity_next": { "version": 2, "keep_local_case": true },`, `"identity": { "version": 2, "keep_local_case": true },`, "Ada@example.org", "ada@example.org", "email.v2:Ada@example.org"},
		"dots":  {`"identity": { "version": 1, "fold_dots": true },`, `"identity_next": { "version": 2 },`, `"identity": { "version": 2 },`, "a.da@example.org", "ada@example.org", "email.v2:a.da@example.org"},
		"mixed": {`"identity": { "version": 1, "fold_dots": true },`, `"identity_next": { "version": 2, "fold_plus": true },`, `"identity": { "version": 2, "fold_plus": true },`, "a.da+x@example.org", "ada@example.org", "email.v2:a.da@example.org"},
	} {
		w := newWorld(t, c.before)
		ada := w.form(c.first).Text("contact")
		w.alias(ada, "lovelace@example.net")
		w.apply(c.before + c.next)
		rep := w.migrate()
		if !rep.Ready || rep.Added != 2 || !rep.Narrower || w.holder(c.key) != ada || w.holder("email.v2:lovelace@example.net") != ada {
			t.Fatalf("%s: %+v, %v", name, rep, w.keys())
		}
		w.apply(c.after)
		if got := w.form(c.first).Text("contact"); got != ada {
			t.Errorf("%s: as first written it is of %q", name, got)
		}
		if got := w.form(c.other).Text("contact"); got == ada || got == "" {
			t.Errorf("%s: the other spelling is of %q, want a new person", name, got)
		}
		w.sound(name)
	}
}

func TestASharedKeyHasASharedForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ruleOne)
	ada := w.form("ada@example.org").Text("contact")
	var c ledger.Commit
	w.ok(c.Update("key", ledger.ContactKey.At("demo", "email:ada@example.org"), ledger.Cond{}, ledger.Item{"shared": true}))
	w.ok(w.store.Commit(t.Context(), c))
	w.alias(ada, "ada+shop@example.org")
	w.apply(toFold)
	w.form("ada+shop@example.org") // puts the form of both before the shared key's turn
	if rep := w.migrate(); !rep.Ready {
		t.Errorf("%+v", rep)
	}
	w.wantKeys(map[string]string{"ada": ada}, map[string]string{
		"email:ada@example.org": "ada*", "email.v2:ada@example.org": "ada*", "email:ada+shop@example.org": "ada",
	})
	w.sound("ready")
}

// What was added is of a namespace of its own, and a second migration to the
// same rule adds what came in between.
func TestAMigrationThatIsBrokenOffLeavesNothingThatCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ruleOne)
	w.form("ada@example.org")
	w.form("ada+shop@example.org")
	w.apply(toFold)
	w.migrate()
	w.apply(ruleOne)
	w.sound("broken off")
	kim := w.form("kim+x@example.com").Text("contact")
	lee := w.form("kim@example.com").Text("contact")
	if kim == "" || kim == lee || lee == "" {
		t.Errorf("under the rule in force %q and %q are two people", kim, lee)
	}
	if _, err := w.service(w.store).Run(t.Context(), "demo"); !errors.Is(err, rekey.ErrNone) {
		t.Errorf("%v, want ErrNone", err)
	}
	if n := len(w.tasks(review.IdentityCollision)); n != 0 {
		t.Errorf("%d questions about a rule that does not come", n)
	}
	w.apply(toFold)
	if _, err := w.service(w.store).Run(t.Context(), "demo"); !errors.Is(err, rekey.ErrNotSettled) {
		t.Errorf("%v, want ErrNotSettled", err)
	}
	if rep := w.migrate(); rep.Ready || len(rep.Collisions) != 2 {
		t.Errorf("%+v, want a question for each of two forms", rep)
	}
	w.sound("begun again")
}

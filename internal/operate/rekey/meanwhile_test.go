package rekey_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"onefold/internal/console"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
)

func TestWhoWritesDuringAMigrationGetsBothForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ruleOne)
	ada := w.form("ada@example.org").Text("contact")
	w.apply(toFold)
	kim := w.form("kim+shop@example.com").Text("contact")
	if again := w.form("Ada@Example.org").Text("contact"); again != ada {
		t.Errorf("a known person is %s, want %s", again, ada)
	}
	w.wantKeys(map[string]string{"ada": ada, "kim": kim}, map[string]string{
		"email:ada@example.org": "ada", "email.v2:ada@example.org": "ada",
		"email:kim+shop@example.com": "kim", "email.v2:kim@example.com": "kim",
	})
	for _, id := range []string{ada, kim} {
		var c contact.Contact
		w.ok(w.get(contactKey(id)).Decode(&c))
		if len(c.Keys) != 2 {
			t.Errorf("contact lists %v", c.Keys)
		}
	}
	if rep := w.migrate(); rep.Added != 0 || rep.Pass != 1 || !rep.Ready {
		t.Errorf("nothing is left to add: %+v", rep)
	}
	w.sound("ready")
}

// The next rule takes a new address for a known person: never a second contact
// for its key, and nobody is joined without a person's word.
func TestANewAddressThatTheNextRuleKnowsGoesToAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ruleOne)
	w.apply(toFold)
	ada := w.form("ada@example.org").Text("contact")
	e := w.form("ada+shop@example.org")
	tasks := w.tasks(review.DecideEvent)
	if e.Text("state") != inbound.InReview || len(tasks) != 1 || !slices.Contains(tasks[0].Reasons, match.ReasonRuleCollision) || !slices.Contains(tasks[0].Candidates, ada) {
		t.Fatalf("%s, %+v", e.Text("state"), tasks)
	}
	if len(w.rows(ledger.Contact)) != 1 || len(w.keys()) != 2 {
		t.Errorf("keys %v", w.keys())
	}
	w.sound("asked")
	w.ok(w.answer(tasks[0], console.Approve))
	w.wantKeys(map[string]string{"ada": ada}, map[string]string{
		"email:ada@example.org": "ada", "email.v2:ada@example.org": "ada", "email:ada+shop@example.org": "ada",
	})
	if len(w.rows(ledger.Contact)) != 1 {
		t.Error("a second contact")
	}
	if e := w.form("ada+shop@example.org"); e.Text("contact") != ada {
		t.Errorf("the address is of %q", e.Text("contact"))
	}
	w.sound("approved")
	w.migrate()
	w.apply(folded)
	w.sound("in force")
}

func TestAKnownPersonWhomTheNextRuleTakesForAnotherGoesToAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ruleOne)
	shop := w.form("ada+shop@example.org").Text("contact")
	w.apply(toFold)
	ada := w.form("ada@example.org").Text("contact")
	e := w.form("ada+shop@example.org")
	tasks := w.tasks(review.DecideEvent)
	if e.Text("state") != inbound.InReview || len(tasks) != 1 || !slices.Contains(tasks[0].Candidates, ada) || !slices.Contains(tasks[0].Candidates, shop) {
		t.Fatalf("%s, %+v", e.Text("state"), tasks)
	}
	w.ok(w.answer(tasks[0], console.Approve))
	if got := w.get(ledger.KeyOf(e)).Text("contact"); got != shop {
		t.Errorf("approved, it is of %q, want whom the rule in force names", got)
	}
	w.wantKeys(map[string]string{"ada": ada, "shop": shop}, map[string]string{
		"email:ada@example.org": "ada", "email.v2:ada@example.org": "ada", "email:ada+shop@example.org": "shop",
	})
	w.sound("approved")
}

// A wish not to be mailed is heard for whom either rule names.
func TestAnOptOutIsHeardForWhomEitherRuleNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ruleOne)
	shop := w.form("ada+shop@example.org").Text("contact")
	w.apply(toFold)
	ada := w.form("ada@example.org").Text("contact")
	before := map[string]int64{}
	for _, id := range []string{ada, shop} {
		before[id] = w.get(contactKey(id)).Int("consent_version")
	}
	e := w.decide(w.record("ada+shop@example.org", "Please unsubscribe me."), w.process(w.store, w.book()))
	if e.Text("outcome") != inbound.OptedOut {
		t.Fatalf("outcome %q", e.Text("outcome"))
	}
	for _, id := range []string{ada, shop} {
		if got := w.get(contactKey(id)).Int("consent_version"); got != before[id]+1 {
			t.Errorf("the consent of %s is at %d, was at %d", id, got, before[id])
		}
	}
	for _, g := range w.rows(ledger.Guard) {
		if guard.Blocks(g, "any") == "" {
			t.Error("the address is not stopped")
		}
	}
	w.sound("opted out")
}

// A process that remembers the policy before the migration puts keys in one form
// alone: that is what is waited for.
func TestAPassWaitsForWhoeverRemembersThePolicyBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ruleOne)
	w.keep = time.Minute
	old := w.process(w.store, w.book())
	w.decide(w.record("ada@example.org", "A walk?"), old) // remembers
	w.apply(toFold)
	kim := w.decide(w.record("kim@example.com", "A walk?"), old).Text("contact")
	if w.get(ledger.ContactKey.At("demo", "email.v2:kim@example.com")) != nil {
		t.Fatal("the process knew the policy already")
	}
	if rep := w.migrate(); !rep.Ready || w.holder("email.v2:kim@example.com") != kim {
		t.Errorf("%+v, %v", rep, w.keys())
	}
	lee := w.decide(w.record("lee@example.com", "A walk?"), old)
	if w.holder("email.v2:lee@example.com") != lee.Text("contact") {
		t.Error("after that time the process works under the policy before still")
	}
	w.sound("ready")
}

// A decision that was begun before the rule came into force, and is committed
// after it, has put both forms: whatever comes next finds it.
func TestADecisionBegunBeforeTheRuleAndCommittedAfterItIsFound(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(w *world) string{
		"nobody else":          func(*world) string { return "" },
		"the same address":     func(w *world) string { return w.form("kim@example.com").Text("contact") },
		"another of that form": func(w *world) string { return w.form("kim+shop@example.com").Text("contact") },
	} {
		w := newWorld(t, ruleOne)
		w.form("ada@example.org")
		w.apply(toFold)
		w.migrate()
		event := w.record("kim@example.com", "A walk?")
		other := ""
		gate := &gate{Store: w.store}
		gate.do = func() {
			w.apply(folded)
			other = meanwhile(w)
		}
		w.decide(event, w.process(gate, w.book()))
		w.sound(name)
		late := w.get(ledger.KeyOf(event))
		switch {
		case len(w.rows(ledger.Contact)) != 2:
			t.Errorf("%s: %d contacts, want two", name, len(w.rows(ledger.Contact)))
		case other != "" && late.Text("state") != inbound.InReview:
			// Under the policy it was begun with, the rule in force knows nobody and
			// the next one knows who came first: a person is asked.
			t.Errorf("%s: the late one is %s", name, late.Text("state"))
		}
		if other == "" {
			other = late.Text("contact")
		}
		if got := w.form("Kim+new@example.com").Text("contact"); got != other {
			t.Errorf("%s: who writes next is %q, want %q", name, got, other)
		}
		if tasks := w.tasks(review.DecideEvent); len(tasks) == 1 {
			w.ok(w.answer(tasks[0], console.Approve))
			if got := w.get(ledger.KeyOf(event)).Text("contact"); got != other {
				t.Errorf("%s: approved, it is of %q", name, got)
			}
		}
		w.sound(name + ", later")
	}
}

// gate runs something just before the first commit that decides.
type gate struct {
	ledger.Store
	do func()
}

func (g *gate) Commit(ctx context.Context, c ledger.Commit) error {
	for _, wr := range c.Writes {
		if do := g.do; do != nil && wr.Key.Entity == ledger.MatchDecision {
			g.do = nil
			do()
		}
	}
	return g.Store.Commit(ctx, c)
}

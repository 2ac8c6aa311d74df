package contacts_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/operate/contacts"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
	"onefold/internal/utc"
)

func acts() map[string]contacts.Act {
	return map[string]contacts.Act{
		"merge": merge("a", "b"), "split": split("s"), "alias": alias("a", "new@example.com"), "address": change("a", "new@example.com"),
	}
}

// ground is three people, of whom s is merged into b.
func ground(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.person("a", "ann@example.com")
	w.person("b", "bob@example.com")
	w.person("s", "sue@example.com")
	w.do(merge("s", "b"))
	return w
}

// happened tells whether an act has taken effect: all of it, or none.
func (w *world) happened(name string) bool {
	w.t.Helper()
	a, b, s := w.contact("a"), w.contact("b"), w.contact("s")
	key, err := w.store.Get(w.t.Context(), ledger.ContactKey.At("demo", "email:new@example.com"))
	w.ok(err)
	facts := map[string][]bool{
		"merge":   {a.Status == contact.Merged, a.MergedInto == "b", len(b.Absorbed) == 2},
		"split":   {s.Status == contact.Active, s.MergedInto == "", len(b.Absorbed) == 0},
		"alias":   {key != nil, len(a.Keys) == 2},
		"address": {key != nil, len(a.Keys) == 2, a.Email == "new@example.com"},
	}[name]
	for _, f := range facts {
		if f != facts[0] {
			w.t.Errorf("%s took effect in part: %v", name, facts)
		}
	}
	return facts[0]
}

// Whatever becomes of the one commit, the act is done or not, who did it is told
// what is known, and repeating it ends in the same.
func TestEachActIsDoneWholeOrNotWhateverBecomesOfItsCommit(t *testing.T) {
	t.Parallel()
	lost := func(error) error { return ledger.ErrUnknown }
	always := func(err error) func(error) error { return func(error) error { return err } }
	for name, act := range acts() {
		for fault, f := range map[string]struct {
			drop   bool
			answer func(error) error
			fails  error // what is said of the first try
		}{
			"no answer, applied":     {false, lost, nil},
			"no answer, not applied": {true, lost, nil},
			"contention":             {true, always(ledger.ErrContention), nil},
			"store away":             {true, always(ledger.ErrUnavailable), ledger.ErrUnavailable},
		} {
			w := ground(t)
			w.store.drop, w.store.answer = f.drop, f.answer
			p, err := w.s.Do(t.Context(), act, "person:kim", w.plan(act).Token)
			if !errors.Is(err, f.fails) || err == nil && (p.Already != "" || !w.happened(name)) {
				t.Errorf("%s, %s: %v, already %q", name, fault, err, p.Already)
			}
			if err != nil && w.happened(name) {
				t.Errorf("%s, %s: failed and done", name, fault)
			}
			if again := w.do(act); (again.Already != "") != (err == nil) || !w.happened(name) {
				t.Errorf("%s, %s: again: already %q", name, fault, again.Already)
			}
		}
	}
}

// An answer that stays away for good is said to be unclear, and nothing else is
// concluded from it.
func TestAnActWhoseFateIsNotKnownIsSaidToBe(t *testing.T) {
	t.Parallel()
	for name, act := range acts() {
		w := ground(t)
		dark := &away{hooked: w.store}
		w.s.Store = dark
		_, err := w.s.Do(t.Context(), act, "person:kim", "")
		if !errors.Is(err, contacts.ErrUnclear) || !w.happened(name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// away takes one commit, and answers nothing from then on.
type away struct {
	*hooked
	gone bool
}

func (a *away) Commit(ctx context.Context, c ledger.Commit) error {
	a.gone = true
	_ = a.Store.Commit(ctx, c)
	return ledger.ErrUnknown
}

func (a *away) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if a.gone {
		return nil, ledger.ErrUnavailable
	}
	return a.hooked.Get(ctx, k)
}

// What was shown is what is done. Whatever moves in between, nothing happens and
// the plan is shown anew.
func TestAnActIsBoundToWhatWasShown(t *testing.T) {
	t.Parallel()
	moves := map[string]func(*world){
		"consent withdrawn": func(w *world) { w.withdraw("a"); w.withdraw("b") },
		"an opt-out": func(w *world) {
			for _, a := range []string{"ann@example.com", "bob@example.com", "new@example.com"} {
				w.guard(a, "stop", guard.ReasonOptOut)
			}
		},
		"another name": func(w *world) {
			w.set(people.Key("demo", "a"), ledger.Item{"name": "Ann"})
			w.set(people.Key("demo", "b"), ledger.Item{"name": "Bob"})
		},
	}
	told := map[string]string{"merge": "b", "split": "b", "alias": "a", "address": "a"}
	for name, act := range acts() {
		for what, move := range moves {
			for when, at := range map[string]func(*world){
				"before it is read":      func(w *world) { move(w) },
				"just before its commit": func(w *world) { w.store.before = func() { move(w) } },
			} {
				w := ground(t)
				token := w.plan(act).Token
				at(w)
				if _, err := w.s.Do(t.Context(), act, "person:kim", token); !errors.Is(err, contacts.ErrMoved) || w.happened(name) {
					t.Errorf("%s, %s %s: %v", name, what, when, err)
				}
				// Whom nobody was shown a plan, it is done on the ground as it is.
				w.store.before = nil
				w.do(act)
				if what == "an opt-out" && w.contact(told[name]).ConsentVersion < 2 {
					t.Errorf("%s: done over an opt-out that it did not see", name)
				}
			}
		}
	}
}

func (w *world) withdraw(id string) {
	c := w.contact(id)
	var commit ledger.Commit
	_, err := commit.Move(ledger.Step{
		Key: people.Key("demo", id), Transition: c.Transition, Event: "withdraw_consent", Set: ledger.Item{"consent_version": c.ConsentVersion + 1},
		Audit: audit.Record{At: utc.At(noon), By: "test", Contact: id},
	})
	w.ok(err)
	w.ok(w.store.Store.Commit(w.t.Context(), commit))
}

// An opt-out that commits between reading and commit is never passed over, by
// an act of whoever was shown nothing either.
func TestAnOptOutDuringAnActUnitesAllTheSame(t *testing.T) {
	t.Parallel()
	for name, act := range acts() {
		w := ground(t)
		w.store.before = func() {
			for _, a := range []string{"ann@example.com", "sue@example.com", "new@example.com"} {
				w.guard(a, "stop", guard.ReasonOptOut)
			}
		}
		w.do(act)
		id := "a"
		if name == "merge" || name == "split" {
			id = "b"
		}
		if got := w.contact(id).ConsentVersion; got != 2 {
			t.Errorf("%s: consent version of %s is %d, want 2", name, id, got)
		}
	}
}

// Two operators at once: each act is done by one of them, and what the two say
// together holds.
func TestTwoOperatorsAtOnce(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]contacts.Act{
		"the same merge":          {merge("a", "b"), merge("a", "b")},
		"either way round":        {merge("a", "b"), merge("b", "a")},
		"one into two":            {merge("a", "b"), merge("a", "c")},
		"a chain":                 {merge("a", "b"), merge("b", "c")},
		"two into one":            {merge("a", "c"), merge("b", "c")},
		"the same alias":          {alias("a", "new@example.com"), alias("a", "new@example.com")},
		"one address for two":     {alias("a", "new@example.com"), change("b", "new@example.com")},
		"merge and split":         {merge("b", "a"), split("s")},
		"merge and alias":         {merge("a", "b"), alias("a", "new@example.com")},
		"merge and alias of both": {merge("a", "b"), alias("b", "new@example.com")},
	} {
		for range 20 {
			w := ground(t)
			w.person("c", "cat@example.com")
			w.s.Store = w.store.Store // no hooks: both at once
			var wg sync.WaitGroup
			said := [2]string{}
			for n, act := range pair {
				wg.Go(func() {
					p, err := w.s.Do(t.Context(), act, fmt.Sprint("person:", n), "")
					var no *contacts.Refusal
					switch {
					case errors.As(err, &no):
						said[n] = "refused"
					case err != nil:
						t.Errorf("%s: %v", name, err)
					case p.Already != "":
						said[n] = "already"
					default:
						said[n] = "done"
					}
				})
			}
			wg.Wait()
			if said[0] != "done" && said[1] != "done" {
				t.Errorf("%s: %v", name, said)
			}
			w.agrees(name)
		}
	}
}

// agrees asserts that merges and lists agree both ways, and that a key has one
// contact that lists it.
func (w *world) agrees(name string) {
	w.t.Helper()
	for _, id := range []string{"a", "b", "c", "s"} {
		c := w.contact(id)
		_, chain, err := people.Find(w.t.Context(), w.store.Store, "demo", id)
		w.ok(err)
		for _, up := range chain[1:] {
			if !slices.Contains(w.contact(up).Absorbed, id) {
				w.t.Errorf("%s: %s leads to %s, which does not list it", name, id, up)
			}
		}
		for _, down := range c.Absorbed {
			_, chain, err := people.Find(w.t.Context(), w.store.Store, "demo", down)
			w.ok(err)
			if !slices.Contains(chain, id) {
				w.t.Errorf("%s: %s lists %s, which does not lead to it", name, id, down)
			}
		}
		for _, k := range c.Keys {
			it, err := w.store.Get(w.t.Context(), ledger.ContactKey.At("demo", k))
			w.ok(err)
			if it.Text("contact") != id {
				w.t.Errorf("%s: %s lists a key of %q", name, id, it.Text("contact"))
			}
		}
	}
}

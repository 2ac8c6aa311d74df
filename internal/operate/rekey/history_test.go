package rekey_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"onefold/internal/console"
	"onefold/internal/ledger"
	"onefold/internal/operate/contacts"
	"onefold/internal/operate/rekey"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/contact"
)

// formUnder is the key of one of the test's addresses, by hand: letters, dots
// and tags only.
func formUnder(r tenant.Identity, email string) string {
	local, domain, _ := strings.Cut(email, "@")
	if !r.KeepLocalCase {
		local = strings.ToLower(local)
	}
	if r.FoldPlus {
		local, _, _ = strings.Cut(local, "+")
	}
	if r.FoldDots {
		local = strings.ReplaceAll(local, ".", "")
	}
	return local + "@" + domain
}

// people is what the history remembers of who was made under which rules.
type people struct {
	rules map[int64]tenant.Identity
	made  map[string]string // contact → address
	under map[string][]int64
}

// note looks for contacts that are new since, and holds them against those that
// were made under the same version of a rule: each has a form of its own.
func (p *people) note(t *rapid.T, w *world, known tenant.Policy) {
	versions := []int64{known.Identity.Version}
	p.rules[known.Identity.Version] = known.Identity
	if n := known.IdentityNext; n != nil {
		versions = append(versions, n.Version)
		p.rules[n.Version] = *n
	}
	for _, it := range w.rows(ledger.Contact) {
		var c contact.Contact
		w.ok(it.Decode(&c))
		if p.made[c.ID] != "" || len(c.Keys) == 0 {
			continue
		}
		var mine []int64
		for _, v := range versions {
			form := contact.EmailKeyID(v, formUnder(p.rules[v], c.Email))
			if !slices.Contains(c.Keys, form) {
				continue // that form was shared
			}
			mine = append(mine, v)
			for other, email := range p.made {
				if slices.Contains(p.under[other], v) && formUnder(p.rules[v], email) == formUnder(p.rules[v], c.Email) {
					t.Fatalf("rule %d takes %s and %s for one person, and there are two contacts: %s %s", v, email, c.Email, other, c.ID)
				}
			}
		}
		if len(mine) == 0 {
			t.Fatalf("a contact was made whose keys %v are of none of the rules %v", c.Keys, versions)
		}
		p.made[c.ID], p.under[c.ID] = c.Email, mine
	}
}

// TestHistoriesWithAMigrationInTheMiddle draws what senders, operators and
// reviewers may do: forms from several spellings, migrations that are begun,
// interrupted, ended and put in force, merges, answers, and a process that
// remembers the policy before for a while.
func TestHistoriesWithAMigrationInTheMiddle(t *testing.T) {
	// Of which -short plays a fifth.
	if err := errors.Join(flag.Set("rapid.checks", "150"), flag.Set("rapid.nofailfile", "true")); err != nil {
		t.Fatal(err)
	}
	reached := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) { oneHistory(t, rt, reached) })
	t.Log(reached)
	for _, state := range []string{contact.MigrationReady, contact.MigrationAborted, "asked"} {
		if reached[state] == 0 && !testing.Short() {
			t.Errorf("no history came to %q: %v", state, reached)
		}
	}
}

func oneHistory(t *testing.T, rt *rapid.T, reached map[string]int) {
	w := newWorld(t, ruleOne)
	p := &people{rules: map[int64]tenant.Identity{}, made: map[string]string{}, under: map[string][]int64{}}
	addresses := []string{"ada@example.org", "Ada@example.org", "ada+x@example.org", "ADA+X@example.org", "ada+y@example.org", "a.da@example.org", "kim@example.com", "kim+x@example.com"}
	for i := range rapid.IntRange(4, 22).Draw(rt, "steps") {
		now, err := w.book().Fresh(context.Background(), "demo")
		w.ok(err)
		switch rapid.IntRange(0, 15).Draw(rt, fmt.Sprint("step ", i)) {
		case 0, 1, 2, 3, 4:
			w.form(rapid.SampledFrom(addresses).Draw(rt, "from"))
		case 5, 6, 7, 8, 9, 10:
			w.operate(rt, now, reached)
		case 11:
			if len(p.made) > 1 {
				all := slices.Sorted(maps.Keys(p.made))
				a, b := w.survivor(rapid.SampledFrom(all).Draw(rt, "loser")), w.survivor(rapid.SampledFrom(all).Draw(rt, "survivor"))
				if a != b {
					w.merge(a, b)
				}
			}
		case 12:
			w.answerAll(rt)
		case 13, 14:
			if len(p.made) > 0 {
				w.split(rt, rapid.SampledFrom(slices.Sorted(maps.Keys(p.made))).Draw(rt, "split"))
			}
		default:
			w.late(rt, p, now, rapid.SampledFrom(addresses).Draw(rt, "late from"))
		}
		after, err := w.book().Fresh(context.Background(), "demo")
		w.ok(err)
		p.note(rt, w, after)
		w.sound(fmt.Sprint("step ", i))
		if t.Failed() {
			rt.Fatal("not sound")
		}
	}
}

// operate draws what an operator does about the rule.
func (w *world) operate(rt *rapid.T, now tenant.Policy, reached map[string]int) {
	switch rapid.SampledFrom([]string{"begin", "run", "run", "run", "activate", "activate", "end"}).Draw(rt, "operator") {
	case "begin":
		// A number that no rule has had: documents only ever get more.
		next := tenant.Identity{
			Version: int64(w.policy) + 100, FoldPlus: rapid.Bool().Draw(rt, "plus"),
			KeepLocalCase: rapid.Bool().Draw(rt, "case"), FoldDots: rapid.Bool().Draw(rt, "dots"),
		}
		if !next.SameAs(now.Identity) && now.IdentityNext == nil {
			w.apply(ruleText("identity", now.Identity) + ruleText("identity_next", next))
		}
	case "run":
		s := &broken{Store: w.store, at: rapid.SampledFrom([]int{0, 0, 0, 5, 17, 33}).Draw(rt, "breaks at"), applied: rapid.Bool().Draw(rt, "applied"), dies: true, err: errDead}
		w.now = w.now.Add(rapid.SampledFrom([]time.Duration{0, settle, settle}).Draw(rt, "wait"))
		rep, err := w.service(s).Run(context.Background(), "demo")
		if err != nil && !errors.Is(err, errDead) && !errors.Is(err, rekey.ErrNone) && !errors.Is(err, rekey.ErrNotSettled) {
			rt.Fatal(err)
		}
		reached[rep.State]++
		if len(rep.Collisions) > 0 {
			reached["asked"]++
		}
	case "activate":
		if now.IdentityNext == nil {
			return
		}
		err := w.tryApply(ruleText("identity", *now.IdentityNext))
		if err == nil {
			reached[contact.MigrationActive]++
		} else if !errors.Is(err, versions.ErrNotReady) {
			rt.Fatal(err)
		}
	default:
		if now.IdentityNext != nil {
			w.apply(ruleText("identity", now.Identity))
			reached[contact.MigrationAborted]++
		}
	}
}

func (w *world) split(rt *rapid.T, id string) {
	s := contacts.Service{Store: w.store, Policies: w.book(), IDs: w.ids, Now: w.clock}
	_, err := s.Do(context.Background(), contacts.Act{Tenant: "demo", Kind: contacts.Split, Contact: id}, "person:tester", "")
	var no *contacts.Refusal
	if err != nil && !errors.As(err, &no) {
		rt.Fatal(err)
	}
}

func (w *world) answerAll(rt *rapid.T) {
	for _, kind := range []string{"decide_event", "identity_collision"} {
		for _, task := range w.tasks(kind) {
			err := w.answer(task, rapid.SampledFrom([]string{console.Approve, console.Approve, console.Reject}).Draw(rt, "answer"))
			if err != nil && !errors.Is(err, console.ErrStillOpen) && !errors.Is(err, console.ErrMoved) {
				rt.Fatal(err)
			}
		}
	}
}

// late has a process decide that read the policy before a change of it, within
// the time that it may.
func (w *world) late(rt *rapid.T, p *people, now tenant.Policy, from string) {
	w.keep = settle / 2
	old := w.book()
	w.keep = 0
	_, err := old.Current(context.Background(), "demo")
	w.ok(err)
	next := tenant.Identity{Version: int64(w.policy) + 100, FoldPlus: !now.Identity.FoldPlus}
	if now.IdentityNext == nil && !next.SameAs(now.Identity) {
		w.apply(ruleText("identity", now.Identity) + ruleText("identity_next", next))
	}
	w.decide(w.record(from, fmt.Sprintf("Late %d?", w.forms)), w.process(w.store, old))
	p.note(rt, w, now)
}

func ruleText(name string, r tenant.Identity) string {
	return fmt.Sprintf(`%q: { "version": %d, "keep_local_case": %t, "fold_dots": %t, "fold_plus": %t },`, name, r.Version, r.KeepLocalCase, r.FoldDots, r.FoldPlus)
}

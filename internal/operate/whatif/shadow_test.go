package whatif_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/console"
	"onefold/internal/decide"
	"onefold/internal/extract"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/operate/contacts"
	"onefold/internal/operate/rekey"
	"onefold/internal/operate/whatif"
	"onefold/internal/policy/versions"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
)

// shadow is another policy that decides each event at the very moment at which
// the one in force does, on the same ledger, and leaves nothing behind. What it
// came to is what a replay has to say later, unless it cannot tell.
type shadow struct {
	name, doc string
	process   *extract.Service
	said      map[string]decide.Verdict
	asked     map[string]string // kind of the task that was opened
}

// unwritten is a ledger on which only the commit with the ground is noted.
type unwritten struct {
	*mem.Store
	event ledger.Item // as it was before anybody decided it
	kept  string
	asked string
}

func (u *unwritten) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if k == ledger.KeyOf(u.event) {
		return u.event, nil
	}
	return u.Store.Get(ctx, k)
}

func (u *unwritten) Commit(_ context.Context, c ledger.Commit) error {
	for _, w := range c.Writes {
		if text := w.Set.Text(decide.GroundAttr); text != "" {
			u.kept, u.asked = text, askedBy(c)
		}
	}
	return nil
}

// askedBy is what a commit asks a person, or "".
func askedBy(c ledger.Commit) string {
	for _, w := range c.Writes {
		if w.Op == ledger.OpCreate && w.Key.Entity == ledger.ReviewTask {
			return w.Item.Text("kind")
		}
	}
	return ""
}

// watched is the real ledger: before an event is decided, the shadows are.
type watched struct {
	ledger.Store
	before func(ledger.Commit)
}

func (s watched) Commit(ctx context.Context, c ledger.Commit) error {
	for _, w := range c.Writes {
		if w.Key.Entity == ledger.Event && w.Set.Text(decide.GroundAttr) != "" {
			s.before(c)
		}
	}
	return s.Store.Commit(ctx, c)
}

type shadows struct {
	*world
	all     []*shadow
	asked   map[string]string
	acts    bool // people act on contacts
	done    int
	between func() // is called before each event
}

func newShadows(t *testing.T, doc string, others map[string]string) *shadows {
	s := &shadows{world: newWorld(t, doc), asked: map[string]string{}, between: func() {}}
	for name, text := range others {
		book := &versions.Book{Store: mem.New(), Now: s.process.Now, Keep: time.Hour}
		_, err := book.Apply(t.Context(), []byte(text), "test")
		s.must(err)
		p := *s.process
		p.Policies = book
		s.all = append(s.all, &shadow{name, text, &p, map[string]decide.Verdict{}, map[string]string{}})
	}
	slices.SortFunc(s.all, func(a, b *shadow) int { return strings.Compare(a.name, b.name) })
	return s
}

// decides has an event come, which the shadows decide just before.
func (s *shadows) decides(a arrival) string {
	s.t.Helper()
	id := s.records(a)
	k := eventKey(id)
	first := s.item(k)
	real := *s.process
	real.Store = watched{s.process.Store, func(c ledger.Commit) {
		s.asked[id] = askedBy(c)
		for _, o := range s.all {
			u := &unwritten{Store: s.store, event: first}
			p := *o.process
			p.Store = u
			s.must(p.Handle(s.t.Context(), ledger.Change{Key: k, Item: first}))
			if u.kept == "" {
				continue
			}
			kept, err := decide.Thaw(u.kept)
			s.must(err)
			o.said[id], o.asked[id] = kept.Verdict, u.asked
		}
	}}
	s.must(real.Handle(s.t.Context(), ledger.Change{Key: k, Item: first}))
	if e := s.event(id); e.State == inbound.Recorded {
		s.t.Errorf("event %s cannot be decided", id)
	}
	return id
}

// agree compares what each shadow said with what a replay says.
func (s *shadows) agree(told int) {
	s.t.Helper()
	for _, o := range s.all {
		r := s.replays(o.doc)
		if r.Faults > 0 {
			s.t.Errorf("%s: faults %+v", o.name, r.FaultList)
		}
		to := map[string]whatif.Side{}
		asks := map[string]string{}
		for _, c := range r.Changes {
			to[c.Event] = c.To
			asks[c.Event] = s.asked[c.Event]
			for _, d := range c.Differs {
				if d.What == whatif.WhatReview {
					asks[c.Event] = d.To
				}
			}
		}
		untold := map[string]string{}
		for _, u := range r.UntoldOf {
			untold[u.Event] = u.Reason
		}
		for _, id := range s.came {
			want, decided := o.said[id]
			if !decided || untold[id] != "" {
				continue
			}
			got, changed := to[id]
			if !changed {
				asks[id] = s.asked[id]
				kept, err := decide.Thaw(s.item(eventKey(id)).Text(decide.GroundAttr))
				s.must(err)
				got = whatif.Side{Outcome: kept.Verdict.Outcome, Reasons: kept.Verdict.Reasons, Contact: kept.Verdict.Contact}
				if m := kept.Verdict.Made; m != nil {
					got.Rule, got.Mode = m.Rule, m.Mode
				}
			}
			if asks[id] != o.asked[id] {
				s.t.Errorf("%s: event %s (changed %t): replay says that a person is asked %q, it would have been %q", o.name, id, changed, asks[id], o.asked[id])
			}
			rule, mode := "", ""
			if want.Made != nil {
				rule, mode = want.Made.Rule, want.Made.Mode
			}
			if got.Outcome != want.Outcome || !slices.Equal(got.Reasons, want.Reasons) || got.Contact != want.Contact || got.Rule != rule || got.Mode != mode {
				s.t.Errorf("%s: event %s (changed %t): replay says %+v\nit would have been %+v", o.name, id, changed, got, want)
			}
		}
		s.t.Logf("%s: seen %d same %d changed %d untold %v", o.name, r.Seen, r.Same, r.Changed, r.Reasons)
		if r.Same+r.Changed < r.Seen*told/100 {
			s.t.Errorf("%s: of %d only %d are told: %v", o.name, r.Seen, r.Same+r.Changed, r.Reasons)
		}
	}
}

// numbered is the document with customer IDs, and a rule in auto mode for all.
func numbered(t *testing.T, use string, change func(d map[string]any)) string {
	return edited(t, document(), func(d map[string]any) {
		d["customer_ids"] = map[string]any{"use": use}
		if use != "ignore" {
			at(d, "endpoints", 0, "fields")["customer_id"] = "/data/customer"
		}
		if change != nil {
			change(d)
		}
	})
}

func newContacts(d map[string]any) { at(d, "review")["new_contacts"] = true }

func highImpact(d map[string]any) { at(d, "rules", pricingRule)["high_impact"] = true }

func unauthenticated(word string) func(d map[string]any) {
	return func(d map[string]any) {
		m, _ := d["mail"].(map[string]any)
		if m == nil {
			m = map[string]any{}
		}
		m["unauthenticated"] = word
		d["mail"] = m
	}
}

func numberedForm(email, customer, message string) string {
	return fmt.Sprintf(`{"data":{"email":%q,"name":"","subject":"From the shop","message":%q,"customer":%q}}`, email, message, customer)
}

// TestAReplaySaysWhatTheOtherPolicyWouldHaveDecided of customer IDs,
// contradicted senders and approvals: the other policy decided each event at its
// time, on the ledger as it was.
func TestAReplaySaysWhatTheOtherPolicyWouldHaveDecided(t *testing.T) {
	t.Parallel()
	others := map[string]string{
		"ignored":       numbered(t, "ignore", nil),
		"conflicts":     numbered(t, "review_conflicts", nil),
		"wins":          numbered(t, "wins", nil),
		"new contacts":  numbered(t, "wins", newContacts),
		"high impact":   numbered(t, "ignore", highImpact),
		"accept":        numbered(t, "review_conflicts", unauthenticated("accept")),
		"review":        numbered(t, "wins", unauthenticated("review")),
		"next identity": numbered(t, "wins", func(d map[string]any) { d["identity_next"] = map[string]any{"version": 2, "fold_plus": true} }),
	}
	for name, doc := range others {
		if name == "next identity" {
			continue // it comes into force by a migration
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShadows(t, doc, others)
			events := 60
			if testing.Short() {
				events = 25
			}
			r := rand.New(rand.NewPCG(3, uint64(len(name))))
			s.chance(r, events)
			// Until here IDs identify or not, and from here they are not read.
			s.apply(edited(t, numbered(t, "ignore", nil), func(map[string]any) {}))
			s.chance(r, events)
			s.agree(50)
		})
	}
}

func (s *shadows) chance(r *rand.Rand, n int) {
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	var asked, made []string
	for range n {
		s.between()
		s.now = s.now.Add(time.Duration(5+r.IntN(240)) * time.Minute)
		id, who := fmt.Sprintf("m%d", s.number), fmt.Sprintf("p%s@firm.example", one("a", "b", "c", "d", "e", "f", "g+x", "g"))
		if r.IntN(4) == 0 {
			who = one("info@firm.example", "new"+fmt.Sprint(s.number)+"@firm.example")
		}
		text := "Huts?\nIntent: " + one("pricing", "pricing", "meeting", "other") + one("", "", "\nName: Ann Bell", "\nName: Bob Cole")
		var a arrival
		switch k := r.IntN(20); {
		case k < 10:
			a = arrival{form: true, mailbox: "website", raw: numberedForm(who, one("", "K1", "K2", "K3", "K4", "k1", "K 1", "N"+fmt.Sprint(s.number)), text)}
		case k < 11:
			a = arrival{form: true, mailbox: "website", raw: numberedForm(who, one("K1", "K2", "K3"), "unsubscribe")}
		case k < 12:
			a = arrival{raw: mail(id, who, "Huts", "unsubscribe"), verdicts: inbound.Verdicts{DMARC: one("FAIL", "PASS")}}
		case k < 14 && len(s.sent) > 0:
			ours := fmt.Sprintf("<sent-%d@email.amazonses.com>", 1+r.IntN(len(s.sent)))
			a = arrival{raw: mail(id, who, "Re: Prices", text, "In-Reply-To: "+ours), verdicts: inbound.Verdicts{DMARC: one("FAIL", "PASS", "")}}
		default:
			a = arrival{raw: mail(id, who, "Huts", text), verdicts: inbound.Verdicts{DMARC: one("FAIL", "FAIL", "PASS", "")}}
		}
		e := s.event(s.decides(a))
		if e.State == inbound.InReview {
			asked = append(asked, e.ID)
		}
		if e.Outcome == inbound.FollowUp {
			made = append(made, e.Intent)
		}
		if s.acts && r.IntN(6) == 0 {
			s.act(r)
		}
		if len(asked) > 0 && r.IntN(3) == 0 {
			at := r.IntN(len(asked))
			s.answers(asked[at], decide.Answer{Approve: r.IntN(4) > 0})
			asked = slices.Delete(asked, at, at+1)
		}
		if len(made) > 0 && r.IntN(2) == 0 {
			at := r.IntN(len(made))
			s.settles(made[at], r.IntN(2) == 0)
			made = slices.Delete(made, at, at+1)
		}
	}
}

// TestAReplayThroughMergesAndAMigration: people are merged, split and given
// addresses, and an identity rule is migrated, while the events come in.
func TestAReplayThroughMergesAndAMigration(t *testing.T) {
	t.Parallel()
	next := func(d map[string]any) { d["identity_next"] = map[string]any{"version": 2, "fold_plus": true} }
	first := numbered(t, "review_conflicts", nil)
	second := edited(t, first, next)
	s := newShadows(t, first, map[string]string{
		"first": first, "wins": edited(t, first, func(d map[string]any) { d["customer_ids"] = map[string]any{"use": "wins"} }),
		"second": second, "prospects": edited(t, first, newContacts),
	})
	events := 80
	if testing.Short() {
		events = 30
	}
	r := rand.New(rand.NewPCG(9, 9))
	s.acts = true
	s.chance(r, events)
	s.apply(second)
	s.chance(r, events)
	move := rekey.Service{Store: s.store, Policies: s.book, IDs: s.ids, Now: s.process.Now, By: "person:grace"}
	rep, err := move.Run(t.Context(), "demo")
	s.must(err)
	t.Logf("the migration: %+v", rep)
	s.chance(r, events)
	s.agree(40)
}

// act has a person do something to somebody.
func (s *shadows) act(r *rand.Rand) {
	who := func() string { return fmt.Sprintf("p%c@firm.example", 'a'+r.IntN(7)) }
	a := contacts.Act{Tenant: "demo", Contact: who()}
	switch r.IntN(5) {
	case 0:
		a.Kind, a.Address = contacts.Alias, fmt.Sprintf("new%d@firm.example", r.IntN(200))
	case 1:
		a.Kind, a.Address = contacts.ChangeAddress, fmt.Sprintf("other%d@firm.example", r.IntN(9))
	case 2:
		a.Kind = contacts.Split
	default:
		a.Kind, a.Into = contacts.Merge, who()
	}
	people := contacts.Service{Store: s.store, Policies: s.book, IDs: s.ids, Now: s.process.Now}
	_, err := people.Do(s.t.Context(), a, "person:grace", "")
	var refusal *contacts.Refusal
	if err == nil {
		s.done++
	} else if !errors.As(err, &refusal) {
		s.t.Fatal(err)
	}
}

// settles has a mail sent, or answers the question that it waits for.
func (s *shadows) settles(intent string, yes bool) {
	var i followup.Intent
	s.must(s.item(ledger.Intent.At("demo", intent)).Decode(&i))
	switch i.State {
	case followup.Ready:
		s.works(decide.SendOperation(s.ids, i).ID)
	case followup.Proposed:
		a := console.Form{Action: console.Reject, By: "grace", Transition: 1, ContentHash: i.ContentHash}
		if yes {
			a.Action = console.Approve
		}
		desk := console.Service{Store: s.store, IDs: s.ids, Now: s.process.Now, Log: s.process.Log}
		s.must(desk.Answer(s.t.Context(), "demo", i.Review, a))
	}
}

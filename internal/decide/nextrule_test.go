package decide_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/contact"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
)

// migrating is the ground under a policy that migrates to a rule under which
// tags behind a + do not tell people apart.
func migrating(t tb, g decide.Ground) decide.Ground {
	t.Helper()
	g.Policy.IdentityNext = &tenant.Identity{Version: 2, FoldPlus: true}
	return identified(t, g)
}

func next(g decide.Ground, id string) decide.Ground {
	g.Seen.Next = &contact.Key{Tenant: "demo", ID: g.Person.NextKeyID, Contact: id, RuleVersion: 2, Version: 1}
	g.Seen.NextContact = &contact.Contact{Tenant: "demo", ID: id, Status: contact.Active, Email: "ada@example.org", ConsentVersion: 1, Transition: 1}
	return g
}

// A mail that is contradicted and leads to two people has each reason once.
func TestTwoPeopleUnderOneFormAreAskedAboutOnce(t *testing.T) {
	t.Parallel()
	g := checked(t, forged, tenant.UnauthenticatedNoChanges)
	g = next(migrating(t, g), "contact-8")
	res := decideOn(t, g)
	if once := slices.Compact(slices.Sorted(slices.Values(res.Reasons))); res.Outcome != decide.Referred || len(once) != len(res.Reasons) || !slices.Contains(once, match.ReasonUnauthenticated) {
		t.Errorf("%s %v", res.Outcome, res.Reasons)
	}
}

// What the two forms of an address say, and what follows.
func TestTheRuleInForceDecidesAndTheNextOneMayAsk(t *testing.T) {
	t.Parallel()
	fresh := func() decide.Ground {
		return migrating(t, ground(t, mail("ada+hut@example.org", question), tenant.ModeAuto))
	}
	for name, c := range map[string]struct {
		g       decide.Ground
		outcome string
		keys    []string // created
		people  []string // the candidates of a question
	}{
		"nobody":                 {fresh(), inbound.FollowUp, []string{"email:ada+hut@example.org", "email.v2:ada@example.org"}, nil},
		"known in force":         {known(fresh()), inbound.FollowUp, []string{"email.v2:ada@example.org"}, nil},
		"both the same":          {next(known(fresh()), "contact-1"), inbound.FollowUp, nil, nil},
		"another by the next":    {next(known(fresh()), "contact-2"), decide.Referred, nil, []string{"contact-1", "contact-2"}},
		"shared by the next":     {shared(next(fresh(), "contact-2")), inbound.FollowUp, []string{"email:ada+hut@example.org"}, nil},
		"known, next one shared": {shared(next(known(fresh()), "contact-2")), inbound.FollowUp, nil, nil},
	} {
		res := decideOn(t, c.g)
		if res.Outcome != c.outcome {
			t.Errorf("%s: %s %v, want %s", name, res.Outcome, res.Reasons, c.outcome)
		}
		var keys []string
		for _, k := range created[contact.Key](t, res, ledger.ContactKey) {
			keys = append(keys, k.ID)
			if rule, _, _ := contact.EmailKey(k.ID); rule != k.RuleVersion {
				t.Errorf("%s: %s is of rule %d", name, k.ID, k.RuleVersion)
			}
		}
		if !slices.Equal(keys, c.keys) {
			t.Errorf("%s: puts %v, want %v", name, keys, c.keys)
		}
		if c.people == nil {
			continue
		}
		task := created[review.Task](t, res, ledger.ReviewTask)[0]
		if !slices.Contains(task.Reasons, match.ReasonRuleCollision) || !slices.Equal(task.Candidates, c.people) {
			t.Errorf("%s: asks %v about %v", name, task.Reasons, task.Candidates)
		}
	}
}

func shared(g decide.Ground) decide.Ground {
	n := *g.Seen.Next
	n.Shared = true
	g.Seen.Next = &n
	return g
}

// Without a migration nothing is read, put or checked besides.
func TestWithoutAMigrationThereIsOneForm(t *testing.T) {
	t.Parallel()
	g := ground(t, mail(ada, question), tenant.ModeAuto)
	if g.Person.NextKeyID != "" {
		t.Errorf("a next form %q", g.Person.NextKeyID)
	}
	for _, w := range decideOn(t, g).Commit.Writes {
		if w.Name == "next_key" || strings.HasPrefix(w.Key.ID, "email.v") {
			t.Errorf("%s of %s", w.Op, w.Name)
		}
	}
}

// Every address of a report may be of two people while a rule is migrated: the
// commits hold them all the same.
func TestAReportDuringAMigrationFitsItsCommits(t *testing.T) {
	t.Parallel()
	g := migrating(t, ground(t, machineMail(rawmail.Bounce, ada, true), tenant.ModeAuto))
	for i := range 3 * decide.MaxStops {
		g.Facts.Failed = append(g.Facts.Failed, fmt.Sprintf("p%d+x@example.org", i))
	}
	g = next(known(identified(t, g)), "contact-2")
	for i := range g.Also {
		p := &g.Also[i]
		one, two := fmt.Sprint("one-", i), fmt.Sprint("two-", i)
		p.Key, p.Contact = &contact.Key{ID: p.Person.KeyID, Contact: one}, &contact.Contact{Tenant: "demo", ID: one, Status: contact.Active, Transition: 1}
		p.Next, p.NextContact = &contact.Key{ID: p.Person.NextKeyID, Contact: two}, &contact.Contact{Tenant: "demo", ID: two, Status: contact.Active, Transition: 1}
	}
	if len(g.Also) != 3*decide.MaxStops {
		t.Fatalf("%d more addresses", len(g.Also))
	}
	// As many as can be proven at once (maxReturned of package rawmail), and holds.
	some := proved(t, g, ada, g.Facts.Failed[0], g.Facts.Failed[1], g.Facts.Failed[2], g.Facts.Failed[3])
	some.Also = some.Also[:4+decide.MaxHeld]
	if res := decideOn(t, some); res.Commit.Validate() != nil || len(res.Commit.Writes) < 50+2*decide.MaxHeld {
		t.Errorf("%d writes, %v", len(res.Commit.Writes), res.Commit.Validate())
	}
	g = proved(t, g, append([]string{ada}, g.Facts.Failed...)...)
	first, err := decide.StopGround(g, key(t))
	if err != nil || first.Validate() != nil || len(first.Writes) < 10*decide.MaxStops {
		t.Errorf("%d writes, %v, %v", len(first.Writes), err, first.Validate())
	}
	g.Also = g.Also[:decide.MaxStops-1]
	if res := decideOn(t, g); res.Commit.Validate() != nil || len(res.Commit.Writes) < 10*decide.MaxStops {
		t.Errorf("%d writes, %v", len(res.Commit.Writes), res.Commit.Validate())
	}
}

// The next form of an address and a customer ID may name one contact whom the
// form in force does not: it is told once, or the wish could not be committed.
func TestAWishOfAContactThatTwoReadingsNameIsOneWrite(t *testing.T) {
	t.Parallel()
	for name, main := range map[string]bool{"the form's address": true, "the reply address": false} {
		g := ground(t, mail("ada+hut@example.org", "unsubscribe"), tenant.ModeAuto)
		g.Event.Content, g.Policy.CustomerIDs.Use = tenant.ContentForm, tenant.CustomersWin
		g.Facts.CustomerID = "C-7"
		if !main {
			g.Facts.Source.ReplyTo = "kim+hut@example.org"
		}
		g = migrating(t, g)
		who := owner("contact-2", customerKey, "email.v2:ada@example.org")
		g = byID(known(g), who)
		if main {
			g.Seen.Next, g.Seen.NextContact = keyOf(g.Person.NextKeyID, who.ID), who
		} else {
			g.Also[0].Next, g.Also[0].NextContact = keyOf(g.Also[0].Person.NextKeyID, who.ID), who
		}
		res := decideOn(t, g)
		want := inbound.OptedOut
		if !main {
			want = decide.Referred // the reply address is held
		}
		wants(t, res, want)
		raised := 0
		for _, w := range on(res, ledger.Contact) {
			if w.Key.ID == who.ID {
				raised++
			}
		}
		if raised != 1 {
			t.Errorf("%s: %d writes", name, raised)
		}
	}
}

// What a person approves against the next form makes no key that the migration
// would have to ask about, and no second customer ID.
func TestAnApprovalAgainstTheNextFormPutsNoKeyInItsWay(t *testing.T) {
	t.Parallel()
	stating := func(who *contact.Contact) decide.Ground {
		g := migrating(t, stated(t, tenant.CustomersWin, "ada+hut@example.org", "C-7"))
		g.Seen.Next, g.Seen.NextContact, g.Seen.Contact = keyOf(g.Person.NextKeyID, who.ID), who, who
		return g
	}
	g := byID(stating(owner("contact-2", "email.v2:ada@example.org")), owner("b", customerKey))
	wants(t, decideOn(t, g), decide.Referred, match.ReasonRuleCollision)
	res := decideOn(t, answered(t, g, approve()))
	if keys := putKeys(t, res); res.Contact != "b" || len(keys) != 0 {
		t.Errorf("the customer's: %s, of %s, keys %v", res.Outcome, res.Contact, keys)
	}
	for other, want := range map[string][]string{"customer:C-1": {"email:ada+hut@example.org"}, "": {customerKey, "email:ada+hut@example.org"}} {
		who := owner("contact-2", "email.v2:ada@example.org")
		if other != "" {
			who.Keys = append(who.Keys, other)
		}
		g := stating(who)
		wants(t, decideOn(t, g), decide.Referred, match.ReasonRuleCollision)
		res := decideOn(t, answered(t, g, approve()))
		if keys := putKeys(t, res); res.Contact != who.ID || !slices.Equal(keys, want) {
			t.Errorf("with %q: %s, of %s, keys %v, want %v", other, res.Outcome, res.Contact, keys, want)
		}
	}
}

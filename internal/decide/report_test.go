package decide_test

import (
	"fmt"
	"slices"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
)

// guardOf is what a result makes of a guard, nil when it does not touch it.
func guardOf(res decide.Result, p decide.Party) ledger.Item {
	for _, w := range on(res, ledger.Guard) {
		if w.Key.ID == p.Person.GuardID && w.Op != ledger.OpCheck {
			return w.Apply(p.Guard)
		}
	}
	return nil
}

func main(g decide.Ground) decide.Party { return decide.Party{Person: g.Person, Guard: g.Seen.Guard} }

// TestAReportIsBelievedOfWhomItProves: what somebody else's mail of ours proves
// is nothing of this address, and what is not proven is held or kept on file.
func TestAReportIsBelievedOfWhomItProves(t *testing.T) {
	t.Parallel()
	bare := func(g decide.Ground) decide.Ground { return g }
	lifted := func(g decide.Ground) decide.Ground {
		return guarded(g, ledger.Item{"address": ada, "bounces": int64(1)})
	}
	for _, c := range []struct {
		name    string
		known   func(decide.Ground) decide.Ground
		proved  []string
		bounce  string // what the guard then says of mail: guard.Blocks; "" when it is not touched
		accused string // of a complaint
	}{
		{"proven, unknown", bare, []string{ada}, "suppressed_all", "suppressed_all"},
		{"proven, a contact", known, []string{ada}, "suppressed_all", "suppressed_all"},
		{"proven by one mark of two", known, []string{other, ada}, "suppressed_all", "suppressed_all"},
		{"proven by another spelling", known, []string{"Ada+huts@example.org"}, "suppressed_all", "suppressed_all"},
		{"not proven, unknown", bare, nil, "", "opt_out_in_doubt"},
		{"not proven, a contact", known, nil, "opt_out_in_doubt", "opt_out_in_doubt"},
		{"not proven, a guard", lifted, nil, "opt_out_in_doubt", "opt_out_in_doubt"},
		{"a mail to somebody else, unknown", bare, []string{other}, "", "opt_out_in_doubt"},
		{"a mail to somebody else, a contact", known, []string{other}, "opt_out_in_doubt", "opt_out_in_doubt"},
	} {
		for kind, want := range map[rawmail.Kind]string{rawmail.Bounce: c.bounce, rawmail.Complaint: c.accused} {
			t.Run(fmt.Sprint(c.name, " ", kind), func(t *testing.T) {
				t.Parallel()
				g := c.known(proved(t, ground(t, machineMail(kind, ada, true), tenant.ModeAuto), c.proved...))
				res := decideOn(t, g)
				if got := guard.Blocks(guardOf(res, main(g)), "follow_up"); got != want {
					t.Errorf("the guard says %q, want %q", got, want)
				}
				switch want {
				case "suppressed_all":
					wants(t, res, inbound.Feedback, string(kind), "address_stopped")
				case "opt_out_in_doubt":
					wants(t, res, decide.Referred, string(kind), decide.ReasonUnproven)
				default:
					wants(t, res, inbound.Feedback, string(kind), decide.ReasonUnproven)
					if slices.Contains(res.Reasons, "address_stopped") || len(on(res, ledger.Operation)) != 0 {
						t.Errorf("reasons %v, %d operations", res.Reasons, len(on(res, ledger.Operation)))
					}
				}
			})
		}
	}
}

func TestAPersonMakesAnUnprovenReportAStopOrLiftsItsHold(t *testing.T) {
	t.Parallel()
	for kind, reason := range map[rawmail.Kind]string{rawmail.Bounce: guard.ReasonBounce, rawmail.Complaint: guard.ReasonComplaint} {
		g := known(ground(t, machineMail(kind, ada, true), tenant.ModeAuto))
		yes := answered(t, g, approve())
		res := decideOn(t, yes)
		wants(t, res, inbound.Feedback, "address_stopped")
		after := guardOf(res, main(yes))
		if guard.Blocks(after, "any") != "suppressed_all" || after.Text("reason") != reason || len(on(res, ledger.Operation)) != 1 {
			t.Errorf("%s approved: guard %v", kind, after)
		}
		if w := updated(t, res, ledger.Contact); w.Set["consent_version"] != int64(4) {
			t.Errorf("%s approved: contact %v", kind, w.Set)
		}
		no := answered(t, g, decide.Answer{})
		if guard.Blocks(no.Seen.Guard, "any") != "opt_out_in_doubt" {
			t.Fatal("it should be held until he answers")
		}
		res = decideOn(t, no)
		wants(t, res, inbound.Dismissed)
		if after := guardOf(res, main(no)); after == nil || guard.Blocks(after, "any") != "" || after.Text("hold_review") != "" {
			t.Errorf("%s rejected: guard %v", kind, after)
		}
		if len(on(res, ledger.Operation)) != 0 {
			t.Errorf("%s rejected: an operation", kind)
		}
	}
}

// TestARejectedReportLiftsNoOtherHold: doubtful words of the person, or another
// report, wait for an answer of their own.
func TestARejectedReportLiftsNoOtherHold(t *testing.T) {
	t.Parallel()
	g := known(ground(t, machineMail(rawmail.Bounce, ada, true), tenant.ModeAuto))
	g = answered(t, g, decide.Answer{})
	g.Seen.Guard["hold_review"] = "another " + g.Seen.Guard.Text("hold_review")
	after := guardOf(decideOn(t, g), main(g))
	if guard.Blocks(after, "any") != "opt_out_in_doubt" || after.Text("hold_review") != "another" {
		t.Errorf("guard %v", after)
	}
}

// TestOfSeveralAddressesEachIsJudgedByItself: proven, known and unknown in one
// bounce; a person's yes then counts for the whole report, once.
func TestOfSeveralAddressesEachIsJudgedByItself(t *testing.T) {
	t.Parallel()
	hard := func(a string) rawmail.Suppression { return rawmail.Suppression{Address: a, Hard: true} }
	g := proved(t, ground(t, report(rawmail.Bounce, hard(ada), hard(other), hard(info)), tenant.ModeAuto), ada)
	g.Also[0].Key = &contact.Key{Tenant: "demo", ID: g.Also[0].Person.KeyID, Contact: "lost", InboundEvent: "earlier"}
	res := decideOn(t, g)
	if res.Outcome != decide.Referred || !slices.Contains(res.Reasons, decide.ReasonUnproven) {
		t.Fatalf("outcome %s %v", res.Outcome, res.Reasons)
	}
	says := func(res decide.Result, g decide.Ground) (words []string) {
		for _, p := range append([]decide.Party{main(g)}, g.Also...) {
			words = append(words, guard.Blocks(guardOf(res, p), "any"))
		}
		return words
	}
	if got := says(res, g); !slices.Equal(got, []string{"suppressed_all", "opt_out_in_doubt", ""}) {
		t.Errorf("the guards say %q", got)
	}
	g = answered(t, g, approve())
	res = decideOn(t, g)
	wants(t, res, inbound.Feedback, "address_stopped")
	// The first stands as it is, and is not counted twice.
	if got := says(res, g); !slices.Equal(got, []string{"", "suppressed_all", "suppressed_all"}) {
		t.Errorf("after the answer the guards say %q", got)
	}
}

func TestAnUnprovenReportOfWhatIsStoppedAsksNobody(t *testing.T) {
	t.Parallel()
	stop := func(kind rawmail.Kind, reason string) decide.Result {
		g := known(ground(t, machineMail(kind, ada, true), tenant.ModeAuto))
		return decideOn(t, guarded(g, ledger.Item{"stop_all": "2026-01-01T00:00:00.000Z", "reason": reason}))
	}
	for _, kind := range []rawmail.Kind{rawmail.Bounce, rawmail.Complaint} {
		res := stop(kind, guard.ReasonOptOut)
		wants(t, res, inbound.Feedback, decide.ReasonUnproven)
		if len(on(res, ledger.Guard)) != 0 {
			t.Errorf("%s: guard %v", kind, on(res, ledger.Guard))
		}
	}
	// A bounce may be lifted, and the complaint would be lost with it.
	wants(t, stop(rawmail.Complaint, guard.ReasonBounce), decide.Referred, decide.ReasonUnproven)
}

func TestOurOwnAddressIsNotHeldByAReport(t *testing.T) {
	t.Parallel()
	res := decideOn(t, ground(t, machineMail(rawmail.Complaint, ours, true), tenant.ModeAuto))
	wants(t, res, inbound.Feedback, decide.ReasonUnproven)
	if len(on(res, ledger.Guard)) != 0 {
		t.Errorf("guard %v", on(res, ledger.Guard))
	}
}

// TestALongReportFitsItsCommits: as many addresses as the parser gives, as many
// of them proven as it gives marks, each of a contact; then a person's yes or no.
func TestALongReportFitsItsCommits(t *testing.T) {
	t.Parallel()
	var named []rawmail.Suppression
	for n := range 100 {
		named = append(named, rawmail.Suppression{Address: fmt.Sprintf("a%d@example.net", n), Hard: true})
	}
	g := ground(t, report(rawmail.Complaint, named...), tenant.ModeAuto)
	for n := range g.Also {
		p := &g.Also[n]
		id := fmt.Sprint("contact-", n)
		p.Key = &contact.Key{Tenant: "demo", ID: p.Person.KeyID, Contact: id, InboundEvent: "earlier"}
		p.Contact = &contact.Contact{Tenant: "demo", ID: id, Status: contact.Active, ConsentVersion: 1, Transition: 1}
	}
	g = proved(t, g, named[0].Address, named[1].Address, named[2].Address, named[3].Address, named[99].Address)
	worked := func(g *decide.Ground) (parts int) {
		for ; parts < 20; parts++ {
			c, err := decide.StopGround(*g, key(t))
			if err != nil || len(c.Writes) == 0 {
				return parts
			}
			if err := c.Validate(); err != nil {
				t.Fatal(err)
			}
			for _, w := range c.Writes {
				for n := range g.Also {
					if w.Key.Entity == ledger.Guard && w.Key.ID == g.Also[n].Person.GuardID {
						g.Also[n].Guard = w.Apply(g.Also[n].Guard)
					}
				}
			}
		}
		t.Fatal("it never ends")
		return 0
	}
	if parts := worked(&g); parts != 4 { // 95 to hold, 20 at a time, and no more than 20 left
		t.Errorf("%d parts before the question", parts)
	}
	for _, a := range []decide.Answer{approve(), {}} {
		asked := answered(t, g, a)
		asked.Also = slices.Clone(asked.Also)
		worked(&asked)
		if res := decideOn(t, asked); (res.Outcome == inbound.Feedback) != a.Approve {
			t.Errorf("approved %t: %s", a.Approve, res.Outcome)
		}
	}
}

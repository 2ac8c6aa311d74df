package decide_test

import (
	"slices"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
)

// elsewhere puts attributes on the guard of another address of the person.
func elsewhere(g decide.Ground, attrs ledger.Item) decide.Ground {
	it := ledger.Item{"tenant": "demo", "id": "guard-elsewhere", "transition": int64(2), "version": int64(2)}
	for k, v := range attrs {
		it[k] = v
	}
	g.Seen.Elsewhere = append(slices.Clone(g.Seen.Elsewhere), it)
	return g
}

// A person's own wish, at whatever address, forbids follow-ups to all of them;
// that an address does not work says nothing of the others.
func TestAWishAtOneAddressForbidsFollowUpsToAll(t *testing.T) {
	t.Parallel()
	at := start.String()
	for name, c := range map[string]struct {
		attrs ledger.Item
		want  string // reason, "" for a follow-up
	}{
		"opt-out":             {ledger.Item{"stop_all": at, "reason": guard.ReasonOptOut}, "opted_out_elsewhere"},
		"complaint":           {ledger.Item{"stop_all": at, "reason": guard.ReasonComplaint}, "opted_out_elsewhere"},
		"operator":            {ledger.Item{"stop_all": at, "reason": guard.ReasonPerson}, "opted_out_elsewhere"},
		"for no known reason": {ledger.Item{"stop_all": at}, "opted_out_elsewhere"},
		"of follow-ups":       {ledger.Item{"stop_follow_up": at, "reason": guard.ReasonOptOut}, "opted_out_elsewhere"},
		"hold":                {ledger.Item{"hold": at}, "opt_out_in_doubt"},
		"hold and opt-out":    {ledger.Item{"hold": at, "stop_all": at, "reason": guard.ReasonOptOut}, "opted_out_elsewhere"},
		"hold and bounce":     {ledger.Item{"hold": at, "stop_all": at, "reason": guard.ReasonBounce}, "opt_out_in_doubt"},
		"bounce":              {ledger.Item{"stop_all": at, "reason": guard.ReasonBounce}, ""},
		"another scope":       {ledger.Item{"stop_newsletter": at, "reason": guard.ReasonOptOut}, ""},
		"erased":              {ledger.Item{"erased_at": at}, ""},
		"nothing":             {ledger.Item{}, ""},
	} {
		for _, mode := range []string{tenant.ModeAuto, tenant.ModeDraft} {
			res := decideOn(t, elsewhere(known(ground(t, mail(ada, question), mode)), c.attrs))
			made := len(intents(t, res))
			if c.want == "" && (made != 1 || res.Outcome != inbound.FollowUp) || c.want != "" && (made != 0 || res.Outcome != inbound.Suppressed || !slices.Contains(res.Reasons, c.want)) {
				t.Errorf("%s, %s: %s %v, %d intents", name, mode, res.Outcome, res.Reasons, made)
			}
			if len(on(res, ledger.Enquiry)) != 1 {
				t.Errorf("%s: the enquiry is not filed", name)
			}
		}
		// The same words as a condition of the claim.
		it := ledger.Item{"version": int64(1)}
		for k, v := range c.attrs {
			it[k] = v
		}
		if holds := decide.ClearElsewhere(tenant.ScopeFollowUp).Holds(it); holds != (c.want == "") {
			t.Errorf("%s: the claim's condition holds: %t", name, holds)
		}
	}
	if !decide.ClearElsewhere(tenant.ScopeFollowUp).Holds(nil) {
		t.Error("an address without a guard forbids")
	}
}

// A wish weighs more than a doubt, whichever address comes first.
func TestOfSeveralAddressesTheWishIsNamed(t *testing.T) {
	t.Parallel()
	hold, stop := ledger.Item{"hold": start.String()}, ledger.Item{"stop_all": start.String(), "reason": guard.ReasonOptOut}
	for _, list := range [][]ledger.Item{{hold, stop}, {stop, hold}} {
		g := known(ground(t, mail(ada, question), tenant.ModeAuto))
		for _, attrs := range list {
			g = elsewhere(g, attrs)
		}
		if res := decideOn(t, g); !slices.Contains(res.Reasons, guard.OptedOutElsewhere) {
			t.Errorf("%v", res.Reasons)
		}
	}
}

// The addresses that were read are a condition: with another alias, merge or
// split the decision is made again.
func TestADecisionStandsOnTheAddressesThatWereRead(t *testing.T) {
	t.Parallel()
	for _, reach := range []int64{0, 4} {
		g := known(ground(t, mail(ada, question), tenant.ModeAuto))
		g.Seen.Contact.Reach = reach
		rows := on(decideOn(t, g), ledger.Contact)
		as := func(reach int64) ledger.Item {
			it := ledger.Item{"status": contact.Active, "consent_version": int64(3), "transition": int64(7), "version": int64(1)}
			if reach > 0 {
				it["reach"] = reach
			}
			return it
		}
		if len(rows) != 1 || !rows[0].Allowed(as(reach)) || rows[0].Allowed(as(reach+1)) {
			t.Errorf("reach %d: %v", reach, rows)
		}
	}
}

// One mail names two addresses of one contact, and holds both. The approval
// takes off both holds, so neither stands in the way of what it approves; the
// hold of another mail does.
func TestAnApprovalIsNotHeldByItsOwnHoldElsewhere(t *testing.T) {
	t.Parallel()
	for name, others := range map[string]string{"its own": "", "another mail's too": " another"} {
		g := known(ground(t, mail(ada, "Please do not send me so many mails. Do you walk in May?"), tenant.ModeAuto))
		g.Extraction.Record.PossibleOptOut = true
		g = identified(t, g)
		g.Also = []decide.Party{{Person: decide.Identify(key(t), g.Policy, other), Contact: g.Seen.Contact}}
		g.Also[0].Key = &contact.Key{Tenant: "demo", ID: g.Also[0].Person.KeyID, Contact: g.Seen.Contact.ID}
		g = answered(t, g, approve())
		held := g.Also[0].Guard.Clone()
		held["id"], held["version"], held["entity"] = g.Also[0].Person.GuardID, int64(1), string(ledger.Guard)
		held["hold_review"] = held.Text("hold_review") + others
		g.Also[0].Guard, g.Seen.Elsewhere = held, []ledger.Item{held}
		res := decideOn(t, g)
		want := inbound.FollowUp
		if others != "" {
			want = inbound.Suppressed
		}
		if res.Outcome != want {
			t.Errorf("%s: %s %v", name, res.Outcome, res.Reasons)
		}
	}
}

// The guard of a key is that of every spelling of the address, under every
// identity rule.
func TestTheGuardOfAKeyIsThatOfTheAddress(t *testing.T) {
	t.Parallel()
	ids := key(t)
	for _, rule := range []tenant.Identity{{}, {KeepLocalCase: true}, {FoldDots: true}, {FoldPlus: true}, {FoldDots: true, FoldPlus: true}} {
		p := policy(t, tenant.ModeAuto)
		p.Identity = rule
		for _, written := range []string{"Ada.Lovelace+x@Example.ORG", `"ada lovelace"@example.org`, `"a:b@c"@example.org`, "ÄDA@exämple.org", "+x@example.org"} {
			person := decide.Identify(ids, p, written)
			if !person.Known() {
				t.Fatalf("%s: %s", written, person.Fault)
			}
			got := decide.GuardsOf(ids, "demo", "", contact.Contact{Tenant: "demo", Keys: []string{person.KeyID, "customer:7", person.KeyID}})
			if !slices.Equal(got, []string{person.GuardID}) {
				t.Errorf("%s under %+v: guards %v, want %s", written, rule, got, person.GuardID)
			}
			if got := decide.GuardsOf(ids, "demo", person.GuardID, contact.Contact{Keys: []string{person.KeyID}}); len(got) != 0 {
				t.Errorf("its own guard is elsewhere: %v", got)
			}
		}
	}
}

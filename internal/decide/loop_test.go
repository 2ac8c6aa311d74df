package decide_test

import (
	"strings"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
)

// counted gives the ground's bounds these counts, in the order thread, domain.
func counted(t tb, g decide.Ground, counts ...int64) decide.Ground {
	t.Helper()
	g.Seen.Caps = nil
	for _, n := range counts {
		if n == 0 {
			g.Seen.Caps = append(g.Seen.Caps, nil)
			continue
		}
		g.Seen.Caps = append(g.Seen.Caps, ledger.Item{"count": n, "version": n})
	}
	return g
}

// TestBeyondALimitNoFollowUpIsMade: example policy, 3 for a thread and 20 for
// a domain's day.
func TestBeyondALimitNoFollowUpIsMade(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		thread, domain int64
		made           bool
	}{
		"nothing counted": {0, 0, true}, "below both": {2, 19, true},
		"the thread is full": {3, 0, false}, "the domain is full": {0, 20, false}, "far beyond": {90, 90, false},
	} {
		g := counted(t, ground(t, mail(ada, question), tenant.ModeAuto), c.thread, c.domain)
		res := decideOn(t, g)
		if !c.made {
			if wants(t, res, decide.Referred, decide.ReasonLoop); len(on(res, ledger.LoopCap)) != 0 {
				t.Errorf("%s: a follow-up that is not made is counted", name)
			}
			again := decideOn(t, answered(t, g, approve()))
			if wants(t, again, inbound.FollowUp); len(intents(t, again)) != 1 {
				t.Errorf("%s: a person's approval makes %d intents", name, len(intents(t, again)))
			}
			continue
		}
		wants(t, res, inbound.FollowUp)
		caps := on(res, ledger.LoopCap)
		if len(caps) != 2 {
			t.Fatalf("%s: %d counts", name, len(caps))
		}
		for n, before := range []int64{c.thread, c.domain} {
			var it ledger.Item
			if before > 0 {
				it = ledger.Item{"count": before, "version": before}
			}
			if after := caps[n].Apply(it); after.Int("count") != before+1 {
				t.Errorf("%s: count %d after %d", name, after.Int("count"), before)
			}
			if caps[n].Allowed(ledger.Item{"count": before + 1, "version": before + 1}) {
				t.Errorf("%s: the commit does not stand on the count as it was read", name)
			}
		}
	}
}

func TestAThreadIsNamedByItsRoot(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 23, 59, 0, 0, time.UTC)
	id := func(m rawmail.Message) string {
		g := ground(t, m, tenant.ModeAuto)
		caps := decide.CapsOf(key(t), g.Policy, g.Facts, g.Person, now)
		if len(caps) != 2 {
			t.Fatalf("%d bounds", len(caps))
		}
		if strings.Contains(caps[0].ID+caps[1].ID, "example") {
			t.Errorf("a bound can be read: %v", caps)
		}
		return caps[0].ID
	}
	root := mail(ada, question) // m1@example.org
	byReferences, byParent := mail("b@example.org", question), mail("c@example.org", question)
	byReferences.MessageID, byReferences.References = "m2@example.org", []string{"m1@example.org", "x@example.org"}
	byReferences.InReplyTo = []string{"x@example.org"}
	byParent.MessageID, byParent.InReplyTo = "m3@example.org", []string{"m1@example.org"}
	if id(root) != id(byReferences) || id(root) != id(byParent) {
		t.Error("one thread has several names")
	}
	alone := mail(ada, question)
	alone.MessageID = "m4@example.org"
	if id(root) == id(alone) {
		t.Error("two threads have one name")
	}
}

func TestTheDomainIsCountedByDayAndNotWhereAnybodyHasAMailbox(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 23, 59, 0, 0, time.UTC)
	caps := func(from string, now time.Time) []decide.Cap {
		p := decide.Identify(key(t), policy(t, tenant.ModeAuto), from)
		return decide.CapsOf(key(t), policy(t, tenant.ModeAuto), content.Facts{}, p, now)
	}
	a, b, next := caps(ada, at), caps("other@example.org", at), caps(ada, at.Add(time.Minute))
	if len(a) != 1 || a[0].ID != b[0].ID || a[0].ID == next[0].ID || a[0].Until.Before(at) {
		t.Errorf("bounds %v %v %v", a, b, next)
	}
	if free := caps("ada@GMAIL.com", at); len(free) != 0 {
		t.Errorf("bounds %v", free)
	}
}

func TestAReplyToOurMailGetsNoTemplateAgain(t *testing.T) {
	t.Parallel()
	m := mail(ada, question)
	for name, rules := range map[string][]string{"a rule answers": {}, "no rule answers": {"pricing"}} {
		g := known(ground(t, m, tenant.ModeAuto))
		g.Policy.Rules[0].Intents = rules
		g.Seen.Replied = &followup.Intent{ID: "intent-0", State: followup.Accepted}
		res := decideOn(t, g)
		wants(t, res, inbound.Folded, decide.ReasonReplyToOurs)
		if res.Intent != "intent-0" || len(intents(t, res)) != 0 || len(on(res, ledger.LoopCap)) != 0 {
			t.Errorf("%s: intent %s, %d made", name, res.Intent, len(intents(t, res)))
		}
		if kinds := opKinds(t, res); len(on(res, ledger.Enquiry)) != 1 || len(kinds) != 2 || kinds[0] != "crm_note" || kinds[1] != "crm_task" {
			t.Errorf("%s: operations %v, want the enquiry with note and task for people", name, kinds)
		}
	}
}

func TestOurMailIsKnownByItsIDInTheThread(t *testing.T) {
	t.Parallel()
	f := content.Facts{
		InReplyTo:  []string{"0100-a@email.amazonses.com"},
		References: []string{"root@example.org", "0100-b@eu-west-1.amazonses.com", "0100-a@email.amazonses.com", "0100-c@amazonses.com.example"},
	}
	var got []string
	for _, k := range decide.RepliesTo(f) {
		if k.Entity != ledger.ProviderMessage || k.Tenant != ledger.NoTenant {
			t.Errorf("key %v", k)
		}
		got = append(got, k.ID)
	}
	want := "ses:0100-a ses:0100-c@amazonses.com.example ses:0100-b ses:root@example.org"
	if strings.Join(got, " ") != want {
		t.Errorf("looks up %v, want %s", got, want)
	}
}

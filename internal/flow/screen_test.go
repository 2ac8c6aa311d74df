package flow_test

import (
	"slices"
	"testing"

	"onefold/internal/contact"
	"onefold/internal/flow"
	"onefold/internal/guard"
	"onefold/internal/inbound"
	"onefold/internal/ledger"
	"onefold/internal/rawmail"
	"onefold/internal/tenant"
)

// screened is the ground of a mail of which the provider warned.
func screened(t tb, m rawmail.Message, v inbound.Verdicts, onSpam, onVirus string) flow.Ground {
	t.Helper()
	g := ground(t, m, tenant.ModeAuto)
	g.Event.Verdicts = v
	g.Policy.Mail = tenant.Mail{OnSpam: onSpam, OnVirus: onVirus}
	if v.IsVirus() {
		g.Facts = flow.FactsOfVirus(g.Event, g.Policy)
	} else {
		g.Facts = flow.Screen(g.Facts, g.Event, g.Policy)
	}
	if !flow.Reader(g.Facts) {
		g.Extraction = nil
	}
	return identified(t, g)
}

var (
	spam  = inbound.Verdicts{Spam: "FAIL", Virus: "PASS"}
	virus = inbound.Verdicts{Spam: "PASS", Virus: "FAIL"}
)

func TestSpamIsForAPersonUnlessThePolicySaysOtherwise(t *testing.T) {
	t.Parallel()
	enquiry := mail(ada, "Do you rent huts?")
	for policy, want := range map[string]string{tenant.ScreenReview: flow.Referred, tenant.ScreenIgnore: inbound.Ignored, tenant.ScreenAccept: inbound.FollowUp} {
		g := screened(t, enquiry, spam, policy, tenant.ScreenReview)
		res := decide(t, g)
		if res.Outcome != want || slices.Contains(res.Reasons, flow.ReasonSpam) == (want == inbound.FollowUp) {
			t.Errorf("%s: %s %v, want %s", policy, res.Outcome, res.Reasons, want)
		}
		if made := len(on(res, ledger.Contact)) + len(on(res, ledger.Intent)); (made == 0) == (want == inbound.FollowUp) {
			t.Errorf("%s: %d contacts and intents", policy, made)
		}
		if asks := flow.Reader(g.Facts); asks == (policy == tenant.ScreenIgnore) {
			t.Errorf("%s: a reader is asked: %v", policy, asks)
		}
	}
	for _, word := range []string{"", "PASS", "GRAY", "PROCESSING_FAILED", "DISABLED", "UNREADABLE"} {
		wants(t, decide(t, screened(t, enquiry, inbound.Verdicts{Spam: word, Virus: word}, tenant.ScreenReview, tenant.ScreenReview)), inbound.FollowUp)
	}
}

func TestAPersonMayLetSpamPass(t *testing.T) {
	t.Parallel()
	g := screened(t, mail(ada, "Do you rent huts?"), spam, tenant.ScreenReview, tenant.ScreenReview)
	res := decide(t, answered(t, g, approve()))
	if res.Outcome != inbound.FollowUp || len(created[contact.Contact](t, res, ledger.Contact)) != 1 {
		t.Errorf("%s %v", res.Outcome, res.Reasons)
	}
}

// A wrong verdict must cost nobody his peace, nor hide that an address is dead.
func TestWishesAndBouncesCountWhateverTheVerdict(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{tenant.ScreenReview, tenant.ScreenIgnore, tenant.ScreenAccept} {
		wants(t, decide(t, screened(t, mail(ada, "unsubscribe"), spam, policy, tenant.ScreenReview)), inbound.OptedOut)
		res := decide(t, proved(t, screened(t, machineMail(rawmail.Bounce, ada, true), spam, policy, tenant.ScreenReview), ada))
		if res.Outcome != inbound.Feedback || len(on(res, ledger.Guard)) != 1 {
			t.Errorf("%s: a bounce comes to %s %v", policy, res.Outcome, res.Reasons)
		}
		doubtful := screened(t, mail(ada, "My colleague asks how she can unsubscribe."), spam, policy, tenant.ScreenReview)
		if doubtful.Facts.OptOut.Verdict != guard.OptOutDoubtful || doubtful.Facts.Dropped {
			t.Fatalf("the words should be doubtful: %+v", doubtful.Facts.OptOut)
		}
		if res := decide(t, doubtful); res.Outcome != flow.Referred {
			t.Errorf("%s: doubtful words come to %s %v", policy, res.Outcome, res.Reasons)
		}
	}
}

// The word lists changed between the hold and the decision: the hold still has
// to end with a person.
func TestWhatHoldsAnAddressIsNotDropped(t *testing.T) {
	t.Parallel()
	g := screened(t, mail(ada, "Do you rent huts?"), spam, tenant.ScreenIgnore, tenant.ScreenReview)
	held := screened(t, mail(ada, "My colleague asks how she can unsubscribe."), spam, tenant.ScreenIgnore, tenant.ScreenReview)
	first := decide(t, held)
	for _, w := range on(first, ledger.Guard) {
		g.Seen.Guard = w.Apply(nil)
	}
	if g.Seen.Guard == nil {
		t.Fatal("nothing is held")
	}
	if res := decide(t, g); res.Outcome != flow.Referred {
		t.Errorf("%s %v, want review", res.Outcome, res.Reasons)
	}
}

func TestAVirusIsNeverReadAndNeverAnswered(t *testing.T) {
	t.Parallel()
	m := mail(ada, "Do you rent huts?")
	for policy, want := range map[string]string{tenant.ScreenReview: flow.Referred, tenant.ScreenIgnore: inbound.Ignored} {
		g := screened(t, m, virus, tenant.ScreenAccept, policy)
		if g.Facts.Source.Visible != "" || g.Facts.Source.FromAddress != "" || flow.Reader(g.Facts) {
			t.Errorf("%s: facts of the content: %+v", policy, g.Facts)
		}
		res := decide(t, g)
		if res.Outcome != want || !slices.Contains(res.Reasons, flow.ReasonVirus) || len(on(res, ledger.Contact))+len(on(res, ledger.Intent)) != 0 {
			t.Errorf("%s: %s %v, want %s", policy, res.Outcome, res.Reasons, want)
		}
	}
	// To approve it gives no address, so nothing follows either.
	res := decide(t, answered(t, screened(t, m, virus, tenant.ScreenReview, tenant.ScreenReview), approve()))
	if res.Outcome != flow.Referred || len(on(res, ledger.Intent)) != 0 {
		t.Errorf("approved: %s %v", res.Outcome, res.Reasons)
	}
	// A spam verdict besides changes nothing.
	both := inbound.Verdicts{Spam: "FAIL", Virus: "FAIL"}
	wants(t, decide(t, screened(t, m, both, tenant.ScreenIgnore, tenant.ScreenReview)), flow.Referred)
}

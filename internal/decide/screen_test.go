package decide_test

import (
	"slices"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/wish"
	"onefold/internal/record/contact"
	"onefold/internal/record/inbound"
)

// screened is the ground of a mail of which the provider warned.
func screened(t tb, m rawmail.Message, v inbound.Verdicts, onSpam, onVirus string) decide.Ground {
	t.Helper()
	g := ground(t, m, tenant.ModeAuto)
	g.Event.Verdicts = v
	g.Policy.Mail = tenant.Mail{OnSpam: onSpam, OnVirus: onVirus}
	if v.IsVirus() {
		g.Facts = content.OfVirus(g.Event, g.Policy)
	} else {
		g.Facts = content.Screen(g.Facts, g.Event, g.Policy)
	}
	if !decide.Reader(g.Facts) {
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
	for policy, want := range map[string]string{tenant.ScreenReview: decide.Referred, tenant.ScreenIgnore: inbound.Ignored, tenant.ScreenAccept: inbound.FollowUp} {
		g := screened(t, enquiry, spam, policy, tenant.ScreenReview)
		res := decideOn(t, g)
		if res.Outcome != want || slices.Contains(res.Reasons, content.ReasonSpam) == (want == inbound.FollowUp) {
			t.Errorf("%s: %s %v, want %s", policy, res.Outcome, res.Reasons, want)
		}
		if made := len(on(res, ledger.Contact)) + len(on(res, ledger.Intent)); (made == 0) == (want == inbound.FollowUp) {
			t.Errorf("%s: %d contacts and intents", policy, made)
		}
		if asks := decide.Reader(g.Facts); asks == (policy == tenant.ScreenIgnore) {
			t.Errorf("%s: a reader is asked: %v", policy, asks)
		}
	}
	for _, word := range []string{"", "PASS", "GRAY", "PROCESSING_FAILED", "DISABLED", "UNREADABLE"} {
		wants(t, decideOn(t, screened(t, enquiry, inbound.Verdicts{Spam: word, Virus: word}, tenant.ScreenReview, tenant.ScreenReview)), inbound.FollowUp)
	}
}

func TestAPersonMayLetSpamPass(t *testing.T) {
	t.Parallel()
	g := screened(t, mail(ada, "Do you rent huts?"), spam, tenant.ScreenReview, tenant.ScreenReview)
	res := decideOn(t, answered(t, g, approve()))
	if res.Outcome != inbound.FollowUp || len(created[contact.Contact](t, res, ledger.Contact)) != 1 {
		t.Errorf("%s %v", res.Outcome, res.Reasons)
	}
}

// A wrong verdict must cost nobody his peace, nor hide that an address is dead.
func TestWishesAndBouncesCountWhateverTheVerdict(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{tenant.ScreenReview, tenant.ScreenIgnore, tenant.ScreenAccept} {
		wants(t, decideOn(t, screened(t, mail(ada, "unsubscribe"), spam, policy, tenant.ScreenReview)), inbound.OptedOut)
		res := decideOn(t, proved(t, screened(t, machineMail(rawmail.Bounce, ada, true), spam, policy, tenant.ScreenReview), ada))
		if res.Outcome != inbound.Feedback || len(on(res, ledger.Guard)) != 1 {
			t.Errorf("%s: a bounce comes to %s %v", policy, res.Outcome, res.Reasons)
		}
		doubtful := screened(t, mail(ada, "My colleague asks how she can unsubscribe."), spam, policy, tenant.ScreenReview)
		if doubtful.Facts.OptOut.Verdict != wish.OptOutDoubtful || doubtful.Facts.Dropped {
			t.Fatalf("the words should be doubtful: %+v", doubtful.Facts.OptOut)
		}
		if res := decideOn(t, doubtful); res.Outcome != decide.Referred {
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
	first := decideOn(t, held)
	for _, w := range on(first, ledger.Guard) {
		g.Seen.Guard = w.Apply(nil)
	}
	if g.Seen.Guard == nil {
		t.Fatal("nothing is held")
	}
	if res := decideOn(t, g); res.Outcome != decide.Referred {
		t.Errorf("%s %v, want review", res.Outcome, res.Reasons)
	}
}

func TestAVirusIsNeverReadAndNeverAnswered(t *testing.T) {
	t.Parallel()
	m := mail(ada, "Do you rent huts?")
	for policy, want := range map[string]string{tenant.ScreenReview: decide.Referred, tenant.ScreenIgnore: inbound.Ignored} {
		g := screened(t, m, virus, tenant.ScreenAccept, policy)
		if g.Facts.Source.Visible != "" || g.Facts.Source.FromAddress != "" || decide.Reader(g.Facts) {
			t.Errorf("%s: facts of the content: %+v", policy, g.Facts)
		}
		res := decideOn(t, g)
		if res.Outcome != want || !slices.Contains(res.Reasons, content.ReasonVirus) || len(on(res, ledger.Contact))+len(on(res, ledger.Intent)) != 0 {
			t.Errorf("%s: %s %v, want %s", policy, res.Outcome, res.Reasons, want)
		}
	}
	// To approve it gives no address, so nothing follows either.
	res := decideOn(t, answered(t, screened(t, m, virus, tenant.ScreenReview, tenant.ScreenReview), approve()))
	if res.Outcome != decide.Referred || len(on(res, ledger.Intent)) != 0 {
		t.Errorf("approved: %s %v", res.Outcome, res.Reasons)
	}
	// A spam verdict besides changes nothing.
	both := inbound.Verdicts{Spam: "FAIL", Virus: "FAIL"}
	wants(t, decideOn(t, screened(t, m, both, tenant.ScreenIgnore, tenant.ScreenReview)), decide.Referred)
}

package decide_test

import (
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/inbound"
)

// blockedBy is the ground of a mail under a policy that blocks senders.
func blockedBy(t tb, m rawmail.Message, blocked ...string) decide.Ground {
	t.Helper()
	g := ground(t, m, tenant.ModeAuto)
	g.Policy.Mail.Blocked = blocked
	g.Facts = content.Screen(g.Facts, g.Event, g.Policy)
	if !decide.Reader(g.Facts) {
		g.Extraction = nil
	}
	return identified(t, g)
}

func TestWhatABlockedSenderWritesLeadsToNothing(t *testing.T) {
	t.Parallel()
	fromElsewhere := mail(other, question)
	fromElsewhere.ReplyTo = []rawmail.Mailbox{{Address: "ADA+1@example.org"}}
	for name, m := range map[string]rawmail.Message{"from": mail(ada, question), "reply-to": fromElsewhere, "by a form of ours": relay(question)} {
		g := blockedBy(t, m, "a.da@example.org")
		res := decideOn(t, g)
		wants(t, res, inbound.Ignored, content.ReasonBlocked)
		if len(res.Reasons) != 1 || decide.Reader(g.Facts) {
			t.Errorf("%s: reasons %v, a reader is asked: %t", name, res.Reasons, decide.Reader(g.Facts))
		}
		for _, w := range res.Commit.Writes {
			if w.Key.Entity != ledger.Event && w.Key.Entity != ledger.Audit {
				t.Errorf("%s: writes %s", name, w.Key.Entity)
			}
		}
	}
	wants(t, decideOn(t, blockedBy(t, mail(ada, question), "@elsewhere.example")), inbound.FollowUp)
	// The provider's warning asks for a person; a block asks for nobody.
	g := screened(t, mail(ada, question), spam, tenant.ScreenReview, tenant.ScreenReview)
	g.Policy.Mail.Blocked = []string{"@example.org"}
	g.Facts = content.Screen(g.Facts, g.Event, g.Policy)
	wants(t, decideOn(t, g), inbound.Ignored, content.ReasonBlocked)
}

func TestABlockedSendersWishesAndReportsCount(t *testing.T) {
	t.Parallel()
	res := decideOn(t, blockedBy(t, mail(ada, "unsubscribe"), "@example.org"))
	wants(t, res, inbound.OptedOut)
	if len(on(res, ledger.Guard)) != 1 {
		t.Error("nobody is stopped")
	}
	g := blockedBy(t, mail(ada, "My colleague asks how she can unsubscribe."), "@example.org")
	res = decideOn(t, g)
	wants(t, res, decide.Referred, "possible_opt_out", content.ReasonBlocked)
	if held := on(res, ledger.Guard); len(held) != 1 || held[0].Item["hold"] == nil {
		t.Error("nobody is held")
	}
	for _, kind := range []rawmail.Kind{rawmail.Bounce, rawmail.Complaint} {
		res = decideOn(t, proved(t, blockedBy(t, machineMail(kind, ada, true), "@example.org", "@mx.example.org"), ada))
		wants(t, res, inbound.Feedback, "address_stopped")
	}
}

// A person who has it before him may go on with it all the same.
func TestAPersonsWordStandsAboveABlock(t *testing.T) {
	t.Parallel()
	g := ground(t, mail(ada, question), tenant.ModeAuto)
	g.Facts.Doubts = []string{rawmail.DoubtMark}
	g = answered(t, g, approve())
	g.Policy.Mail.Blocked = []string{ada}
	g.Facts = content.Screen(g.Facts, g.Event, g.Policy)
	res := decideOn(t, g)
	if res.Outcome != decide.Referred {
		t.Fatalf("%s %v: it came up since he saw it", res.Outcome, res.Reasons)
	}
	wants(t, res, decide.Referred, content.ReasonBlocked)
	g.Seen.Task.Reasons = res.Reasons
	wants(t, decideOn(t, g), inbound.FollowUp)
}

func TestAMarkThatIsNotOursIsForAPersonToLookAt(t *testing.T) {
	t.Parallel()
	m := mail(ada, question)
	m.Doubts = []string{rawmail.DoubtMark}
	g := ground(t, m, tenant.ModeAuto)
	wants(t, decideOn(t, g), decide.Referred, rawmail.DoubtMark)
	wants(t, decideOn(t, answered(t, g, approve())), inbound.FollowUp)
	m = mail(ada, "unsubscribe")
	m.Doubts = []string{rawmail.DoubtMark}
	wants(t, decideOn(t, ground(t, m, tenant.ModeAuto)), inbound.OptedOut)
}

package decide_test

import (
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
)

// passedOn is a customer's mail that a colleague forwards, as the parser gives it.
func passedOn(text string) rawmail.Message {
	m := mail(ours, "Please take this.")
	m.Kind, m.KindReasons = rawmail.Own, []string{"own_from_address"}
	m.InReplyTo, m.References = []string{"earlier@example.net"}, []string{"earlier@example.net"}
	m.Forwarded = &rawmail.Forwarded{From: rawmail.Mailbox{Name: "Ada Lovelace", Address: ada}, Subject: "Huts", Visible: text}
	return m
}

func TestWhatAColleagueForwardsIsAskedAboutAndAnsweredToItsSender(t *testing.T) {
	t.Parallel()
	g := ground(t, passedOn(question), tenant.ModeAuto)
	if got := g.Person.Address.String(); got != ada {
		t.Fatalf("it is about %q", got)
	}
	if g.Facts.Source.Visible != question {
		t.Errorf("the reader sees %q", g.Facts.Source.Visible)
	}
	wants(t, decideOn(t, g), decide.Referred, rawmail.DoubtForwarded)
	res := decideOn(t, answered(t, g, approve()))
	wants(t, res, inbound.FollowUp)
	// The colleague's mail is not in the customer's thread.
	if i := intents(t, res); len(i) != 1 || i[0].Recipient != ada || i[0].InReplyTo != "" || i[0].References != "" {
		t.Errorf("intents %+v", i)
	}
}

func TestAForwardedOptOutHoldsAndAsks(t *testing.T) {
	t.Parallel()
	res := decideOn(t, ground(t, passedOn("unsubscribe"), tenant.ModeAuto))
	wants(t, res, decide.Referred, rawmail.DoubtForwarded, "possible_opt_out")
	held := on(res, ledger.Guard)
	if len(held) != 1 || held[0].Item["address"] != ada || guard.Blocks(held[0].Item, "follow_up") != "opt_out_in_doubt" {
		t.Errorf("held %+v", held)
	}
}

func TestDoubtsOfTheParserGoToAPerson(t *testing.T) {
	t.Parallel()
	for _, word := range []string{rawmail.DoubtForwarded, rawmail.DoubtRedirected, rawmail.DoubtCalendar} {
		m := mail(ada, question)
		m.Doubts = []string{word}
		g := ground(t, m, tenant.ModeAuto)
		wants(t, decideOn(t, g), decide.Referred, word)
		wants(t, decideOn(t, answered(t, g, approve())), inbound.FollowUp)
	}
	// A plain wish not to be mailed asks nobody.
	m := mail(ada, "unsubscribe")
	m.Doubts = []string{rawmail.DoubtRedirected}
	wants(t, decideOn(t, ground(t, m, tenant.ModeAuto)), inbound.OptedOut)
}

func TestAForwardingConfirmationReachesAPersonAndMakesNothing(t *testing.T) {
	t.Parallel()
	m := mail("forwarding-noreply@google.com", "Confirmation code: 123456789")
	m.Kind, m.KindReasons = rawmail.AutoReply, []string{rawmail.ForwardingConfirmation}
	g := ground(t, m, tenant.ModeAuto)
	wants(t, decideOn(t, g), decide.Referred, rawmail.ForwardingConfirmation)
	for _, a := range []decide.Answer{approve(), {}} {
		res := decideOn(t, answered(t, g, a))
		if res.Outcome == decide.Referred || len(on(res, ledger.Contact))+len(on(res, ledger.Intent))+len(on(res, ledger.Guard)) != 0 {
			t.Errorf("%+v: %s writes too much", a, res.Outcome)
		}
	}
}

package decide_test

import (
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
)

// relay is what a form at our own site writes to us.
func relay(text string) rawmail.Message {
	m := mail(ours, text)
	m.Kind, m.KindReasons = rawmail.Own, []string{"own_from_address"}
	m.ReplyTo = []rawmail.Mailbox{{Name: "Ada Lovelace", Address: ada}}
	m.Relayed = &m.ReplyTo[0]
	return m
}

func TestAFormUnderOurOwnAddressGoesToAPersonWithItsReplyTo(t *testing.T) {
	t.Parallel()
	g := ground(t, relay(question), tenant.ModeAuto)
	if got := g.Person.Address.String(); got != ada {
		t.Fatalf("it is about %q", got)
	}
	res := decideOn(t, g)
	wants(t, res, decide.Referred, content.ReasonFormRelay)
	if n := len(on(res, ledger.Guard)); n != 0 {
		t.Errorf("%d guards", n)
	}
	res = decideOn(t, answered(t, g, approve()))
	wants(t, res, inbound.FollowUp)
	if i := intents(t, res); len(i) != 1 || i[0].Recipient != ada {
		t.Errorf("intents %+v", i)
	}
	wants(t, decideOn(t, answered(t, g, decide.Answer{})), inbound.Dismissed)
}

func TestAnOptOutByAFormUnderOurOwnAddressHoldsAndAsks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"unsubscribe", "Please remove me from your list."} {
		res := decideOn(t, ground(t, relay(text), tenant.ModeAuto))
		wants(t, res, decide.Referred, content.ReasonFormRelay, "possible_opt_out")
		held := on(res, ledger.Guard)
		if len(held) != 1 || held[0].Item["address"] != ada || guard.Blocks(held[0].Item, "follow_up") != "opt_out_in_doubt" {
			t.Errorf("held %+v", held)
		}
	}
}

func listMail(text string, reasons ...string) rawmail.Message {
	m := mail(ada, text)
	m.Kind, m.KindReasons = rawmail.List, reasons
	return m
}

func TestOptOutWordsThroughAListAreHeard(t *testing.T) {
	t.Parallel()
	const (
		plain      = "Please remove me from your list."
		asked      = "My colleague asks how she can unsubscribe."
		footer     = "\n_____________\nTo unsubscribe send a mail to l-leave@lists.example"
		newsletter = "Forty kinds of tulips.\n\nIf you no longer wish to receive these emails, you can unsubscribe here.\n\nUnsubscribe | Preferences"
	)
	group, mass := []string{"list_id", "list_post", "list_unsubscribe"}, []string{"list_id", "list_unsubscribe"}
	for _, c := range []struct {
		name, text    string
		reasons       []string
		outcome       string
		stopped, held bool
	}{
		{"plain, group", plain + footer, group, inbound.OptedOut, true, false},
		{"plain, bulk", plain, []string{"precedence_bulk"}, inbound.OptedOut, true, false},
		{"plain, mass mail", plain, mass, inbound.OptedOut, true, false},
		{"doubtful, group", asked + footer, group, decide.Referred, false, true},
		{"doubtful, bulk", asked, []string{"precedence_bulk"}, decide.Referred, false, true},
		{"talk in a group", question + footer, group, inbound.Ignored, false, false},
		{"talk, footer with links", question + "\n\nUnsubscribe: https://lists.example/leave", group, inbound.Ignored, false, false},
		{"newsletter", newsletter, mass, inbound.Ignored, false, false},
	} {
		res := decideOn(t, ground(t, listMail(c.text, c.reasons...), tenant.ModeAuto))
		wants(t, res, c.outcome)
		stopped, held := false, false
		for _, w := range on(res, ledger.Guard) {
			stopped = stopped || w.Item["stop_all"] != nil
			held = held || w.Item["hold"] != nil
		}
		if stopped != c.stopped || held != c.held {
			t.Errorf("%s: stopped %t, held %t", c.name, stopped, held)
		}
	}
}

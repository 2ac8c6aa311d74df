package decide_test

import (
	"slices"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
)

func TestAPlainOptOutAsksNoReader(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"unsubscribe": false, "please remove me from your list": false, question: true} {
		if got := decide.Reader(content.OfMail(mail(ada, text))); got != want {
			t.Errorf("%q: reader %t", text, got)
		}
	}
	for _, kind := range []rawmail.Kind{rawmail.AutoReply, rawmail.Bounce, rawmail.Complaint, rawmail.List, rawmail.Own, rawmail.Unparseable} {
		m := mail(ada, question)
		m.Kind = kind
		if decide.Reader(content.OfMail(m)) {
			t.Errorf("a reader is asked of %s", kind)
		}
	}
}

func TestAPlainOptOutStopsRaisesAndCancelsInOneCommit(t *testing.T) {
	t.Parallel()
	res := decideOn(t, known(ground(t, mail(ada, "unsubscribe"), tenant.ModeAuto)))
	wants(t, res, inbound.OptedOut, "opt_out_words")
	g := on(res, ledger.Guard)
	if len(g) != 1 || guard.Blocks(g[0].Item, "follow_up") != "suppressed_all" || g[0].Item["reason"] != guard.ReasonOptOut {
		t.Fatalf("guard %+v", g)
	}
	if w := updated(t, res, ledger.Contact); w.Set["consent_version"] != int64(4) {
		t.Errorf("contact %v", w.Set)
	}
	ops := created[outbox.Operation](t, res, ledger.Operation)
	if len(ops) != 1 || ops[0].Kind != outbox.CancelIntents || ops[0].Guard != g[0].Key.ID || ops[0].Contact != "contact-1" {
		t.Errorf("operations %+v", ops)
	}
	if n := len(on(res, ledger.Intent)) + len(on(res, ledger.Enquiry)); n != 0 {
		t.Errorf("%d intents and enquiries", n)
	}
}

func TestAnOptOutOfSomebodyUnknownStandsOnHerBeingUnknown(t *testing.T) {
	t.Parallel()
	res := decideOn(t, ground(t, mail(ada, "unsubscribe"), tenant.ModeAuto))
	wants(t, res, inbound.OptedOut)
	ks := on(res, ledger.ContactKey)
	if len(ks) != 1 || ks[0].Op != ledger.OpCheck || ks[0].Allowed(ledger.Item{"contact": "made-meanwhile"}) || !ks[0].Allowed(nil) {
		t.Errorf("key %+v", ks)
	}
	if len(on(res, ledger.Contact)) != 0 {
		t.Error("an opt-out makes a contact")
	}
}

func TestAnOptOutWithoutAnAddressGoesToAPerson(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"", "ada at example"} {
		g := ground(t, mail(from, "unsubscribe"), tenant.ModeAuto)
		wants(t, decideOn(t, g), decide.Referred, "opt_out_without_address")
		wants(t, decideOn(t, answered(t, g, approve())), decide.Referred)
		res := decideOn(t, answered(t, g, decide.Answer{Approve: true, Address: other}))
		wants(t, res, inbound.OptedOut)
		if w := on(res, ledger.Guard); len(w) != 1 || w[0].Item["address"] != other {
			t.Errorf("guard %+v", w)
		}
	}
}

// TestReading04AnOptOutStopsFromAndHoldsAnotherReplyTo: anybody can write a Reply-To, so a
// person is asked whose wish it is, and until then nobody is mailed.
func TestReading04AnOptOutStopsFromAndHoldsAnotherReplyTo(t *testing.T) {
	t.Parallel()
	m := mail("notification@forms.example", "unsubscribe")
	m.ReplyTo = []rawmail.Mailbox{{Address: ada}}
	g := ground(t, m, tenant.ModeAuto)
	if len(g.Also) != 1 || g.Also[0].Person.Address.String() != ada {
		t.Fatalf("also %+v", g.Also)
	}
	g.Also[0].Key = &contact.Key{ID: g.Also[0].Person.KeyID, Contact: "contact-1"}
	g.Also[0].Contact = &contact.Contact{ID: "contact-1", Status: contact.Active, ConsentVersion: 3, Transition: 7}
	says := func(res decide.Result) map[any]string {
		words := map[any]string{}
		for _, w := range on(res, ledger.Guard) {
			words[w.Item["address"]] = guard.Blocks(w.Item, "follow_up")
		}
		return words
	}
	res := decideOn(t, g)
	wants(t, res, decide.Referred, "opt_out_words", decide.ReasonReplyTo)
	if got := says(res); len(got) != 2 || got[ada] != "opt_out_in_doubt" || got["notification@forms.example"] != "suppressed_all" {
		t.Errorf("guards %v", got)
	}
	if len(on(res, ledger.Contact)) != 0 || len(opKinds(t, res)) != 1 {
		t.Errorf("contacts %v, operations %v", on(res, ledger.Contact), opKinds(t, res))
	}
	yes := answered(t, g, approve())
	res = decideOn(t, yes)
	wants(t, res, inbound.OptedOut)
	if after := guardOf(res, yes.Also[0]); guard.Blocks(after, "any") != "suppressed_all" {
		t.Errorf("after a yes: %v", after)
	}
	if w := updated(t, res, ledger.Contact); w.Set["consent_version"] != int64(4) {
		t.Errorf("contact %v", w.Set)
	}
	no := answered(t, g, decide.Answer{})
	res = decideOn(t, no)
	wants(t, res, inbound.Dismissed)
	if after := guardOf(res, no.Also[0]); after == nil || guard.Blocks(after, "any") != "" {
		t.Errorf("after a no: %v", after)
	}
	if after := guardOf(res, main(no)); after != nil {
		t.Errorf("a no moves what the wish came from: %v", after)
	}
	// Both addresses of one contact: both are stopped, and its item appears once.
	g.Seen.Key = &contact.Key{ID: g.Person.KeyID, Contact: "contact-1"}
	g.Seen.Contact, g.Also[0].Guard = g.Also[0].Contact, nil
	res = decideOn(t, g)
	wants(t, res, inbound.OptedOut)
	if got := says(res); got[ada] != "suppressed_all" || got["notification@forms.example"] != "suppressed_all" {
		t.Errorf("guards %v", got)
	}
	updated(t, res, ledger.Contact)
}

func TestADoubtfulWishHoldsEveryAddressItMayComeFrom(t *testing.T) {
	t.Parallel()
	m := mail(ada, question)
	m.ReplyTo = []rawmail.Mailbox{{Address: other}}
	g := ground(t, m, tenant.ModeAuto)
	g.Extraction.Record.PossibleOptOut = true
	g = identified(t, g)
	held := on(decideOn(t, g), ledger.Guard)
	if len(held) != 2 {
		t.Fatalf("%d guards held, want 2", len(held))
	}
	res := decideOn(t, answered(t, g, approve()))
	wants(t, res, inbound.FollowUp)
	for _, w := range on(res, ledger.Guard) {
		if !slices.Contains(w.Remove, "hold") {
			t.Errorf("a hold stays: %v", w.Set)
		}
	}
}

func TestWhoseReplyToIsOursOrTheSameIsOnePerson(t *testing.T) {
	t.Parallel()
	for _, replyTo := range []string{ours, "ADA+mail@example.org", "", "broken"} {
		m := mail(ada, "unsubscribe")
		m.ReplyTo = []rawmail.Mailbox{{Address: replyTo}}
		g := ground(t, m, tenant.ModeAuto)
		if res := decideOn(t, g); len(on(res, ledger.Guard)) != 1 {
			t.Errorf("Reply-To %q: %d guards", replyTo, len(on(res, ledger.Guard)))
		}
	}
	m := mail("broken", "unsubscribe")
	m.ReplyTo = []rawmail.Mailbox{{Address: ada}}
	res := decideOn(t, ground(t, m, tenant.ModeAuto))
	wants(t, res, inbound.OptedOut) // the one address there is
}

func TestTheFirstStopsTimeAndThePersonsReasonStay(t *testing.T) {
	t.Parallel()
	g := guarded(known(ground(t, mail(ada, "unsubscribe"), tenant.ModeAuto)), ledger.Item{"stop_all": "2026-01-01T00:00:00.000Z", "reason": "bounce"})
	w := updated(t, decideOn(t, g), ledger.Guard)
	if _, set := w.Set["stop_all"]; set || w.Set["reason"] != guard.ReasonOptOut {
		t.Errorf("set %v", w.Set)
	}
	m := machineMail(rawmail.Bounce, ada, true)
	g = guarded(proved(t, ground(t, m, tenant.ModeAuto), ada), ledger.Item{"stop_all": "2026-01-01T00:00:00.000Z", "reason": "opt_out", "bounces": int64(2)})
	w = updated(t, decideOn(t, g), ledger.Guard)
	// Else lifting the bounce would lift her opt-out.
	if _, set := w.Set["reason"]; set || w.Set["bounces"] != int64(3) {
		t.Errorf("set %v", w.Set)
	}
}

func machineMail(kind rawmail.Kind, address string, hard bool) rawmail.Message {
	m := mail("mailer-daemon@example.org", "text")
	m.Kind = kind
	m.Suppression = &rawmail.Suppression{Address: address, Hard: hard}
	return m
}

func TestMachineMailMakesNothingAndStopsOnlyWhatItProves(t *testing.T) {
	t.Parallel()
	none := func(kind rawmail.Kind) rawmail.Message {
		m := mail(ada, "unsubscribe") // a machine's words are nobody's wish
		m.Kind = kind
		return m
	}
	list := mail(ada, question) // opt-out words through a list are heard: heard_test.go
	list.Kind = rawmail.List
	for name, c := range map[string]struct {
		m       rawmail.Message
		outcome string
		stopped bool
		reason  string
	}{
		"hard bounce":            {machineMail(rawmail.Bounce, ada, true), inbound.Feedback, true, "address_stopped"},
		"soft bounce":            {machineMail(rawmail.Bounce, ada, false), inbound.Feedback, false, "bounce"},
		"bounce without address": {machineMail(rawmail.Bounce, "", true), inbound.Feedback, false, "bounce"},
		"bounce, address broken": {machineMail(rawmail.Bounce, "nobody", true), inbound.Feedback, false, "bounce"},
		"bounce, nothing known":  {none(rawmail.Bounce), inbound.Feedback, false, "bounce"},
		"complaint":              {machineMail(rawmail.Complaint, ada, true), inbound.Feedback, true, "address_stopped"},
		"complaint of nobody":    {machineMail(rawmail.Complaint, "", true), decide.Referred, false, "complaint_without_address"},
		"no-spam report":         {machineMail(rawmail.Complaint, ada, false), inbound.Feedback, false, "complaint"},
		"auto-reply":             {none(rawmail.AutoReply), inbound.Ignored, false, "auto_reply"},
		"list":                   {list, inbound.Ignored, false, "list"},
		"our own":                {none(rawmail.Own), inbound.Ignored, false, "own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := decideOn(t, proved(t, ground(t, c.m, tenant.ModeAuto), ada))
			wants(t, res, c.outcome, c.reason)
			if got := len(on(res, ledger.Guard)) == 1; got != c.stopped {
				t.Errorf("stopped %t", got)
			}
			for _, e := range []ledger.Entity{ledger.Contact, ledger.Enquiry, ledger.Intent, ledger.MatchDecision} {
				if len(on(res, e)) != 0 {
					t.Errorf("machine mail writes %s", e)
				}
			}
			if !c.stopped && len(on(res, ledger.Operation)) != 0 {
				t.Error("an operation")
			}
		})
	}
}

func TestAComplaintOfNobodyIsSettledByAnAddress(t *testing.T) {
	t.Parallel()
	g := ground(t, machineMail(rawmail.Complaint, "", true), tenant.ModeAuto)
	wants(t, decideOn(t, answered(t, g, approve())), decide.Referred)
	res := decideOn(t, answered(t, g, decide.Answer{Approve: true, Address: ada}))
	wants(t, res, inbound.Feedback, "address_stopped")
	if w := on(res, ledger.Guard); len(w) != 1 || w[0].Item["reason"] != guard.ReasonComplaint {
		t.Errorf("guard %+v", w)
	}
}

func TestAnOptOutFromASharedInboxStopsTheInbox(t *testing.T) {
	t.Parallel()
	res := decideOn(t, ground(t, mail(info, "unsubscribe"), tenant.ModeAuto))
	wants(t, res, inbound.OptedOut)
	if w := on(res, ledger.Guard); len(w) != 1 || w[0].Item["address"] != info {
		t.Errorf("guard %+v", w)
	}
}

func TestFormsAreDecidedAsMailsAre(t *testing.T) {
	t.Parallel()
	e := inbound.Event{Tenant: "demo", ID: "form/website/1", Source: "form", Content: tenant.ContentForm}
	f := content.OfForm(e, tenant.FormValues{Email: ada, Message: "unsubscribe"})
	if !f.OptOutPlain() || decide.AddressOf(f, nil, nil) != ada {
		t.Errorf("facts %+v", f)
	}
	other := e
	other.ID = "form/website/2"
	if content.OfForm(other, tenant.FormValues{Email: ada}).Cause == content.OfForm(e, tenant.FormValues{Email: ada}).Cause {
		t.Error("two forms are one cause")
	}
	if content.Unread(e, "raw_missing").Cause == content.Unread(other, "raw_missing").Cause || content.Unread(e, "x").Cause == "" {
		t.Error("two contents that could not be read are one cause")
	}
}

func TestTheCauseOfAMailIsTheMail(t *testing.T) {
	t.Parallel()
	a, b := mail(ada, question), mail(ada, question)
	if content.OfMail(a).Cause != content.OfMail(b).Cause {
		t.Error("one mail in two mailboxes is two causes")
	}
	b.ContentHash = "c2"
	if content.OfMail(a).Cause == content.OfMail(b).Cause {
		t.Error("a stranger who reuses a Message-ID is taken for the same cause")
	}
	b = mail(ada, question)
	b.MessageID = "m2@example.org"
	if content.OfMail(a).Cause == content.OfMail(b).Cause {
		t.Error("the same words in a second mail are taken for the same cause")
	}
}

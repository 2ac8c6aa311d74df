package decide_test

import (
	"slices"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/wish"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
)

// TestWhatGoesToAPerson: each ground for review, alone, with what an approval
// then does and what an approval with an address does.
func TestWhatGoesToAPerson(t *testing.T) {
	t.Parallel()
	read := func(change func(*reader.Stored)) func(*decide.Ground) {
		return func(g *decide.Ground) { change(g.Extraction) }
	}
	for name, c := range map[string]struct {
		from      string
		change    func(*decide.Ground)
		reason    string
		approved  string // outcome of an approval as it is
		addressed string // outcome of an approval with an address; "" not tried
	}{
		"missing address":  {"", nil, match.ReasonNoKey, decide.Referred, inbound.FollowUp},
		"broken address":   {"ada at example", nil, match.ReasonBadAddress, decide.Referred, inbound.FollowUp},
		"shared inbox":     {info, nil, match.ReasonSharedInbox, inbound.FollowUp, inbound.FollowUp},
		"our own address":  {ours, nil, match.ReasonOwnAddress, decide.Referred, inbound.FollowUp},
		"role address":     {"no-reply@example.org", nil, match.ReasonRoleAddress, inbound.FollowUp, inbound.FollowUp},
		"low confidence":   {ada, read(func(x *reader.Stored) { x.Record.SenderEmail.Confidence = 69 }), "low_confidence", inbound.FollowUp, ""},
		"reader's reason":  {ada, read(func(x *reader.Stored) { x.Reasons = []string{reader.SenderDiffers} }), reader.SenderDiffers, inbound.FollowUp, ""},
		"reader fails":     {ada, read(func(x *reader.Stored) { x.Reasons = []string{"reader_unavailable"} }), "reader_unavailable", inbound.FollowUp, ""},
		"reader is unsure": {ada, read(func(x *reader.Stored) { x.Record.NeedsHumanReview = true }), "reader_asks_for_review", inbound.FollowUp, ""},
		"reader says why": {ada, read(func(x *reader.Stored) {
			x.Record.NeedsHumanReview, x.Record.ReviewReasons = true, []string{"legal_or_privacy_request"}
		}), "legal_or_privacy_request", inbound.FollowUp, ""},
		"fault of a form":   {ada, func(g *decide.Ground) { g.Facts.Doubts = []string{"phone_too_long"} }, "phone_too_long", inbound.FollowUp, ""},
		"unreadable":        {ada, func(g *decide.Ground) { g.Facts.Kind, g.Extraction = rawmail.Unparseable, nil }, "unparseable", inbound.FollowUp, inbound.FollowUp},
		"possible opt-out":  {ada, read(func(x *reader.Stored) { x.Record.PossibleOptOut = true }), "possible_opt_out", inbound.FollowUp, ""},
		"doubtful words":    {ada, func(g *decide.Ground) { g.Facts.OptOut.Verdict = wish.OptOutDoubtful }, "possible_opt_out", inbound.FollowUp, ""},
		"no mail renders":   {ada, func(g *decide.Ground) { g.Policy.Sender.PostalAddress = "" }, "mail_not_rendered", decide.Referred, ""},
		"contact is erased": {ada, func(g *decide.Ground) { *g = known(*g); g.Seen.Contact.Status = contact.Erased }, match.ReasonContactErased, decide.Referred, ""},
		"key without owner": {ada, func(g *decide.Ground) { *g = known(*g); g.Seen.Contact = nil }, match.ReasonContactErased, decide.Referred, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := ground(t, mail(c.from, question), tenant.ModeDraft)
			if c.change != nil {
				c.change(&g)
			}
			res := decideOn(t, g)
			wants(t, res, decide.Referred, c.reason)
			tasks := created[review.Task](t, res, ledger.ReviewTask)
			if len(tasks) != 1 || tasks[0].Kind != review.DecideEvent || !slices.Equal(tasks[0].Reasons, res.Reasons) || tasks[0].OpenFor != "demo" {
				t.Fatalf("tasks %+v", tasks)
			}
			if w := updated(t, res, ledger.Event); w.Set["state"] != inbound.InReview || w.Set["review"] != tasks[0].ID {
				t.Errorf("event %v", w.Set)
			}
			again := decideOn(t, answered(t, g, approve()))
			wants(t, again, c.approved)
			checkAnswer(t, again, c.approved, "approved")
			if c.addressed != "" {
				again = decideOn(t, answered(t, g, decide.Answer{Approve: true, Address: other}))
				wants(t, again, c.addressed)
				if i := intents(t, again); len(i) != 1 || i[0].Recipient != other {
					t.Errorf("intents %+v", i)
				}
			}
			no := decideOn(t, answered(t, g, decide.Answer{}))
			wants(t, no, inbound.Dismissed, "person_said_no")
			checkAnswer(t, no, inbound.Dismissed, "rejected")
		})
	}
}

// checkAnswer looks at what the answer does to task and event.
func checkAnswer(t *testing.T, res decide.Result, outcome, state string) {
	t.Helper()
	task := updated(t, res, ledger.ReviewTask)
	if outcome == decide.Referred {
		if task.Set["state"] != review.Open || len(on(res, ledger.Event)) != 0 || slices.Contains(task.Remove, "open_for") {
			t.Errorf("the task does not stay open: %v", task.Set)
		}
		return
	}
	if task.Set["state"] != state || !slices.Contains(task.Remove, "open_for") || task.Set["answered_by"] != "person:grace" {
		t.Errorf("task %v", task.Set)
	}
	if e := updated(t, res, ledger.Event); e.Set["state"] != inbound.Decided {
		t.Errorf("event %v", e.Set)
	}
}

func TestALimitOfConfidenceNeverLetsAnythingPass(t *testing.T) {
	t.Parallel()
	g := ground(t, mail(info, question), tenant.ModeAuto)
	g.Extraction.Record.SenderEmail.Confidence = 100
	wants(t, decideOn(t, g), decide.Referred, match.ReasonSharedInbox)
	g = ground(t, mail(ada, question), tenant.ModeAuto)
	g.Extraction.Record.SenderEmail.Confidence = 70 // the limit itself
	wants(t, decideOn(t, g), inbound.FollowUp)
}

func TestAnApprovedSharedInboxMakesAContactWithoutKey(t *testing.T) {
	t.Parallel()
	g := ground(t, mail(info, question), tenant.ModeAuto)
	res := decideOn(t, answered(t, g, approve()))
	cs := created[contact.Contact](t, res, ledger.Contact)
	if len(cs) != 1 || len(cs[0].Keys) != 0 || len(on(res, ledger.ContactKey)) != 0 {
		t.Fatalf("contacts %+v, %d keys", cs, len(on(res, ledger.ContactKey)))
	}
	// The same mail in a second mailbox, approved too, leads to the same contact.
	g.Event.ID = "mail/second/m1"
	if res := decideOn(t, answered(t, g, approve())); res.Contact != cs[0].ID {
		t.Error("a second contact for one cause")
	}
	g.Facts.Cause = "another"
	if res := decideOn(t, answered(t, g, approve())); res.Contact == cs[0].ID {
		t.Error("two enquiries out of a shared inbox became one person")
	}
}

func TestAKeyMarkedSharedIdentifiesNobody(t *testing.T) {
	t.Parallel()
	g := known(ground(t, mail(ada, question), tenant.ModeAuto))
	g.Seen.Key.Shared, g.Seen.Contact = true, nil
	wants(t, decideOn(t, g), decide.Referred, match.ReasonSharedInbox)
	res := decideOn(t, answered(t, g, approve()))
	if cs := created[contact.Contact](t, res, ledger.Contact); len(cs) != 1 || len(cs[0].Keys) != 0 || cs[0].ID == "contact-1" {
		t.Errorf("contacts %+v", cs)
	}
}

// TestWhatCameUpSinceIsANewQuestion: an answer is bound to the reasons that
// the person was shown.
func TestWhatCameUpSinceIsANewQuestion(t *testing.T) {
	t.Parallel()
	g := ground(t, mail(ada, question), tenant.ModeAuto)
	g.Extraction.Record.SenderEmail.Confidence = 10
	g = answered(t, g, approve())
	g = known(g)
	g.Seen.Contact.Name = "Ada King" // made by another event while he looked
	res := decideOn(t, g)
	wants(t, res, decide.Referred, match.ReasonFieldConflict, "low_confidence")
	checkAnswer(t, res, decide.Referred, "")
	g.Seen.Task.Reasons = res.Reasons // now he has seen it
	wants(t, decideOn(t, g), inbound.FollowUp)

	g = answered(t, ground(t, mail("", question), tenant.ModeAuto), decide.Answer{Approve: true, Address: info})
	res = decideOn(t, g)
	wants(t, res, decide.Referred, match.ReasonSharedInbox)
	g.Seen.Task.Reasons = res.Reasons
	wants(t, decideOn(t, g), inbound.FollowUp)
}

func TestAnAnswerWithoutATaskIsAFaultAndNoPanic(t *testing.T) {
	t.Parallel()
	g := ground(t, mail("", question), tenant.ModeAuto)
	g.Answer = &decide.Answer{Approve: true}
	if _, err := decide.DecideGround(g, key(t)); err == nil {
		t.Error("decided")
	}
}

func TestDoubtfulWordsHoldTheAddressUntilAPersonApproves(t *testing.T) {
	t.Parallel()
	g := known(ground(t, mail(ada, question), tenant.ModeAuto))
	g.Facts.OptOut.Verdict = wish.OptOutDoubtful
	res := decideOn(t, g)
	guards := on(res, ledger.Guard)
	if len(guards) != 1 || guards[0].Op != ledger.OpCreate || guard.Blocks(guards[0].Item, "follow_up") != "opt_out_in_doubt" {
		t.Fatalf("guard %+v", guards)
	}
	no := decideOn(t, answered(t, g, decide.Answer{}))
	wants(t, no, inbound.Dismissed)
	if len(on(no, ledger.Guard)) != 0 {
		t.Error("a rejection touches the hold")
	}
	yes := decideOn(t, answered(t, g, approve()))
	wants(t, yes, inbound.FollowUp)
	if w := updated(t, yes, ledger.Guard); !slices.Contains(w.Remove, "hold") || !slices.Contains(w.Remove, "hold_review") {
		t.Errorf("the hold is not lifted: %v %v", w.Set, w.Remove)
	}
}

func TestAnApprovalLiftsItsOwnHoldOnly(t *testing.T) {
	t.Parallel()
	doubtful := func(m rawmail.Message) decide.Ground {
		g := known(ground(t, m, tenant.ModeAuto))
		g.Facts.OptOut.Verdict = wish.OptOutDoubtful
		return g
	}
	second := mail(ada, "another text")
	second.MessageID = "m2@example.org"
	for name, before := range map[string]ledger.Item{
		"of another mail": updatedGuard(t, doubtful(second)),
		"put by hand":     {"hold": start.String(), "transition": int64(1)},
	} {
		g := doubtful(mail(ada, question))
		g.Seen.Guard = before
		g = answered(t, g, approve())
		res := decideOn(t, g)
		wants(t, res, inbound.Suppressed, "opt_out_in_doubt")
		w := updated(t, res, ledger.Guard)
		if after := w.Apply(g.Seen.Guard); guard.Blocks(after, "follow_up") != "opt_out_in_doubt" || len(intents(t, res)) != 0 {
			t.Errorf("%s: the hold of another is lifted", name)
		}
	}
	// Both looked at: now it is lifted.
	g := doubtful(mail(ada, question))
	g.Seen.Guard = updatedGuard(t, doubtful(second))
	g = answered(t, g, approve())
	w := updated(t, decideOn(t, g), ledger.Guard)
	last := doubtful(second)
	last = answered(t, last, approve())
	last.Seen.Guard = w.Apply(g.Seen.Guard)
	wants(t, decideOn(t, last), inbound.FollowUp)
}

// updatedGuard is the guard after a first decision on the ground.
func updatedGuard(t *testing.T, g decide.Ground) ledger.Item {
	t.Helper()
	for _, w := range on(decideOn(t, g), ledger.Guard) {
		return w.Apply(nil)
	}
	t.Fatal("no guard written")
	return nil
}

func TestTheSameDoubtfulMailInTwoMailboxesNeedsOneApproval(t *testing.T) {
	t.Parallel()
	g := known(ground(t, mail(ada, question), tenant.ModeAuto))
	g.Facts.OptOut.Verdict = wish.OptOutDoubtful
	copied := g
	copied.Event.ID = "mail/second/m1"
	copied.Seen.Guard = updatedGuard(t, g)
	if n := len(on(decideOn(t, copied), ledger.Guard)); n != 0 {
		t.Errorf("%d writes on the guard for the same words again", n)
	}
	res := decideOn(t, answered(t, copied, approve()))
	wants(t, res, inbound.FollowUp)
}

func TestAHoldOfManyStaysForAPerson(t *testing.T) {
	t.Parallel()
	var held ledger.Item
	var g decide.Ground
	for i := range decide.MaxHolds + 5 {
		m := mail(ada, question)
		m.MessageID = string(rune('a'+i%26)) + string(rune('a'+i/26)) + "@example.org"
		g = ground(t, m, tenant.ModeAuto)
		g.Facts.OptOut.Verdict, g.Seen.Guard = wish.OptOutDoubtful, held
		for _, w := range on(decideOn(t, g), ledger.Guard) {
			held = w.Apply(held)
		}
	}
	if n := len(held.Text("hold_review")); n > 2000 {
		t.Errorf("a list of %d bytes", n)
	}
	g.Seen.Guard = held
	wants(t, decideOn(t, answered(t, g, approve())), inbound.Suppressed)
}

func TestAStopIsNoHoldAndNoApprovalLiftsIt(t *testing.T) {
	t.Parallel()
	g := ground(t, mail(ada, question), tenant.ModeAuto)
	g.Facts.OptOut.Verdict = wish.OptOutDoubtful
	g = answered(t, g, approve())
	g.Seen.Guard["stop_all"] = start.String() // she opted out in plain words since
	res := decideOn(t, g)
	wants(t, res, inbound.Suppressed, "suppressed_all")
	if len(intents(t, res)) != 0 || slices.Contains(opKinds(t, res), outbox.SendIntent) {
		t.Error("a follow-up is made")
	}
}

func TestAProposalBindsTheContentThatIsShown(t *testing.T) {
	t.Parallel()
	i := intents(t, decideOn(t, ground(t, mail(ada, question), tenant.ModeDraft)))[0]
	base := i.HashContent()
	for name, change := range map[string]func(*followup.Intent){
		"recipient": func(i *followup.Intent) { i.Recipient = other }, "text": func(i *followup.Intent) { i.Text += "x" },
		"subject": func(i *followup.Intent) { i.Subject += "x" }, "from": func(i *followup.Intent) { i.From = other },
		"reply-to": func(i *followup.Intent) { i.ReplyTo = other }, "thread": func(i *followup.Intent) { i.InReplyTo = "<x>" },
	} {
		c := i
		if change(&c); c.HashContent() == base {
			t.Errorf("another %s has the same hash", name)
		}
	}
}

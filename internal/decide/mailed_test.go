package decide_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/wish"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
)

// inAnswer has a ground answer our mail to an address, made for contact-2.
func inAnswer(t tb, g decide.Ground, to string) decide.Ground {
	t.Helper()
	g.Seen.Replied = &followup.Intent{
		Tenant: "demo", ID: "intent-7", State: followup.Accepted, Recipient: to, Contact: "contact-2", Guard: decide.Identify(key(t), g.Policy, to).GuardID,
	}
	g.Seen.Mailed = decide.Mailed(g)
	return g
}

// whyOf are the reasons of the audit record of a guard's change.
func whyOf(res decide.Result, p decide.Party) (reasons []any) {
	for _, w := range on(res, ledger.Audit) {
		if details, ok := w.Item["details"].(map[string]any); ok && details["guard"] == p.Person.GuardID {
			reasons, _ = w.Item["reasons"].([]any)
		}
	}
	return reasons
}

// TestReading04AWishInAnswerToOurMail: the address that it came from is stopped;
// the one that we mailed is stopped where our genuine mark came back or both are
// one contact's, and else held for a person.
func TestReading04AWishInAnswerToOurMail(t *testing.T) {
	t.Parallel()
	one := func(g decide.Ground, id string) decide.Ground {
		if len(g.Seen.Mailed) > 0 {
			g.Seen.Mailed[0].Contact = &contact.Contact{Tenant: "demo", ID: id, Status: contact.Active, ConsentVersion: 6, Transition: 2}
		}
		if g.Seen.Contact != nil && g.Seen.Contact.ID == id {
			g.Seen.Mailed[0].Contact = g.Seen.Contact
		}
		return g
	}
	const plain = "Please unsubscribe me."
	for name, c := range map[string]struct {
		g        decide.Ground
		want     string // of the mailed address
		why      string
		contacts int // whose consent is withdrawn
	}{
		"nothing proves it":     {one(inAnswer(t, known(ground(t, mail(ada, plain), tenant.ModeAuto)), other), "contact-2"), "opt_out_in_doubt", decide.ReasonMailed, 1},
		"of somebody unknown":   {one(inAnswer(t, ground(t, mail(ada, plain), tenant.ModeAuto), other), "contact-2"), "opt_out_in_doubt", decide.ReasonMailed, 0},
		"one contact's":         {one(inAnswer(t, known(ground(t, mail(ada, plain), tenant.ModeAuto)), other), "contact-1"), "suppressed_all", decide.ReasonSameContact, 1},
		"our mark":              {one(inAnswer(t, proved(t, known(ground(t, mail(ada, plain), tenant.ModeAuto)), other), other), "contact-2"), "suppressed_all", decide.ReasonMarkReturned, 2},
		"the mark of another":   {one(inAnswer(t, proved(t, known(ground(t, mail(ada, plain), tenant.ModeAuto)), "kim@private.example"), other), "contact-2"), "opt_out_in_doubt", decide.ReasonMailed, 1},
		"doubtful":              {inAnswer(t, doubtfully(t, known(ground(t, mail(ada, question), tenant.ModeAuto))), other), "opt_out_in_doubt", decide.ReasonMailed, 0},
		"doubtful with a mark":  {inAnswer(t, proved(t, doubtfully(t, known(ground(t, mail(ada, question), tenant.ModeAuto))), other), other), "opt_out_in_doubt", decide.ReasonMarkReturned, 0},
		"from no address":       {one(inAnswer(t, ground(t, mail("", plain), tenant.ModeAuto), other), "contact-2"), "opt_out_in_doubt", decide.ReasonMailed, 0},
		"from none, with marks": {one(inAnswer(t, proved(t, ground(t, mail("", plain), tenant.ModeAuto), other), other), "contact-2"), "suppressed_all", decide.ReasonMarkReturned, 1},
	} {
		res := decideOn(t, c.g)
		p := c.g.Seen.Mailed[0]
		if got := guard.Blocks(guardOf(res, p), "any"); got != c.want || guardOf(res, p).Text("address") != other {
			t.Errorf("%s: the mailed address is %q, want %q (%s %v)", name, got, c.want, res.Outcome, res.Reasons)
		}
		if held := c.want == "opt_out_in_doubt"; held != (res.Outcome == decide.Referred) {
			t.Errorf("%s: held %t, outcome %s", name, held, res.Outcome)
		}
		if !slices.Contains(whyOf(res, p), any(c.why)) {
			t.Errorf("%s: the audit says %v, want %s", name, whyOf(res, p), c.why)
		}
		if c.g.Facts.OptOutPlain() && c.g.Person.Known() && guard.Blocks(guardOf(res, main(c.g)), "any") != "suppressed_all" {
			t.Errorf("%s: the address that it came from is not stopped", name)
		}
		if n := len(on(res, ledger.Contact)); n != c.contacts {
			t.Errorf("%s: %d contacts withdraw, want %d", name, n, c.contacts)
		}
	}
}

func doubtfully(t tb, g decide.Ground) decide.Ground {
	t.Helper()
	g.Facts.OptOut = wish.Finding{Verdict: wish.OptOutDoubtful}
	return identified(t, g)
}

// TestReading04APersonSaysWhoseTheWishIs: a yes stops the mailed address too, a
// no lifts its hold and leaves the stop of the one that the wish came from.
func TestReading04APersonSaysWhoseTheWishIs(t *testing.T) {
	t.Parallel()
	g := inAnswer(t, known(ground(t, mail(ada, "Please unsubscribe me."), tenant.ModeAuto)), other)
	g.Seen.Mailed[0].Contact = &contact.Contact{Tenant: "demo", ID: "contact-2", Status: contact.Active, ConsentVersion: 6, Transition: 2}
	first := decideOn(t, g)
	// The person who is asked is shown whom our mail went to.
	if task := created[review.Task](t, first, ledger.ReviewTask)[0]; !slices.Equal(task.Candidates, []string{"contact-1", "contact-2"}) || task.CandidatesBy[1] != review.ByMail {
		t.Errorf("the task names %v by %v", task.Candidates, task.CandidatesBy)
	}
	for approve, want := range map[bool]string{true: "suppressed_all", false: ""} {
		asked := g
		asked.Seen.Mailed = slices.Clone(g.Seen.Mailed)
		asked.Seen.Mailed[0].Guard = guardOf(first, g.Seen.Mailed[0])
		asked = answered(t, asked, decide.Answer{Approve: approve})
		res := decideOn(t, asked)
		if after := guardOf(res, asked.Seen.Mailed[0]); after == nil || guard.Blocks(after, "any") != want {
			t.Errorf("approved %t: %v, want %q", approve, after, want)
		}
		if after := guardOf(res, main(asked)); !approve && after != nil {
			t.Errorf("a no moves the address that the wish came from: %v", after)
		}
	}
}

// TestReading04AComplaintAboutOurMailUnderAForwardedAddress: the named address is
// held as before; the one that our mail went to is stopped where our mark comes
// back, and else held.
func TestReading04AComplaintAboutOurMailUnderAForwardedAddress(t *testing.T) {
	t.Parallel()
	complaint := ground(t, machineMail(rawmail.Complaint, other, true), tenant.ModeAuto)
	hidden := ground(t, machineMail(rawmail.Complaint, "", true), tenant.ModeAuto)
	for name, c := range map[string]struct {
		g    decide.Ground
		want string
	}{
		"our mark":                 {proved(t, complaint, ada), "suppressed_all"},
		"its Message-ID alone":     {inAnswer(t, complaint, ada), "opt_out_in_doubt"},
		"a Message-ID, names none": {inAnswer(t, hidden, ada), "opt_out_in_doubt"},
	} {
		res := decideOn(t, c.g)
		p := decide.Party{Person: decide.Identify(key(t), c.g.Policy, ada)}
		if got := guard.Blocks(guardOf(res, p), "any"); got != c.want {
			t.Errorf("%s: the mailed address is %q, want %q (%s %v)", name, got, c.want, res.Outcome, res.Reasons)
		}
		if c.g.Person.Known() && guard.Blocks(guardOf(res, main(c.g)), "any") != "opt_out_in_doubt" {
			t.Errorf("%s: the named address is not held", name)
		}
	}
	// A mark of each of several mails says not which of them is meant.
	res := decideOn(t, proved(t, complaint, ada, "kim@private.example"))
	if n := len(on(res, ledger.Guard)); n != 1 {
		t.Errorf("%d guards, want that of the named address alone", n)
	}
	if res := decideOn(t, inAnswer(t, ground(t, machineMail(rawmail.Bounce, other, true), tenant.ModeAuto), ada)); res.Outcome != inbound.Feedback || len(on(res, ledger.Guard)) != 0 {
		t.Errorf("a bounce: %s, %d guards", res.Outcome, len(on(res, ledger.Guard)))
	}
}

// TestReading04AWishThatOtherRulesDecidedIsNotPutTogether: before, a plain wish
// stopped another Reply-To as well; deciding it again would be taken for a fault.
func TestReading04AWishThatOtherRulesDecidedIsNotPutTogether(t *testing.T) {
	t.Parallel()
	m := mail(ada, "Please unsubscribe me.")
	m.ReplyTo = []rawmail.Mailbox{{Address: other}}
	g := ground(t, m, tenant.ModeAuto)
	text := kept(t, decideOn(t, g))
	for form, want := range map[string]error{`{"v":3,`: nil, `{"v":2,`: decide.ErrGround, `{"v":1,`: decide.ErrGround} {
		k, err := decide.Thaw(strings.Replace(text, `{"v":3,`, form, 1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Ground(key(t), g.Event, g.Policy, g.Facts, g.Extraction); !errors.Is(err, want) {
			t.Errorf("form %s: %v, want %v", form, err, want)
		}
	}
}

// TestReading04WhatAWishReadsBesides: of whom our mail went to the guard, and of
// a plain wish the contact; nothing of what no person wishes. A round more than
// the intent that tells it, and never more than four in all.
func TestReading04WhatAWishReadsBesides(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text         string
		rounds, keys int // index, our intent; the sender's key and guard; the bounds of thread and domain; the cause's intent
	}{
		"no wish":  {question, 2, 7},
		"doubtful": {"Please do not unsubscribe me yet.", 3, 7 + 1},
		"plain":    {"Please unsubscribe me.", 3, 7 + 2},
	} {
		g := ground(t, mail(ada, c.text), tenant.ModeAuto)
		g.Facts.InReplyTo = []string{"sent-7@email.amazonses.com"}
		r := rows{}
		r.put(t, ledger.ProviderMessage, "ses:sent-7", "", followup.ProviderMessage{Tenant: "demo", Intent: "intent-7"})
		r.put(t, ledger.Intent, "intent-7", "", followup.Intent{Tenant: "demo", ID: "intent-7", Recipient: other, Contact: "contact-2", Guard: "guard-7"})
		rounds, read := 0, map[ledger.Key]bool{}
		_, err := decide.Read(g.Input, key(t), decide.Look, func(keys []ledger.Key) ([]ledger.Item, error) {
			rounds++
			items := make([]ledger.Item, len(keys))
			for n, k := range keys {
				items[n], read[k] = r[k], true
			}
			return items, nil
		})
		if err != nil || rounds != c.rounds || len(read) != c.keys {
			t.Errorf("%s: %d rounds, %d keys %v, want %d and %d, %v", name, rounds, len(read), read, c.rounds, c.keys, err)
		}
	}
}

package decide_test

import (
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/wish"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
)

// answer is a person's mail in answer to one of anybody.
func answer(text string) rawmail.Message {
	m := mail(ada, text)
	m.Subject, m.InReplyTo = "Re: Huts", []string{"staff.71@demo.example"}
	return m
}

func TestReading06ThanksAreOnFileAndNothingFollows(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*decide.Ground){
		"a stranger's":   func(*decide.Ground) {},
		"a contact's":    func(g *decide.Ground) { *g = known(*g) },
		"a reply to us":  func(g *decide.Ground) { g.Seen.Replied = &followup.Intent{Tenant: "demo", ID: "intent-7"} },
		"of a role":      func(g *decide.Ground) { g.Person.Role = true },
		"another policy": func(g *decide.Ground) { g.Policy.Mail.Accept = []string{tenant.ClassAutoReply} },
	} {
		g := ground(t, answer("Thanks, got it.\n\nAda"), tenant.ModeAuto)
		if change(&g); decide.Reader(g.Facts) {
			t.Errorf("%s: a reader is asked", name)
		}
		res := decideOn(t, g)
		wants(t, res, inbound.Ignored, content.ReasonThanks)
		if len(intents(t, res)) > 0 || len(on(res, ledger.Contact)) > 0 || len(on(res, ledger.Enquiry)) > 0 || len(on(res, ledger.ReviewTask)) > 0 {
			t.Errorf("%s: %+v", name, res.Commit.Writes)
		}
	}
}

func TestReading06WhatIsMoreThanThanksIsAMailLikeOthers(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*rawmail.Message){
		"a first mail": func(m *rawmail.Message) { m.Subject, m.InReplyTo = "Huts", nil },
		"a question":   func(m *rawmail.Message) { m.Visible += " How much is it?" },
		"a file": func(m *rawmail.Message) {
			m.Attachments = []rawmail.Attachment{{Name: "list.pdf", Type: "application/pdf"}}
		},
		"a doubt":            func(m *rawmail.Message) { m.Doubts = []string{rawmail.DoubtForwarded} },
		"a question below":   func(m *rawmail.Message) { m.Signature = "Ada\nPS: how much is it?" },
		"a wish":             func(m *rawmail.Message) { m.Visible = "Thanks for unsubscribing me." },
		"a language unread":  func(m *rawmail.Message) { m.Visible = "Спасибо большое, до свидания" },
		"a wish in doubt":    func(m *rawmail.Message) { m.Visible = "Thanks for removing me" },
		"a subject that ask": func(m *rawmail.Message) { m.Subject = "How much is the hut?" },
	} {
		m := answer("Thanks, got it.")
		if change(&m); content.OfMail(m).Thanks {
			t.Errorf("%s: thanks and nothing else", name)
		}
	}
	m := answer("Thanks!")
	m.Attachments = []rawmail.Attachment{{Name: "logo.png", Type: "image/png"}}
	if !content.OfMail(m).Thanks {
		t.Error("a picture of the signature is no word")
	}
}

// A hold that stands for this event ends with a person, whatever its words are.
func TestReading06ThanksThatHoldAnAddressGoToAPerson(t *testing.T) {
	t.Parallel()
	g := ground(t, answer("Thanks!"), tenant.ModeAuto)
	g.Facts.OptOut.Verdict = wish.OptOutDoubtful
	wants(t, decideOn(t, g), decide.Referred, "possible_opt_out")
	g = ground(t, answer("Thanks!"), tenant.ModeAuto)
	g.Facts.Warned = content.ReasonSpam
	wants(t, decideOn(t, g), decide.Referred, content.ReasonSpam)
}

// A machine's words are a question, and what its class says of it comes first.
func TestReading06AMachinesMailIsAtLeastAQuestion(t *testing.T) {
	t.Parallel()
	m := mail(ada, "Your ticket 12345 has been created.")
	m.Doubts = []string{rawmail.DoubtMachine}
	wants(t, decideOn(t, ground(t, m, tenant.ModeAuto)), decide.Referred, rawmail.DoubtMachine)
	g := ground(t, m, tenant.ModeAuto)
	g.Extraction.Record.Class = reader.Newsletter
	wants(t, decideOn(t, g), inbound.Ignored, "class_newsletter")

	for _, from := range []string{
		"wordpress@blog.example", "reply-4f2a91bc@relay.example", "reply+abc1@relay.example", "notifications-77ab12@service.example", "b58a3f9e2d7c@guest.example", "ticket+20261130x1@desk.example", "www-data@host.example",
		"nepasrepondre@boutique.example",
	} {
		wants(t, decideOn(t, ground(t, mail(from, question), tenant.ModeAuto)), decide.Referred, match.ReasonRoleAddress)
	}
	for _, from := range []string{
		"r.fisher@example.org", "re.miller1987@example.org", "case@example.org", "thread.weaver@example.org", "message@example.org", "anna2001@example.org", "replying@example.org", "dpdcnf87nu@privaterelay.example",
		"j0hn.sm1th@example.org", "info@example.net", "jan.2.de.boer@example.org", "messagebird.jones@example.org", "relay.team@example.org",
	} {
		if reader.IsMachineAddress(from) {
			t.Errorf("%s is a machine's", from)
		}
	}
}

package decide_test

import (
	"slices"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/contact"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
)

// answeredTo is a mail from Ada, who is known, that wants its answer to go to an
// address, which is that of a contact.
func answeredTo(t tb, replyTo, contactID string) decide.Ground {
	t.Helper()
	m := mail(ada, question)
	m.ReplyTo = []rawmail.Mailbox{{Address: replyTo}}
	g := known(ground(t, m, tenant.ModeAuto))
	g.Seen.SecondKey = &contact.Key{Tenant: "demo", Contact: contactID}
	g.Seen.Second = &contact.Contact{Tenant: "demo", ID: contactID, Status: contact.Active, Transition: 2, ConsentVersion: 1}
	return g
}

func TestReading10FromAndReplyToOfTwoContactsIsAQuestion(t *testing.T) {
	t.Parallel()
	g := answeredTo(t, other, "contact-2")
	res := decideOn(t, g)
	wants(t, res, decide.Referred, match.ReasonReplyToAnother)
	task := created[review.Task](t, res, ledger.ReviewTask)[0]
	if !slices.Equal(task.Candidates, []string{"contact-1", "contact-2"}) || !slices.Equal(task.CandidatesBy, []string{review.ByEmail, review.ByReplyTo}) {
		t.Errorf("shown %v by %v", task.Candidates, task.CandidatesBy)
	}
	approved := decideOn(t, answered(t, g, approve()))
	wants(t, approved, inbound.FollowUp, match.ReasonEmailKnown)
	if slices.Contains(approved.Reasons, match.ReasonReplyToAnother) || approved.Contact != "contact-1" {
		t.Errorf("%s for %v", approved.Contact, approved.Reasons)
	}
	// The reader believes Reply-To: it is as much a question.
	g = answeredTo(t, other, "contact-2")
	g.Extraction.Record.SenderEmail.Value = other
	g = identified(t, g)
	wants(t, decideOn(t, g), decide.Referred, match.ReasonReplyToAnother)
	// Of a policy that minds no failed check too, and of a mail that passed them.
	g = answeredTo(t, other, "contact-2")
	g.Policy.Mail.Unauthenticated, g.Event.Verdicts = tenant.UnauthenticatedAccept, passed
	wants(t, decideOn(t, g), decide.Referred, match.ReasonReplyToAnother)
}

func TestReading10OneContactWithTwoAddressesIsNoQuestion(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*decide.Ground){
		"one contact":          func(g *decide.Ground) { g.Seen.Second.ID = "contact-1" },
		"Reply-To is nobody":   func(g *decide.Ground) { g.Seen.SecondKey, g.Seen.Second = nil, nil },
		"Reply-To was erased":  func(g *decide.Ground) { g.Seen.Second.Status = contact.Erased },
		"From is nobody":       func(g *decide.Ground) { g.Seen.Key, g.Seen.Contact = nil, nil },
		"its contact has gone": func(g *decide.Ground) { g.Seen.Second = nil },
	} {
		g := answeredTo(t, other, "contact-2")
		change(&g)
		res := decideOn(t, g)
		wants(t, res, inbound.FollowUp)
		if slices.Contains(res.Reasons, match.ReasonReplyToAnother) {
			t.Errorf("%s: %v", name, res.Reasons)
		}
	}
}

// Who the other one is: nobody where one person is named, or an address that names
// nobody.
func TestReading10WhoElseAMailNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ from, replyTo, about, want string }{
		"Reply-To":                 {ada, other, ada, other},
		"From":                     {ada, other, other, ada},
		"the same":                 {ada, "Ada@Example.org", ada, ""},
		"none":                     {ada, "", ada, ""},
		"broken":                   {ada, "broken", ada, ""},
		"a shared inbox":           {ada, info, ada, ""},
		"ours":                     {ada, ours, ada, ""},
		"about a third":            {ada, other, "third@example.org", ""},
		"a form's notification":    {ours, other, other, ""},
		"nobody could be read":     {"broken", "broken too", "broken", ""},
		"Reply-To, a shared inbox": {info, other, info, other},
	} {
		m := mail(c.from, question)
		m.ReplyTo = []rawmail.Mailbox{{Address: c.replyTo}}
		g := ground(t, m, tenant.ModeAuto)
		about := decide.Identify(key(t), g.Policy, c.about)
		got := ""
		if p := decide.SecondOf(key(t), g.Policy, g.Facts, about); p.KeyID != "" {
			got = p.Address.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		g.Facts.Content = tenant.ContentForm
		if p := decide.SecondOf(key(t), g.Policy, g.Facts, about); p.KeyID != "" {
			t.Errorf("%s: a form names another", name)
		}
		g.Facts.Content, g.Facts.Kind, g.Facts.Heard = tenant.ContentMail, rawmail.AutoReply, false
		if p := decide.SecondOf(key(t), g.Policy, g.Facts, about); p.KeyID != "" {
			t.Errorf("%s: a machine names another", name)
		}
	}
}

// The reading of an event without a second has the digest that it had before one
// was read.
func TestReading10AReadingWithoutASecondIsAsItWas(t *testing.T) {
	t.Parallel()
	g := answeredTo(t, other, "contact-2")
	with := decide.ReadingDigest(key(t), g)
	g.Seen.SecondKey, g.Seen.Second = nil, nil
	if with == decide.ReadingDigest(key(t), g) {
		t.Error("who the second is, is not in the digest")
	}
	m := mail(ada, question)
	if none := known(ground(t, m, tenant.ModeAuto)); decide.ReadingDigest(key(t), none) != decide.ReadingDigest(key(t), g) {
		t.Error("a Reply-To that names no contact changes the digest")
	}
}

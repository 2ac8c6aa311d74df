package decide_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/wish"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
)

func pick[T any](t *rapid.T, name string, list ...T) T { return rapid.SampledFrom(list).Draw(t, name) }

// randomGround draws a ground from everything that a decision looks at. What
// it shows of the ledger can be: names agree, and a person who answers answers
// an open task.
func randomGround(t *rapid.T) decide.Ground {
	g := ground(t, randomMail(t), pick(t, "mode", tenant.ModeObserve, tenant.ModeDraft, tenant.ModeAuto))
	randomPolicy(t, &g.Policy)
	if g.Facts.Human() && rapid.Bool().Draw(t, "form") {
		g.Facts.Content, g.Facts.Doubts = tenant.ContentForm, pick(t, "doubts", nil, []string{"phone_too_long"})
	}
	if g.Facts.Human() {
		g.Facts.OptOut = wish.Finding{Verdict: pick(t, "verdict", wish.OptOutNone, wish.OptOutNone, wish.OptOutDoubtful, wish.OptOutExplicit)}
	}
	if g.Extraction = nil; decide.Reader(g.Facts) {
		g.Extraction = randomExtraction(t, g.Facts)
	}
	if rapid.Bool().Draw(t, "answered") {
		g.Answer = &decide.Answer{Approve: rapid.Bool().Draw(t, "approve"), By: "person:grace", Address: pick(t, "given", "", "", other, info, ours, "broken")}
		g.By = g.Answer.By
		g.Event.State, g.Event.Transition, g.Event.Review = inbound.InReview, 2, key(t).ID("task", review.DecideEvent, "demo", g.Event.ID)
		g.Seen.Task = &review.Task{
			Tenant: "demo", ID: g.Event.Review, Kind: review.DecideEvent, State: review.Open, Event: g.Event.ID,
			Transition: rapid.Int64Range(1, 4).Draw(t, "asked"), OpenFor: "demo", OpenedAt: start, Reasons: randomReasons(t),
		}
	}
	if g.Facts.Report() || g.Facts.OptOutPlain() && rapid.IntRange(0, 2).Draw(t, "gives back") == 0 {
		g = proved(t, g, rapid.SliceOfDistinct(rapid.SampledFrom([]string{ada, other, info, "nobody@elsewhere.example"}), rapid.ID).Draw(t, "proved")...)
	}
	g = identified(t, g)
	randomSender(t, &g)
	randomSeen(t, &g)
	return g
}

func randomMail(t *rapid.T) rawmail.Message {
	m := mail(pick(t, "from", "", "broken", ada, ada, ada, info, ours, "no-reply@example.org"), question)
	m.Kind = pick(t, "kind", rawmail.Human, rawmail.Human, rawmail.Human, rawmail.Human, rawmail.AutoReply,
		rawmail.Bounce, rawmail.Complaint, rawmail.List, rawmail.Own, rawmail.Unparseable)
	if r := pick(t, "reply-to", "", ada, other, "broken"); r != "" {
		m.ReplyTo = []rawmail.Mailbox{{Address: r}}
	}
	if m.Kind == rawmail.Own && rapid.Bool().Draw(t, "relayed") {
		m.Relayed = &rawmail.Mailbox{Address: pick(t, "stranger", ada, other, info, "no-reply@example.org")}
	}
	if m.Kind == rawmail.List {
		m.Visible = pick(t, "through a list", question, "unsubscribe", "My colleague asks how she can unsubscribe.")
	}
	if (m.Kind == rawmail.Bounce || m.Kind == rawmail.Complaint) && rapid.Bool().Draw(t, "names") {
		m.Suppression = &rawmail.Suppression{Address: pick(t, "bounced", "", "broken", ada), Hard: rapid.Bool().Draw(t, "hard")}
		if m.Suppression.Hard {
			m.Recipients = []rawmail.Suppression{*m.Suppression, {Address: pick(t, "another failed", other, info, ours), Hard: true}}
		}
	}
	return m
}

func randomPolicy(t *rapid.T, p *tenant.Policy) {
	p.CRM = tenant.CRM{Kind: pick(t, "crm", "", "hubspot"), Task: rapid.Bool().Draw(t, "crm task")}
	rule := func(name string) string {
		return pick(t, name, tenant.UpdateNever, tenant.UpdateFillIfEmpty, tenant.UpdateAlways)
	}
	p.ContactFields = tenant.FieldRules{Name: rule("name rule"), Company: rule("company rule"), Phone: rule("phone rule")}
	p.Region = pick(t, "region", "", "GB", "DE")
	p.Rules[0].Intents = pick(t, "intents", nil, []string{"pricing"})
	p.Rules[0].Scope = pick(t, "scope", "follow_up", "other_scope")
	p.Rules[0].FoldWindow = tenant.Duration(pick(t, "window", 0, 15*time.Minute))
	if rapid.IntRange(0, 9).Draw(t, "no address") == 0 {
		p.Sender.PostalAddress = ""
	}
}

func randomReasons(t *rapid.T) []string {
	all := []string{
		"possible_opt_out", "opt_out_words", "low_confidence", "phone_too_long", "reader_asks_for_review", "sender_differs", "sensitive", "unparseable",
		match.ReasonSharedInbox, match.ReasonRoleAddress, match.ReasonFieldConflict, match.ReasonNoKey,
		match.ReasonAddressNew, match.ReasonCustomerDiffers, match.ReasonCustomerInvalid, match.ReasonUnauthenticated, match.ReasonDisputed,
	}
	if rapid.Bool().Draw(t, "saw all") {
		return all
	}
	return rapid.SliceOfDistinct(rapid.SampledFrom(all), func(s string) string { return s }).Draw(t, "saw")
}

func randomExtraction(t *rapid.T, f content.Facts) *reader.Stored {
	field := func(name string, values ...string) reader.Field {
		return reader.Field{Value: pick(t, name, append(values, "")...), Confidence: rapid.Int64Range(0, 100).Draw(t, name+" sure")}
	}
	x := &reader.Stored{Tenant: "demo", Event: "mail/inbox/m1", Model: "scripted", PromptVersion: "1"}
	x.Record = reader.Record{
		SenderEmail: field("sender", f.Source.FromAddress, f.Source.ReplyTo), ContactName: field("name", "Ada Lovelace", "A. King", "Ada"),
		Company: field("company", "Analytic Ltd"), Phone: field("phone", "+44 20 7946 0000", "020 7946 0000"),
		Intent:         pick(t, "wants", reader.Pricing, reader.Other, reader.OptOut),
		PossibleOptOut: rapid.IntRange(0, 4).Draw(t, "maybe") == 0,
	}
	if rapid.IntRange(0, 3).Draw(t, "unsure") == 0 {
		x.Record.NeedsHumanReview, x.Record.ReviewReasons = true, pick(t, "why", nil, []string{"sensitive"})
		x.Reasons = pick(t, "reasons", nil, []string{"sender_differs"})
	}
	return x
}

// randomSeen draws what the ledger holds of the people, the cause and the
// contact.
func randomSeen(t *rapid.T, g *decide.Ground) {
	if g.Person.Known() {
		g.Seen.Guard = randomGuard(t, "guard", g.Person.GuardID, key(t).ID("hold", "demo", g.Facts.Cause))
		g.Seen.Key, g.Seen.Contact = randomPerson(t, *g, g.Person, "contact-1")
	}
	for i, p := range g.Also {
		g.Also[i].Guard = randomGuard(t, fmt.Sprint("guard ", i), p.Person.GuardID, key(t).ID("hold", "demo", g.Facts.Cause))
		g.Also[i].Key, g.Also[i].Contact = randomPerson(t, *g, p.Person, pick(t, "whose", "contact-1", "contact-2"))
		if c := g.Seen.Contact; c != nil && g.Also[i].Contact != nil && g.Also[i].Contact.ID == c.ID {
			g.Also[i].Contact = c // one item
		}
		for j := range i {
			if c := g.Also[j].Contact; c != nil && g.Also[i].Contact != nil && g.Also[i].Contact.ID == c.ID {
				g.Also[i].Contact = c
			}
		}
	}
	randomSecond(t, g)
	randomMailed(t, g)
	randomCustomer(t, g)
	if id := decide.LikelyKey(*g, key(t)); id != "" && rapid.Bool().Draw(t, "phone known") {
		g.Seen.PhoneKey = &contact.Key{Tenant: "demo", ID: id, Contact: pick(t, "phone of", "contact-1", "contact-8")}
	}
	rule, ruled := decide.RuleFor(*g)
	c := decide.LedTo(*g)
	if ruled && rapid.IntRange(0, 4).Draw(t, "answered cause") == 0 {
		g.Seen.Intent = &followup.Intent{
			Tenant: "demo", ID: followup.IntentID(key(t), "demo", g.Facts.Cause, rule.ID, rule.Version),
			Contact: pick(t, "of", "contact-1", "contact-9"), State: pick(t, "intent state", followup.Accepted, followup.Cancelled),
		}
	}
	if c == nil {
		return
	}
	if rapid.IntRange(0, 4).Draw(t, "filed") == 0 {
		g.Seen.Enquiry = &contact.Enquiry{Tenant: "demo", Contact: c.ID, Event: "earlier", FollowUp: pick(t, "had", "", "intent-0")}
	}
	g.Seen.Unapproved = rapid.Bool().Draw(t, "unapproved")
	if ruled && rapid.Bool().Draw(t, "slot") {
		g.Seen.Cadence = &followup.Cadence{
			Tenant: "demo", Contact: c.ID, Rule: rule.ID, Intent: "intent-0", Version: 1,
			FoldUntil: start.Add(pick(t, "fold until", -time.Minute, 0, time.Minute)),
		}
		g.Seen.Slot = &followup.Intent{Tenant: "demo", ID: "intent-0", Contact: c.ID, State: pick(t, "slot state", followup.Ready, followup.Proposed, followup.Cancelled, followup.Accepted)}
		g.Seen.Slot.Reason = pick(t, "slot reason", "", followup.ReasonRefused)
	}
}

// randomSecond draws who the other one of From and Reply-To is: one item is in one
// state.
func randomSecond(t *rapid.T, g *decide.Ground) {
	p := decide.SecondOf(key(t), g.Policy, g.Facts, g.Person)
	if p.KeyID == "" || g.Seen.Key == nil {
		return
	}
	for _, o := range g.Also {
		if o.Person.KeyID == p.KeyID {
			g.Seen.SecondKey, g.Seen.Second = o.Key, o.Contact
			return
		}
	}
	id := pick(t, "whose answer", "contact-1", "contact-3")
	g.Seen.SecondKey, g.Seen.Second = randomPerson(t, *g, p, id)
	k, c := g.Seen.SecondKey, g.Seen.Contact
	if k == nil || k.Shared || g.Seen.Key == nil || id != "contact-1" {
		return
	}
	if c == nil { // the key's contact has gone
		g.Seen.SecondKey, g.Seen.Second = nil, nil
		return
	}
	k.Contact, g.Seen.Second = g.Seen.Key.Contact, c
}

// randomMailed draws a mail of ours that the event answers, and what the ledger
// holds of whom such mails went to.
func randomMailed(t *rapid.T, g *decide.Ground) {
	if rapid.IntRange(0, 3).Draw(t, "answers ours") == 0 && (!g.Facts.Machine() || g.Facts.Kind == rawmail.Complaint && g.Facts.Suppression != nil && g.Facts.Suppression.Hard) {
		to := pick(t, "went to", ada, other, "kim@private.example")
		g.Facts.InReplyTo = []string{"sent-7@email.amazonses.com"}
		g.Seen.Replied = &followup.Intent{
			Tenant: "demo", ID: "intent-7", Text: "Hello", Recipient: to, Contact: "contact-1", Guard: decide.Identify(key(t), g.Policy, to).GuardID,
		}
	}
	g.Seen.Mailed = decide.Mailed(*g)
	for i, p := range g.Seen.Mailed {
		g.Seen.Mailed[i].Guard = randomGuard(t, fmt.Sprint("mailed ", i), p.Person.GuardID, key(t).ID("hold", "demo", g.Facts.Cause))
		if !g.Facts.Report() && !g.Facts.OptOutPlain() {
			continue
		}
		_, c := randomPerson(t, *g, p.Person, pick(t, "of whom", "contact-1", "contact-2", "contact-4"))
		for _, o := range append(append([]decide.Party{{Contact: g.Seen.Contact}}, g.Also...), g.Seen.Mailed[:i]...) {
			if c != nil && o.Contact != nil && c.ID == o.Contact.ID {
				c = o.Contact // one item
			}
		}
		g.Seen.Mailed[i].Contact = c
	}
}

func randomGuard(t *rapid.T, name, id, mine string) ledger.Item {
	at := start.Add(-time.Hour).String()
	it := ledger.Item{"tenant": "demo", "id": id, "transition": rapid.Int64Range(1, 5).Draw(t, name+" moved")}
	switch pick(t, name, "none", "none", "clear", "stop", "other stop", "own hold", "other hold", "both", "by hand", "erased before", "erased after") {
	case "none":
		return nil
	case "stop":
		it["stop_all"], it["reason"] = at, pick(t, name+" why", "opt_out", "bounce")
	case "other stop":
		it["stop_other_scope"] = at
	case "own hold":
		it["hold"], it["hold_review"] = at, mine
	case "other hold":
		it["hold"], it["hold_review"] = at, "another"
	case "both":
		it["hold"], it["hold_review"] = at, "another "+mine
	case "by hand":
		it["hold"] = at
	case "erased before":
		it["erased_at"] = at
	case "erased after":
		it["erased_at"] = start.String()
	}
	return it
}

func randomPerson(t *rapid.T, g decide.Ground, p decide.Person, id string) (*contact.Key, *contact.Contact) {
	k := &contact.Key{Tenant: "demo", ID: p.KeyID, Contact: id, InboundEvent: "earlier", Disputed: rapid.Bool().Draw(t, "disputed")}
	c := &contact.Contact{
		Tenant: "demo", ID: id, Status: contact.Active, Email: ada, ConsentVersion: rapid.Int64Range(1, 3).Draw(t, "consent"), Revision: 2,
		Transition: rapid.Int64Range(1, 5).Draw(t, "moved"), FromEvent: "earlier",
		Name: pick(t, "has name", "", "Ada Lovelace", "Ada King", "Ada"), Company: pick(t, "has company", "", "Engines Ltd", "Analytic Limited"),
		Phone: pick(t, "has phone", "", "+442079460000", "+44 20 7946 0001"),
	}
	switch pick(t, "known", "no", "yes", "merged", "erased", "shared", "lost") {
	case "no":
		return nil, nil
	case "merged":
		k.Contact = "loser-of-" + id
	case "erased":
		c.Status = contact.Erased
	case "shared":
		k.Shared = true
		return k, nil
	case "lost":
		return k, nil
	}
	if p.Shared {
		return nil, nil
	}
	return k, c
}

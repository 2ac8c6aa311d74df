package decide_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/wish"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
)

func classed(t tb, class reader.Class, change func(*decide.Ground)) decide.Ground {
	g := ground(t, mail(ada, question), tenant.ModeAuto)
	g.Extraction.Record.Class = class
	if change != nil {
		change(&g)
	}
	return g
}

func TestWhatIsNoEnquiryMakesNeitherContactNorFollowUp(t *testing.T) {
	t.Parallel()
	for _, class := range reader.Classes() {
		res := decideOn(t, classed(t, class, nil))
		if class == reader.Enquiry {
			wants(t, res, inbound.FollowUp)
			continue
		}
		wants(t, res, inbound.Ignored, "class_"+string(class))
		if len(intents(t, res)) > 0 || len(on(res, ledger.Contact)) > 0 || len(on(res, ledger.ContactKey)) > 0 || len(on(res, ledger.ReviewTask)) > 0 {
			t.Errorf("%s: %+v", class, res.Commit.Writes)
		}
	}
}

func TestAbsentClassIsAnEnquiry(t *testing.T) {
	t.Parallel()
	wants(t, decideOn(t, classed(t, "", nil)), inbound.FollowUp)
}

func TestPolicyMayTakeAClassForEnquiries(t *testing.T) {
	t.Parallel()
	accept := func(g *decide.Ground) { g.Policy.Mail.Accept = []string{tenant.ClassJobApplication} }
	wants(t, decideOn(t, classed(t, reader.JobApplication, accept)), inbound.FollowUp)
	wants(t, decideOn(t, classed(t, reader.Pitch, accept)), inbound.Ignored, "class_pitch")
}

// The words of the policy are those of the reader, but for the enquiry itself.
func TestPolicyKnowsEveryClass(t *testing.T) {
	t.Parallel()
	words := []string{
		string(reader.Enquiry), tenant.ClassPitch, tenant.ClassInvoice, tenant.ClassJobApplication, tenant.ClassNewsletter,
		tenant.ClassSpam, tenant.ClassAutoReply,
	}
	for i, c := range reader.Classes() {
		if len(words) != len(reader.Classes()) || words[i] != string(c) {
			t.Errorf("%s, %v", c, words)
		}
	}
}

// Whatever else is in doubt, a person sees the class with it.
func TestClassInDoubtGoesToAPerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		class  reader.Class
		change func(*decide.Ground)
		want   string
	}{
		"possible opt-out": {reader.Newsletter, func(g *decide.Ground) { g.Extraction.Record.PossibleOptOut = true }, decide.Referred},
		"doubtful words":   {reader.Pitch, func(g *decide.Ground) { g.Facts.OptOut.Verdict = wish.OptOutDoubtful }, decide.Referred},
		"reader's reason": {reader.Pitch, func(g *decide.Ground) {
			g.Extraction.Record.ReviewReasons = []string{"instructions_to_model"}
			g.Extraction.Record.NeedsHumanReview = true
		}, decide.Referred},
		"validation":         {reader.Invoice, func(g *decide.Ground) { g.Extraction.Reasons = []string{reader.SenderRelayed} }, decide.Referred},
		"fault of a form":    {reader.Pitch, func(g *decide.Ground) { g.Facts.Doubts = []string{"phone_too_long"} }, decide.Referred},
		"somebody known":     {reader.Pitch, func(g *decide.Ground) { *g = known(*g) }, decide.Referred},
		"in answer to ours":  {reader.Invoice, func(g *decide.Ground) { g.Seen.Replied = &followup.Intent{Tenant: "demo", ID: "i1"} }, decide.Referred},
		"absence of a known": {reader.AutoReply, func(g *decide.Ground) { *g = known(*g) }, inbound.Ignored},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := classed(t, c.class, c.change)
			res := decideOn(t, g)
			wants(t, res, c.want)
			if !slices.Contains(res.Reasons, "class_"+string(c.class)) {
				t.Errorf("reasons %v", res.Reasons)
			}
		})
	}
}

func TestPersonWhoApprovesSaysThatItIsAnEnquiry(t *testing.T) {
	t.Parallel()
	g := classed(t, reader.Pitch, func(g *decide.Ground) { g.Facts.Doubts = []string{"phone_too_long"} })
	wants(t, decideOn(t, answered(t, g, approve())), inbound.FollowUp)
}

// Of whatever ground: a class alone never makes a contact or a mail.
func TestNoClassButAnEnquirysLeadsToAContact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := ground(t, mail(ada, question), tenant.ModeAuto)
		g.Extraction = randomExtraction(t, g.Facts)
		g.Extraction.Record.Class = pick(t, "class", reader.Classes()[1:]...)
		g = identified(t, g)
		res := decideOn(t, g)
		if len(created[contact.Contact](t, res, ledger.Contact)) > 0 || len(intents(t, res)) > 0 {
			t.Fatalf("%s: %s %v", g.Extraction.Record.Class, res.Outcome, res.Reasons)
		}
	})
}

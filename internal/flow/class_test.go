package flow_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/contact"
	"onefold/internal/extract"
	"onefold/internal/flow"
	"onefold/internal/followup"
	"onefold/internal/guard"
	"onefold/internal/inbound"
	"onefold/internal/ledger"
	"onefold/internal/tenant"
)

func classed(t tb, class extract.Class, change func(*flow.Ground)) flow.Ground {
	g := ground(t, mail(ada, question), tenant.ModeAuto)
	g.Extraction.Record.Class = class
	if change != nil {
		change(&g)
	}
	return g
}

func TestWhatIsNoEnquiryMakesNeitherContactNorFollowUp(t *testing.T) {
	t.Parallel()
	for _, class := range extract.Classes() {
		res := decide(t, classed(t, class, nil))
		if class == extract.Enquiry {
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
	wants(t, decide(t, classed(t, "", nil)), inbound.FollowUp)
}

func TestPolicyMayTakeAClassForEnquiries(t *testing.T) {
	t.Parallel()
	accept := func(g *flow.Ground) { g.Policy.Mail.Accept = []string{tenant.ClassJobApplication} }
	wants(t, decide(t, classed(t, extract.JobApplication, accept)), inbound.FollowUp)
	wants(t, decide(t, classed(t, extract.Pitch, accept)), inbound.Ignored, "class_pitch")
}

// The words of the policy are those of the reader, but for the enquiry itself.
func TestPolicyKnowsEveryClass(t *testing.T) {
	t.Parallel()
	words := []string{
		string(extract.Enquiry), tenant.ClassPitch, tenant.ClassInvoice, tenant.ClassJobApplication, tenant.ClassNewsletter,
		tenant.ClassSpam, tenant.ClassAutoReply,
	}
	for i, c := range extract.Classes() {
		if len(words) != len(extract.Classes()) || words[i] != string(c) {
			t.Errorf("%s, %v", c, words)
		}
	}
}

// Whatever else is in doubt, a person sees the class with it.
func TestClassInDoubtGoesToAPerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		class  extract.Class
		change func(*flow.Ground)
		want   string
	}{
		"possible opt-out": {extract.Newsletter, func(g *flow.Ground) { g.Extraction.Record.PossibleOptOut = true }, flow.Referred},
		"doubtful words":   {extract.Pitch, func(g *flow.Ground) { g.Facts.OptOut.Verdict = guard.OptOutDoubtful }, flow.Referred},
		"reader's reason": {extract.Pitch, func(g *flow.Ground) {
			g.Extraction.Record.ReviewReasons = []string{"instructions_to_model"}
			g.Extraction.Record.NeedsHumanReview = true
		}, flow.Referred},
		"validation":         {extract.Invoice, func(g *flow.Ground) { g.Extraction.Reasons = []string{extract.SenderRelayed} }, flow.Referred},
		"fault of a form":    {extract.Pitch, func(g *flow.Ground) { g.Facts.Doubts = []string{"phone_too_long"} }, flow.Referred},
		"somebody known":     {extract.Pitch, func(g *flow.Ground) { *g = known(*g) }, flow.Referred},
		"in answer to ours":  {extract.Invoice, func(g *flow.Ground) { g.Seen.Replied = &followup.Intent{Tenant: "demo", ID: "i1"} }, flow.Referred},
		"absence of a known": {extract.AutoReply, func(g *flow.Ground) { *g = known(*g) }, inbound.Ignored},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := classed(t, c.class, c.change)
			res := decide(t, g)
			wants(t, res, c.want)
			if !slices.Contains(res.Reasons, "class_"+string(c.class)) {
				t.Errorf("reasons %v", res.Reasons)
			}
		})
	}
}

func TestPersonWhoApprovesSaysThatItIsAnEnquiry(t *testing.T) {
	t.Parallel()
	g := classed(t, extract.Pitch, func(g *flow.Ground) { g.Facts.Doubts = []string{"phone_too_long"} })
	wants(t, decide(t, answered(t, g, approve())), inbound.FollowUp)
}

// Of whatever ground: a class alone never makes a contact or a mail.
func TestNoClassButAnEnquirysLeadsToAContact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := ground(t, mail(ada, question), tenant.ModeAuto)
		g.Extraction = randomExtraction(t, g.Facts)
		g.Extraction.Record.Class = pick(t, "class", extract.Classes()[1:]...)
		g = identified(t, g)
		res := decide(t, g)
		if len(created[contact.Contact](t, res, ledger.Contact)) > 0 || len(intents(t, res)) > 0 {
			t.Fatalf("%s: %s %v", g.Extraction.Record.Class, res.Outcome, res.Reasons)
		}
	})
}

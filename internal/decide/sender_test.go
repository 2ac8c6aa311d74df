package decide_test

import (
	"slices"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
)

var (
	forged = inbound.Verdicts{SPF: "PASS", DKIM: "PASS", DMARC: "FAIL", DMARCPolicy: "none"}
	passed = inbound.Verdicts{SPF: "PASS", DKIM: "PASS", DMARC: "PASS"}
)

// checked is the ground of a mail with what its receiver found, in auto mode.
func checked(t tb, v inbound.Verdicts, unauthenticated string) decide.Ground {
	t.Helper()
	g := ground(t, mail(ada, question), tenant.ModeAuto)
	g.Event.Verdicts, g.Policy.Mail.Unauthenticated = v, unauthenticated
	return g
}

func TestWhatTheChecksSayOfASender(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ spf, dkim, dmarc, want string }{
		{"PASS", "PASS", "PASS", inbound.SenderCorroborated},
		{"FAIL", "FAIL", "PASS", inbound.SenderCorroborated},
		{"PASS", "PASS", "FAIL", inbound.SenderContradicted}, // the domains that passed are not the address's
		{"", "", "FAIL", inbound.SenderContradicted},
		{"PASS", "FAIL", "", inbound.SenderCorroborated},
		{"FAIL", "PASS", "GRAY", inbound.SenderCorroborated},
		{"GRAY", "PASS", "PROCESSING_FAILED", inbound.SenderCorroborated},
		{"FAIL", "FAIL", "GRAY", inbound.SenderUnsaid},
		{"FAIL", "FAIL", "", inbound.SenderUnsaid},
		{"GRAY", "GRAY", "GRAY", inbound.SenderUnsaid},
		{"", "", "", inbound.SenderUnsaid},
	} {
		for _, policy := range []string{"", "none", "quarantine", "reject"} {
			v := inbound.Verdicts{SPF: c.spf, DKIM: c.dkim, DMARC: c.dmarc, DMARCPolicy: policy}
			if got := v.Sender(); got != c.want {
				t.Errorf("%+v is %s, want %s", v, got, c.want)
			}
		}
	}
}

func TestAContradictedMailMakesAnEnquiryAndChangesNobody(t *testing.T) {
	t.Parallel()
	fresh := decideOn(t, checked(t, forged, tenant.UnauthenticatedNoChanges))
	wants(t, fresh, inbound.FollowUp, match.ReasonEmailNew, match.ReasonUnauthenticated)
	if len(created[contact.Contact](t, fresh, ledger.Contact)) != 1 || intents(t, fresh)[0].State != followup.Ready {
		t.Error("it is no enquiry like another's")
	}
	d := created[match.Decision](t, fresh, ledger.MatchDecision)[0]
	if !slices.Contains(d.Reasons, match.ReasonUnauthenticated) {
		t.Errorf("the match decision says %v", d.Reasons)
	}
	for policy, want := range map[string]any{tenant.UnauthenticatedNoChanges: nil, tenant.UnauthenticatedAccept: "Analytic Ltd", "": nil} {
		for _, rule := range []string{tenant.UpdateFillIfEmpty, tenant.UpdateAlways} {
			g := known(checked(t, forged, policy))
			g.Policy.ContactFields.Company = rule
			g.Extraction.Record.Company = reader.Field{Value: "Analytic Ltd", Confidence: 90}
			res := decideOn(t, g)
			wants(t, res, inbound.FollowUp, match.ReasonEmailKnown)
			for _, w := range on(res, ledger.Contact) {
				if w.Set["company"] != want {
					t.Errorf("policy %q, rule %s: set %v, want %v", policy, rule, w.Set, want)
				}
			}
			if said := slices.Contains(res.Reasons, match.ReasonUnauthenticated); said == (policy == tenant.UnauthenticatedAccept) {
				t.Errorf("policy %q: reasons %v", policy, res.Reasons)
			}
		}
	}
}

func TestAContradictedMailIsForAPersonWhereThePolicySaysSo(t *testing.T) {
	t.Parallel()
	g := known(checked(t, forged, tenant.UnauthenticatedReview))
	g.Extraction.Record.Company = reader.Field{Value: "Analytic Ltd", Confidence: 90}
	wants(t, decideOn(t, g), decide.Referred, match.ReasonUnauthenticated)
	res := decideOn(t, answered(t, g, approve())) // she vouches for it, having seen that
	wants(t, res, inbound.FollowUp)
	if w := updated(t, res, ledger.Contact); w.Set["company"] != "Analytic Ltd" || slices.Contains(res.Reasons, match.ReasonUnauthenticated) {
		t.Errorf("set %v, reasons %v", w.Set, res.Reasons)
	}
}

// That a mail answers one of ours is its own word: it is not filed as the
// conversation's, and no template answers it either.
func TestAContradictedReplyIsForAPerson(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]string{
		tenant.UnauthenticatedAccept: inbound.Folded, tenant.UnauthenticatedNoChanges: decide.Referred, tenant.UnauthenticatedReview: decide.Referred,
	} {
		g := known(checked(t, forged, policy))
		g.Seen.Replied = &followup.Intent{Tenant: "demo", ID: "intent-0", Contact: "contact-1", State: followup.Accepted}
		res := decideOn(t, g)
		if res.Outcome != want {
			t.Errorf("%s: %s %v, want %s", policy, res.Outcome, res.Reasons, want)
		}
		if want == decide.Referred {
			wants(t, decideOn(t, answered(t, g, approve())), inbound.Folded, decide.ReasonReplyToOurs)
		}
	}
}

func TestAPersonSeesWithEachQuestionThatTheSenderIsContradicted(t *testing.T) {
	t.Parallel()
	g := checked(t, forged, tenant.UnauthenticatedNoChanges)
	g.Extraction.Record.SenderEmail.Confidence = 10
	task := created[review.Task](t, decideOn(t, g), ledger.ReviewTask)[0]
	if want := []string{"low_confidence", match.ReasonUnauthenticated}; !slices.Equal(task.Reasons, want) {
		t.Errorf("asked %v, want %v", task.Reasons, want)
	}
}

// SPF, DKIM and DMARC corroborate and never prove: whatever has a person look
// at a mail of which nobody said anything has one look at a mail that passed.
func TestPassingLiftsNoReasonForReview(t *testing.T) {
	t.Parallel()
	doubts := map[string]func(*decide.Ground){
		"low_confidence":          func(g *decide.Ground) { g.Extraction.Record.SenderEmail.Confidence = 10 },
		reader.ReasonSensitive:    func(g *decide.Ground) { ask(g, reader.ReasonSensitive) },
		reader.SenderDiffers:      func(g *decide.Ground) { g.Extraction.Reasons = []string{reader.SenderDiffers} },
		"possible_opt_out":        func(g *decide.Ground) { g.Extraction.Record.PossibleOptOut = true },
		match.ReasonFieldConflict: func(g *decide.Ground) { *g = known(*g); g.Seen.Contact.Name = "Grace Hopper" },
		match.ReasonContactErased: func(g *decide.Ground) { *g = known(*g); g.Seen.Contact.Status = contact.Erased },
		match.ReasonSharedInbox:   func(g *decide.Ground) { g.Person.Shared = true },
		match.ReasonRoleAddress:   func(g *decide.Ground) { g.Person.Role = true },
		match.ReasonOwnAddress:    func(g *decide.Ground) { g.Person.Own = true },
		match.ReasonBadAddress:    func(g *decide.Ground) { g.Person = decide.Person{Fault: match.ReasonBadAddress} },
		content.ReasonSpam:        func(g *decide.Ground) { g.Facts.Warned = content.ReasonSpam },
		decide.ReasonClass + "pitch": func(g *decide.Ground) {
			g.Extraction.Record.Class = reader.Pitch
			ask(g, reader.ReasonAmbiguous)
		},
		decide.ReasonLoop:      func(g *decide.Ground) { *g = counted(t, *g, 3, 0) },
		rawmail.DoubtForwarded: func(g *decide.Ground) { g.Facts.Doubts = []string{rawmail.DoubtForwarded} },
		match.ReasonCustomerInvalid: func(g *decide.Ground) {
			g.Facts.CustomerID, g.Policy.CustomerIDs.Use = "no ID", tenant.CustomersWin
		},
		reader.FieldName + "_" + reader.Unverified: func(g *decide.Ground) { g.Extraction.Reasons = []string{"name_unverified"} },
	}
	for reason, doubt := range doubts {
		for _, v := range []inbound.Verdicts{{}, passed} {
			for _, policy := range []string{tenant.UnauthenticatedAccept, tenant.UnauthenticatedNoChanges, tenant.UnauthenticatedReview} {
				g := checked(t, v, policy)
				doubt(&g)
				wants(t, decideOn(t, g), decide.Referred, reason)
			}
		}
	}
}

func ask(g *decide.Ground, reason string) {
	g.Extraction.Record.NeedsHumanReview, g.Extraction.Record.ReviewReasons = true, []string{reason}
}

// Forging a wish not to be mailed, a bounce or a complaint stops mail and
// causes none: they count under each word of the policy.
func TestAContradictedWishCounts(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{tenant.UnauthenticatedAccept, tenant.UnauthenticatedNoChanges, tenant.UnauthenticatedReview} {
		wish := ground(t, mail(ada, "unsubscribe"), tenant.ModeAuto)
		wish.Event.Verdicts, wish.Policy.Mail.Unauthenticated = forged, policy
		res := decideOn(t, wish)
		wants(t, res, inbound.OptedOut)
		if stopped := on(res, ledger.Guard); len(stopped) == 0 || stopped[0].Apply(nil).Text("stop_all") == "" {
			t.Errorf("%s: a wish stops nothing", policy)
		}
		doubt := ground(t, mail(ada, "My colleague asks how she can unsubscribe."), tenant.ModeAuto)
		doubt.Event.Verdicts, doubt.Policy.Mail.Unauthenticated = forged, policy
		res = decideOn(t, doubt)
		wants(t, res, decide.Referred, "possible_opt_out")
		if held := on(res, ledger.Guard); len(held) == 0 || held[0].Apply(nil).Text("hold") == "" {
			t.Errorf("%s: a doubtful wish holds nothing", policy)
		}
		m := mail("mailer-daemon@example.net", "No such user.")
		m.Kind, m.Suppression = rawmail.Bounce, &rawmail.Suppression{Address: ada, Reason: "bounce", Hard: true}
		bounce := ground(t, m, tenant.ModeAuto)
		bounce.Event.Verdicts, bounce.Policy.Mail.Unauthenticated = forged, policy
		wants(t, decideOn(t, proved(t, bounce, ada)), inbound.Feedback, "address_stopped")
	}
}

// Whoever posts a form is proved by his endpoint: verdicts are of mail.
func TestNoFormIsContradicted(t *testing.T) {
	t.Parallel()
	g := checked(t, forged, tenant.UnauthenticatedReview)
	g.Event.Content = tenant.ContentForm
	wants(t, decideOn(t, g), inbound.FollowUp)
}

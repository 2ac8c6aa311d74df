package decide_test

import (
	"slices"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
)

const question = "Do you have huts with a stove in May?"

func TestAFirstEnquiryMakesContactKeyEnquiryIntentAndOperations(t *testing.T) {
	t.Parallel()
	g := ground(t, mail("Ada@Example.org", question), tenant.ModeAuto)
	res := decideOn(t, g)
	wants(t, res, inbound.FollowUp, match.ReasonEmailNew, "rule_welcome")
	cs := created[contact.Contact](t, res, ledger.Contact)
	ks := created[contact.Key](t, res, ledger.ContactKey)
	es := created[contact.Enquiry](t, res, ledger.Enquiry)
	is := intents(t, res)
	if len(cs) != 1 || len(ks) != 1 || len(es) != 1 || len(is) != 1 {
		t.Fatalf("%d contacts, %d keys, %d enquiries, %d intents", len(cs), len(ks), len(es), len(is))
	}
	if ks[0].ID != "email:ada@example.org" || ks[0].Contact != cs[0].ID || cs[0].Name != "Ada Lovelace" || cs[0].ConsentVersion != 1 {
		t.Errorf("key %+v, contact %+v", ks[0], cs[0])
	}
	if i := is[0]; i.State != followup.Ready || i.Contact != cs[0].ID || i.ConsentVersion != 1 || i.Recipient != "Ada@example.org" ||
		i.ApprovedHash != i.HashContent() || i.InReplyTo != "<m1@example.org>" || es[0].FollowUp != i.ID {
		t.Errorf("intent %+v", i)
	}
	want := []string{outbox.CRMContact, outbox.CRMNote, outbox.CRMTask, outbox.SendIntent}
	if got := opKinds(t, res); !slices.Equal(got, want) {
		t.Errorf("operations %v, want %v", got, want)
	}
}

func TestModesDecideWhatMovesTheIntent(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]struct {
		outcome, state string
		send, tasks    int
		slots          int
	}{
		tenant.ModeObserve: {inbound.Observed, followup.Observed, 0, 0, 0},
		tenant.ModeDraft:   {inbound.FollowUp, followup.Proposed, 0, 1, 1},
		tenant.ModeAuto:    {inbound.FollowUp, followup.Ready, 1, 0, 1},
	} {
		res := decideOn(t, ground(t, mail(ada, question), mode))
		wants(t, res, want.outcome)
		send := 0
		for _, k := range opKinds(t, res) {
			if k == outbox.SendIntent {
				send++
			}
		}
		i, tasks := intents(t, res)[0], created[review.Task](t, res, ledger.ReviewTask)
		if i.State != want.state || send != want.send || len(tasks) != want.tasks || len(on(res, ledger.Cadence)) != want.slots {
			t.Errorf("%s: state %s, %d send operations, %d tasks", mode, i.State, send, len(tasks))
		}
		if mode != tenant.ModeAuto && i.ApprovedHash != "" {
			t.Errorf("%s: approved without a person", mode)
		}
		if mode == tenant.ModeDraft && (tasks[0].ContentHash != i.ContentHash || tasks[0].Kind != review.ApproveIntent) {
			t.Errorf("the task binds other content: %+v", tasks[0])
		}
	}
}

func TestTheCRMPolicyDecidesTheOperations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		crm  tenant.CRM
		want []string
	}{
		"none":         {tenant.CRM{Kind: "", Task: true}, []string{}},
		"without task": {tenant.CRM{Kind: "hubspot"}, []string{outbox.CRMContact, outbox.CRMNote}},
		"with task":    {tenant.CRM{Kind: "hubspot", Task: true}, []string{outbox.CRMContact, outbox.CRMNote, outbox.CRMTask}},
	} {
		g := ground(t, mail(ada, question), tenant.ModeDraft)
		g.Policy.CRM = c.crm
		if got := opKinds(t, decideOn(t, g)); !slices.Equal(got, c.want) {
			t.Errorf("%s: operations %v, want %v", name, got, c.want)
		}
		g = known(ground(t, mail(ada, question), tenant.ModeDraft))
		g.Policy.CRM = c.crm
		got := opKinds(t, decideOn(t, g))
		if slices.Contains(got, outbox.CRMContact) {
			t.Errorf("%s: a contact that has not changed is sent to the CRM again", name)
		}
	}
}

func TestAKnownPersonGetsAnotherEnquiryAndNoOtherContact(t *testing.T) {
	t.Parallel()
	res := decideOn(t, known(ground(t, mail(ada, question), tenant.ModeAuto)))
	wants(t, res, inbound.FollowUp, match.ReasonEmailKnown)
	if n := len(created[contact.Contact](t, res, ledger.Contact)) + len(created[contact.Key](t, res, ledger.ContactKey)); n != 0 {
		t.Errorf("%d contacts and keys made", n)
	}
	if i := intents(t, res)[0]; res.Contact != "contact-1" || i.Contact != "contact-1" || i.ConsentVersion != 3 {
		t.Errorf("intent %+v", i)
	}
}

func TestAKeyIsReadThroughMerges(t *testing.T) {
	t.Parallel()
	g := known(ground(t, mail(ada, question), tenant.ModeAuto))
	g.Seen.Key.Contact = "loser"
	res := decideOn(t, g)
	if res.Contact != "contact-1" || intents(t, res)[0].Contact != "contact-1" {
		t.Errorf("contact %s", res.Contact)
	}
	if len(on(res, ledger.ContactKey)) != 1 {
		t.Error("the decision does not stand on the key")
	}
	for _, w := range on(res, ledger.ContactKey) {
		if !w.If.Holds(ledger.Item{"contact": "loser"}) || w.If.Holds(ledger.Item{"contact": "somebody"}) {
			t.Error("the key is not bound to whom it led to")
		}
	}
}

func TestFieldRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule, have, said string
		outcome          string
		set              any
	}{
		"empty is filled":           {tenant.UpdateFillIfEmpty, "", "Analytic Ltd", inbound.FollowUp, "Analytic Ltd"},
		"same but for case":         {tenant.UpdateFillIfEmpty, "ANALYTIC  ltd", "Analytic Ltd", inbound.FollowUp, nil},
		"conflict goes to a person": {tenant.UpdateFillIfEmpty, "Engines Ltd", "Analytic Ltd", decide.Referred, nil},
		"never fills nothing":       {tenant.UpdateNever, "", "Analytic Ltd", inbound.FollowUp, nil},
		"never is no conflict":      {tenant.UpdateNever, "Engines Ltd", "Analytic Ltd", inbound.FollowUp, nil},
		"always overwrites":         {tenant.UpdateAlways, "Engines Ltd", "Analytic Ltd", inbound.FollowUp, "Analytic Ltd"},
		"nothing said":              {tenant.UpdateAlways, "Engines Ltd", "", inbound.FollowUp, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := known(ground(t, mail(ada, question), tenant.ModeDraft))
			g.Policy.ContactFields.Company, g.Seen.Contact.Company = c.rule, c.have
			g.Extraction.Record.Company = reader.Field{Value: c.said, Confidence: 80}
			res := decideOn(t, g)
			wants(t, res, c.outcome)
			if c.outcome == decide.Referred {
				wants(t, res, decide.Referred, match.ReasonFieldConflict)
				return
			}
			if c.set == nil {
				for _, w := range on(res, ledger.Contact) {
					if w.Op != ledger.OpCheck {
						t.Errorf("the contact is written: %v", w.Set)
					}
				}
				return
			}
			if w := updated(t, res, ledger.Contact); w.Set["company"] != c.set || w.Set["revision"] != int64(6) {
				t.Errorf("set %v", w.Set)
			}
			if !slices.Contains(opKinds(t, res), outbox.CRMContact) {
				t.Error("the CRM is not told of the change")
			}
		})
	}
}

func TestAnApprovedConflictKeepsWhatIsStored(t *testing.T) {
	t.Parallel()
	g := known(ground(t, mail(ada, question), tenant.ModeDraft))
	g.Seen.Contact.Name = "Ada King"
	res := decideOn(t, answered(t, g, approve()))
	wants(t, res, inbound.FollowUp)
	for _, w := range on(res, ledger.Contact) {
		if w.Op != ledger.OpCheck {
			t.Errorf("the contact is written: %v", w.Set)
		}
	}
}

func TestTheSameCauseAgainIsFolded(t *testing.T) {
	t.Parallel()
	nothing := func(t *testing.T, res decide.Result) {
		t.Helper()
		for _, e := range []ledger.Entity{ledger.Contact, ledger.ContactKey, ledger.Enquiry, ledger.Intent, ledger.Operation, ledger.Cadence} {
			for _, w := range on(res, e) {
				if w.Op != ledger.OpCheck {
					t.Errorf("the same cause writes a second %s", e)
				}
			}
		}
	}
	t.Run("with its enquiry", func(t *testing.T) {
		t.Parallel()
		g := known(ground(t, mail(ada, question), tenant.ModeAuto))
		g.Seen.Enquiry = &contact.Enquiry{Contact: "contact-1", FollowUp: "intent-1"}
		res := decideOn(t, g)
		wants(t, res, inbound.Folded, "same_cause")
		if res.Intent != "intent-1" || res.Contact != "contact-1" {
			t.Errorf("folded into %s of %s", res.Intent, res.Contact)
		}
		nothing(t, res)
	})
	// The reader took the Reply-To this time, or the first event's contact was
	// merged: the cause has its follow-up all the same.
	t.Run("with its intent only", func(t *testing.T) {
		t.Parallel()
		for _, g := range []decide.Ground{
			ground(t, mail(other, question), tenant.ModeAuto), known(ground(t, mail(ada, question), tenant.ModeAuto)),
		} {
			g.Seen.Intent = &followup.Intent{ID: "intent-1", Contact: "contact-of-the-first", State: followup.Accepted}
			res := decideOn(t, g)
			wants(t, res, inbound.Folded, "same_cause")
			if res.Intent != "intent-1" || res.Contact != "contact-of-the-first" {
				t.Errorf("folded into %s of %s", res.Intent, res.Contact)
			}
			nothing(t, res)
		}
	})
}

func TestTheFoldWindowJoinsCausesOfOneContact(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		until  time.Duration
		slot   string
		folded bool
	}{
		"within":                       {time.Second, followup.Ready, true},
		"within, sent already":         {time.Second, followup.Accepted, true},
		"within, not looked at":        {time.Second, "", true},
		"at its end":                   {0, followup.Ready, false},
		"after it":                     {-time.Second, followup.Ready, false},
		"within, but a person refused": {time.Second, followup.Cancelled, false},
		"within, but it was stopped":   {time.Second, followup.Suppressed, false},
		"within, but it was rejected":  {time.Second, followup.Rejected, false},
	} {
		g := known(ground(t, mail(ada, question), tenant.ModeAuto))
		g.Seen.Cadence = &followup.Cadence{Contact: "contact-1", Rule: "welcome", Intent: "intent-0", FoldUntil: start.Add(c.until), Version: 9}
		if c.slot != "" {
			g.Seen.Slot = &followup.Intent{ID: "intent-0", State: c.slot}
		}
		res := decideOn(t, g)
		if !c.folded {
			if wants(t, res, inbound.FollowUp); len(intents(t, res)) != 1 {
				t.Errorf("%s: %d intents", name, len(intents(t, res)))
			}
			continue
		}
		wants(t, res, inbound.Folded, "within_fold_window")
		if res.Intent != "intent-0" || len(intents(t, res)) != 0 {
			t.Errorf("%s: intent %s", name, res.Intent)
		}
		if es := created[contact.Enquiry](t, res, ledger.Enquiry); len(es) != 1 || es[0].FollowUp != "intent-0" {
			t.Errorf("%s: enquiries %+v", name, es)
		}
		if len(on(res, ledger.Cadence)) != 1 {
			t.Errorf("%s: folding does not ask for the slot", name)
		}
		for _, w := range on(res, ledger.Cadence) {
			if w.Op != ledger.OpCheck || w.If.Holds(ledger.Item{"version": int64(10)}) {
				t.Errorf("%s: folding does not stand on the slot as it was read", name)
			}
		}
	}
}

func TestAnEnquiryThatNoRuleAnswersIsKept(t *testing.T) {
	t.Parallel()
	g := ground(t, mail(ada, question), tenant.ModeAuto)
	g.Policy.Rules[0].Intents = []string{"pricing"}
	res := decideOn(t, g)
	wants(t, res, inbound.NoRule, "no_rule")
	if len(created[contact.Contact](t, res, ledger.Contact)) != 1 || len(created[contact.Enquiry](t, res, ledger.Enquiry)) != 1 || len(intents(t, res)) != 0 {
		t.Error("want contact and enquiry without an intent")
	}
}

func TestASuppressedPersonsEnquiryIsKeptWithoutAnIntent(t *testing.T) {
	t.Parallel()
	for attr, word := range map[string]string{"stop_all": "suppressed_all", "stop_follow_up": "suppressed_follow_up", "hold": "opt_out_in_doubt"} {
		for _, g := range []decide.Ground{
			ground(t, mail(ada, question), tenant.ModeAuto), known(ground(t, mail(ada, question), tenant.ModeAuto)),
		} {
			res := decideOn(t, guarded(g, ledger.Item{attr: start.String()}))
			wants(t, res, inbound.Suppressed, word)
			if len(intents(t, res)) != 0 || len(created[contact.Enquiry](t, res, ledger.Enquiry)) != 1 {
				t.Errorf("%s: want the enquiry and no intent", attr)
			}
			if slices.Contains(opKinds(t, res), outbox.SendIntent) {
				t.Errorf("%s: a send operation", attr)
			}
		}
	}
	g := guarded(ground(t, mail(ada, question), tenant.ModeAuto), ledger.Item{"stop_newsletter": start.String()})
	wants(t, decideOn(t, g), inbound.FollowUp) // another scope
}

// TestAnOptOutThatCommitsFirstRefusesTheFollowUp: the guard as it is when the
// commit is made, not only as it was read.
func TestAnOptOutThatCommitsFirstRefusesTheFollowUp(t *testing.T) {
	t.Parallel()
	for name, guard := range map[string]ledger.Item{
		"stop": {"stop_all": start.String()}, "stop of the scope": {"stop_follow_up": start.String()}, "hold": {"hold": start.String()},
		"erasure after the event came": {"erased_at": start.String()},
	} {
		res := decideOn(t, ground(t, mail(ada, question), tenant.ModeAuto))
		for _, w := range on(res, ledger.Guard) {
			if w.Allowed(guard) {
				t.Errorf("%s: the commit goes through", name)
			}
			if !w.Allowed(nil) || !w.Allowed(ledger.Item{"erased_at": start.Add(-time.Hour).String()}) {
				t.Errorf("%s: a clear guard refuses the commit", name)
			}
		}
		if len(on(res, ledger.Guard)) != 1 {
			t.Errorf("%s: the commit does not ask the guard", name)
		}
	}
}

func TestAnErasedPersonIsNotWrittenDownAgainByAnOldEvent(t *testing.T) {
	t.Parallel()
	g := guarded(ground(t, mail(ada, question), tenant.ModeAuto), ledger.Item{"erased_at": start.String()})
	res := decideOn(t, g)
	wants(t, res, inbound.Ignored, "address_erased")
	for _, w := range res.Commit.Writes {
		if w.Op != ledger.OpCheck && w.Key.Entity != ledger.Event && w.Key.Entity != ledger.Audit {
			t.Errorf("writes %s", w.Key.Entity)
		}
	}
	g = guarded(ground(t, mail(ada, "unsubscribe"), tenant.ModeAuto), ledger.Item{"erased_at": start.String()})
	res = decideOn(t, g)
	wants(t, res, inbound.OptedOut)
	if w := updated(t, res, ledger.Guard); w.Set["stop_all"] == nil || w.Set["address"] != nil {
		t.Errorf("set %v, want the stop without the address", w.Set)
	}
}

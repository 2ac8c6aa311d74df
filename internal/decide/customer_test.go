package decide_test

import (
	"slices"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
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

const customerKey = "customer:C-7"

// stated is a form of a known sender that names its customer, in auto mode.
func stated(t tb, use, from, id string) decide.Ground {
	t.Helper()
	g := ground(t, mail(from, question), tenant.ModeAuto)
	g.Event.Content, g.Event.Source, g.Policy.CustomerIDs.Use = tenant.ContentForm, "form", use
	g.Facts = content.OfForm(g.Event, tenant.FormValues{Email: from, Message: question, CustomerID: id})
	return identified(t, g)
}

// owner is a contact that exists, with its keys.
func owner(id string, keys ...string) *contact.Contact {
	return &contact.Contact{
		Tenant: "demo", ID: id, Status: contact.Active, Email: "old@example.org", Name: "Ada Lovelace", Keys: keys,
		ConsentVersion: 2, Revision: 4, Transition: 3, FromEvent: "earlier", Version: 1,
	}
}

func keyOf(id, of string) *contact.Key {
	return &contact.Key{Tenant: "demo", ID: id, Contact: of, InboundEvent: "earlier", Version: 1}
}

// byAddress and byID put an owner behind a key of the ground.
func byAddress(g decide.Ground, c *contact.Contact) decide.Ground {
	g.Seen.Key, g.Seen.Contact = keyOf(g.Person.KeyID, c.ID), c
	return g
}

func byID(g decide.Ground, c *contact.Contact) decide.Ground {
	g.Seen.CustomerKey, g.Seen.Customer = keyOf(customerKey, c.ID), c
	return g
}

func putKeys(t tb, res decide.Result) []string {
	t.Helper()
	var ids []string
	for _, k := range created[contact.Key](t, res, ledger.ContactKey) {
		ids = append(ids, k.ID)
	}
	slices.Sort(ids)
	return ids
}

func TestANewCustomerGetsBothKeysInTheCommitThatMakesHim(t *testing.T) {
	t.Parallel()
	for _, use := range []string{tenant.CustomersReview, tenant.CustomersWin} {
		res := decideOn(t, stated(t, use, ada, " C-7 "))
		wants(t, res, inbound.FollowUp, match.ReasonEmailNew, match.ReasonCustomerNew)
		c := created[contact.Contact](t, res, ledger.Contact)[0]
		if keys := putKeys(t, res); !slices.Equal(keys, []string{customerKey, "email:" + ada}) || !slices.Equal(c.Keys, []string{"email:" + ada, customerKey}) {
			t.Errorf("%s: keys %v, listed %v", use, keys, c.Keys)
		}
		for _, w := range on(res, ledger.ContactKey) {
			if w.Op != ledger.OpCreate || w.Item.Text("contact") != res.Contact {
				t.Errorf("%s: %+v is not put if absent for the contact", use, w)
			}
		}
	}
}

func TestAnIgnoredCustomerIDLeavesNoTrace(t *testing.T) {
	t.Parallel()
	res := decideOn(t, stated(t, tenant.CustomersIgnore, ada, "C 7"))
	wants(t, res, inbound.FollowUp, match.ReasonEmailNew)
	if keys := putKeys(t, res); !slices.Equal(keys, []string{"email:" + ada}) {
		t.Errorf("keys %v", keys)
	}
}

func TestWhatIsNoCustomerIDGoesToAPerson(t *testing.T) {
	t.Parallel()
	g := stated(t, tenant.CustomersWin, ada, "C 7")
	wants(t, decideOn(t, g), decide.Referred, match.ReasonCustomerInvalid)
	res := decideOn(t, answered(t, g, approve()))
	wants(t, res, inbound.FollowUp)
	if keys := putKeys(t, res); !slices.Equal(keys, []string{"email:" + ada}) {
		t.Errorf("approved, keys %v", keys)
	}
}

// The missing key is put for the contact that the other names, in the commit
// that attaches the enquiry.
func TestTheMissingKeyIsAdded(t *testing.T) {
	t.Parallel()
	for _, use := range []string{tenant.CustomersReview, tenant.CustomersWin} {
		res := decideOn(t, byAddress(stated(t, use, ada, "C-7"), owner("a", "email:"+ada)))
		wants(t, res, inbound.FollowUp, match.ReasonEmailKnown, match.ReasonCustomerNew)
		w := updated(t, res, ledger.Contact)
		if keys := putKeys(t, res); res.Contact != "a" || !slices.Equal(keys, []string{customerKey}) {
			t.Errorf("%s: contact %s, keys %v", use, res.Contact, keys)
		}
		if w.Set["revision"] != nil || !slices.Contains(opKinds(t, res), outbox.SendIntent) || slices.Contains(opKinds(t, res), outbox.CRMContact) {
			t.Errorf("%s: a key is nothing that the CRM holds: %v %v", use, w.Set, opKinds(t, res))
		}
	}
	res := decideOn(t, byID(stated(t, tenant.CustomersWin, ada, "C-7"), owner("b", customerKey)))
	wants(t, res, inbound.FollowUp, match.ReasonEmailNew, match.ReasonCustomerKnown)
	if keys, i := putKeys(t, res), intents(t, res)[0]; res.Contact != "b" || !slices.Equal(keys, []string{"email:" + ada}) || i.Recipient != ada || i.State != followup.Ready {
		t.Errorf("contact %s, keys %v, intent %+v", res.Contact, keys, i)
	}
}

func TestANewAddressOfACustomerIsAsked(t *testing.T) {
	t.Parallel()
	g := byID(stated(t, tenant.CustomersReview, ada, "C-7"), owner("b", customerKey))
	first := decideOn(t, g)
	wants(t, first, decide.Referred, match.ReasonAddressNew)
	task := created[review.Task](t, first, ledger.ReviewTask)[0]
	if !slices.Equal(task.Candidates, []string{"b"}) || !slices.Equal(task.CandidatesBy, []string{review.ByCustomer}) {
		t.Errorf("candidates %v by %v", task.Candidates, task.CandidatesBy)
	}
	res := decideOn(t, answered(t, g, approve()))
	wants(t, res, inbound.FollowUp)
	if keys := putKeys(t, res); res.Contact != "b" || !slices.Equal(keys, []string{"email:" + ada}) {
		t.Errorf("approved: contact %s, keys %v", res.Contact, keys)
	}
}

func TestAnAddressNeverGetsASecondCustomerID(t *testing.T) {
	t.Parallel()
	for _, use := range []string{tenant.CustomersReview, tenant.CustomersWin} {
		g := byAddress(stated(t, use, ada, "C-7"), owner("a", "email:"+ada, "customer:C-1"))
		wants(t, decideOn(t, g), decide.Referred, match.ReasonCustomerDiffers)
		res := decideOn(t, answered(t, g, approve()))
		wants(t, res, inbound.FollowUp)
		if keys := putKeys(t, res); res.Contact != "a" || len(keys) != 0 {
			t.Errorf("%s, approved: contact %s, keys %v", use, res.Contact, keys)
		}
	}
}

func TestTwoContactsOfOneEventAreAsked(t *testing.T) {
	t.Parallel()
	g := byID(byAddress(stated(t, tenant.CustomersReview, ada, "C-7"), owner("a", "email:"+ada)), owner("b", customerKey))
	first := decideOn(t, g)
	wants(t, first, decide.Referred, match.ReasonSeveral)
	task := created[review.Task](t, first, ledger.ReviewTask)[0]
	if !slices.Equal(task.Candidates, []string{"a", "b"}) || !slices.Equal(task.CandidatesBy, []string{review.ByEmail, review.ByCustomer}) {
		t.Errorf("candidates %v by %v", task.Candidates, task.CandidatesBy)
	}
	wants(t, decideOn(t, answered(t, g, approve())), decide.Referred, match.ReasonSeveral) // no yes says which
}

// The address stays its contact's, and no mail goes to it for the other on
// nobody's word.
func TestACustomerIDThatWinsLeavesTheAddressWhereItIs(t *testing.T) {
	t.Parallel()
	g := byID(byAddress(stated(t, tenant.CustomersWin, ada, "C-7"), owner("a", "email:"+ada)), owner("b", customerKey))
	g.Extraction.Record.Company = reader.Field{Value: "Analytic Ltd", Confidence: 90}
	res := decideOn(t, g)
	wants(t, res, inbound.FollowUp, match.ReasonCustomerBeats)
	if res.Contact != "b" || len(putKeys(t, res)) != 0 {
		t.Errorf("contact %s, keys %v", res.Contact, putKeys(t, res))
	}
	for _, w := range on(res, ledger.ContactKey) {
		whose := map[string]string{"email:" + ada: "a", customerKey: "b"}[w.Key.ID]
		if w.Op != ledger.OpCheck || !w.If.Holds(ledger.Item{"contact": whose}) || w.If.Holds(ledger.Item{"contact": "c"}) {
			t.Errorf("the decision does not stand on key %s of %s", w.Key.ID, whose)
		}
	}
	if w := updated(t, res, ledger.Contact); w.Key.ID != "b" || w.Set["company"] != "Analytic Ltd" {
		t.Errorf("written: %s %v", w.Key.ID, w.Set)
	}
	i, tasks := intents(t, res)[0], created[review.Task](t, res, ledger.ReviewTask)
	if i.State != followup.Proposed || i.ApprovedHash != "" || len(tasks) != 1 || !slices.Equal(tasks[0].Reasons, []string{decide.ReasonAddressOfAnother}) ||
		i.Recipient != ada || i.Contact != "b" || i.ConsentVersion != 2 || i.Guard != g.Person.GuardID {
		t.Errorf("intent %+v, tasks %+v", i, tasks)
	}
	if tasks[0].ContentHash != i.ContentHash || !slices.Equal(tasks[0].Candidates, []string{"a", "b"}) {
		t.Errorf("task %+v", tasks[0])
	}
}

func TestASharedInboxIsIdentifiedByTheCustomerID(t *testing.T) {
	t.Parallel()
	for _, use := range []string{tenant.CustomersReview, tenant.CustomersWin} {
		res := decideOn(t, byID(stated(t, use, info, "C-7"), owner("b", customerKey)))
		wants(t, res, inbound.FollowUp, match.ReasonSharedInbox, match.ReasonCustomerKnown)
		if i := intents(t, res)[0]; res.Contact != "b" || len(putKeys(t, res)) != 0 || i.State != followup.Ready {
			t.Errorf("%s: contact %s, intent %s", use, res.Contact, i.State)
		}
		fresh := decideOn(t, stated(t, use, info, "C-7"))
		wants(t, fresh, inbound.FollowUp, match.ReasonSharedInbox, match.ReasonCustomerNew)
		if keys := putKeys(t, fresh); !slices.Equal(keys, []string{customerKey}) {
			t.Errorf("%s: keys %v", use, keys)
		}
	}
}

func TestTheGuardIsTheAddressesWhateverTheCustomerID(t *testing.T) {
	t.Parallel()
	g := byID(stated(t, tenant.CustomersWin, ada, "C-7"), owner("b", customerKey))
	res := decideOn(t, guarded(g, ledger.Item{"stop_all": start.String()}))
	wants(t, res, inbound.Suppressed, "suppressed_all")
	if res.Contact != "b" || len(intents(t, res)) != 0 {
		t.Errorf("contact %s, %d intents", res.Contact, len(intents(t, res)))
	}
}

// A wish not to be mailed stops the address, and ends what waits for the
// customer's other addresses.
func TestAnOptOutIsTheCustomersToo(t *testing.T) {
	t.Parallel()
	wish := func(g decide.Ground) decide.Ground {
		g.Facts = content.OfForm(g.Event, tenant.FormValues{Email: ada, Message: "Please unsubscribe me.", CustomerID: "C-7"})
		g.Extraction = nil
		return identified(t, g)
	}
	g := byID(byAddress(wish(stated(t, tenant.CustomersReview, ada, "C-7")), owner("a", "email:"+ada)), owner("b", customerKey))
	res := decideOn(t, g)
	wants(t, res, inbound.OptedOut)
	var raised, ends []string
	for _, w := range on(res, ledger.Contact) {
		if w.Set["consent_version"] == int64(3) {
			raised = append(raised, w.Key.ID)
		}
	}
	for _, op := range created[outbox.Operation](t, res, ledger.Operation) {
		ends = append(ends, op.Contact)
	}
	slices.Sort(raised)
	slices.Sort(ends)
	if want := []string{"a", "b"}; !slices.Equal(raised, want) || !slices.Equal(ends, want) {
		t.Errorf("consent of %v raised, the queue of %v ended", raised, ends)
	}
	// A customer who appears before the commit has to be told too.
	fresh := decideOn(t, wish(stated(t, tenant.CustomersReview, ada, "C-7")))
	if !slices.ContainsFunc(on(fresh, ledger.ContactKey), func(w ledger.Write) bool {
		return w.Key.ID == customerKey && w.Op == ledger.OpCheck && !w.If.Holds(ledger.Item{"contact": "b"})
	}) {
		t.Error("the wish does not stand on there being no such customer")
	}
}

// A customer ID whose contact is gone leads nowhere, whatever the address says.
// A wish must never be lost because two ways lead to one contact: here the next
// form of the address names the customer.
func TestAnOptOutRaisesTheConsentOfAContactOnce(t *testing.T) {
	t.Parallel()
	g := stated(t, tenant.CustomersReview, ada, "C-7")
	g.Facts = content.OfForm(g.Event, tenant.FormValues{Email: ada, Message: "Please unsubscribe me.", CustomerID: "C-7"})
	g.Extraction = nil
	g = next(migrating(t, g), "b")
	g = byID(byAddress(g, owner("a", "email:"+ada)), owner("b", customerKey))
	res := decideOn(t, g)
	wants(t, res, inbound.OptedOut)
	if err := res.Commit.Validate(); err != nil {
		t.Errorf("the wish cannot be written: %v", err)
	}
}

func TestACustomerWhoseContactIsGoneIsForAPerson(t *testing.T) {
	t.Parallel()
	g := byAddress(stated(t, tenant.CustomersWin, ada, "C-7"), owner("a", "email:"+ada))
	g.Seen.CustomerKey = keyOf(customerKey, "lost")
	wants(t, decideOn(t, g), decide.Referred, match.ReasonContactErased)
}

// Whoever sends forms of one customer from ever new addresses would make a
// contact that no decision and no claim can read any more.
func TestACustomerGetsNoMoreAddressesThanOneContactMayHave(t *testing.T) {
	t.Parallel()
	full := owner("b", customerKey)
	for n := range contact.MaxAddresses {
		full.Keys = append(full.Keys, contact.EmailKeyID(1, string(rune('a'+n))+"@example.net"))
	}
	g := byID(stated(t, tenant.CustomersWin, ada, "C-7"), full)
	wants(t, decideOn(t, g), decide.Referred, match.ReasonManyAddresses)
	res := decideOn(t, answered(t, g, approve()))
	wants(t, res, inbound.FollowUp)
	if keys := putKeys(t, res); res.Contact != "b" || len(keys) != 0 {
		t.Errorf("approved: contact %s, keys %v", res.Contact, keys)
	}
	if !slices.ContainsFunc(on(res, ledger.ContactKey), func(w ledger.Write) bool { return w.Key.ID == "email:"+ada && w.Op == ledger.OpCheck }) {
		t.Error("the address could come to somebody meanwhile")
	}
	// Who said that a new address is the customer's is told that it cannot be.
	g = byID(stated(t, tenant.CustomersReview, ada, "C-7"), full)
	res = decideOn(t, answered(t, g, approve()))
	wants(t, res, decide.Referred, match.ReasonManyAddresses)
	if keys := putKeys(t, res); len(keys) != 0 {
		t.Errorf("keys %v", keys)
	}
	full.Keys = full.Keys[:len(full.Keys)-1]
	wants(t, decideOn(t, byID(stated(t, tenant.CustomersWin, ada, "C-7"), full)), inbound.FollowUp)
}

package decide_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/review"
)

// rows are a ledger by key.
type rows map[ledger.Key]ledger.Item

func (r rows) put(t tb, e ledger.Entity, id, sub string, noun any) {
	t.Helper()
	var c ledger.Commit
	k := e.Under("demo", id, sub)
	if e == ledger.ProviderMessage {
		k.Tenant = ledger.NoTenant
	}
	if err := c.Create("row", k, noun); err != nil {
		t.Fatal(err)
	}
	r[k] = c.Writes[0].Apply(nil)
}

// person puts an address's keys, guard and contact, which was merged into another.
func (r rows) person(t tb, p decide.Person, keyID, id string) {
	t.Helper()
	r.put(t, ledger.ContactKey, keyID, "", contact.Key{Tenant: "demo", ID: keyID, Contact: "loser-of-" + id})
	r.put(t, ledger.Guard, p.GuardID, "", ledger.Item{"transition": int64(1), "bounces": int64(1)})
	r.put(t, ledger.Contact, "loser-of-"+id, "", contact.Contact{
		Tenant: "demo", ID: "loser-of-" + id, Status: contact.Merged, MergedInto: id, Keys: []string{"email:lou@example.net"}, ConsentVersion: 1, Transition: 1,
	})
	r.put(t, ledger.Contact, id, "", contact.Contact{
		Tenant: "demo", ID: id, Status: contact.Active, Name: "A. King", Absorbed: []string{"loser-of-" + id}, Keys: []string{"customer:C-1"}, ConsentVersion: 2, Transition: 3,
	})
}

// reading is an input with a ledger, and the fields of Seen that it has read.
type reading struct {
	in     decide.Input
	ledger rows
	rounds int // sequential reads
}

func readings(t *testing.T) map[string]reading {
	next := func(in *decide.Input) {
		in.Policy.IdentityNext = &tenant.Identity{Version: in.Policy.Identity.Version + 1, FoldPlus: true}
	}
	of := func(in decide.Input, written string) decide.Person {
		return decide.Identify(key(t), in.Policy, written)
	}

	// An answer to a mail of ours, with a customer ID, from somebody who has been
	// merged and written to.
	known := ground(t, mail(ada, question), tenant.ModeAuto).Input
	next(&known)
	known.Policy.CustomerIDs.Use, known.Facts.CustomerID = tenant.CustomersWin, "C-1"
	known.Facts.InReplyTo = []string{"sent-7@email.amazonses.com"}
	known.Extraction.Record.Phone = reader.Field{Value: "020 7946 0000", Confidence: 90}
	rule := known.Policy.Rules[0]
	one := rows{}
	phone := decide.LikelyKey(decide.Ground{Input: known}, key(t))
	one.put(t, ledger.ContactKey, phone, "", contact.Key{Tenant: "demo", ID: phone, Contact: "contact-9"})
	one.person(t, of(known, ada), of(known, ada).KeyID, "contact-1")
	lou := decide.GuardsOf(key(t), "demo", "", contact.Contact{Keys: []string{"email:lou@example.net"}})[0]
	one.put(t, ledger.Guard, lou, "", ledger.Item{"transition": int64(2), guard.StopAttr("other"): "2026-03-01T09:00:00.000Z"})
	one.put(t, ledger.ContactKey, "customer:C-1", "", contact.Key{Tenant: "demo", ID: "customer:C-1", Contact: "contact-1"})
	one.put(t, ledger.Enquiry, "loser-of-contact-1", known.Facts.Cause, contact.Enquiry{Tenant: "demo", FollowUp: "intent-3"})
	one.put(t, ledger.Cadence, "contact-1", rule.ID, followup.Cadence{Tenant: "demo", Intent: "intent-4", FoldUntil: start})
	one.put(t, ledger.Intent, "intent-4", "", followup.Intent{Tenant: "demo", ID: "intent-4", State: followup.Cancelled, Reason: followup.ReasonRefused})
	own := followup.IntentID(key(t), "demo", known.Facts.Cause, rule.ID, rule.Version)
	one.put(t, ledger.Intent, own, "", followup.Intent{Tenant: "demo", ID: own, Contact: "contact-1", State: followup.Accepted})
	one.put(t, ledger.ProviderMessage, "ses:sent-7", "", followup.ProviderMessage{Tenant: "demo", Intent: "intent-7"})
	one.put(t, ledger.Intent, "intent-7", "", followup.Intent{Tenant: "demo", ID: "intent-7", State: followup.Accepted})

	// Somebody who is known by the next form alone, and whom a rule of another name
	// has a mail for that waits.
	late := ground(t, mail("Ada+huts@example.org", question), tenant.ModeAuto).Input
	next(&late)
	late.Policy.Review.NewContacts = true
	late.Policy.Rules = append(slices.Clone(late.Policy.Rules), tenant.Rule{ID: "another"})
	two := rows{}
	two.person(t, of(late, "Ada+huts@example.org"), of(late, "Ada+huts@example.org").NextKeyID, "contact-2")
	two.put(t, ledger.Cadence, "contact-2", "another", followup.Cadence{Tenant: "demo", Intent: "intent-5"})
	two.put(t, ledger.Intent, "intent-5", "", followup.Intent{Tenant: "demo", ID: "intent-5", State: followup.Proposed})

	// A mail to somebody that a person refused.
	refused := ground(t, mail(ada, question), tenant.ModeAuto).Input
	refused.Policy.Review.NewContacts = true
	five := rows{}
	five.person(t, of(refused, ada), of(refused, ada).KeyID, "contact-1")
	five.put(t, ledger.Cadence, "contact-1", rule.ID, followup.Cadence{Tenant: "demo", Intent: "intent-4", FoldUntil: start})
	five.put(t, ledger.Intent, "intent-4", "", followup.Intent{Tenant: "demo", ID: "intent-4", State: followup.Cancelled, Reason: followup.ReasonRefused})

	// From somebody known, to be answered to somebody else who is: no read follows
	// on another for that.
	second := refused
	second.Facts.Source.ReplyTo = other
	six := maps.Clone(five)
	six.person(t, of(second, other), of(second, other).KeyID, "contact-6")

	// A complaint that returns our mail and names two.
	report := ground(t, machineMail(rawmail.Complaint, ada, true), tenant.ModeAuto).Input
	next(&report)
	report.Facts.Failed, report.Facts.Returned = []string{ada, "Ada+huts@elsewhere.example"}, []string{"intent-6"}
	three, another := rows{}, of(report, "Ada+huts@elsewhere.example")
	three.person(t, another, another.KeyID, "contact-3")
	three.put(t, ledger.ContactKey, another.NextKeyID, "", contact.Key{Tenant: "demo", ID: another.NextKeyID, Contact: "contact-3"})
	three.put(t, ledger.Intent, "intent-6", "", followup.Intent{Tenant: "demo", ID: "intent-6", Guard: of(report, ada).GuardID})

	// A wish in answer to a mail of ours to another address of the same contact,
	// whose contact has been merged since.
	stop := ground(t, mail(ada, "Please unsubscribe me."), tenant.ModeAuto).Input
	stop.Facts.InReplyTo = []string{"sent-7@email.amazonses.com"}
	seven := rows{}
	seven.person(t, of(stop, ada), of(stop, ada).KeyID, "contact-1")
	seven.put(t, ledger.ProviderMessage, "ses:sent-7", "", followup.ProviderMessage{Tenant: "demo", Intent: "intent-7"})
	seven.put(t, ledger.Intent, "intent-7", "", followup.Intent{Tenant: "demo", ID: "intent-7", State: followup.Accepted,
		Recipient: other, Guard: of(stop, other).GuardID, Contact: "loser-of-contact-1"})
	seven.put(t, ledger.Guard, of(stop, other).GuardID, "", ledger.Item{"transition": int64(3), "bounces": int64(1)})
	// A mail of ours that a list brings back.
	back := ground(t, mail(ada, question), tenant.ModeAuto).Input
	back.Facts.MessageID = "sent-9@eu-west-1.amazonses.com"
	eight := rows{}
	eight.put(t, ledger.ProviderMessage, "ses:sent-9", "", followup.ProviderMessage{Tenant: "demo", Intent: "intent-9"})

	// A person's answer.
	answer := ground(t, mail(ada, question), tenant.ModeAuto).Input
	task := review.Task{Tenant: "demo", ID: "task-1", Kind: review.DecideEvent, State: review.Open, Transition: 2, Reasons: []string{"low_confidence"}}
	answer.Event.Review, answer.Answer = "task-1", &decide.Answer{Approve: true, By: "person:grace", Asked: &task}
	four := rows{}
	four.put(t, ledger.ReviewTask, "task-1", "", task)
	return map[string]reading{"known": {known, one, 4}, "late": {late, two, 6}, "report": {report, three, 2}, "answer": {answer, four, 1}, "wish": {stop, seven, 4}, "refused": {refused, five, 5}, "second": {second, six, 5}, "ours": {back, eight, 1}}
}

// fields adds the fields of a struct that are set.
func fields(set map[string]bool, of any) {
	v := reflect.ValueOf(of)
	for n := range v.NumField() {
		if !v.Field(n).IsZero() {
			set[v.Type().String()+"."+v.Type().Field(n).Name] = true
		}
	}
}

func fieldsOf(g decide.Ground) map[string]bool {
	set := map[string]bool{}
	fields(set, g.Seen)
	for _, p := range slices.Concat(g.Also, g.Seen.Mailed) {
		fields(set, p)
	}
	return set
}

// TestEveryReadIsAskedForAndKept: each field of what a decision reads is asked for
// of a ledger that has it, in no more rounds than are said, is kept with the
// event, and is there again when the ground is put together. Who adds a read
// adds a row here.
func TestEveryReadIsAskedForAndKept(t *testing.T) {
	t.Parallel()
	all := map[string]bool{}
	for name, r := range readings(t) {
		rounds := 0
		g, err := decide.Read(r.in, key(t), decide.Look, func(keys []ledger.Key) ([]ledger.Item, error) {
			rounds++
			items := make([]ledger.Item, len(keys))
			for n, k := range keys {
				if items[n] = r.ledger[k]; slices.Contains(keys[:n], k) {
					t.Errorf("%s: %v is read twice", name, k)
				}
			}
			return items, nil
		})
		if err != nil || rounds != r.rounds {
			t.Errorf("%s: %d rounds, %v", name, rounds, err)
			continue
		}
		seen := fieldsOf(g)
		for field := range seen {
			all[field] = true
		}
		if r.in.Answer != nil {
			continue
		}
		text := kept(t, decideOn(t, g))
		if was, is := comparably(g, decideOn(t, g)), comparably(g, again(t, g, text)); !reflect.DeepEqual(was, is) {
			t.Errorf("%s: decided again, the commit differs:\n%+v\n%+v\nkept %s", name, was, is, text)
		}
		k, err := decide.Thaw(text)
		if err != nil {
			t.Fatal(err)
		}
		thawed, err := k.Ground(key(t), r.in.Event, r.in.Policy, r.in.Facts, r.in.Extraction)
		if again := fieldsOf(thawed); err != nil || !reflect.DeepEqual(seen, again) {
			t.Errorf("%s: read %v\nkept %v, %v", name, seen, again, err)
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[decide.Seen](), reflect.TypeFor[decide.Party]()} {
		for n := range of.NumField() {
			if field := of.String() + "." + of.Field(n).Name; !all[field] {
				t.Errorf("%s is never asked for, or no ledger here has it", field)
			}
		}
	}
}

// agrees tells whether a ground has each contact in one state.
func agrees(g decide.Ground) bool {
	main, others := map[string]*contact.Contact{}, map[string]*contact.Contact{}
	ok := true
	note := func(in map[string]*contact.Contact, k *contact.Key, c *contact.Contact) {
		if k == nil {
			return
		}
		if was, is := in[k.Contact]; is && !reflect.DeepEqual(was, c) {
			ok = false
		}
		in[k.Contact] = c
	}
	s := g.Seen
	if s.Key == nil && !g.Person.Shared && s.Next != nil && !s.Next.Shared {
		note(main, s.Next, s.Contact)
	}
	if s.Key != nil && !s.Key.Shared && !g.Person.Shared {
		note(main, s.Key, s.Contact)
	}
	note(main, s.Next, s.NextContact)
	note(main, s.CustomerKey, s.Customer)
	note(others, s.SecondKey, s.Second)
	for _, p := range g.Also {
		note(others, p.Key, p.Contact)
		note(others, p.Next, p.NextContact)
	}
	for _, p := range s.Mailed {
		if p.Contact != nil {
			note(main, &contact.Key{Contact: p.Contact.ID}, p.Contact)
		}
	}
	return ok
}

// TestASnapshotIsAllThatADecisionIsMadeFrom: whatever the ground, what it answers
// gives the same result and the same commit, and each answer that is left out is
// missed.
func TestASnapshotIsAllThatADecisionIsMadeFrom(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := randomGround(t)
		g.Policy.Rules = append(slices.Clone(g.Policy.Rules), tenant.Rule{ID: "another", Intents: []string{"meeting"}})
		thread(t, &g)
		secondForms(t, &g)
		if !agrees(g) {
			t.Skip("one row in two states")
		}
		want := decideOn(t, g)
		snapshot, err := decide.SnapshotOf(g, key(t))
		if err != nil {
			t.Fatal(err)
		}
		res, missing, err := decide.Decide(g.Input, snapshot, key(t))
		if err != nil || len(missing) > 0 || !reflect.DeepEqual(inOrder(want), inOrder(res)) {
			t.Fatalf("missing %v, %v:\n%+v\n%+v", missing, err, want, res)
		}
		for ask, answer := range snapshot.Kept {
			if _, main := snapshot.Kept[decide.Ask{Role: "contact", Of: ask.Of}]; main && ask.Role == "contact_of_another" {
				continue // it is the main one's, in case that another policy asks
			}
			delete(snapshot.Kept, ask)
			_, missing, err := decide.Decide(g.Input, snapshot, key(t))
			if err != nil || !slices.ContainsFunc(missing, func(m decide.Missing) bool { return m.Ask == ask && m.Lost != "" }) {
				t.Fatalf("without %v: missing %v, %v", ask, missing, err)
			}
			snapshot.Kept[ask] = answer
		}
	})
}

package scenario_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/operate/contacts"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// What operators do with contacts. Relinking and erasing have no command yet:
// relink and erase make, in one audited commit each, the state that one has to
// leave by DESIGN sections 3 and 4.

func (w *world) person(address string) decide.Person {
	p, err := w.sys.Policies.Fresh(context.Background(), tenantID)
	w.must(err)
	return decide.Identify(w.ids, p, address)
}

func (w *world) contactOf(address string) contact.Contact {
	k := w.get(ledger.ContactKey.At(tenantID, w.person(address).KeyID))
	if k == nil {
		w.must(errNoAnswer)
	}
	return w.survivor(k.Text("contact"))
}

func (w *world) survivor(id string) contact.Contact {
	for {
		var c contact.Contact
		w.must(w.get(contactKey(id)).Decode(&c))
		if c.Status != contact.Merged {
			return c
		}
		id = c.MergedInto
	}
}

func contactKey(id string) ledger.Key {
	return ledger.Contact.At(tenantID, id)
}

func (w *world) byHand(reason, contactID string) audit.Record {
	return audit.Record{At: utc.At(w.now()), By: "person:admin", Reasons: []string{reason}, Contact: contactID}
}

func (w *world) commit(c ledger.Commit) { w.must(w.apply(context.Background(), "", c)) }

// operators is who says who is who.
func (w *world) operators() *contacts.Service {
	return &contacts.Service{Store: store{w.base, w}, Policies: w.sys.Policies, IDs: w.ids, Now: time.Now}
}

// act has an operator carry an act out at once, past every fault.
func (w *world) act(a contacts.Act) {
	a.Tenant = tenantID
	_, err := w.operators().Do(context.Background(), a, "person:admin", "")
	w.must(err)
}

func (w *world) alias(c contact.Contact, address string) {
	w.act(contacts.Act{Kind: contacts.Alias, Contact: c.ID, Address: address})
}

func (w *world) merge(loser, survivor contact.Contact) {
	w.act(contacts.Act{Kind: contacts.Merge, Contact: loser.ID, Into: survivor.ID})
}

func (w *world) knows(address string) bool {
	return w.get(ledger.ContactKey.At(tenantID, w.person(address).KeyID)) != nil
}

// oneIfKnown merges whom the one address leads to into whom the other does, in a
// schedule in which either may not be known yet.
func (w *world) oneIfKnown(address, other string) {
	if w.knows(address) && w.knows(other) {
		w.merge(w.contactOf(address), w.contactOf(other))
	}
}

// says queues an act, with the plan that is shown before it. Who gets no answer
// says it again, as people do; what is not possible is let be.
func (w *world) says(a contacts.Act) {
	a.Tenant = tenantID
	w.jobs = append(w.jobs, &job{role: "operator", key: "operator/" + fmt.Sprint(len(w.trace)+len(w.jobs)), tries: 5, wait: time.Minute, work: func(ctx context.Context) error {
		s := w.operators()
		p, err := s.Plan(ctx, a)
		if err == nil {
			_, err = s.Do(ctx, a, "person:admin", p.Token)
		}
		var no *contacts.Refusal
		if errors.As(err, &no) || errors.Is(err, contacts.ErrMoved) {
			return nil
		}
		return err
	}})
}

// relink says that an enquiry was another contact's: it is filed there too,
// with the follow-up that its cause has.
func (w *world) relink(from, to contact.Contact) {
	for _, it := range w.scan(schema.Ledger) {
		if it.Text(schema.Entity) != string(ledger.Enquiry) || it.Text(schema.ID) != from.ID {
			continue
		}
		var e contact.Enquiry
		w.must(it.Decode(&e))
		e.Contact = to.ID
		var commit ledger.Commit
		w.must(commit.Create("enquiry", ledger.Enquiry.Under(tenantID, to.ID, it.Text(schema.Sub)), e))
		w.commit(commit)
	}
}

// erase forgets an address: its guard says since when.
func (w *world) erase(address string) {
	p := w.person(address)
	var commit ledger.Commit
	w.must(decide.ChangeGuard(&commit, decide.GuardChange{
		Tenant: tenantID, ID: p.GuardID, Seen: w.get(ledger.Guard.At(tenantID, p.GuardID)),
		Event: "erase", Set: ledger.Item{"erased_at": utc.At(w.now()), "address": ""}, Audit: w.byHand("erase", ""),
	}))
	w.commit(commit)
}

// people plays a command about addresses. Of somebody who is not known it comes
// to nothing.
func (w *world) people(verb string, of []string) {
	switch verb {
	case "erase":
		w.erase(of[0])
	case "merge":
		w.says(contacts.Act{Kind: contacts.Merge, Contact: of[0], Into: of[1]})
	case "split":
		w.says(contacts.Act{Kind: contacts.Split, Contact: of[0]})
	case "alias":
		w.says(contacts.Act{Kind: contacts.Alias, Contact: of[0], Address: of[1]})
	case "address":
		w.says(contacts.Act{Kind: contacts.ChangeAddress, Contact: of[0], Address: of[1]})
	}
}

// An opt-out from either address of a person stops every mail that waits for
// any of them: it raises the consent version of the one contact.
func TestAnOptOutForOneAddressOfAPersonWithTwoAfterAnAlias(t *testing.T) {
	t.Parallel()
	f := inline(t, []string{"mode draft"}, kim, `1h form id=stop email=kim@example.org name="Kim Lee" message="Please unsubscribe me."`, "quiet answer approve all=yes")
	f.steps = append(f.steps[:1:1], append([]step{{quiet: true, verb: "hook"}}, f.steps[1:]...)...)
	play(t, f, schedule{}, func(w *world) {
		w.hook = func() { w.alias(w.contactOf("kim@example.com"), "kim@example.org") }
	}, func(w *world) {
		want(t, "state", w.intents()[0].State, followup.Suppressed)
		want(t, "mails", len(w.postbox.took), 0)
		want(t, "consent version", w.contactOf("kim@example.com").ConsentVersion, 2)
		want(t, "open tasks", len(w.open()), 0)
	})
}

// After a merge the same: the opt-out is written through the redirect, and
// holds for what waits for either of the two.
func TestAnOptOutForOneAddressOfAPersonWithTwoAfterAMerge(t *testing.T) {
	t.Parallel()
	f := inline(t, []string{"mode draft"}, kim, lou, `1h form id=stop email=lou@example.org name="Lou Fay" message="Please unsubscribe me."`, "quiet answer approve all=yes", "quiet answer approve all=yes")
	f.steps = append(f.steps[:2:2], append([]step{{quiet: true, verb: "hook"}}, f.steps[2:]...)...)
	play(t, f, schedule{}, func(w *world) {
		w.hook = func() { w.merge(w.contactOf("lou@example.org"), w.contactOf("kim@example.com")) }
	}, func(w *world) {
		want(t, "mails", len(w.postbox.took), 0)
		for _, i := range w.intents() {
			if i.State == followup.Accepted {
				t.Errorf("the intent to %s was sent", i.Recipient)
			}
		}
	})
}

// A mail that was answered is delivered again to another mailbox, after its
// contact was merged, its enquiry relinked and the rule changed. None of that
// is a new cause.
func TestAReplayAfterMergeRelinkAndRuleChange(t *testing.T) {
	t.Parallel()
	first := "0s mail file=two-mailboxes/sales.eml from=sam.okafor@outdoorclub.example to=sales@demo.example"
	again := "24h mail file=two-mailboxes/info.eml from=sam.okafor@outdoorclub.example to=info@demo.example"
	for name, change := range map[string]func(*world){
		"merge": func(w *world) { w.merge(w.contactOf("sam.okafor@outdoorclub.example"), w.contactOf("kim@example.com")) },
		"relink": func(w *world) {
			w.relink(w.contactOf("sam.okafor@outdoorclub.example"), w.contactOf("kim@example.com"))
		},
		"rule change": func(w *world) { w.file.policy = []string{"version 2"}; w.applyPolicy(w.file.policy) },
		"all three": func(w *world) {
			sam := w.contactOf("sam.okafor@outdoorclub.example")
			w.relink(sam, w.contactOf("kim@example.com"))
			w.merge(sam, w.contactOf("kim@example.com"))
			w.file.policy = []string{"version 2"}
			w.applyPolicy(w.file.policy)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Where a merge has made one contact of two names, a person is asked first.
			f := inline(t, nil, first, kim, again, "quiet answer approve all=yes")
			f.steps = append(f.steps[:2:2], append([]step{{quiet: true, verb: "hook"}}, f.steps[2:]...)...)
			res := play(t, f, schedule{}, func(w *world) { w.hook = func() { change(w) } }, nil)
			want(t, "intents", res.outcome.Intents, 2)
			want(t, "mails", res.outcome.Mails, 2)
			want(t, "events", res.outcome.Events, "follow_up 2 folded 1 ")
		})
	}
}

// A person is erased after his form came in and before it is decided, at each
// call of the decision. He is not written down again by what he sent before.
func TestErasureBetweenReceiptAndDecision(t *testing.T) {
	t.Parallel()
	for _, at := range []string{
		"extract: event claim #1", "extract: get raw content #1", "extract: ask the reader #1", "extract: extraction create #1",
		"extract: get contact_key and guard and intent and loop_cap #1", "extract: event decide #1",
	} {
		erased := false
		play(t, inline(t, nil, kim), schedule{}, func(w *world) {
			w.before = func(name string) {
				if name == at {
					erased = true
					w.erase("kim@example.com")
				}
			}
		}, func(w *world) {
			want(t, at+": events", w.outcome().Events, "ignored 1 ")
			want(t, at+": contacts", w.file.counts["contact"], 0)
			want(t, at+": mails", len(w.postbox.took), 0)
		})
		if !erased {
			t.Errorf("%s: the call was not made", at)
		}
	}
}

// Erased between decision and claim: nothing is sent.
func TestErasureBetweenDecisionAndClaim(t *testing.T) {
	t.Parallel()
	play(t, inline(t, nil, kim), schedule{}, func(w *world) {
		w.before = func(name string) {
			if name == "send: intent claim #1" {
				w.erase("kim@example.com")
			}
		}
	}, func(w *world) {
		want(t, "state", w.intents()[0].State, followup.Suppressed)
		want(t, "mails", len(w.postbox.took), 0)
	})
}

// An operator's process dies, or hears nothing, at any of its calls: he says it
// again, and what comes of it is the same.
func TestEachActOnContactsSurvivesEachFault(t *testing.T) {
	t.Parallel()
	all, _, err := scenarios()
	if err != nil {
		t.Fatal(err)
	}
	f := all["who-is-who"]
	clean := run(t, f, schedule{scenario: f.name}, nil, nil)
	tried := map[string]int{}
	for _, s := range singles(f, clean) {
		for name := range s.faults {
			if !strings.HasPrefix(name, "operator: ") {
				continue
			}
			label, _, _ := strings.Cut(name, " #")
			tried[label]++
			if _, broken := check(t, f, s, clean); len(broken) > 0 {
				t.Errorf("%v\nagain: %s", broken, s)
			}
		}
	}
	for _, act := range []string{"merge", "split", "alias", "change_address"} {
		if tried["operator: contact "+act] == 0 {
			t.Errorf("no fault of %s was tried: %v", act, tried)
		}
	}
}

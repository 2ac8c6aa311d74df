package stored_test

import (
	"strings"
	"time"

	"onefold/internal/console"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/operate/contacts"
)

// The story that the kept store holds. Each person is in one state and is named
// in the tests by address.

// began is the first moment of the story.
var began = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// storyOf is what each kept store was filled with. A story is not changed once a
// store is kept: see TestTheSameStoryMakesTheStoredKeysAndWords.
var storyOf = map[string]func(*writer){"first": (*writer).fill}

// writer fills a store and remembers what came in.
type writer struct {
	*system

	requests []request
}

// send delivers and has the workers go on.
func (w *writer) send(r request) request {
	r = w.deliver(r)
	w.requests = append(w.requests, r)
	w.work()
	w.now = w.now.Add(time.Second)
	return r
}

// writes has somebody write by form to the tenant demo.
func (w *writer) writes(id, who, message string, more ...string) request {
	return w.send(formOf("demo", id, who+"@example.com", message, append([]string{"name", strings.ToUpper(who[:1]) + who[1:] + " Ash"}, more...)...))
}

func (w *writer) apply(doc []byte) {
	w.t.Helper()
	_, err := w.Policies.Apply(w.t.Context(), doc, "person:admin")
	must(w.t, err)
}

// fill tells the whole story.
func (w *writer) fill() {
	w.apply(policyOf("demo", 1, nil))
	w.apply(policyOf("halted", 1, func(doc map[string]any) { doc["crm"] = map[string]any{"kind": "", "task": false} }))
	w.firstDay()
	w.people()
	w.moving()
	w.send(formOf("halted", "gus-1", "gus@example.org", "Is the lodge free?", "name", "Gus"))
	w.until(began.Add(26 * time.Hour))
	w.secondDay()
	w.until(began.Add(3 * 24 * time.Hour))
	w.lastHour()
}

// fillStopped tells a short story that ends with all mail stopped.
func (w *writer) fillStopped() {
	w.apply(policyOf("demo", 1, nil))
	w.writes("amy-1", "amy", "Is the lodge free?")
	w.off["send"] = true
	w.writes("bob-1", "bob", "Is the lodge free?")
	w.stop(ledger.NoTenant, true)
}

// firstDay is what has ended by now.
func (w *writer) firstDay() {
	w.writes("anna-1", "anna", "We are six people in May.")
	w.writes("anna-2", "anna", "And a dog.") // folded
	w.send(w.requests[0])                    // delivered twice
	w.writes("ben-1", "ben", "Is the lodge free?")
	w.reports = append(w.reports, w.report(w.mailsTo("ben@example.com", 0)[0], mailer.EventBounced))
	w.writes("cora-1", "cora", "Is the lodge free?")
	w.reports = append(w.reports, w.report(w.mailsTo("cora@example.com", 0)[0], mailer.EventComplained))
	w.writes("dan-1", "dan", "Is the lodge free?")
	w.writes("dan-2", "dan", "Please unsubscribe me.")
	w.writes("dan-3", "dan", "Is the lodge free in June?")
	w.writes("emil-1", "emil", "Is the lodge free?")
	if code := w.optOut(w.mailsTo("emil@example.com", 0)[0].Link); code != 200 {
		w.t.Fatalf("the opt-out link was answered %d", code)
	}
	w.post = map[string][]string{
		"fay@example.com": {"rejected"}, "gus@example.com": {"throttled"}, "hal@example.com": {"not_begun"}, "jon@example.com": {"lost"},
		"kai@example.com": {"lost"}, "lea@example.com": {"taken, lost"}, "max@example.com": {"lost"},
	}
	for _, who := range []string{"fay", "gus", "hal", "ida", "jon", "kai", "lea", "joy"} {
		w.writes(who+"-1", who, "Is the lodge free?")
	}
	w.writes("max-1", "max", "May we meet? [meeting]") // sent again by the policy
	w.writes("noa-1", "noa", "What does it cost? [price]")
	for _, who := range []string{"mia", "nik", "ola", "pia"} {
		w.writes(who+"-1", who, "My tent is broken. [support]")
	}
	w.answer(console.Reject, ofIntent(w.last("mia@example.com")))
	w.answer(console.Approve, ofIntent(w.last("nik@example.com")))
	w.writes("pia-2", "pia", "Please unsubscribe me.")
	w.writes("rob-1", "rob", "Which boots are good? [boots]")
	w.pass(time.Hour)
	w.writes("rob-2", "rob", "And which socks? [boots]") // waits for the quiet period
	w.writes("ida-2", "ida", "And in June?")
	w.writes("ida-3", "ida", "Please unsubscribe me.")
	w.apply(policyOf("demo", 2, draftProduct)) // rob's second is held
	odd := w.writes("una-1", "una", "Hm. [unsure]")
	w.writes("una-2", "uno", "Hm. [unsure]")
	w.answer(console.Reject, ofEvent(odd.Event))
	w.writes("ugo-1", "ugo", "Hello? [silent]") // a person is asked, since the reader says nothing
	w.writes("eva-1", "eva", "Hello? [dies]")   // parked
	w.writes("odd-1", "odd", "Is the lodge free?")
	r := w.deliver(formOf("demo", "odd-1", "odd@example.com", "Other words under the same ID."))
	if r.Status != 409 {
		w.t.Fatalf("other content was answered %d", r.Status)
	}
	shop := formOf("demo", "", "zac@example.com", "An order of the shop.")
	shop.Endpoint, shop.Headers = "shop", map[string]string{"x-signature": "yes", "x-id": "shop-1"}
	w.send(shop)
	w.send(mailOf("sam@club.example", "sales@demo.example", samsMail))
	office := w.send(mailOf("office@riverside.example", "hello@demo.example", officeMail))
	w.answer(console.Approve, ofEvent(office.Event)) // a contact without a key
	w.send(mailOf("ivy@buyer.example", "hello@demo.example", doubtfulMail("ivy")))
}

// people is who is who.
func (w *writer) people() {
	for _, who := range []string{"quinn", "quentin", "ron", "rona", "ada"} {
		w.writes(who+"-1", who, "Is the lodge free?")
	}
	w.act("demo", contacts.Merge, "quinn@example.com", "quentin@example.com", "")
	w.act("demo", contacts.Alias, "quentin@example.com", "", "quincy@example.com")
	w.act("demo", contacts.Merge, "ron@example.com", "rona@example.com", "")
	w.act("demo", contacts.Split, "ron@example.com", "", "")
	w.act("demo", contacts.ChangeAddress, "ada@example.com", "", "ada.ash@example.com")
	w.writes("sue-1", "sue", "Is the lodge free?", "customer", "C-7")
	open := w.writes("sue-2", "susan", "And in June?", "customer", "C-7")
	w.writes("tom-1", "tom", "Is the lodge free?", "customer", "C-8")
	known := w.writes("tom-2", "thomas", "And in June?", "customer", "C-8", "name", "Tom Ash")
	w.answer(console.Approve, ofEvent(known.Event))
	_ = open // stays open
	w.writes("tim-1", "tim", "Is the lodge free?", "customer", "C-9")
	w.writes("tim-2", "timothy", "Please unsubscribe me.", "customer", "C-9", "name", "Tim Ash")
	w.writes("vic-1", "vic", "Is the lodge free?")
	w.writes("val-1", "val", "Is the lodge free?")
	w.act("demo", contacts.Merge, "vic@example.com", "val@example.com", "")
	w.reports = append(w.reports, w.report(w.mailsTo("vic@example.com", 0)[0], mailer.EventComplained))
	w.work()
	w.cab = map[string][]string{"contact": {"refused", "conflict"}}
	w.writes("ned-1", "ned", "Is the lodge free?")
	w.writes("meg-1", "meg", "Is the lodge free?")
	w.off["crmsync"] = true
	w.writes("liv-1", "liv", "Is the lodge free?")
	w.writes("liv-2", "liv", "And in June?", "company", "Liv Ltd")
	w.off["crmsync"] = false
	w.work()
}

// moving is a tenant with one identity rule that came into force, and another
// whose migration is under way.
func (w *writer) moving() {
	one := map[string]any{"version": 1}
	two := map[string]any{"version": 2, "fold_plus": true}
	three := map[string]any{"version": 3, "fold_plus": true, "fold_dots": true}
	w.apply(policyOf("moving", 1, identityRules(one, nil)))
	for _, a := range []string{"kim+shop@example.net", "jo.day@example.net", "joday@example.net", "lou.fox@example.net", "pat.ray@example.net"} {
		w.send(formOf("moving", "f-"+a, a, "Is the lodge free?", "name", "Lee Fox"))
	}
	w.apply(policyOf("moving", 2, identityRules(one, two)))
	w.pass(5 * time.Minute)
	if rep := w.migrate("moving"); !rep.Ready {
		w.t.Fatalf("the migration is not ready: %+v", rep)
	}
	w.apply(policyOf("moving", 3, identityRules(two, nil)))
	w.pass(5 * time.Minute)
	w.apply(policyOf("moving", 4, identityRules(two, three)))
	w.pass(5 * time.Minute)
	if rep := w.migrate("moving"); len(rep.Collisions) != 1 {
		w.t.Fatalf("collisions: %+v", rep)
	}
	w.send(formOf("moving", "stop-1", "patray@example.net", "Please unsubscribe me.", "name", "Lee Fox"))
}

// secondDay is what became of the first, and people's answers to it.
func (w *writer) secondDay() {
	w.answer(console.Approve, ofIntent(w.last("kai@example.com")))     // sent again
	w.answer(console.CountAsSent, ofIntent(w.last("lea@example.com"))) // not sent again
	w.apply(policyOf("halted", 2, nil))                                // gus is older than the CRM
	w.send(formOf("halted", "gus-2", "gus@example.org", "And in June?", "name", "Gus"))
	w.send(formOf("halted", "gil-1", "gil@example.org", "Is the lodge free?", "name", "Gil"))
	w.stop("halted", true)
	w.send(formOf("halted", "ira-1", "ira@example.org", "Is the lodge free?", "name", "Ira"))
}

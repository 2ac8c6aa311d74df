package scenario_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/operate/verify"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
)

// journal is what the harness saw take effect, in the order in which it did.
// It trusts no time and no state word of the ledger.
type journal struct {
	stopped   map[string]bool // guard → an opt-out, bounce or complaint stands
	consent   map[string]int  // contact → how often consent was withdrawn
	decidedAt map[string]int  // intent → of its contact, when it was decided
	of        map[string][2]string
	evidence  map[string]bool // intent → feedback has taken evidence of it
	claims    map[string]int
	risks     map[string]int // intent → accepted possible duplicates
	accepted  []string       // events that a delivery was answered 2xx for
	bad       []string
	who       persons
}

func newJournal() *journal {
	return &journal{
		stopped: map[string]bool{}, consent: map[string]int{}, decidedAt: map[string]int{}, of: map[string][2]string{},
		evidence: map[string]bool{}, claims: map[string]int{}, risks: map[string]int{}, who: newPersons(),
	}
}

func (j *journal) note(w *world, c ledger.Commit) {
	for _, wr := range c.Writes {
		j.who.note(w, wr)
		id := wr.Key.ID
		switch {
		case wr.Key.Entity == ledger.Guard && wr.Op != ledger.OpCheck:
			if wr.Item.Text(guard.StopAttr(guard.ScopeAll)) != "" || wr.Set.Text(guard.StopAttr(guard.ScopeAll)) != "" {
				j.stopped[id] = true
			}
			if slices.Contains(wr.Remove, guard.StopAttr(guard.ScopeAll)) {
				j.stopped[id] = false
			}
		case wr.Key.Entity == ledger.Contact && wr.Op == ledger.OpUpdate && wr.Set["consent_version"] != nil:
			j.consent[id]++
		case wr.Key.Entity == ledger.Intent && wr.Op == ledger.OpCreate:
			j.of[id] = [2]string{wr.Item.Text("guard"), wr.Item.Text("contact")}
			j.decidedAt[id] = j.consent[wr.Item.Text("contact")]
		case wr.Key.Entity == ledger.Intent && wr.Set.Text("contact") != "": // an approval moved it
			j.of[id] = [2]string{j.of[id][0], wr.Set.Text("contact")}
			j.decidedAt[id] = j.consent[wr.Set.Text("contact")]
		case wr.Key.Entity == ledger.Audit && wr.Item.Text("noun") == string(ledger.Intent) && wr.Item.Text("event") == followup.Resend:
			j.risks[wr.Item.Text("noun_id")]++
		case wr.Key.Entity == ledger.Attempt && wr.Op == ledger.OpCreate:
			j.claim(wr)
		}
	}
}

// claim judges a claim at the moment when it takes effect.
func (j *journal) claim(wr ledger.Write) {
	id := wr.Key.ID
	j.claims[id]++
	of := j.of[id]
	if j.stopped[of[0]] {
		j.bad = append(j.bad, fmt.Sprintf("an attempt of intent %s was claimed after the stop of its address had committed", id))
	}
	if j.consent[of[1]] != j.decidedAt[id] {
		j.bad = append(j.bad, fmt.Sprintf("an attempt of intent %s was claimed after consent had been withdrawn", id))
	}
	if word := j.who.against(of[1]); word != "" {
		j.bad = append(j.bad, fmt.Sprintf("an attempt of intent %s was claimed after %s at an address of the person had committed", id, word))
	}
	if j.evidence[id] {
		j.bad = append(j.bad, fmt.Sprintf("an attempt of intent %s was claimed after evidence of acceptance had been taken", id))
	}
}

// judge holds everything against the promises once all is quiet.
func (w *world) judge() {
	w.broken = append(w.broken, w.journal.bad...)
	w.judgeLedger()
	w.judgeMails()
	w.judgeCRM()
	for _, id := range w.journal.accepted {
		it := w.get(ledger.Event.At(tenantID, id))
		if s := it.Text("state"); s != inbound.Decided && s != inbound.InReview && s != inbound.Parked {
			w.wrongf("a delivery of event %s was answered with yes and the event is %q", id, s)
		}
	}
}

func (w *world) judgeLedger() {
	// A worker that stood still between its stamp and its commit, or several at
	// once: order is then the journal's to judge, not the stamps'.
	slack := time.Duration(0)
	if len(w.plan) > 0 || w.pick != nil {
		slack = 2 * pauseLongFor
	}
	rep, err := verify.Check(context.Background(), w.base, verify.Options{IDs: &w.ids, Blob: w.blobs, Quiet: true, Slack: slack})
	w.must(err)
	for _, f := range rep.Findings {
		risk := f.Check == "one_submission" && strings.HasPrefix(f.What, "the provider took") && len(w.journal.risks) > 0
		if f.Severity == verify.Violation && !risk {
			w.wrongf("%s: %s", f.Check, f.What)
		}
	}
	w.file.counts = rep.Counts
}

// judgeMails: at most one mail of an intent goes out for each possible
// duplicate that was accepted, and one more.
func (w *world) judgeMails() {
	n := map[string]int{}
	for _, m := range w.postbox.took {
		n[m.intent]++
		if w.get(ledger.AttemptKey(tenantID, m.intent, m.attempt)) == nil {
			w.wrongf("attempt %d of intent %s reached the provider and is not written down", m.attempt, m.intent)
		}
	}
	for intent, times := range n {
		if times > 1+w.journal.risks[intent] {
			w.wrongf("%d mails of intent %s went out, and %d possible duplicates were accepted", times, intent, w.journal.risks[intent])
		}
	}
}

// judgeCRM: one record for an address, one note and one task for an enquiry,
// each on the record of its contact, which holds the contact as it is.
func (w *world) judgeCRM() {
	emails := map[string]int{}
	keyless := 0
	for _, it := range w.scan(schema.Ledger) {
		if it.Text(schema.Entity) != string(ledger.Contact) {
			continue
		}
		var c contact.Contact
		w.must(it.Decode(&c))
		if c.Status == contact.Active && !slices.ContainsFunc(c.Keys, func(k string) bool { return !contact.IsCustomerKey(k) }) {
			keyless++
		}
		r := w.cabinet.byRef["contact/"+c.ID]
		if r != nil && c.Status == contact.Active && !w.stalledCRM() && w.synced(c.ID) &&
			(r.contact.Name != c.Name || r.contact.Company != c.Company || r.contact.Phone != c.Phone) {
			w.wrongf("the CRM's record of contact %s is not the contact as it is", c.ID)
		}
	}
	for _, r := range w.cabinet.order {
		// Of one who was merged the CRM keeps its record, and cannot be told.
		if strings.HasPrefix(r.id, "contact") && !w.journal.who.merged(r.contact.Ref) {
			emails[r.contact.Email]++
		}
	}
	for _, n := range emails {
		if n > 1+keyless {
			w.wrongf("the CRM has %d records of one address", n)
		}
	}
	if n, m := w.cabinet.count("note"), w.file.counts["operation.crm_note"]; n > m {
		w.wrongf("the CRM has %d notes of %d enquiries", n, m)
	}
	if n, m := w.cabinet.count("task"), w.file.counts["operation.crm_task"]; n > m {
		w.wrongf("the CRM has %d tasks of %d enquiries", n, m)
	}
}

// synced tells whether every operation that brings a contact has been done.
func (w *world) synced(id string) bool {
	for k := range w.due {
		if k.Entity != ledger.Operation {
			continue
		}
		it := w.get(k)
		if it.Text("kind") == outbox.CRMContact && it.Text("contact") == id && it.Text("state") != outbox.Done && it.Text("state") != outbox.Superseded {
			return false
		}
	}
	return true
}

// stalledCRM tells whether a worker of the CRM was held up past its claim in
// the middle of its call. No adapter can rule out that such a call lands; its
// reference keeps it from making a second record, nothing its content.
func (w *world) stalledCRM() bool {
	for name, f := range w.plan {
		if strings.HasPrefix(name, "crmsync: upsert") && (f == paused || f == pausedLong) {
			return true
		}
	}
	return false
}

// outcome is what a schedule came to, in what must not depend on faults.
type outcome struct {
	Contacts, Enquiries, Intents, Mails, Waiting int
	Events                                       string
	Unsent                                       int // claims whose mail never reached the provider
}

func (w *world) outcome() outcome {
	c := w.file.counts
	o := outcome{Contacts: c["contact"], Enquiries: c["enquiry"], Intents: c["intent"], Mails: len(w.postbox.took)}
	for _, n := range w.journal.claims {
		o.Unsent += n
	}
	o.Unsent -= w.postbox.calls
	// With a person, by whichever way: an outcome that nobody knows, a row that
	// did not move.
	o.Waiting = c["intent.in_review"] + c["intent.proposed"] + c["operation.send_intent.parked"] + c["event.parked"]
	for _, s := range []string{inbound.FollowUp, inbound.Folded, inbound.Observed, inbound.NoRule, inbound.Suppressed, inbound.OptedOut, inbound.Ignored, inbound.Feedback, inbound.Dismissed} {
		if n := c["event.decided."+s]; n > 0 {
			o.Events += fmt.Sprintf("%s %d ", s, n)
		}
	}
	return o
}

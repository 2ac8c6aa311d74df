package stored_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/console"
	"onefold/internal/crm"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/operate/contacts"
	"onefold/internal/record/followup"
	"onefold/internal/schema"
)

// settle is longer than any process works under a policy that was replaced.
const settle = 5 * time.Minute

// What comes in again, or comes in new, meets what is stored.

// counts is how many rows of each entity there are, but for deliveries: what a delivery that is answered leaves behind.
func (s *system) counts() map[string]int {
	n := map[string]int{}
	for _, table := range tables {
		for _, it := range s.scan(table) {
			n[it.Text(schema.Entity)]++
		}
	}
	delete(n, string(ledger.Delivery))
	n["mails"], n["CRM records"] = len(s.Mails), len(s.Records)
	return n
}

func TestARedeliveryOfAStoredEventMakesNothingNew(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, k kept) {
		again := func(when string) {
			before := s.counts()
			for _, r := range k.Requests {
				got := s.deliver(r)
				if got.Status != r.Status || got.Event != r.Event {
					t.Errorf("%s: %s was answered %d %s, and %d %s then", when, r.Event, got.Status, got.Event, r.Status, r.Event)
				}
			}
			if after := s.counts(); !maps.Equal(before, after) {
				t.Errorf("%s: rows before %v, after %v", when, before, after)
			}
		}
		if len(k.Requests) == 0 {
			t.Fatal("no request is kept")
		}
		again("as it was left")
		s.rest()
		again("after all was done")
		before := s.counts()
		s.work()
		if after := s.counts(); !maps.Equal(before, after) {
			t.Errorf("work of redeliveries: rows before %v, after %v", before, after)
		}
	})
}

// The shop does not sign the ID, so the same signed words under another ID are
// the same event.
func TestSignedWordsThatWereUsedMakeNoSecondEvent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, k kept) {
		at := slices.IndexFunc(k.Requests, func(r request) bool { return r.Endpoint == "shop" })
		r := k.Requests[at]
		before := s.counts()
		r.Headers["x-id"] = "another"
		if got := s.deliver(r); got.Event != r.Event {
			t.Errorf("the event is %s, and was %s", got.Event, r.Event)
		}
		if after := s.counts(); !maps.Equal(before, after) {
			t.Errorf("rows before %v, after %v", before, after)
		}
	})
}

func TestAStoredMailInAnotherMailboxIsTheSameCause(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, _ kept) {
		first, mails := s.last("sam@club.example"), len(s.Mails)
		r := s.deliver(mailOf("sam@club.example", "info@demo.example", samsMail))
		s.rest()
		if e := s.event(r.Event); e.Outcome != "folded" || e.Intent != first.ID || e.Contact != first.Contact {
			t.Errorf("the event is %s into %s of %s; stored is %s of %s", e.Outcome, e.Intent, e.Contact, first.ID, first.Contact)
		}
		if n := len(s.intents("sam@club.example")); n != 1 || len(s.mailsTo("sam@club.example", mails)) > 0 {
			t.Errorf("%d follow-ups, and mails %v", n, s.mailsTo("sam@club.example", mails))
		}
		// Of an inbox that many write from a person approved the contact: it is
		// named after the cause.
		first, mails = s.last("office@riverside.example"), len(s.Mails)
		r = s.deliver(mailOf("office@riverside.example", "info@demo.example", officeMail))
		s.work()
		for range s.open(ofEvent(r.Event)) {
			s.answer(console.Approve, ofEvent(r.Event))
		}
		if e := s.event(r.Event); e.Contact != first.Contact || len(s.mailsTo("office@riverside.example", mails)) > 0 {
			t.Errorf("the event is %s of %s; stored is %s", e.Outcome, e.Contact, first.Contact)
		}
	})
}

func TestAnAnswerToAStoredMailIsKnownAsOne(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, _ kept) {
		i := s.last("sam@club.example")
		raw := strings.NewReplacer("<walk-1@club.example>", "<answer-1@club.example>", "in May", "in June",
			"Subject:", "In-Reply-To: <"+i.MessageID+"@email.amazonses.com>\nSubject:").Replace(samsMail)
		r := s.deliver(mailOf("sam@club.example", "hello@demo.example", raw))
		s.work()
		if e := s.event(r.Event); e.Intent != i.ID || !slices.Contains(e.Reasons, "reply_to_ours") {
			t.Errorf("the answer is %s %v, of %s; the mail was of %s", e.Outcome, e.Reasons, e.Intent, i.ID)
		}
	})
}

func TestAReportThatWasTakenIsNotTakenTwice(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, k kept) {
		s.work()
		before := string(rowsOf(s))
		for _, m := range k.Outside.Mails {
			if s.settled(m) {
				s.reports = append(s.reports, s.report(m, mailer.EventSent), s.report(m, mailer.EventDelivered))
			}
		}
		if len(s.reports) == 0 {
			t.Fatal("no mail was reported on")
		}
		s.work()
		sameLines(t, rowsOf(s), []byte(before))
	})
}

// settled reports whether the provider reported on a mail before.
func (s *system) settled(m sent) bool {
	for _, a := range decoded[followup.Attempt](s, ledger.Attempt) {
		if a.MessageID == m.Message && !a.DeliveredAt.IsZero() {
			return true
		}
	}
	return false
}

func TestAStoredKeyLeadsToItsContact(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, _ kept) {
		s.pass(time.Hour) // what was under way is done
		contacts := len(s.rows(ledger.Contact))
		for _, x := range []struct {
			why  string
			form request
			of   string // an address that leads to the contact too
		}{
			{"the address", formOf("demo", "new-1", "Anna@Example.com", "And in July?"), "anna@example.com"},
			{"a merged contact's address", formOf("demo", "new-2", "quinn@example.com", "And in July?"), "quentin@example.com"},
			{"an alias", formOf("demo", "new-3", "quincy@example.com", "And in July?"), "quentin@example.com"},
			{"a contact that was split off", formOf("demo", "new-4", "ron@example.com", "And in July?"), "ron@example.com"},
			{"a former address", formOf("demo", "new-5", "ada@example.com", "And in July?"), "ada.ash@example.com"},
			{"a customer's other address", formOf("demo", "new-6", "thomas@example.com", "And in July?", "customer", "C-8"), "tom@example.com"},
			{"the form that the rule in force gives", formOf("moving", "new-7", "kim+walk@example.net", "And in July?"), "kim+shop@example.net"},
			{"the form that the next rule gives", formOf("moving", "new-8", "lou.fox+x@example.net", "And in July?"), "lou.fox@example.net"},
		} {
			want := s.contact(x.form.Tenant, x.of)
			e := s.event(s.deliver(x.form).Event)
			s.work()
			if e = s.event(e.ID); e.Contact != want || want == "" {
				t.Errorf("%s: the event is of contact %q, %s %v; stored is %q", x.why, e.Contact, e.State, e.Reasons, want)
			}
		}
		if n := len(s.rows(ledger.Contact)); n != contacts {
			t.Errorf("%d contacts, and %d before", n, contacts)
		}
		if r, ok, err := s.Policies.Route(t.Context(), "hello@in.moving.example"); err != nil || !ok || r.Tenant != "moving" {
			t.Errorf("mail to the tenant moving goes to %+v, %v", r, err)
		}
		s.rest()
		verified(t, s)
	})
}

// A contact that the CRM has is written to its record there, by the reference
// and the ID that are stored.
func TestACRMRecordThatIsStoredIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, _ kept) {
		s.rest()
		records := len(s.Records)
		s.deliver(formOf("demo", "new-1", "anna@example.com", "And in July?", "company", "Anna Ltd"))
		s.rest()
		made := slices.DeleteFunc(slices.Sorted(maps.Keys(s.Records)), func(ref string) bool { return !strings.HasPrefix(ref, "contact/") })
		if want := records + 2; len(s.Records) != want { // a note and a task
			t.Errorf("%d records in the CRM, want %d", len(s.Records), want)
		}
		if anna := s.Records["contact/"+s.contact("demo", "anna@example.com")]; s.known[anna.ID] != anna.ID {
			t.Errorf("the CRM was called with the ID %q, and stored is %q", s.known[anna.ID], anna.ID)
		}
		linked := 0
		for _, m := range decoded[crm.Mapping](s, ledger.CRMMapping) {
			if m.CRMID != "" {
				linked++
			}
		}
		if len(made) != linked {
			t.Errorf("%d contacts in the CRM, and %d of ours are linked", len(made), linked)
		}
	})
}

func TestAMigrationUnderWayGoesOn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, _ kept) {
		three := map[string]any{"version": 3, "fold_plus": true, "fold_dots": true}
		if rep := s.migrate("moving"); rep.Ready || len(rep.Collisions) != 1 {
			t.Fatalf("the stored question is gone: %+v", rep)
		}
		s.act("moving", contacts.Merge, "jo.day@example.net", "joday@example.net", "")
		for range 5 {
			s.pass(settle)
			if s.migrate("moving").Ready {
				break
			}
		}
		_, err := s.Policies.Apply(t.Context(), policyOf("moving", 5, identityRules(three, nil)), "person:admin")
		must(t, err)
		s.pass(settle)
		want := s.contact("moving", "joday@example.net")
		r := s.deliver(formOf("moving", "new-1", "j.o.day@example.net", "And in July?"))
		s.work()
		if e := s.event(r.Event); e.Contact != want {
			t.Errorf("the event is of contact %q, %s; want %q", e.Contact, e.State, want)
		}
		verified(t, s)
	})
}

package decide_test

import (
	"slices"
	"strings"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
	"onefold/internal/record/inbound"
)

// TestReading07AValueBelowItsOwnLimitIsACandidate: it is neither written to the
// contact nor put into the mail, it is in conflict with nothing, and a person is
// told.
func TestReading07AValueBelowItsOwnLimitIsACandidate(t *testing.T) {
	t.Parallel()
	limits := tenant.FieldLimits{Name: 70, Company: 50, Phone: 30}
	for field, limit := range map[string]int64{"name": 70, "company": 50, "phone": 30} {
		for _, sure := range []int64{0, 1, limit - 1, limit, 100} {
			g := ground(t, mail(ada, question), tenant.ModeAuto)
			g.Policy.Review.MinFieldConfidence = limits
			g.Policy.Rules[0].Template.Text = "Hello {{.Name}} of {{.Company}}\n{{.PostalAddress}}"
			said := map[string]reader.Field{
				"name": {Value: "Ada Lovelace", Confidence: 100}, "company": {Value: "Analytic Ltd", Confidence: 100}, "phone": {Value: "+44 20 7946 0000", Confidence: 100},
			}
			value := said[field].Value
			said[field] = reader.Field{Value: value, Confidence: sure}
			r := &g.Extraction.Record
			r.ContactName, r.Company, r.Phone = said["name"], said["company"], said["phone"]
			candidate := sure < limit

			res := decideOn(t, g)
			wants(t, res, inbound.FollowUp)
			made := created[contact.Contact](t, res, ledger.Contact)[0]
			for _, f := range contact.Fields() {
				if written := made.Field(f) != ""; written != (f != field || !candidate) {
					t.Errorf("%s of %d %%: %s of the contact is %q", field, sure, f, made.Field(f))
				}
			}
			if field != "phone" && strings.Contains(intents(t, res)[0].Text, value) == candidate {
				t.Errorf("%s of %d %%: the mail is %q", field, sure, intents(t, res)[0].Text)
			}
			if slices.Contains(res.Reasons, decide.ReasonCandidate+field) != candidate {
				t.Errorf("%s of %d %%: reasons %v", field, sure, res.Reasons)
			}

			k := known(g)
			k.Seen.Contact.Name, k.Seen.Contact.Company, k.Seen.Contact.Phone = "Bea King", "Engines Ltd", "+44 20 7946 0001"
			others := map[string]string{"name": "Ada Lovelace", "company": "Analytic Ltd", "phone": "+44 20 7946 0000"}
			delete(others, field)
			for f, v := range others {
				switch f {
				case "name":
					k.Seen.Contact.Name = v
				case "company":
					k.Seen.Contact.Company = v
				case "phone":
					k.Seen.Contact.Phone = v
				}
			}
			want := inbound.FollowUp
			if !candidate {
				want = decide.Referred
			}
			wants(t, decideOn(t, k), want)
		}
	}
}

// TestReading07ACandidateStaysOneWhereAPersonIsAsked: the task says so, and going
// on with it believes nothing more.
func TestReading07ACandidateStaysOneWhereAPersonIsAsked(t *testing.T) {
	t.Parallel()
	g := ground(t, mail(ada, question), tenant.ModeAuto)
	g.Extraction.Record.ContactName.Confidence, g.Extraction.Record.SenderEmail.Confidence = 1, 10
	wants(t, decideOn(t, g), decide.Referred, "low_confidence", "candidate_name")
	res := decideOn(t, answered(t, g, approve()))
	wants(t, res, inbound.FollowUp, "candidate_name")
	if c := created[contact.Contact](t, res, ledger.Contact)[0]; c.Name != "" || strings.Contains(intents(t, res)[0].Text, "Ada") {
		t.Errorf("it is believed: %+v, %q", c.Name, intents(t, res)[0].Text)
	}
}

// TestReading07AReturningCustomerInOtherSpellingsWaitsForNobody: what the contact
// has stays as it is under each rule.
func TestReading07AReturningCustomerInOtherSpellingsWaitsForNobody(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{tenant.UpdateFillIfEmpty, tenant.UpdateAlways, tenant.UpdateNever} {
		g := known(ground(t, mail(ada, question), tenant.ModeAuto))
		g.Policy.Region, g.Policy.ContactFields = "GB", tenant.FieldRules{Name: rule, Company: rule, Phone: rule}
		c, r := g.Seen.Contact, &g.Extraction.Record
		c.Name, c.Company, c.Phone = "Ada", "Analytic Limited", "+442079460000"
		r.ContactName, r.Company = reader.Field{Value: "Ada Lovelace", Confidence: 90}, reader.Field{Value: "Analytic Ltd.", Confidence: 90}
		r.Phone = reader.Field{Value: "020 7946 0000", Confidence: 90}
		res := decideOn(t, g)
		wants(t, res, inbound.FollowUp)
		for _, w := range on(res, ledger.Contact) {
			if w.Op != ledger.OpCheck {
				t.Errorf("%s: the contact is written: %v", rule, w.Set)
			}
		}
		g.Policy.Region = "DE"
		want := map[string]string{tenant.UpdateFillIfEmpty: decide.Referred}[rule]
		if res := decideOn(t, g); want != "" && res.Outcome != want {
			t.Errorf("a number of another country: %s", res.Outcome)
		}
	}
}

// TestReading11ALikelyDuplicateIsSuggested: the first contact with a phone and a
// name is found by these; another one is made all the same, and bears the
// suggestion.
func TestReading11ALikelyDuplicateIsSuggested(t *testing.T) {
	t.Parallel()
	g := ground(t, mail(ada, question), tenant.ModeAuto)
	g.Extraction.Record.Phone = reader.Field{Value: "020 7946 0000", Confidence: 90}
	first := decideOn(t, g)
	wants(t, first, inbound.FollowUp)
	var phone *contact.Key
	for _, k := range created[contact.Key](t, first, ledger.ContactKey) {
		if k.ID == decide.LikelyKey(g, key(t)) {
			phone = &k
		}
	}
	if phone == nil || phone.Contact != first.Contact || strings.Contains(phone.ID, "7946") || strings.Contains(phone.ID, "ada") {
		t.Fatalf("the contact is not found by its phone and name, or its key says them: %+v", phone)
	}
	if c := created[contact.Contact](t, first, ledger.Contact)[0]; c.LikelySame != "" || slices.Contains(c.Keys, phone.ID) {
		t.Errorf("the first is a duplicate, or has a key that identifies it: %+v", c)
	}

	for _, c := range []struct {
		name, phone string
		same        bool
	}{
		{"ada  lovelace", "+44 (0)20 7946 0000", true},
		{"Lovelace, Ada", "+442079460000", true},
		{"Ada", "020 7946 0000", true},
		{"Bea King", "020 7946 0000", false},
		{"Ada Lovelace", "020 7946 0001", false},
		{"", "020 7946 0000", false},
		{"Ada Lovelace", "", false},
	} {
		g := ground(t, mail(other, question), tenant.ModeAuto)
		g.Event.ID, g.Facts.Cause = "mail/inbox/m2", "another"
		g.Extraction.Record.ContactName, g.Extraction.Record.Phone = reader.Field{Value: c.name, Confidence: 90}, reader.Field{Value: c.phone, Confidence: 90}
		if id := decide.LikelyKey(g, key(t)); id == phone.ID {
			g.Seen.PhoneKey = phone
		} else if c.same {
			t.Errorf("%q of %q has another key", c.name, c.phone)
		}
		res := decideOn(t, g)
		wants(t, res, inbound.FollowUp)
		made := created[contact.Contact](t, res, ledger.Contact)[0]
		want := ""
		if c.same {
			want = first.Contact
		}
		if made.LikelySame != want || slices.Contains(res.Reasons, match.ReasonPhoneShared) != c.same || res.Contact == first.Contact {
			t.Errorf("%q of %q: suggested %q, reasons %v", c.name, c.phone, made.LikelySame, res.Reasons)
		}
	}
}

// TestReading11AKnownContactThatGetsAPhone is compared then, once, and is found by
// it from then on.
func TestReading11AKnownContactThatGetsAPhone(t *testing.T) {
	t.Parallel()
	g := known(ground(t, mail(ada, question), tenant.ModeAuto))
	g.Extraction.Record.Phone = reader.Field{Value: "020 7946 0000", Confidence: 90}
	keyPut := func(g decide.Ground) bool {
		res := decideOn(t, g)
		wants(t, res, inbound.FollowUp)
		return len(created[contact.Key](t, res, ledger.ContactKey)) == 1
	}
	if !keyPut(g) {
		t.Error("it is filled, and no key is put")
	}
	g.Seen.PhoneKey = &contact.Key{Tenant: "demo", Contact: "contact-9"}
	res := decideOn(t, g)
	wants(t, res, inbound.FollowUp, match.ReasonPhoneShared)
	if w := updated(t, res, ledger.Contact); w.Set[contact.LikelySameAttr] != "contact-9" {
		t.Errorf("nobody is told: %v", w.Set)
	}
	g.Seen.Contact.Phone = "+442079460000" // it had it before
	if res := decideOn(t, g); slices.Contains(res.Reasons, match.ReasonPhoneShared) {
		t.Errorf("it is said again with each mail: %v", res.Reasons)
	}
	g.Seen.PhoneKey = nil // a contact that was made before there were such keys
	if !keyPut(g) {
		t.Error("a phone that it had already is found by nobody")
	}
	g.Seen.Contact.Phone, g.Policy.ContactFields.Phone = "", tenant.UpdateNever
	if keyPut(g) {
		t.Error("a key is put of a phone that the contact does not have")
	}
}

// TestReading11ARecordWithoutAFullNameDoesNotJoinAnAddressInDispute until a person
// has said whose the address is.
func TestReading11ARecordWithoutAFullNameDoesNotJoinAnAddressInDispute(t *testing.T) {
	t.Parallel()
	conflict := known(ground(t, mail(ada, question), tenant.ModeAuto))
	conflict.Extraction.Record.ContactName.Value = "Bea King"
	res := decideOn(t, conflict)
	wants(t, res, decide.Referred, match.ReasonFieldConflict)
	w := updated(t, res, ledger.ContactKey)
	if w.Set[contact.DisputedAttr] != true || !w.If.Holds(ledger.Item{"contact": "contact-1"}) || w.If.Holds(ledger.Item{"contact": "contact-2"}) {
		t.Fatalf("the dispute is not on the key as it was read: %+v", w)
	}

	for name, want := range map[string]string{"": decide.Referred, "Ada": decide.Referred, "A. L.": decide.Referred, "Ada Lovelace": inbound.FollowUp} {
		for _, disputed := range []bool{true, false} {
			g := known(ground(t, mail(ada, question), tenant.ModeAuto))
			g.Seen.Key.Disputed, g.Extraction.Record.ContactName.Value = disputed, name
			if !disputed {
				wants(t, decideOn(t, g), inbound.FollowUp)
				continue
			}
			res := decideOn(t, g)
			if wants(t, res, want); want == inbound.FollowUp {
				continue
			}
			wants(t, res, decide.Referred, match.ReasonDisputed)
			res = decideOn(t, answered(t, g, approve()))
			if wants(t, res, inbound.FollowUp); res.Contact != "contact-1" || !slices.Equal(updated(t, res, ledger.ContactKey).Remove, []string{contact.DisputedAttr}) {
				t.Errorf("%q: a person's word does not end it", name)
			}
		}
	}

	// One that a mail begins after the key was read is not missed.
	g := known(ground(t, mail(ada, question), tenant.ModeAuto))
	g.Extraction.Record.ContactName.Value = ""
	for _, w := range on(decideOn(t, g), ledger.ContactKey) {
		if w.If.Holds(ledger.Item{"contact": "contact-1", "disputed": true}) || !w.If.Holds(ledger.Item{"contact": "contact-1"}) {
			t.Error("the decision does not stand on there being no dispute")
		}
	}
}

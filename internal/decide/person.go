package decide

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"onefold/internal/decide/match"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
)

// KeylessContact names the contact that a person approved for a mail out of a
// shared inbox. It has no key to be found by, so it is named after the cause:
// the same mail in a second mailbox leads to it, and makes no second one.
func KeylessContact(ids digest.Key, tenantID, cause string) string {
	return ids.ID("contact", tenantID, "cause", cause)
}

// contactID is the contact that the event belongs to. A new one is named after
// its first event, so deciding again names it again.
func (b *builder) contactID(res match.Result) string {
	if res.Outcome == match.Matched {
		return res.Contact
	}
	if b.shared() && len(res.Keys) == 0 {
		return KeylessContact(b.ids, b.tenant(), b.g.Facts.Cause)
	}
	return b.ids.ID("contact", b.tenant(), b.g.Event.ID)
}

// writeContact makes the contact with its key, or updates what the policy lets
// an event update. It returns the revision that the CRM has to be told of, or
// 0 when nothing changed.
func (b *builder) writeContact(res match.Result) (int64, error) {
	if res.Outcome == match.New {
		return 1, b.newContact(res)
	}
	c := *b.contact()
	put, err := b.standOnKeys(res)
	if err != nil {
		return 0, err
	}
	forms, err := b.otherForms(c, put)
	if err != nil {
		return 0, err
	}
	set, details := b.fills(c)
	if err := b.keepLikely(c, set); err != nil {
		return 0, err
	}
	if other := b.likelySame(res); other != "" {
		set[contact.LikelySameAttr] = other
	}
	if len(set)+len(put)+len(forms) == 0 {
		b.c.Check("contact", b.contactKey(), ledger.All(
			ledger.All(ledger.Is(contact.StatusAttr, contact.Active), ledger.Is(contact.ConsentVersionAttr, c.ConsentVersion)),
			SameReach(c))) // the guards elsewhere were those of all its addresses
		return 0, nil
	}
	revision, reasons, event := int64(0), []string{}, "update"
	if len(set) > 0 {
		revision, reasons = c.Revision+1, append(reasons, "filled_from_event")
		set[contact.RevisionAttr] = revision
	} else if len(put) == 0 {
		event = "add_key"
	}
	if len(put) > 0 {
		reasons = append(reasons, "key_added")
	}
	if len(forms) > 0 {
		reasons = append(reasons, ReasonOtherForm)
	}
	if len(put)+len(forms) > 0 {
		set[contact.KeysAttr] = slices.Concat(c.Keys, put, forms)
	}
	// One more address: a claim for another of them has to read this one's guard.
	if slices.Contains(put, b.g.Person.KeyID) {
		set[contact.ReachAttr] = c.Reach + 1
		details["guard"] = b.g.Person.GuardID // since when it counts, for who checks
	}
	r := b.audit(reasons)
	r.Details = details
	_, err = b.c.Move(ledger.Step{
		Key: b.contactKey(), Transition: c.Transition, Event: event, Set: set,
		If: ledger.Is(contact.StatusAttr, contact.Active), Audit: r,
	})
	return revision, err
}

// shared tells whether the person's address identifies nobody.
func (b *builder) shared() bool {
	return b.g.Person.Shared || b.g.Seen.Key != nil && b.g.Seen.Key.Shared
}

func (b *builder) newContact(res match.Result) error {
	p := b.g.Person
	c := contact.Contact{
		Tenant: b.tenant(), ID: b.res.Contact, Status: contact.Active, Email: p.Address.String(),
		ConsentVersion: 1, Revision: 1, FromEvent: b.g.Event.ID, CreatedAt: b.g.Now, Transition: 1,
	}
	for field, v := range b.values() {
		switch field {
		case "name":
			c.Name = v
		case "company":
			c.Company = v
		case "phone":
			c.Phone = v
		}
	}
	// A shared inbox identifies nobody: its contact, which a person approved,
	// has no key and is found again only by its event.
	if !b.shared() {
		c.Keys = []string{p.KeyID}
		k := contact.Key{
			Tenant: b.tenant(), ID: p.KeyID, Contact: c.ID, RuleVersion: b.g.Policy.Identity.Version,
			CreatedAt: b.g.Now, InboundEvent: b.g.Event.ID,
		}
		if err := PutContactKey(&b.c, "contact_key", k); err != nil {
			return err
		}
		if err := b.nextOfNew(&c); err != nil {
			return err
		}
	}
	if err := b.newCustomer(res, &c); err != nil {
		return err
	}
	c.LikelySame = b.likelySame(res)
	if err := b.keepLikely(c, nil); err != nil {
		return err
	}
	return b.c.Insert(ledger.Step{Key: b.contactKey(), Event: "create", Audit: b.audit([]string{"new_identity"})}, c, "")
}

// stated are the fields that the record states.
func (b *builder) stated() map[string]string {
	out := map[string]string{}
	if x := b.g.Extraction; x != nil {
		out = map[string]string{"name": x.Record.ContactName.Value, "company": x.Record.Company.Value, "phone": x.Record.Phone.Value}
		maps.DeleteFunc(out, func(_, v string) bool { return v == "" })
	}
	return out
}

// values are those that may be written and mailed: the others are candidates.
func (b *builder) values() map[string]string {
	out := b.stated()
	for _, reason := range b.candidates() {
		delete(out, strings.TrimPrefix(reason, ReasonCandidate))
	}
	return out
}

// candidates say which values were read with less confidence than the policy wants
// of their field.
func (b *builder) candidates() (reasons []string) {
	if b.g.Extraction == nil {
		return nil
	}
	r, least := b.g.Extraction.Record, b.g.Policy.Review.MinFieldConfidence
	for _, f := range []struct {
		name  string
		read  reader.Field
		least int64
	}{{"name", r.ContactName, least.Name}, {"company", r.Company, least.Company}, {"phone", r.Phone, least.Phone}} {
		if f.read.Value != "" && f.read.Confidence < f.least {
			reasons = append(reasons, ReasonCandidate+f.name)
		}
	}
	return reasons
}

// ReasonCandidate with a field's name says that its value is a candidate. It
// explains what came of an event, and asks nothing.
const ReasonCandidate = "candidate_"

// fills lists the attributes that the event may set, with hashes of before and
// after for the audit.
func (b *builder) fills(c contact.Contact) (ledger.Item, map[string]string) {
	set, details := ledger.Item{}, map[string]string{}
	if b.contradicted() {
		return set, details
	}
	for field, v := range b.values() {
		have, rule := c.Field(field), ruleOf(b.g.Policy.ContactFields, field)
		if b.same(field, have, v) || rule == tenant.UpdateNever || (have != "" && rule != tenant.UpdateAlways) {
			continue
		}
		set[field] = v
		details[field+"_before"] = b.fieldHash(field, have)
		details[field+"_after"] = b.fieldHash(field, v)
	}
	return set, details
}

// conflicts lists the fields whose stated value differs from the stored one
// under a rule that may only fill.
func (b *builder) conflicts() []string {
	c := b.contact()
	if c == nil {
		return nil
	}
	var fields []string
	for field, v := range b.values() {
		have := c.Field(field)
		if have != "" && !b.same(field, have, v) && ruleOf(b.g.Policy.ContactFields, field) == tenant.UpdateFillIfEmpty {
			fields = append(fields, field)
		}
	}
	return fields
}

// same: what the contact has stays, also where the event spells it more fully.
func (b *builder) same(field, have, stated string) bool {
	return match.Same(field, have, stated, b.g.Policy.Region)
}

func (b *builder) fieldHash(field, v string) string {
	if v == "" {
		return ""
	}
	return b.ids.ID("field", b.tenant(), b.res.Contact, field, v)
}

func (b *builder) contactKey() ledger.Key {
	return ledger.Contact.At(b.tenant(), b.res.Contact)
}

func ruleOf(r tenant.FieldRules, field string) string {
	switch field {
	case "name":
		return r.Name
	case "company":
		return r.Company
	default:
		return r.Phone
	}
}

func unique(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// LogID names an event in a log line without its words, which may be personal.
func LogID(tenantID, event string) string { return digest.Parts(tenantID, event)[:12] }

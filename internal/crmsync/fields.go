package crmsync

import (
	"fmt"
	"maps"
	"slices"

	"onefold/internal/crm"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
)

// mostTried bounds what one mapping keeps of writes that nobody confirmed. What
// is forgotten counts as changed in the CRM, and is left alone there.
const mostTried = 8

// sent is a contact as it goes to the CRM.
func (s *Service) sent(c contact.Contact) crm.Contact {
	return crm.Contact{Ref: c.ID, Revision: c.Revision, Email: c.Email, Name: c.Name, Company: c.Company, Phone: c.Phone, Former: c.Absorbed}
}

// mark is the keyed digest of a field's value.
func (s *Service) mark(tenantID string) func(crm.Field, string) string {
	return func(f crm.Field, normal string) string { return s.IDs.ID("crm_field", tenantID, string(f), normal) }
}

// tries are the mapping's tries with that of a write of the contact as it is
// now. They are stored before the call: afterwards it may have been written.
func (s *Service) tries(m crm.Mapping, c contact.Contact) map[crm.Field][]string {
	out := map[crm.Field][]string{}
	for f, value := range s.sent(c).Values() {
		tried, mark := m.Tried[f], s.mark(c.Tenant)(f, crm.Normal(f, value))
		if mark != m.Wrote[f] && !slices.Contains(tried, mark) {
			tried = append(slices.Clone(tried), mark)
		}
		if len(tried) > 0 {
			out[f] = tried[max(0, len(tried)-mostTried):]
		}
	}
	return out
}

// last is what was written to the record that the contact has, or takes over.
func (s at) last(m, former crm.Mapping) crm.Last {
	l := crm.Last{Record: m.CRMID, Digest: s.mark(m.Tenant), Wrote: m.Wrote, Tried: m.Tried, Ours: slices.Clone(s.Ours)}
	if m.CRMID == "" && former.CRMID != "" {
		l.Record, l.Wrote = former.CRMID, former.Wrote
	}
	return l
}

// wrote is what the record has of ours after a call that is done: every field
// that was not left to the CRM's people. Of what they changed, what was written
// before stays known, and so does what the contact has no longer.
func (s at) wrote(m, former crm.Mapping, person contact.Contact, res crm.Result) map[crm.Field]string {
	out := map[crm.Field]string{}
	if l := s.last(m, former); l.Record == res.ID {
		maps.Copy(out, l.Wrote)
	}
	for f, value := range s.sent(person).Values() {
		if !slices.Contains(res.Left, f) {
			out[f] = s.mark(person.Tenant)(f, crm.Normal(f, value))
		}
	}
	return out
}

// ask puts a question about each field that was left to the CRM's people and that
// the policy has asked about, once for each value of ours. It gives what the
// mapping remembers of it. The contact's claim is what lets one worker alone put
// it.
func (s at) ask(c *ledger.Commit, op outbox.Operation, m crm.Mapping, person contact.Contact, res crm.Result) (map[crm.Field]string, error) {
	asked := map[crm.Field]string{}
	values := s.sent(person).Values()
	for _, f := range res.Left {
		if !slices.Contains(s.Ask, f) {
			continue
		}
		asked[f] = s.mark(person.Tenant)(f, crm.Normal(f, values[f]))
		if m.Asked[f] == asked[f] {
			continue
		}
		t := review.Task{
			Tenant: person.Tenant, ID: digest.Parts(review.CRMEdit, person.Tenant, m.CRM, person.ID, string(f), fmt.Sprint(m.Transition)), Kind: review.CRMEdit,
			State: review.Open, Transition: 1, Event: op.Event, Contact: person.ID, Candidates: []string{person.ID}, Field: string(f),
			Reasons: []string{"crm_edited_" + string(f)}, OpenFor: person.Tenant, OpenedAt: s.now(),
		}
		if err := c.Insert(ledger.Step{
			Name: "question", Key: ledger.ReviewTask.At(t.Tenant, t.ID), Machine: review.Machine(), Event: review.Put, Audit: s.audit(op, t.Reasons...),
		}, t, review.Open); err != nil {
			return nil, err
		}
	}
	return asked, nil
}

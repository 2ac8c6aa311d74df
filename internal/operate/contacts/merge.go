package contacts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
)

// readMerge reads two contacts and sees whether one can be merged into the
// other.
func (s *Service) readMerge(ctx context.Context, policy tenant.Policy, a Act) (*work, error) {
	loser, err := s.find(ctx, policy, a.Contact)
	if err != nil {
		return nil, err
	}
	stays, err := s.find(ctx, policy, a.Into)
	if err != nil {
		return nil, err
	}
	topLoser, err := s.through(ctx, loser)
	if err != nil {
		return nil, err
	}
	topStays, err := s.through(ctx, stays)
	if err != nil {
		return nil, err
	}
	// Who is named by an address is whoever that leads to now.
	if strings.Contains(a.Contact, "@") {
		loser = topLoser
	}
	if strings.Contains(a.Into, "@") {
		stays = topStays
	}
	shown := Plan{Act: Merge, Tenant: a.Tenant, Contact: loser.ID, Into: stays.ID}
	if topLoser.ID == topStays.ID {
		// The other way round, or by a detour, they are one already too.
		shown.Already = fmt.Sprintf("already merged: both lead to %s", named(topStays))
		return &work{shown: shown}, nil
	}
	for _, c := range []contact.Contact{loser, stays} {
		switch c.Status {
		case contact.Merged:
			return nil, &Refusal{fmt.Sprintf("contact %s is merged into another, contact %s", c.ID, c.MergedInto),
				"name the contact that it leads to, or take that merge back with `onefold contact split`"}
		case contact.Erased:
			return nil, &Refusal{fmt.Sprintf("contact %s is erased", c.ID), "nothing of an erased person is left to merge"}
		}
	}
	from, err := s.side(ctx, loser)
	if err != nil {
		return nil, err
	}
	to, err := s.side(ctx, stays)
	if err != nil {
		return nil, err
	}
	const hint = "are these really one person? an inbox that many write from belongs into shared_addresses of the policy"
	if n := len(from.all) + len(to.all) - 1; n > contact.MaxAbsorbed {
		return nil, &Refusal{fmt.Sprintf("%d contacts would lead to contact %s, and at most %d may", n, stays.ID, contact.MaxAbsorbed), hint}
	}
	if n := len(from.addresses()) + len(to.addresses()); n > contact.MaxPersonAddresses {
		return nil, &Refusal{fmt.Sprintf("contact %s would have %d addresses, and at most %d may lead to one", stays.ID, n, contact.MaxPersonAddresses), hint}
	}
	return merging{from: from, to: to, policy: policy}.work(shown), nil
}

// merging is one contact that is merged into another.
type merging struct {
	from, to side
	policy   tenant.Policy
}

// work is the merge as a commit of constant size: the two contacts, what guards
// their addresses, and the operations. Keys, enquiries and follow-ups stay where
// they are and are read through the redirect.
func (m merging) work(shown Plan) *work {
	loser, stays := m.from.contact, m.to.contact
	guards := slices.Clone(m.from.guards)
	for _, g := range m.to.guards {
		if !slices.ContainsFunc(guards, func(o people.Guard) bool { return o.ID == g.ID }) {
			guards = append(guards, g)
		}
	}
	fills, conflicts := m.fields()
	raise := len(wishes(guards)) > 0
	away := change{
		of: loser, event: "merge", with: stays.ID, reason: "person_says_same", raise: raise, dated: "merged_at",
		set: ledger.Item{contact.StatusAttr: contact.Merged, "merged_into": stays.ID, contact.ReachAttr: loser.Reach + 1},
	}
	list := slices.Concat(stays.Absorbed, []string{loser.ID}, loser.Absorbed)
	slices.Sort(list)
	absorb := change{
		of: stays, event: "absorb", with: loser.ID, reason: "person_says_same", raise: raise,
		set: ledger.Item{"absorbed": list, contact.ReachAttr: stays.Reach + 1},
	}
	for field, v := range fills {
		absorb.set[field] = v
	}
	revision := stays.Revision
	if len(fills) > 0 {
		revision++
		absorb.set[contact.RevisionAttr] = revision
	}
	// Without filled fields too: what a CRM did not take of one of the two, it may
	// take of both.
	refused := m.from.refused || m.to.refused
	if m.policy.CRM.Kind != "" && (len(fills) > 0 || refused) {
		absorb.told = revision
	}
	shown.Does, shown.Keeps = m.does(fills, guards, absorb.told > 0, refused), m.keeps(conflicts)
	return &work{shown: shown, mark: loser, changes: []change{away, absorb}, guards: guards}
}

// field is one field of a contact, with its rule.
type field struct {
	name, of, other, rule string
}

func (m merging) all() []field {
	loser, stays, rules := m.from.contact, m.to.contact, m.policy.ContactFields
	return []field{
		{"name", stays.Name, loser.Name, rules.Name},
		{"company", stays.Company, loser.Company, rules.Company},
		{"phone", stays.Phone, loser.Phone, rules.Phone},
	}
}

// fields are the empty ones that the other contact fills, where the tenant's
// rule lets anything fill them, and those in which the two differ.
func (m merging) fields() (fills map[string]string, conflicts []field) {
	fills = map[string]string{}
	for _, f := range m.all() {
		switch {
		case f.other == "" || strings.EqualFold(f.of, f.other):
		case f.of != "":
			conflicts = append(conflicts, f)
		case f.rule != tenant.UpdateNever:
			fills[f.name] = f.other
		}
	}
	return fills, conflicts
}

func (m merging) does(fills map[string]string, guards []people.Guard, told, refused bool) []string {
	loser, stays := m.from.contact, m.to.contact
	out := []string{
		fmt.Sprintf("%s is merged into %s: what comes from its addresses is of %s from now on", named(loser), named(stays), stays.ID),
		fmt.Sprintf("addresses of %s then: %s", stays.ID, strings.Join(append(m.to.addresses(), m.from.addresses()...), ", ")),
	}
	for _, f := range m.all() {
		if v, ok := fills[f.name]; ok {
			out = append(out, fmt.Sprintf("%s, which is empty, is filled: %s", f.name, v))
		}
	}
	if told && len(fills) > 0 {
		out = append(out, "the CRM is told of the filled fields")
	}
	if told && refused {
		out = append(out, "what the CRM has not taken of either is tried again")
	}
	return append(out, united(guards, "either of the two")...)
}

func (m merging) keeps(conflicts []field) []string {
	loser, stays := m.from.contact, m.to.contact
	var out []string
	for _, f := range conflicts {
		out = append(out, fmt.Sprintf("%s stays %q; %s had %q", f.name, f.of, loser.ID, f.other))
	}
	for _, f := range m.all() {
		if f.of == "" && f.other != "" && f.rule == tenant.UpdateNever {
			out = append(out, fmt.Sprintf("%s stays empty, for the policy lets nothing fill it; %s had %q", f.name, loser.ID, f.other))
		}
	}
	for _, a := range m.from.records {
		for _, b := range m.to.records {
			if a.CRM == b.CRM {
				out = append(out, fmt.Sprintf("%s holds two records, which Onefold cannot merge: merge record %s into record %s there", a.CRM, a.CRMID, b.CRMID))
			}
		}
	}
	if n := len(m.from.waiting); n > 0 {
		out = append(out, fmt.Sprintf("%s of %s: each needs a person's approval now, which moves it to %s; its recipient stays",
			counted(n, "follow-up waits", "follow-ups wait"), loser.ID, stays.ID))
	}
	return append(out, fmt.Sprintf("`onefold contact split %s` takes it back", loser.ID))
}

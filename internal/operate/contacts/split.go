package contacts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
)

// readSplit reads a contact that was merged and every contact up the chain.
func (s *Service) readSplit(ctx context.Context, policy tenant.Policy, a Act) (*work, error) {
	loser, err := s.find(ctx, policy, a.Contact)
	if err != nil {
		return nil, err
	}
	shown := Plan{Act: Split, Tenant: a.Tenant, Contact: loser.ID}
	switch loser.Status {
	case contact.Merged:
	case contact.Erased:
		return nil, &Refusal{fmt.Sprintf("contact %s is erased", loser.ID), "nothing of an erased person is left"}
	default:
		shown.Already = fmt.Sprintf("%s is merged into nobody: there is no merge to take back", named(loser))
		return &work{shown: shown}, nil
	}
	last, err := s.through(ctx, loser)
	if err != nil {
		return nil, err
	}
	var above []contact.Contact
	for id := loser.MergedInto; ; {
		c, err := people.Get(ctx, s.Store, a.Tenant, id)
		if err != nil {
			return nil, err
		}
		if c == nil || len(above) > contact.MaxAbsorbed {
			return nil, ErrMoved // it was there a moment ago
		}
		above = append(above, *c)
		if id = c.MergedInto; c.Status != contact.Merged {
			break
		}
	}
	top, err := s.side(ctx, above[len(above)-1])
	if err != nil {
		return nil, err
	}
	both, err := s.ofBoth(ctx, policy, append([]string{loser.ID}, loser.Absorbed...), top.all)
	if err != nil {
		return nil, err
	}
	if err := s.keepsNoAddress(ctx, policy, loser, above, both); err != nil {
		return nil, err
	}
	since, err := s.filed(ctx, loser, above)
	if err != nil {
		return nil, err
	}
	shown.Into = last.ID
	return splitting{loser, above, top, since, both}.work(shown), nil
}

// keepsNoAddress refuses to leave somebody with a main address that leads to
// the contact which is split off.
func (s *Service) keepsNoAddress(ctx context.Context, policy tenant.Policy, loser contact.Contact, above []contact.Contact, both []contact.Key) error {
	group := append([]string{loser.ID}, loser.Absorbed...)
	for _, c := range above {
		p := decide.Identify(s.IDs, policy, c.Email)
		if !p.Known() {
			continue
		}
		k, err := s.key(ctx, policy.Tenant, p.KeyID)
		switch {
		case err != nil:
			return err
		case k == nil || !slices.Contains(group, k.Contact) || slices.ContainsFunc(both, func(o contact.Key) bool { return o.ID == k.ID }):
		case c.Status == contact.Merged:
			return &Refusal{fmt.Sprintf("the main address of contact %s is one of contact %s", c.ID, k.Contact),
				fmt.Sprintf("split off contact %s first, and give it another main address", c.ID)}
		default:
			return &Refusal{fmt.Sprintf("the main address of contact %s is one of contact %s", c.ID, k.Contact),
				fmt.Sprintf("give contact %s another main address first: `onefold contact address`", c.ID)}
		}
	}
	return nil
}

// filed are the events whose enquiries came in since the merge and lie with
// those above.
func (s *Service) filed(ctx context.Context, loser contact.Contact, above []contact.Contact) ([]string, error) {
	var events []string
	for _, c := range above {
		items, err := ledger.ReadAll(ctx, s.Store, ledger.Enquiry.At(c.Tenant, c.ID))
		if err != nil {
			return nil, fmt.Errorf("read the enquiries of contact %s: %w", c.ID, err)
		}
		for _, it := range items {
			if at := it.Text("at"); at >= loser.MergedAt.String() {
				events = append(events, it.Text("event"))
			}
		}
	}
	slices.Sort(events)
	return events, nil
}

// splitting takes a merge back.
type splitting struct {
	loser contact.Contact
	above []contact.Contact // from whom it was merged into, up to who stands for all
	top   side
	filed []string
	both  []contact.Key
}

func (p splitting) work(shown Plan) *work {
	group := append([]string{p.loser.ID}, p.loser.Absorbed...)
	// An opt-out that one of them said while they were one was said for both. The
	// guard of its own address keeps it; what was decided for either before must
	// not go out after.
	raise := len(wishes(p.top.guards)) > 0
	changes := []change{{
		of: p.loser, event: "split", with: p.loser.MergedInto, reason: "person_says_different", raise: raise,
		set: ledger.Item{contact.StatusAttr: contact.Active, "merged_into": "", "merged_at": "", contact.ReachAttr: p.loser.Reach + 1},
	}}
	for n, c := range p.above {
		rest := slices.DeleteFunc(slices.Clone(c.Absorbed), func(id string) bool { return slices.Contains(group, id) })
		// An empty list is stored as no attribute.
		var list any = rest
		if len(rest) == 0 {
			list = ""
		}
		changes = append(changes, change{
			of: c, event: "let_go", with: p.loser.ID, reason: "person_says_different", raise: raise && n == len(p.above)-1,
			set: ledger.Item{"absorbed": list, contact.ReachAttr: c.Reach + 1},
		})
	}
	shown.Does, shown.Keeps = p.does(), p.keeps()
	return &work{shown: shown, mark: p.loser, changes: changes, guards: p.top.guards, extra: p.share}
}

func (p splitting) does() []string {
	out := []string{fmt.Sprintf("%s is a contact of its own again, and leads no longer to %s", named(p.loser), named(p.top.contact))}
	if n := len(p.loser.Absorbed); n > 0 {
		out = append(out, fmt.Sprintf("%s that had been merged into it: %s", counted(n, "contact goes with it", "contacts go with it"), strings.Join(p.loser.Absorbed, ", ")))
	}
	for _, k := range p.both {
		rule, value, _ := contact.EmailKey(k.ID)
		out = append(out, fmt.Sprintf("%s, which both have under identity rule %d, names nobody from now on: what comes from either goes to a person first", value, rule))
	}
	for _, g := range wishes(p.top.guards) {
		out = append(out, fmt.Sprintf("the opt-out of %s stood while the two were one: what waits for either is ended", addressOf(g)))
	}
	return out
}

func (p splitting) keeps() []string {
	stays := p.top.contact
	var out []string
	if n := len(p.filed); n > 0 {
		shown := p.filed[:min(n, 10)]
		more := ""
		if n > len(shown) {
			more = fmt.Sprintf(" and %d more", n-len(shown))
		}
		out = append(out, fmt.Sprintf("%s since the merge with %s: %s%s", counted(n, "enquiry stays that came", "enquiries stay that came"), stays.ID, strings.Join(shown, ", "), more))
	}
	if len(wishes(p.top.guards)) > 0 {
		out = append(out, "a stop holds for the address that it was said at, and no longer for the other contact's")
	}
	return append(out, fmt.Sprintf("what %s was given by the merge, such as a name, stays; its records in a CRM stay as they are", stays.ID))
}

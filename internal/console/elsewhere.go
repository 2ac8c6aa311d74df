package console

import (
	"context"
	"slices"

	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/decide/people"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
)

// seeContacts shows the contacts that a question is about. One that was merged
// is shown with whom it leads to now.
func (s *Service) seeContacts(ctx context.Context, v *View) error {
	var shown []string
	show := func(c *contact.Contact) {
		if c != nil && !slices.Contains(shown, c.ID) {
			shown = append(shown, c.ID)
			v.Contacts = append(v.Contacts, *c)
		}
	}
	for _, id := range append(slices.Clone(v.Task.Candidates), v.Task.Contact) {
		if id == "" || slices.Contains(shown, id) {
			continue
		}
		c, err := people.Get(ctx, s.Store, v.Task.Tenant, id)
		if err != nil {
			return err
		}
		show(c)
		if c == nil || c.Status != contact.Merged {
			continue
		}
		last, _, err := people.Find(ctx, s.Store, v.Task.Tenant, id)
		if err != nil {
			return err
		}
		show(last)
	}
	return nil
}

// seeElsewhere adds to a guard that is clear what the person's other addresses
// have against a mail.
func (s *Service) seeElsewhere(ctx context.Context, v *View, guardID, scope string) error {
	if v.Guard != "clear" {
		return nil
	}
	// Where the mail goes to an address of another contact, what that one wants
	// counts as well, as it does for the claim.
	both := slices.Contains(v.Task.Reasons, decide.ReasonAddressOfAnother)
	for n, of := 0, v.Contacts; n < len(of) && v.Guard != guard.OptedOutElsewhere; n++ {
		if of[n].Status != contact.Active {
			continue
		}
		elsewhere, err := people.Elsewhere(ctx, s.Store, s.IDs, of[n], guardID)
		if err != nil {
			return err
		}
		for _, g := range elsewhere {
			if word := guard.BlocksElsewhere(g.Item, scope); word != "" && v.Guard != guard.OptedOutElsewhere {
				v.Guard = word
			}
		}
		if !both {
			break
		}
	}
	return nil
}

// AsksWho tells whether the question is also who somebody is. Only an operator
// says that two contacts are one person; no answer here does.
func (v *View) AsksWho() bool {
	return slices.ContainsFunc(v.Task.Reasons, func(r string) bool {
		return r == match.ReasonSeveral || r == match.ReasonFieldConflict || r == match.ReasonPhoneShared
	})
}

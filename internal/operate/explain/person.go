package explain

import (
	"errors"

	"onefold/internal/decide/people"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
)

// owns makes everything of a person known before anything is followed: the
// contacts from that of the key on, through merges, and all that lead to the
// last one. It notes what the person's other addresses have against mail.
func (g *gatherer) owns(ids digest.Key, id string, asked *Guard) error {
	last, chain, err := people.Find(g.ctx, g.store, g.tenant, id)
	if err != nil && !errors.Is(err, contact.ErrMergesDoNotEnd) {
		return err
	}
	for _, c := range chain {
		g.own[c] = true
		g.want(ledger.Contact, c)
	}
	if last == nil {
		return nil
	}
	for _, c := range last.Absorbed {
		g.own[c] = true
		g.want(ledger.Contact, c)
	}
	elsewhere, err := people.Elsewhere(g.ctx, g.store, ids, *last, asked.ID)
	if err != nil {
		return err
	}
	for _, e := range elsewhere {
		if word := guard.BlocksElsewhere(e.Item, tenant.ScopeFollowUp); word != "" && asked.Elsewhere != guard.OptedOutElsewhere {
			asked.Elsewhere = word
		}
	}
	return nil
}

// toAsked tells whether a follow-up went to the address that was asked about,
// be it of another contact now: a mail that an approval moved while two were
// one stays with the one that it was moved to.
func (g *gatherer) toAsked(guardID string) bool { return g.asked != "" && guardID == g.asked }

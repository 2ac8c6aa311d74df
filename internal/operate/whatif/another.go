package whatif

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
)

// another puts together the ground on which the event would have been decided
// under the other policy: what was read of the ledger then, as far as that policy
// would have read it too. What it would have read besides is looked for now: the
// ledger deletes nothing that is looked for here, so what is not there now was
// not there then.
//
// untold says why it cannot be told. unsure says the same of what matters only
// if a follow-up were made.
func (j *job) another(ctx context.Context) (g decide.Ground, unsure, untold string, err error) {
	old, p := j.old, j.o.Policy
	f := j.facts(p)
	g = decide.Ground{Event: old.Event, Policy: p, Facts: f, Now: old.Now, By: old.By}
	if decide.Reader(f) {
		// Nobody has read it, or not these words.
		if old.Extraction == nil || !reflect.DeepEqual(f.Source, old.Facts.Source) {
			return g, "", ReadingMissing, nil
		}
		g.Extraction = old.Extraction
	}
	g.Person = decide.Identify(j.IDs, p, decide.Whom(f, g.Extraction, nil))
	party, untold, err := j.party(ctx, g, g.Person, false)
	if untold != "" || err != nil {
		return g, "", untold, err
	}
	g.Seen.Key, g.Seen.Guard = party.Key, party.Guard
	if untold, err = j.whose(ctx, &g, party); untold != "" || err != nil {
		return g, "", untold, err
	}
	if untold, err = j.customer(ctx, &g); untold != "" || err != nil {
		return g, "", untold, err
	}
	led := j.led(&g)
	for _, o := range decide.Others(j.IDs, p, f, g.Extraction, g.Person) {
		party, untold, err := j.party(ctx, g, o, true)
		if untold != "" || err != nil {
			return g, "", untold, err
		}
		g.Also = append(g.Also, party)
	}
	if untold = j.thread(&g); untold != "" {
		return g, "", untold, nil
	}
	if unsure, err = j.rule(ctx, &g); err != nil {
		return g, "", "", err
	}
	if !j.caps(&g) && unsure == "" {
		unsure = ThreadNotRead
	}
	if !led {
		unsure = OtherContact
	}
	return g, unsure, "", nil
}

// party is what was read of a person. contacts: its contact is read by its key.
func (j *job) party(ctx context.Context, g decide.Ground, p decide.Person, contacts bool) (decide.Party, string, error) {
	if !p.Known() {
		return decide.Party{Person: p}, "", nil
	}
	seen := j.old.Seen
	main := decide.Party{Person: j.old.Person, Key: seen.Key, Contact: seen.Contact, Guard: seen.Guard, Next: seen.Next, NextContact: seen.NextContact}
	for i, o := range append([]decide.Party{main}, j.old.Also...) {
		if !o.Person.Known() || o.Person.GuardID != p.GuardID {
			continue
		}
		if !sameKeys(o.Person, p) {
			return o, IdentityDiffers, nil
		}
		// Of a shared inbox the contact that was read is not its key's.
		if i == 0 && contacts && shared(o) {
			if o.Contact = nil; o.Key != nil {
				return o, ContactNotRead, nil
			}
		}
		return j.forms(ctx, o, p, i == 0 && !contacts)
	}
	guards, err := j.get(ctx, ledger.Key{Entity: ledger.Guard, Tenant: j.e.Tenant, ID: p.GuardID})
	if err != nil {
		return decide.Party{}, "", err
	}
	key, err := j.then(ctx, ledger.Key{Entity: ledger.ContactKey, Tenant: j.e.Tenant, ID: p.KeyID})
	// Of whom nothing is to follow, only a hold is looked at.
	if err != nil || guards[0] != nil || key != nil && !g.Facts.Dropped {
		return decide.Party{}, PersonNotRead, err
	}
	return decide.Party{Person: p}, "", nil
}

func shared(p decide.Party) bool { return p.Person.Shared || p.Key != nil && p.Key.Shared }

// whose finds the contact that would have been read for the main person, and its
// enquiry.
func (j *job) whose(ctx context.Context, g *decide.Ground, p decide.Party) (string, error) {
	old := decide.Party{Person: j.old.Person, Key: j.old.Seen.Key}
	same := p.Person.Known() && old.Person.Known() && p.Person.GuardID == old.Person.GuardID
	switch {
	case !p.Person.Known():
		return "", nil
	case same && shared(p) == shared(old):
		// All that was read, but for what hangs on the rule, the thread and the
		// bounds, which follow.
		g.Seen = j.old.Seen
		g.Seen.Intent, g.Seen.Cadence, g.Seen.Slot, g.Seen.Replied, g.Seen.Returned, g.Seen.Caps = nil, nil, nil, nil, nil, nil
		g.Seen.Key, g.Seen.Contact, g.Seen.Next, g.Seen.NextContact = p.Key, p.Contact, p.Next, p.NextContact
		if holderNotRead(p, old) {
			return ContactNotRead, nil
		}
		return "", nil
	case shared(p):
		then, err := j.then(ctx, ledger.Key{Entity: ledger.Contact, Tenant: j.e.Tenant, ID: decide.KeylessContact(j.IDs, j.e.Tenant, g.Facts.Cause)})
		if err != nil || then == nil {
			return "", err
		}
		return ContactNotRead, nil
	case p.Key != nil:
		// It was read, if at all, as a further person's: without what hangs on it.
		return ContactNotRead, nil
	}
	return "", nil
}

// customer takes over whose the stated customer ID was, or looks for it where
// the event's own policy read none.
func (j *job) customer(ctx context.Context, g *decide.Ground) (string, error) {
	id := decide.CustomerOf(g.Policy, g.Facts).KeyID
	g.Seen.CustomerKey, g.Seen.Customer = nil, nil
	switch {
	case id == "":
		return "", nil
	case id == decide.CustomerOf(j.old.Policy, j.old.Facts).KeyID:
		g.Seen.CustomerKey, g.Seen.Customer = j.old.Seen.CustomerKey, j.old.Seen.Customer
		return "", nil
	}
	key, err := j.then(ctx, ledger.Key{Entity: ledger.ContactKey, Tenant: j.e.Tenant, ID: id})
	if err != nil || key == nil || g.Facts.Dropped {
		return "", err
	}
	return ContactNotRead, nil
}

// led keeps of what hangs on a contact only what hangs on the one that the
// ground leads to: its enquiry, its cadence and its other addresses. It tells
// whether these are known.
func (j *job) led(g *decide.Ground) bool {
	was, now := decide.LedTo(j.old), decide.LedTo(*g)
	if was != nil && now != nil && was.ID == now.ID || was == nil && now == nil {
		return true
	}
	g.Seen.Enquiry, g.Seen.Elsewhere, g.Seen.Holder = nil, nil, nil
	return now == nil
}

// thread takes over which mails of ours the event answers or gives back.
func (j *job) thread(g *decide.Ground) string {
	if !slices.Equal(g.Facts.Returned, j.old.Facts.Returned) {
		return ThreadNotRead
	}
	g.Seen.Returned = j.old.Seen.Returned
	if g.Facts.Machine() {
		return ""
	}
	keys := decide.RepliesTo(g.Facts)
	if len(keys) > 0 && (j.old.Facts.Machine() || !slices.Equal(keys, decide.RepliesTo(j.old.Facts))) {
		return ThreadNotRead
	}
	if len(keys) > 0 {
		g.Seen.Replied = j.old.Seen.Replied
	}
	return ""
}

// rule takes over what the rule that answers had done for this cause and this
// contact.
func (j *job) rule(ctx context.Context, g *decide.Ground) (string, error) {
	rule, ruled := decide.RuleFor(*g)
	if !ruled {
		return "", nil
	}
	before, had := decide.RuleFor(j.old)
	had = had && before.ID == rule.ID
	if had && before.Version == rule.Version && g.Facts.Cause == j.old.Facts.Cause {
		g.Seen.Intent = j.old.Seen.Intent
	} else {
		id := followup.IntentID(j.IDs, j.e.Tenant, g.Facts.Cause, rule.ID, rule.Version)
		it, err := j.then(ctx, ledger.Key{Entity: ledger.Intent, Tenant: j.e.Tenant, ID: id})
		if err != nil {
			return "", err
		}
		if it != nil {
			g.Seen.Intent = &followup.Intent{Tenant: j.e.Tenant, ID: id, Contact: it.Text("contact")}
		}
	}
	g.Seen.Unapproved = false
	c, was := decide.LedTo(*g), decide.LedTo(j.old)
	if c == nil {
		return "", nil
	}
	same := was != nil && was.ID == c.ID
	if had && same {
		g.Seen.Cadence, g.Seen.Slot = j.old.Seen.Cadence, j.old.Seen.Slot
		return j.unapproved(ctx, g, rule.ID, c.ID, true)
	}
	items, err := j.get(ctx, ledger.Key{Entity: ledger.Cadence, Tenant: j.e.Tenant, ID: c.ID, Sub: rule.ID})
	if err != nil {
		return "", err
	}
	if items[0] == nil {
		return j.unapproved(ctx, g, rule.ID, c.ID, false)
	}
	return OtherRule, nil
}

// unapproved takes over whether other rules' mails to the contact wait for a
// person, where that was read, or looks whether there are any.
func (j *job) unapproved(ctx context.Context, g *decide.Ground, answers, contactID string, read bool) (string, error) {
	if !g.Policy.Review.NewContacts || g.Seen.Slot != nil {
		return "", nil
	}
	if read && j.old.Policy.Review.NewContacts && slices.Equal(ruleIDs(j.old.Policy), ruleIDs(g.Policy)) {
		g.Seen.Unapproved = j.old.Seen.Unapproved
		return "", nil
	}
	var keys []ledger.Key
	for _, id := range ruleIDs(g.Policy) {
		if id != answers {
			keys = append(keys, ledger.Key{Entity: ledger.Cadence, Tenant: j.e.Tenant, ID: contactID, Sub: id})
		}
	}
	if len(keys) == 0 {
		return "", nil
	}
	items, err := j.get(ctx, keys...)
	if slices.ContainsFunc(items, func(it ledger.Item) bool { return it != nil }) {
		return OtherRule, err
	}
	return "", err
}

func ruleIDs(p tenant.Policy) []string {
	var ids []string
	for _, r := range p.Rules {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return ids
}

// caps takes over the counts of the bounds, which may stand in another order. It
// tells whether all of them were read.
func (j *job) caps(g *decide.Ground) bool {
	counts := map[string]ledger.Item{}
	if !j.old.Facts.Machine() {
		for i, c := range decide.CapsOf(j.IDs, j.old.Policy, j.old.Facts, j.old.Person, j.old.Now.Std()) {
			counts[c.ID] = nil
			if i < len(j.old.Seen.Caps) {
				counts[c.ID] = j.old.Seen.Caps[i]
			}
		}
	}
	all := true
	for _, c := range decide.CapsOf(j.IDs, g.Policy, g.Facts, g.Person, g.Now.Std()) {
		it, read := counts[c.ID]
		all = all && read
		g.Seen.Caps = append(g.Seen.Caps, it)
	}
	return all
}

// hangsOn tells whether what is not known matters to a decision.
func hangsOn(unsure string, r decide.Result) bool {
	if unsure == OtherContact {
		return r.Outcome != decide.Referred && decide.VerdictOf(r).Contact != "" || hangsOnThePlan(r)
	}
	return unsure != "" && hangsOnThePlan(r)
}

// hangsOnThePlan tells whether a decision made a follow-up, or would have but for
// a bound or a template.
func hangsOnThePlan(r decide.Result) bool {
	return decide.VerdictOf(r).Made != nil || r.Outcome == inbound.FollowUp || slices.Contains(r.Reasons, decide.ReasonLoop) ||
		slices.Contains(r.Reasons, "mail_not_rendered")
}

// then is a row that was there already when the event was decided, or nil.
func (j *job) then(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	items, err := j.get(ctx, k)
	if err != nil || items[0] == nil {
		return nil, err
	}
	if made, err := utc.Parse(items[0].Text("created_at")); err == nil && made.After(j.old.Now) {
		return nil, nil
	}
	return items[0], nil
}

func (j *job) get(ctx context.Context, keys ...ledger.Key) ([]ledger.Item, error) {
	items, err := j.Store.GetMany(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("look for what event %s had not read: %w", decide.LogID(j.e.Tenant, j.e.ID), err)
	}
	return items, nil
}

package verify

import (
	"slices"

	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
)

// absorbedAgree: a contact lists whoever leads to it by merges, and nobody
// else. What forbids mail to a person is found by that list.
func absorbedAgree(f *finder) {
	for _, c := range f.v.contacts {
		for _, id := range c.absorbed {
			_, chain, ok := f.v.survivor(c.key.Tenant, id)
			if !ok && f.v.contacts[ref{c.key.Tenant, id}] != nil {
				continue // merges_end reports it
			}
			if id == c.key.ID || !slices.Contains(chain, c.key) {
				f.wrong(append(on(c.key), chain...), "contact %s lists contact %s as merged into it, and that one does not lead to it", c.key.ID, id)
			}
		}
		if c.status != contact.Merged {
			continue
		}
		_, chain, ok := f.v.survivor(c.key.Tenant, c.key.ID)
		if !ok {
			continue
		}
		for _, k := range chain[1:] {
			if up := f.v.contacts[refOf(k)]; !slices.Contains(up.absorbed, c.key.ID) {
				f.wrong(append(on(k), chain...), "contact %s leads to contact %s, which does not list it", c.key.ID, k.ID)
			}
		}
	}
}

// wishesKept: a person's own wish at any address forbids mail to all of them,
// from when the address led to the contact and the wish stood.
func wishesKept(f *finder) {
	for r, list := range f.v.attempts {
		i := f.v.intents[r]
		if i == nil {
			continue
		}
		for _, a := range list {
			owner := f.ownerAt(i, a.claimedAt)
			for _, g := range f.reached(r.tenant, owner, a.claimedAt, "", map[string]bool{}) {
				if g.key.ID == i.guard {
					continue // stops_are_kept has it
				}
				for _, s := range wishSpans(f.v.trail(g.key), i.scope) {
					if s.to != "" && f.order(a.claimedAt, s.to) != after {
						continue // lifted by then
					}
					if o := f.order(max(s.from, g.since), a.claimedAt); o != inTime {
						f.late(o, on(a.key, i.key, contactKey(r.tenant, owner), g.key),
							"attempt %d of intent %s was claimed after a wish against mail at another address of contact %s", a.number, r.id, owner)
					}
				}
			}
		}
	}
}

// ownerAt is the contact that an intent was for at a time: an approval may have
// moved it since.
func (f *finder) ownerAt(i *intentRow, at string) string {
	for _, s := range f.v.trail(i.key) {
		if s.movedFrom != "" && f.order(s.at, at) != after {
			return s.movedFrom
		}
	}
	return i.contact
}

// united is a guard of an address with the time since when that has led to a
// contact; "" from its beginning.
type united struct {
	key   ledger.Key
	since string
}

// reached lists the guards of all addresses that led to a contact at a time, as
// the audit has it: its own keys, its aliases, and those of the contacts that
// were merged into it by then.
func (f *finder) reached(tenant, id, at, since string, seen map[string]bool) []united {
	c := f.v.contacts[ref{tenant, id}]
	if c == nil || seen[id] {
		return nil
	}
	seen[id] = true
	trail := f.v.trail(c.key)
	var out []united
	for _, k := range c.keys {
		a, ok := contact.AddressOf(k)
		if !ok {
			continue
		}
		u := united{ledger.Guard.At(tenant, f.v.guardID(tenant, a.String())), since}
		for _, s := range trail {
			if s.guard == u.key.ID {
				u.since = max(since, s.at)
			}
		}
		if u.since == "" || f.order(u.since, at) == after {
			out = append(out, u)
		}
	}
	in := map[string]string{}
	for _, s := range trail {
		switch {
		case s.event == "absorb" && f.order(s.at, at) == after:
			in[s.other] = s.at
		case s.event == "let_go" && f.order(at, s.at) != after:
			delete(in, s.other)
		}
	}
	for other, when := range in {
		out = append(out, f.reached(tenant, other, at, max(since, when), seen)...)
	}
	return out
}

// wishSpans reads from a guard's audit when a wish against mail of a scope
// stood: as spans does, but of no bounce.
func wishSpans(trail []step, scope string) []span {
	own := slices.DeleteFunc(slices.Clone(trail), func(s step) bool {
		return s.event == "hold" || s.event == "release_hold" || s.event == "stop" && s.reason == guard.ReasonBounce
	})
	return spans(own, scope)
}

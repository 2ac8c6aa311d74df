package verify

import (
	"onefold/internal/address"
	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/contact"
	"onefold/internal/record/review"
)

// ruled is what the policy in force of a tenant says of identity.
type ruled struct {
	policy ledger.Key
	now    tenant.Identity
	next   *tenant.Identity
}

// nextForms compares, once a migration says that it is ready, each key of the
// rule in force with its form under the next one. Before that, and while a pass
// is under way, forms are missing by right.
func nextForms(f *finder) {
	for t, r := range f.v.ruled {
		if r.next == nil {
			continue
		}
		mk := versions.MigrationKey(t, r.next.Version)
		if f.v.migrations[mk] != contact.MigrationReady {
			continue
		}
		for _, k := range f.v.keys {
			if k.key.Tenant == t && ruleOf(k.key.ID) == r.now.Version {
				f.nextForm(r, mk, k)
			}
		}
	}
}

func (f *finder) nextForm(r *ruled, mk ledger.Key, k *keyRow) {
	nk, ok := f.v.formOf(r.now, *r.next, k)
	if !ok {
		return // keys_lead_to_contacts reports it
	}
	n := f.v.keys[refOf(nk)]
	rows := on(k.key, nk, mk, r.policy, contactKey(k.key.Tenant, k.contact))
	if n == nil {
		f.wrong(rows, "the migration to identity rule %d is ready, and a key of contact %s has no form under it", r.next.Version, k.contact)
		return
	}
	if n.shared || f.v.asked(nk) {
		return
	}
	mine, chain, ok := f.v.survivor(k.key.Tenant, k.contact)
	theirs, chain2, ok2 := f.v.survivor(k.key.Tenant, n.contact)
	if ok && ok2 && mine != theirs {
		f.wrong(append(append(rows, chain...), chain2...), "a key leads to contact %s and its form under identity rule %d to contact %s, and nobody is asked",
			mine.key.ID, r.next.Version, theirs.key.ID)
	}
}

// owner is a contact with the keys of addresses that lead to it.
type owner struct {
	c    *contactRow
	keys []*keyRow
	have bool // one of the rule in force
}

// keysInForce: of whoever has a key of an address, one is of the rule in force,
// or the form that the rule gives to each of his addresses names nobody.
func keysInForce(f *finder) {
	for _, o := range f.v.owners() {
		if o.have {
			continue
		}
		r := f.v.ruled[o.c.key.Tenant]
		rows, named := on(o.c.key, r.policy), false
		for _, k := range o.keys {
			rows = append(rows, k.key)
			// Under which settings an old key was made is not known here; what it
			// kept of the address is enough to say that a form is shared.
			nk, ok := f.v.formOf(tenant.Identity{Version: ruleOf(k.key.ID)}, r.now, k)
			if ok {
				rows = append(rows, nk)
			}
			n := f.v.keys[refOf(nk)]
			named = named || !ok || n == nil || !n.shared
		}
		if named {
			f.wrong(rows, "contact %s has keys, and none under identity rule %d, which is in force", o.c.key.ID, r.now.Version)
		}
	}
}

func (v *view) owners() map[ref]*owner {
	owners := map[ref]*owner{}
	for _, k := range v.keys {
		r, rule := v.ruled[k.key.Tenant], ruleOf(k.key.ID)
		if r == nil || rule == 0 || k.shared {
			continue
		}
		c, _, ok := v.survivor(k.key.Tenant, k.contact)
		if !ok || c.status != contact.Active {
			continue
		}
		o := owners[refOf(c.key)]
		if o == nil {
			o = &owner{c: c}
			owners[refOf(c.key)] = o
		}
		o.keys = append(o.keys, k)
		o.have = o.have || rule == r.now.Version
	}
	return owners
}

// ruleOf is the version of the rule that a key was made under; 0 of a key that
// is of no address.
func ruleOf(id string) int64 {
	rule, _, _ := contact.EmailKey(id)
	return rule
}

// formOf names the form of a key under another rule, by the same address as the
// migration takes: the contact's as first written where the key is of that.
func (v *view) formOf(now, other tenant.Identity, k *keyRow) (ledger.Key, bool) {
	_, value, _ := contact.EmailKey(k.key.ID)
	a, ok := address.OfKey(address.IdentityKey(value))
	c := v.contacts[ref{k.key.Tenant, k.contact}]
	if c == nil || !ok {
		return ledger.Key{}, false
	}
	if w, err := address.Parse(c.email); err == nil && decide.KeyUnder(now, w) == k.key.ID {
		a = w
	}
	return ledger.ContactKey.At(k.key.Tenant, decide.KeyUnder(other, a)), true
}

// asked tells whether an open question is about a key.
func (v *view) asked(k ledger.Key) bool {
	for _, t := range v.tasks {
		if t.kind == review.IdentityCollision && t.state == review.Open && t.about == k.ID && t.key.Tenant == k.Tenant {
			return true
		}
	}
	return false
}

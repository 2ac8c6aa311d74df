package contacts

import (
	"context"
	"slices"

	"onefold/internal/address"
	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
)

// ofBoth are the keys, under the rule in force or the one that is migrated to,
// that are a form of an address of those who are split off and of one of the
// others: they were put while the two were one. They come to name nobody, as
// when a person answers the migration's own question so. Else one of the two
// would be left without a key under that rule.
func (s *Service) ofBoth(ctx context.Context, policy tenant.Policy, group []string, all []contact.Contact) ([]contact.Key, error) {
	rules := []tenant.Identity{policy.Identity}
	if policy.IdentityNext != nil {
		rules = append(rules, *policy.IdentityNext)
	}
	var both []contact.Key
	for _, rule := range rules {
		for _, c := range all {
			for _, id := range formsMissing(c, rule) {
				k, err := s.key(ctx, policy.Tenant, id)
				if err != nil {
					return nil, err
				}
				if k == nil || k.Shared || slices.Contains(group, k.Contact) == slices.Contains(group, c.ID) ||
					slices.ContainsFunc(both, func(o contact.Key) bool { return o.ID == id }) {
					continue
				}
				both = append(both, *k)
			}
		}
	}
	return both, nil
}

// formsMissing are the forms under a rule of the addresses of which a contact
// lists none under it.
func formsMissing(c contact.Contact, rule tenant.Identity) []string {
	has := func(a address.Address) bool {
		return slices.ContainsFunc(c.Keys, func(id string) bool {
			of, _, ok := contact.EmailKey(id)
			own, read := contact.AddressOf(id)
			return ok && read && of == max(rule.Version, 1) && own.SuppressionKey() == a.SuppressionKey()
		})
	}
	written, err := address.Parse(c.Email)
	var out []string
	for _, a := range c.Addresses() {
		if has(a) {
			continue
		}
		if err == nil && written.SuppressionKey() == a.SuppressionKey() {
			a = written
		}
		out = append(out, decide.KeyUnder(rule, a))
	}
	return out
}

// share marks the keys of both as naming nobody, on each as it was read.
func (p splitting) share(c *ledger.Commit, _ stamp) error {
	for _, k := range p.both {
		if err := c.Update("contact_key", ledger.ContactKey.At(k.Tenant, k.ID),
			ledger.AtVersion(k.Version), ledger.Item{contact.SharedAttr: true}); err != nil {
			return err
		}
	}
	return nil
}

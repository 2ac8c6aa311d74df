package contacts

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"onefold/internal/crm"
	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/schema"
)

// read gathers the ground of an act. The error is a *Refusal where the act is
// not possible.
func (s *Service) read(ctx context.Context, a Act) (*work, error) {
	policy, err := s.policy(ctx, a.Tenant)
	if err != nil {
		return nil, err
	}
	switch a.Kind {
	case Merge:
		return s.readMerge(ctx, policy, a)
	case Split:
		return s.readSplit(ctx, policy, a)
	case Alias, ChangeAddress:
		return s.readAddress(ctx, policy, a)
	}
	return nil, fmt.Errorf("contacts: no act is called %q", string(a.Kind))
}

func (s *Service) policy(ctx context.Context, tenantID string) (tenant.Policy, error) {
	policy, err := s.Policies.Fresh(ctx, tenantID)
	if errors.Is(err, versions.ErrNone) {
		return policy, &Refusal{"this tenant has no policy, so nobody is known to it", "name the tenant, or apply its policy first"}
	}
	return policy, err
}

// side is one person as the ledger has it.
type side struct {
	contact contact.Contact
	all     []contact.Contact // it, and those that lead to it
	guards  []people.Guard    // of all their addresses
	waiting []followup.Intent // follow-ups of any of them that are not ended
	records []crm.Mapping     // in CRMs
	refused bool              // a CRM was tried and has no record
}

// find finds the contact that a word names: an ID, or an address through its
// key. It is not read through merges.
func (s *Service) find(ctx context.Context, policy tenant.Policy, who string) (contact.Contact, error) {
	none := contact.Contact{}
	id := who
	if strings.Contains(who, "@") {
		p := decide.Identify(s.IDs, policy, who)
		if !p.Known() {
			return none, &Refusal{"the address cannot be read", "name the contact by an address as it stands in mail, or by its ID"}
		}
		k, err := s.key(ctx, policy.Tenant, p.KeyID)
		if err != nil {
			return none, err
		}
		if k == nil {
			return none, &Refusal{"no contact has this address", "`onefold explain -email` tells what became of its mail"}
		}
		if k.Shared {
			return none, &Refusal{"several people have this address, so it names nobody", "name the contact by its ID, as `onefold explain -email` shows it"}
		}
		id = k.Contact
	}
	if people.Key(policy.Tenant, id).Validate() != nil {
		return none, noContact()
	}
	c, err := people.Get(ctx, s.Store, policy.Tenant, id)
	if err != nil {
		return none, err
	}
	if c == nil {
		return none, noContact()
	}
	return *c, nil
}

func noContact() error {
	return &Refusal{"there is no such contact", "name it by its ID, as `onefold explain -email` shows it, or by one of its addresses"}
}

func (s *Service) key(ctx context.Context, tenantID, id string) (*contact.Key, error) {
	return ledger.Read[contact.Key](ctx, s.Store, ledger.ContactKey.At(tenantID, id))
}

// through reads a contact through its merges.
func (s *Service) through(ctx context.Context, c contact.Contact) (contact.Contact, error) {
	if c.Status != contact.Merged {
		return c, nil
	}
	last, _, err := people.Find(ctx, s.Store, c.Tenant, c.ID)
	switch {
	case errors.Is(err, contact.ErrMergesDoNotEnd), err == nil && last == nil:
		return c, &Refusal{"the merges of contact " + c.ID + " lead nowhere", "run `onefold verify`: the ledger needs repair"}
	case err != nil:
		return c, err
	}
	return *last, nil
}

func (s *Service) side(ctx context.Context, c contact.Contact) (side, error) {
	out := side{contact: c}
	var err error
	if out.all, err = people.With(ctx, s.Store, c); err != nil {
		return out, err
	}
	if out.guards, err = people.Guards(ctx, s.Store, s.IDs, c.Tenant, "", out.all...); err != nil {
		return out, err
	}
	for _, one := range out.all {
		waits, err := s.waiting(ctx, one)
		if err != nil {
			return out, err
		}
		out.waiting = append(out.waiting, waits...)
	}
	rows, err := ledger.ReadAll(ctx, s.Store, ledger.CRMMapping.At(c.Tenant, c.ID))
	if err != nil {
		return out, fmt.Errorf("read the CRM records of contact %s: %w", c.ID, err)
	}
	for _, it := range rows {
		var m crm.Mapping
		if err := it.Decode(&m); err != nil {
			return out, err
		}
		if m.CRMID != "" {
			out.records = append(out.records, m)
		} else {
			out.refused = true
		}
	}
	return out, nil
}

// maxWaiting is how many follow-ups of a contact are listed.
const maxWaiting = 100

// waiting lists the follow-ups of a contact that are not ended, by an index
// that may lag: it is for people to see, and nothing is decided on it.
func (s *Service) waiting(ctx context.Context, c contact.Contact) ([]followup.Intent, error) {
	var out []followup.Intent
	for cursor := ""; ; {
		page, err := s.Store.Query(ctx, ledger.Query{
			Table: schema.Ledger, Index: schema.ByContact, Partition: schema.Ref(c.Tenant, c.ID), Cursor: cursor, Limit: 100,
		})
		if err != nil {
			return nil, fmt.Errorf("list the follow-ups of contact %s: %w", c.ID, err)
		}
		for _, it := range page.Items {
			if ledger.KeyOf(it).Entity != ledger.Intent {
				continue
			}
			var i followup.Intent
			if err := it.Decode(&i); err != nil {
				return nil, err
			}
			if !followup.IntentMachine().Terminal(i.State) && len(out) < maxWaiting {
				out = append(out, i)
			}
		}
		if cursor = page.Next; cursor == "" || len(out) == maxWaiting {
			return out, nil
		}
	}
}

// addresses are those of all that lead to the contact, for people to read.
func (s side) addresses() []string {
	var out []string
	for _, c := range s.all {
		for _, a := range c.Addresses() {
			out = append(out, a.String())
		}
	}
	return out
}

// counted says how many there are of something.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

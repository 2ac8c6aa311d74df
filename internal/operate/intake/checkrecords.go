package intake

import (
	"context"
	"slices"

	"onefold/internal/crm"
	"onefold/internal/decide"
)

// compareRecords looks for records that are there twice, and for those that carry
// our reference and no mapping names.
func (c *comparison) compareRecords(ctx context.Context) error {
	byRef, byAddress := map[string][]string{}, map[string][]string{}
	var refs, addresses []string
	for _, r := range c.records {
		if r.Ref != "" {
			if byRef[r.Ref] == nil {
				refs = append(refs, r.Ref)
			}
			byRef[r.Ref] = append(byRef[r.Ref], r.ID)
		}
		for _, written := range r.Emails() {
			p := decide.Identify(c.IDs, c.policy, written)
			if !p.Known() || p.Own || p.Shared || p.Role || slices.Contains(byAddress[p.KeyID], r.ID) {
				continue
			}
			if byAddress[p.KeyID] == nil {
				addresses = append(addresses, p.KeyID)
			}
			byAddress[p.KeyID] = append(byAddress[p.KeyID], r.ID)
		}
		if _, mapped := c.of[r.ID]; r.Ref != "" && !mapped {
			if err := c.unmapped(ctx, r); err != nil {
				return err
			}
		}
	}
	for _, ref := range refs {
		if len(byRef[ref]) > 1 {
			c.report.add(Difference{Why: DiffTwoOfOneReference, Records: byRef[ref], Contact: ref})
		}
	}
	for _, id := range addresses {
		if len(byAddress[id]) > 1 {
			c.report.add(Difference{Why: DiffTwoOfOneAddress, Records: byAddress[id]})
		}
	}
	return nil
}

// unmapped is a record with a reference that had no mapping when the comparison
// began. One that has it now was made meanwhile.
func (c *comparison) unmapped(ctx context.Context, r crm.Record) error {
	who := c.contacts[r.Ref]
	if who == nil {
		c.report.add(Difference{Why: DiffReferenceUnknown, Records: []string{r.ID}})
		return nil
	}
	m, err := c.mapping(ctx, who.ID)
	switch {
	case err != nil:
		return err
	case m != nil && (m.CRMID == r.ID || c.inFlight(*m)):
		c.report.Moving++
	case m != nil && m.CRMID != "":
		c.report.add(Difference{Why: DiffOtherRecord, Records: []string{r.ID, m.CRMID}, Contact: who.ID})
	default:
		c.report.add(Difference{Why: DiffUnmapped, Records: []string{r.ID}, Contact: who.ID})
	}
	return nil
}

package intake

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"onefold/internal/crm"
	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/utc"
)

// CRMList is what a CRM is compared by.
type CRMList struct {
	Tenant  string
	CRM     string // Capabilities.Name
	Records iter.Seq2[crm.Record, error]
	Limit   int       // at most so many records are looked at
	Told    func(int) // after each record; nil: nobody is told
}

// Check compares the records of a CRM with the mappings and contacts of the
// ledger. It writes nothing, there or here.
//
// The mappings are read before the records, so what a mapping names was there
// before the list was begun. What moved since is not reported but counted: each
// mapping of a finding is read again. Errors: versions.ErrNone, those of the
// list, of the ledger and of the context.
func (s *Service) Check(ctx context.Context, l CRMList) (CheckReport, error) {
	c := &comparison{Service: s, list: l, byID: map[string]crm.Record{}, of: map[string]crm.Mapping{}, contacts: map[string]*contact.Contact{}, report: CheckReport{
		Tenant: l.Tenant, CRM: l.CRM, Reasons: map[string]int{}, Findings: []Difference{},
	}}
	var err error
	if c.policy, err = s.Policies.Fresh(ctx, l.Tenant); err != nil {
		return c.report, err
	}
	for _, step := range []func(context.Context) error{c.readMappings, c.readRecords, c.readContacts, c.compareMappings, c.compareRecords} {
		if err := step(ctx); err != nil {
			return c.report, err
		}
	}
	return c.report, nil
}

type comparison struct {
	*Service
	list     CRMList
	policy   tenant.Policy
	mapped   []crm.Mapping // with a record, in the order of the scan
	records  []crm.Record
	byID     map[string]crm.Record
	of       map[string]crm.Mapping      // by the record's ID
	contacts map[string]*contact.Contact // by ID, as they lead now
	report   CheckReport
}

func (c *comparison) readMappings(ctx context.Context) error {
	for m, err := range c.mappings(ctx, c.list.Tenant, c.list.CRM) {
		if err != nil {
			return err
		}
		if m.CRMID != "" {
			c.mapped = append(c.mapped, m)
		}
	}
	c.report.Mappings = len(c.mapped)
	return nil
}

func (c *comparison) readRecords(ctx context.Context) error {
	for r, err := range c.list.Records {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if len(c.records) == c.list.Limit {
			return nil
		}
		if _, twice := c.byID[r.ID]; twice {
			continue // it moved in the list while that was read
		}
		c.records, c.byID[r.ID] = append(c.records, r), r
		if c.list.Told != nil {
			c.list.Told(len(c.records))
		}
	}
	c.report.Complete = true
	return nil
}

// readContacts reads the contacts that mappings and references name, through
// merges. Of several mappings of a record, that of a contact which is not merged
// into another counts.
func (c *comparison) readContacts(ctx context.Context) error {
	c.report.Records = len(c.records)
	var ids []string
	add := func(id string) {
		if _, known := c.contacts[id]; !known && id != "" && people.Key(c.list.Tenant, id).Validate() == nil {
			c.contacts[id] = nil
			ids = append(ids, id)
		}
	}
	for _, m := range c.mapped {
		add(m.Contact)
	}
	for _, r := range c.records {
		add(r.Ref)
	}
	merged := map[string]bool{}
	for part := range slices.Chunk(ids, 100) {
		keys := make([]ledger.Key, len(part))
		for n, id := range part {
			keys[n] = people.Key(c.list.Tenant, id)
		}
		items, err := c.Store.GetMany(ctx, keys)
		if err != nil {
			return fmt.Errorf("read the contacts of records: %w", err)
		}
		for n, it := range items {
			if it == nil {
				continue
			}
			one := new(contact.Contact)
			if err := it.Decode(one); err != nil {
				return err
			}
			if merged[part[n]] = one.Status == contact.Merged; merged[part[n]] {
				if one, _, err = people.Find(ctx, c.Store, c.list.Tenant, part[n]); err != nil {
					return err
				}
			}
			c.contacts[part[n]] = one
		}
	}
	for _, m := range c.mapped {
		if old, twice := c.of[m.CRMID]; !twice || merged[old.Contact] {
			c.of[m.CRMID] = m
		}
	}
	return nil
}

// compareMappings looks at each mapping and its record.
func (c *comparison) compareMappings(ctx context.Context) error {
	for _, m := range c.mapped {
		r, there := c.byID[m.CRMID]
		who, holder := c.contacts[m.Contact], c.contacts[c.of[m.CRMID].Contact]
		var found []Difference
		switch {
		case c.of[m.CRMID].Contact != m.Contact && (who == nil || holder == nil || who.ID == holder.ID):
			continue // of a contact that was merged into the one that has the record
		case c.of[m.CRMID].Contact != m.Contact:
			found = append(found, Difference{Why: DiffTwoContacts, Records: []string{m.CRMID}, Contact: m.Contact})
		case !there && c.report.Complete:
			found = append(found, Difference{Why: DiffRecordGone, Records: []string{m.CRMID}, Contact: m.Contact})
		case !there || who == nil:
			continue // verify reports a mapping of nobody
		default:
			found = c.reference(m, *who, r)
			found = append(found, c.fields(m, *who, r)...)
		}
		if len(found) == 0 {
			continue
		}
		now, err := c.mapping(ctx, m.Contact)
		if err != nil {
			return err
		}
		if now == nil || now.Version != m.Version || c.inFlight(*now) {
			c.report.Moving++
			continue
		}
		for _, d := range found {
			c.report.add(d)
		}
	}
	return nil
}

// reference compares whose reference a mapped record carries.
func (c *comparison) reference(m crm.Mapping, who contact.Contact, r crm.Record) []Difference {
	switch named := c.contacts[r.Ref]; {
	case r.Ref == who.ID, slices.Contains(who.Absorbed, r.Ref):
	case r.Ref == "" && m.SentVersion == 0:
		c.report.Unmarked++ // imported: the first sync writes it
	case r.Ref == "":
		return []Difference{{Why: DiffReferenceGone, Records: []string{r.ID}, Contact: who.ID}}
	case named == nil:
		return []Difference{{Why: DiffReferenceUnknown, Records: []string{r.ID}, Contact: who.ID}}
	default:
		return []Difference{{Why: DiffReferenceOfAnother, Records: []string{r.ID}, Contact: named.ID}}
	}
	return nil
}

// fields compares what a contact has with its record. What was never written
// there, or is to be written by a sync that is due, is no difference.
func (c *comparison) fields(m crm.Mapping, who contact.Contact, r crm.Record) []Difference {
	if who.Status != contact.Active {
		return nil
	}
	if m.SentVersion > 0 && m.SentVersion < who.Revision {
		c.report.Waiting++
		return nil
	}
	var fields []string
	for f, value := range (crm.Contact{Email: who.Email, Name: who.Name, Company: who.Company, Phone: who.Phone}).Values() {
		has := r.Values[f]
		same := crm.Same(f, has, value) || f == crm.FieldEmail && slices.ContainsFunc(r.Also, func(a string) bool { return crm.Same(f, a, value) })
		switch {
		case same, has == "" && m.Wrote[f] == "":
		case slices.Contains(m.Left, f):
			c.report.LeftThere++
		default:
			fields = append(fields, string(f))
		}
	}
	if len(fields) == 0 {
		return nil
	}
	slices.Sort(fields)
	return []Difference{{Why: DiffFields, Records: []string{r.ID}, Contact: who.ID, Fields: fields}}
}

func (c *comparison) mapping(ctx context.Context, contactID string) (*crm.Mapping, error) {
	return ledger.Read[crm.Mapping](ctx, c.Store, ledger.CRMMapping.Under(c.list.Tenant, contactID, c.list.CRM))
}

func (c *comparison) inFlight(m crm.Mapping) bool {
	return m.Owner != "" && utc.At(c.Now()).Before(m.InFlightUntil)
}

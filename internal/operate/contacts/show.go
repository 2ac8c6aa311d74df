package contacts

import (
	"context"
	"slices"
	"strings"

	"onefold/internal/crm"
	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/record/contact"
	"onefold/internal/utc"
)

// Shown is what is known of a person. Names and meanings of its JSON are
// stable; properties may be added. It holds personal values.
type Shown struct {
	Tenant     string        `json:"tenant"`
	ID         string        `json:"id"`
	Status     string        `json:"status"`
	MergedInto string        `json:"merged_into,omitempty"`
	LeadsTo    string        `json:"leads_to,omitempty"` // of a merged one: who stands for it now
	Email      string        `json:"email,omitempty"`
	Name       string        `json:"name,omitempty"`
	Company    string        `json:"company,omitempty"`
	Phone      string        `json:"phone,omitempty"`
	CreatedAt  utc.Time      `json:"created_at"`
	Addresses  []ShownKey    `json:"addresses"`
	Absorbed   []ShownMerged `json:"absorbed"` // who leads to it
	Waiting    []ShownIntent `json:"waiting"`  // follow-ups that are not ended
	Records    []ShownRecord `json:"crm_records"`
	LikelySame string        `json:"likely_same,omitempty"` // another contact, which has the same phone number and name
	// Mail says in words what stands against follow-ups to this person.
	Mail string `json:"mail"`
}

// ShownKey is one address, with the contact whose key it is.
type ShownKey struct {
	Address string `json:"address"`
	Contact string `json:"contact"`
	Guard   string `json:"guard"` // in words
}

// ShownMerged is a contact that leads to this one.
type ShownMerged struct {
	ID         string   `json:"id"`
	Email      string   `json:"email,omitempty"`
	MergedInto string   `json:"merged_into"`
	MergedAt   utc.Time `json:"merged_at,omitzero"`
}

// ShownIntent is a follow-up that is not ended.
type ShownIntent struct {
	ID        string `json:"id"`
	Rule      string `json:"rule"`
	Recipient string `json:"recipient,omitempty"`
	State     string `json:"state"`
	Reason    string `json:"reason,omitempty"`
}

// ShownRecord is its record in a CRM.
type ShownRecord struct {
	CRM string `json:"crm"`
	ID  string `json:"id"`
	// Left are the fields that somebody changed there and that stay so.
	Left []crm.Field `json:"left,omitempty"`
}

// Show tells what is known of a contact, by ID or by an address, which is read
// through merges. The error is a *Refusal where there is none.
func (s *Service) Show(ctx context.Context, tenantID, who string) (Shown, error) {
	policy, err := s.policy(ctx, tenantID)
	if err != nil {
		return Shown{}, err
	}
	c, err := s.find(ctx, policy, who)
	if err != nil {
		return Shown{}, err
	}
	top, err := s.through(ctx, c)
	if err != nil {
		return Shown{}, err
	}
	if strings.Contains(who, "@") {
		c = top
	}
	p, err := s.side(ctx, c)
	if err != nil {
		return Shown{}, err
	}
	out := Shown{
		Tenant: tenantID, ID: c.ID, Status: c.Status, MergedInto: c.MergedInto, Email: c.Email, Name: c.Name, Company: c.Company, Phone: c.Phone,
		CreatedAt: c.CreatedAt, Addresses: []ShownKey{}, Absorbed: []ShownMerged{}, Waiting: []ShownIntent{}, Records: []ShownRecord{},
	}
	whole := p // a wish against mail is the whole person's
	if c.Status == contact.Merged {
		out.LeadsTo = top.ID
		if whole, err = s.side(ctx, top); err != nil {
			return out, err
		}
	}
	likely, _, err := people.Find(ctx, s.Store, tenantID, c.LikelySame)
	if err != nil {
		return out, err
	}
	if likely != nil && likely.Status == contact.Active && likely.ID != top.ID {
		out.LikelySame = likely.ID
	}
	out.Mail = mail(whole.guards)
	s.fill(&out, p)
	return out, nil
}

func (s *Service) fill(out *Shown, p side) {
	for n, c := range p.all {
		if n > 0 {
			out.Absorbed = append(out.Absorbed, ShownMerged{ID: c.ID, Email: c.Email, MergedInto: c.MergedInto, MergedAt: c.MergedAt})
		}
		for _, a := range c.Addresses() {
			id := decide.GuardID(s.IDs, c.Tenant, a)
			at := slices.IndexFunc(p.guards, func(g people.Guard) bool { return g.ID == id })
			out.Addresses = append(out.Addresses, ShownKey{Address: a.String(), Contact: c.ID, Guard: guardWords(p.guards[at].Item)})
		}
	}
	for _, i := range p.waiting {
		out.Waiting = append(out.Waiting, ShownIntent{ID: i.ID, Rule: i.Rule, Recipient: i.Recipient, State: i.State, Reason: i.Reason})
	}
	for _, m := range p.records {
		out.Records = append(out.Records, ShownRecord{CRM: m.CRM, ID: m.CRMID, Left: m.Left})
	}
}

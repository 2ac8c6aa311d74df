package versions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
)

// ErrMailboxTaken means that a mailbox of the document is another tenant's, by
// itself, as a +tag of its address or with its whole domain. Whoever applies it
// takes it out, or has the other tenant's policy let go of it first. The error
// says where in the document it stands, never the address.
var ErrMailboxTaken = errors.New("versions: a mailbox is held by another tenant")

// Route says whose mail an address receives.
type Route struct {
	Tenant   string
	Endpoint string
	Mailbox  string // the address in the form for comparing: what its events are filed under
}

// routeRow is who holds a mailbox. Of one that was let go the tenant is absent;
// the row stays, since the ledger deletes nothing.
type routeRow struct {
	OfTenant string `json:"of_tenant"`
	Endpoint string `json:"endpoint"`
}

// The attributes of a routeRow.
const (
	ofTenantAttr = "of_tenant"
	endpointAttr = "endpoint"
)

func routeKey(route string) ledger.Key {
	return ledger.MailRoute.At(ledger.NoTenant, route)
}

// Route finds whose mail an address receives: the address itself, the address
// without its +tag, its domain, the first that somebody holds. ok is false
// when it is nobody's. It reads the ledger, not what is remembered: a mailbox
// is its new holder's from the commit that made it so.
func (b *Book) Route(ctx context.Context, recipient string) (r Route, ok bool, err error) {
	mailbox, routes := tenant.Routes(recipient)
	if len(routes) == 0 {
		return Route{}, false, nil
	}
	keys := make([]ledger.Key, len(routes))
	for i, route := range routes {
		keys[i] = routeKey(route)
		if keys[i].Validate() != nil {
			return Route{}, false, nil // no policy can name it
		}
	}
	items, err := b.Store.GetMany(ctx, keys)
	if err != nil {
		return Route{}, false, fmt.Errorf("read the mail routes of an address: %w", err)
	}
	for _, it := range items {
		if of := it.Text(ofTenantAttr); of != "" {
			return Route{Tenant: of, Endpoint: it.Text(endpointAttr), Mailbox: mailbox}, true, nil
		}
	}
	return Route{}, false, nil
}

// routes adds to a commit what the mailboxes of a policy need: each new one is
// taken if it is nobody's, each that the policy in force had and this one has
// not is let go. Two tenants that apply at once cannot both take one: the row
// of the mailbox is the arbiter.
//
// A new address must not lie in a domain that is wholly another tenant's, nor be
// another's address with a +tag. The other way round it may: who takes a whole
// domain, or an address, gets what nobody holds of it. So what two leave who
// apply a tag and its address at once is as if the tag had come first, and the
// address's row is looked at and not made a condition.
//
// Rows that are as they should be are not written. They cannot change
// meanwhile: a row that this tenant holds is changed only in a commit that
// raises this tenant's policy, and of two such commits one is refused.
func (b *Book) routes(ctx context.Context, c *ledger.Commit, before, p tenant.Policy) error {
	rows, err := b.routeRows(ctx, before, p)
	if err != nil {
		return err
	}
	free := ledger.Any(ledger.Absent(ofTenantAttr), ledger.Is(ofTenantAttr, p.Tenant))
	written := map[string]bool{}
	for _, m := range p.Mailboxes() {
		written[m.Route] = true
	}
	for _, m := range before.Mailboxes() {
		if written[m.Route] || rows[m.Route].Text(ofTenantAttr) != p.Tenant {
			continue
		}
		written[m.Route] = true
		err := c.Update("route", routeKey(m.Route), ledger.Is(ofTenantAttr, p.Tenant), ledger.Item{ofTenantAttr: "", endpointAttr: ""})
		if err != nil {
			return err
		}
	}
	for _, m := range p.Mailboxes() {
		row, domain := rows[m.Route], rows[m.Domain()]
		switch of := row.Text(ofTenantAttr); of {
		case p.Tenant:
			if row.Text(endpointAttr) == m.Endpoint {
				continue
			}
			err = c.Update("route", routeKey(m.Route), ledger.Is(ofTenantAttr, p.Tenant), ledger.Item{endpointAttr: m.Endpoint})
			if err != nil {
				return err
			}
			continue
		case "":
		default:
			return fmt.Errorf("%w: %s", ErrMailboxTaken, m.Path)
		}
		if of := domain.Text(ofTenantAttr); of != "" && of != p.Tenant {
			return fmt.Errorf("%w, with its whole domain: %s", ErrMailboxTaken, m.Path)
		}
		if of := rows[untagged(m)].Text(ofTenantAttr); of != "" && of != p.Tenant {
			return fmt.Errorf("%w, without its tag: %s", ErrMailboxTaken, m.Path)
		}
		if !written[m.Domain()] {
			written[m.Domain()] = true
			c.Check("route", routeKey(m.Domain()), free)
		}
		if row == nil {
			err = c.Create("route", routeKey(m.Route), routeRow{p.Tenant, m.Endpoint})
		} else {
			err = c.Update("route", routeKey(m.Route), ledger.Absent(ofTenantAttr), ledger.Item{ofTenantAttr: p.Tenant, endpointAttr: m.Endpoint})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// untagged is the route of a mailbox without its +tag; of one without a tag,
// itself.
func untagged(m tenant.Mailbox) string {
	if _, routes := tenant.Routes(m.Route); len(routes) == 3 {
		return routes[1]
	}
	return m.Route
}

// routeRows reads the rows of all mailboxes of both policies, and of the
// domains, and of the addresses without a tag, that those of the second lie in.
func (b *Book) routeRows(ctx context.Context, before, p tenant.Policy) (map[string]ledger.Item, error) {
	rows := map[string]ledger.Item{}
	for _, m := range p.Mailboxes() {
		rows[m.Route], rows[m.Domain()], rows[untagged(m)] = nil, nil, nil
	}
	for _, m := range before.Mailboxes() {
		rows[m.Route] = nil
	}
	for routes := range slices.Chunk(slices.Sorted(maps.Keys(rows)), ledger.MaxKeys) {
		keys := make([]ledger.Key, len(routes))
		for i, route := range routes {
			keys[i] = routeKey(route)
		}
		items, err := b.Store.GetMany(ctx, keys)
		if err != nil {
			return nil, fmt.Errorf("read the mail routes of tenant %s: %w", p.Tenant, err)
		}
		for i, route := range routes {
			rows[route] = items[i]
		}
	}
	return rows, nil
}

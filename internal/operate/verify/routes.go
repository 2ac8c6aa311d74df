package verify

import (
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
)

// routeRow is who receives the mail of an address or domain.
type routeRow struct {
	key                ledger.Key
	ofTenant, endpoint string
}

// claimed is what a policy in force says of its mailboxes.
type claimed struct {
	key       ledger.Key
	readable  bool
	endpoints map[string]string // by route
}

func (v *view) takeRoute(k ledger.Key, it ledger.Item) {
	if k.Entity == ledger.MailRoute {
		v.routes[k.ID] = &routeRow{key: k, ofTenant: it.Text("of_tenant"), endpoint: it.Text("endpoint")}
		return
	}
	c := &claimed{key: k, endpoints: map[string]string{}}
	v.claimed[k.Tenant] = c
	p, err := tenant.Stored([]byte(it.Text("document")))
	if err != nil {
		return
	}
	c.readable = true
	v.ruled[k.Tenant] = &ruled{k, p.Identity, p.IdentityNext}
	for _, m := range p.Mailboxes() {
		c.endpoints[m.Route] = m.Endpoint
	}
}

// mailRoutes compares both ways. Of a policy that cannot be read nothing is
// said here: nothing is decided for its tenant either.
func mailRoutes(f *finder) {
	for _, c := range f.v.claimed {
		for route, endpoint := range c.endpoints {
			k := ledger.MailRoute.At(ledger.NoTenant, route)
			if r := f.v.routes[route]; r == nil || r.ofTenant != c.key.Tenant || r.endpoint != endpoint {
				f.wrong(on(c.key, k), "the policy of %s has a mailbox for its endpoint %s, and %s does not lead there", c.key.Tenant, endpoint, nameOf(k))
			}
		}
	}
	for route, r := range f.v.routes {
		if r.ofTenant == "" {
			continue
		}
		c := f.v.claimed[r.ofTenant]
		policy := ledger.PolicyCurrent.At(r.ofTenant, "policy")
		if c == nil || c.readable && c.endpoints[route] == "" {
			f.wrong(on(policy, r.key), "%s leads to %s, whose policy in force has no such mailbox", nameOf(r.key), r.ofTenant)
		}
	}
}

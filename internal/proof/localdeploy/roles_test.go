package localdeploy_test

import (
	"fmt"
	"slices"

	"onefold/internal/proof/roles"
)

// roles compares the calls that functions made with the roles that they have,
// both ways. That a call was allowed, the emulator has judged; this judges it
// again by the policies alone, and SES's, which does not run there.
func (w *world) roles() {
	grants, err := w.d.Grants(w.ctx)
	w.must(err)
	made, refused := w.d.Calls()
	var faults []string
	for c, n := range refused {
		faults = append(faults, fmt.Sprintf("%s: %s on %s was refused %d times", c.Function, c.Action, c.Resource, n))
	}
	for c, n := range made {
		if !slices.ContainsFunc(grants, func(g roles.Grant) bool { return g.Covers(roles.Call(c)) }) {
			faults = append(faults, fmt.Sprintf("%s: %s on %s, %d times, and its role has no such grant", c.Function, c.Action, c.Resource, n))
		}
	}
	slices.Sort(faults)
	w.pass("roles: calls", fmt.Sprintf("%d kinds of calls, each allowed by its function's role", len(made)), faults...)

	var calls []roles.Call
	for c := range made {
		calls = append(calls, roles.Call(c))
	}
	idle := roles.Idle(grants, calls)
	faults, excused := roles.Excuse(idle, unusedGrants())
	w.pass("roles: grants", fmt.Sprintf("%d grants, %d used here, %d excused with a reason", len(grants), len(grants)-len(idle), excused), faults...)
}

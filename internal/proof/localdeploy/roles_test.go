package localdeploy_test

import (
	"fmt"
	"slices"
	"strings"

	"onefold/internal/proof/localdeploy"
	"onefold/internal/schema"
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
	used := make([]bool, len(grants))
	for c, n := range made {
		covered := false
		for i, g := range grants {
			if g.Covers(c) {
				used[i], covered = true, true
			}
		}
		if !covered {
			faults = append(faults, fmt.Sprintf("%s: %s on %s, %d times, and its role has no such grant", c.Function, c.Action, c.Resource, n))
		}
	}
	slices.Sort(faults)
	w.pass("roles: calls", fmt.Sprintf("%d kinds of calls, each allowed by its function's role", len(made)), faults...)

	var idle []localdeploy.Grant
	for i, g := range grants {
		if !used[i] {
			idle = append(idle, g)
		}
	}
	faults, excused := excuse(idle)
	w.pass("roles: grants", fmt.Sprintf("%d grants, %d used here, %d excused with a reason", len(grants), len(grants)-len(idle), excused), faults...)
}

// unused is a grant that no call needs in this test, and why the function has
// it nevertheless.
type unused struct {
	function schema.Function // "" is any
	action   string          // "" is any
	resource string          // a part of it
	why      string
	// sometimes: whether it is used depends on who is first; then the reason may
	// excuse nothing.
	sometimes bool
}

// excuse tells which idle grants have no reason, which reasons excuse nothing,
// and how many grants are excused.
func excuse(idle []localdeploy.Grant) (faults []string, excused int) {
	reasons := unusedGrants()
	needed := make([]bool, len(reasons))
	for _, g := range idle {
		at := slices.IndexFunc(reasons, func(u unused) bool {
			return (u.function == "" || u.function == g.Function) && (u.action == "" || u.action == g.Action) && strings.Contains(g.Resource, u.resource)
		})
		if at < 0 {
			faults = append(faults, fmt.Sprintf("%s: %s on %s is granted and was not used", g.Function, g.Action, g.Resource))
			continue
		}
		needed[at] = true
		excused++
	}
	for n, u := range reasons {
		if !needed[n] && !u.sometimes {
			faults = append(faults, fmt.Sprintf("the reason for %s %s on %q excuses nothing any more", u.function, u.action, u.resource))
		}
	}
	return faults, excused
}

package scenario_test

import (
	"slices"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
)

// persons is what the harness knows of who is who: which guards are of a
// contact's keys, where merges lead, and what was said at each guard. It is made
// from what took effect, and asks neither a contact's list of keys nor its list
// of those that lead to it.
type persons struct {
	guards map[string][]string // contact → guards of its keys
	into   map[string]string
	wish   map[string]bool // guard → the person's own wish stands
	reason map[string]string
	held   map[string]bool
}

func newPersons() persons {
	return persons{map[string][]string{}, map[string]string{}, map[string]bool{}, map[string]string{}, map[string]bool{}}
}

func (p persons) note(w *world, wr ledger.Write) {
	if wr.Op == ledger.OpCheck {
		return
	}
	id := wr.Key.ID
	attr := func(name string) string {
		if wr.Op == ledger.OpCreate {
			return wr.Item.Text(name)
		}
		return wr.Set.Text(name)
	}
	switch wr.Key.Entity {
	case ledger.ContactKey:
		if wr.Op == ledger.OpCreate {
			a, _ := contact.AddressOf(id)
			c := wr.Item.Text("contact")
			p.guards[c] = append(p.guards[c], decide.GuardID(w.ids, tenantID, a))
		}
	case ledger.Contact:
		if to := attr("merged_into"); to != "" {
			p.into[id] = to
		}
		if slices.Contains(wr.Remove, "merged_into") {
			delete(p.into, id)
		}
	case ledger.Guard:
		if r := attr("reason"); r != "" {
			p.reason[id] = r
		}
		if attr(guard.StopAttr(guard.ScopeAll))+attr(guard.StopAttr(tenant.ScopeFollowUp)) != "" || p.wish[id] || attr("reason") != "" {
			p.wish[id] = p.reason[id] != guard.ReasonBounce
		}
		if attr("hold") != "" {
			p.held[id] = true
		}
		if slices.Contains(wr.Remove, "hold") {
			delete(p.held, id)
		}
	default:
	}
}

func (p persons) root(id string) string {
	for p.into[id] != "" {
		id = p.into[id]
	}
	return id
}

func (p persons) merged(id string) bool { return p.into[id] != "" }

// against is what stands at any address of a contact's person.
func (p persons) against(id string) string {
	root := p.root(id)
	for c, guards := range p.guards {
		if p.root(c) != root {
			continue
		}
		for _, g := range guards {
			switch {
			case p.wish[g]:
				return "a wish against mail"
			case p.held[g]:
				return "a hold"
			}
		}
	}
	return ""
}

package ledger

import (
	"fmt"

	"onefold/internal/record/audit"
	"onefold/internal/record/machine"
	"onefold/internal/schema"
)

// Step is one audited change of a noun: the transition of its machine where
// it has one, or just a change with a name.
type Step struct {
	Name       string // of the write, for refusals; "" takes the entity
	Key        Key
	Machine    *machine.Table // nil: the noun has no states
	From       string         // the state the row was read in
	Transition int64          // the transition count the row was read with
	Event      string
	Set        Item // besides state and transition
	If         Cond // besides state and transition
	Audit      audit.Record
}

// Move adds a step of a row that exists: the update, conditional on the state
// and transition count that were read, and its audit record, in one commit.
// It returns the state that follows.
//
// The transition count rises with transitions only, so a nudge in between
// does not refuse the step, while any other transition does.
func (c *Commit) Move(s Step) (string, error) {
	to := ""
	conds := []Cond{Is(machine.TransitionAttr, s.Transition)}
	set := Item{machine.TransitionAttr: s.Transition + 1}
	if s.Machine != nil {
		next, err := s.Machine.Next(s.From, s.Event)
		if err != nil {
			return "", err
		}
		to = next
		conds = append(conds, Is(machine.StateAttr, s.From))
		set[machine.StateAttr] = to
	}
	for attr, v := range s.Set {
		set[attr] = v
	}
	if s.If.Op != OpNone {
		conds = append(conds, s.If)
	}
	if err := c.Update(s.name(), s.Key, All(conds...), set); err != nil {
		return "", err
	}
	return to, c.audit(s, to)
}

// Insert adds a row that must not exist yet, with its first audit record. The
// noun must encode with transition 1 and, where it has states, its state.
func (c *Commit) Insert(s Step, noun any, state string) error {
	if s.Machine != nil {
		ok := false
		for _, start := range s.Machine.Start {
			ok = ok || start == state
		}
		if !ok {
			return fmt.Errorf("%w: a %s does not begin in %q", ErrInvalid, s.Machine.Noun, state)
		}
	}
	if err := c.Create(s.name(), s.Key, noun); err != nil {
		return err
	}
	s.Transition = 0
	return c.audit(s, state)
}

func (s Step) name() string {
	if s.Name != "" {
		return s.Name
	}
	return string(s.Key.Entity)
}

// audit adds the record of a step. One that does not say when and by whom the
// step was made is ErrInvalid: nothing could ever say it later.
func (c *Commit) audit(s Step, to string) error {
	r := s.Audit
	if r.At.IsZero() || r.By == "" {
		return fmt.Errorf("%w: the audit record of %q on %s has no time or no actor", ErrInvalid, s.Event, s.name())
	}
	r.Tenant, r.Noun, r.NounID = s.Key.Tenant, string(s.Key.Entity), s.Key.ID
	if s.Key.Sub != "" {
		r.NounID += "/" + s.Key.Sub
	}
	r.Transition, r.Event, r.From, r.To = s.Transition+1, s.Event, s.From, to
	r.ContactRef = schema.Ref(s.Key.Tenant, r.Contact)
	r.IntentRef = schema.Ref(s.Key.Tenant, r.Intent)
	return c.Create("audit", AuditKey(s.Key, r.Transition), r)
}

// AuditKey names the record of one transition of a noun.
func AuditKey(noun Key, transition int64) Key {
	id := string(noun.Entity) + "/" + noun.ID
	if noun.Sub != "" {
		id += "/" + noun.Sub
	}
	return Key{Entity: Audit, Tenant: noun.Tenant, ID: id, Sub: fmt.Sprintf("%08d", transition)}
}

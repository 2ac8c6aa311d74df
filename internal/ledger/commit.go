package ledger

import (
	"fmt"
	"slices"

	"onefold/internal/schema"
)

// Commit is a set of writes that take effect together or not at all. The
// order of the writes has no meaning.
type Commit struct {
	Writes []Write
}

// Write is one write, or one check, of a commit.
type Write struct {
	// Name is what a refusal of this write is called, such as "guard" or
	// "contact_key". Names in a commit may repeat.
	Name   string
	Op     WriteOp
	Key    Key
	Item   Item     // Create: every attribute
	Set    Item     // Update: attributes to set
	Remove []string // Update: attributes to remove
	If     Cond     // besides what the operation itself asks
}

// WriteOp is the kind of a write.
type WriteOp string

// The kinds of writes. There is no blind put and no delete: an item is
// created once and then changed attribute by attribute, so that code which
// knows fewer attributes never erases the rest.
const (
	OpCreate WriteOp = "create" // only if there is no such item; version becomes 1
	OpUpdate WriteOp = "update" // only if there is such an item; version rises by 1
	OpCheck  WriteOp = "check"  // writes nothing; If must hold
)

// Create adds an item that must not exist yet.
func (c *Commit) Create(name string, k Key, noun any) error {
	it, err := Encode(noun)
	if err != nil {
		return err
	}
	c.Writes = append(c.Writes, Write{Name: name, Op: OpCreate, Key: k, Item: it})
	return nil
}

// Update changes attributes of an item that must exist. A value that encodes
// as empty text ("" or a zero time) removes its attribute.
func (c *Commit) Update(name string, k Key, cond Cond, set Item) error {
	w := Write{Name: name, Op: OpUpdate, Key: k, If: cond, Set: Item{}}
	for attr, v := range set {
		n, err := Normal(v)
		if err != nil {
			return fmt.Errorf("update %s of %s: %w", attr, k.Entity, err)
		}
		if n == "" {
			w.Remove = append(w.Remove, attr)
			continue
		}
		w.Set[attr] = n
	}
	// One decision is one commit, word for word, whatever order a map has.
	slices.Sort(w.Remove)
	c.Writes = append(c.Writes, w)
	return nil
}

// Check asks that a condition hold on an item that this commit does not
// write.
func (c *Commit) Check(name string, k Key, cond Cond) {
	c.Writes = append(c.Writes, Write{Name: name, Op: OpCheck, Key: k, If: cond})
}

// Apply gives the item after the write, from the item before (nil if absent).
// It is the definition that every store must agree with; it does not judge
// conditions.
func (w Write) Apply(before Item) Item {
	switch w.Op {
	case OpCreate:
		it := w.Item.Clone()
		stamp(it, w.Key)
		it[schema.Version] = int64(1)
		return it
	case OpUpdate:
		it := before.Clone()
		for attr, v := range w.Set {
			it[attr] = cloneValue(v)
		}
		for _, attr := range w.Remove {
			delete(it, attr)
		}
		it[schema.Version] = before.Version() + 1
		return it
	default:
		return before
	}
}

// Allowed judges the write against the item before it.
func (w Write) Allowed(before Item) bool {
	switch w.Op {
	case OpCreate:
		return before == nil && w.If.Holds(before)
	case OpUpdate:
		return before != nil && w.If.Holds(before)
	default:
		return w.If.Holds(before)
	}
}

// stamp sets the attributes by which an item says what it is.
func stamp(it Item, k Key) {
	it[schema.Entity] = string(k.Entity)
	it[schema.Tenant] = k.Tenant
	it[schema.ID] = k.ID
	if k.Sub != "" {
		it[schema.Sub] = k.Sub
	} else {
		delete(it, schema.Sub)
	}
	it[schema.Revision] = int64(1)
}

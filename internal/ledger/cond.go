package ledger

import "strings"

// Cond is a condition on one item as it is just before the write. A
// comparison with an attribute that is absent, or of another type, is false;
// so a condition that must hold for an absent item says so with Missing or
// Absent. The zero Cond always holds.
//
// Only what DynamoDB can judge within the write is expressible here.
type Cond struct {
	Op    CondOp
	Attr  string
	Value any    // string, int64 or bool
	Sub   []Cond // of All and Any
}

// CondOp is the kind of a condition.
type CondOp string

// The kinds.
const (
	OpNone    CondOp = ""
	OpMissing CondOp = "missing" // the item does not exist
	OpAbsent  CondOp = "absent"  // the attribute (or the item) does not exist
	OpPresent CondOp = "present"
	OpEqual   CondOp = "="
	OpLess    CondOp = "<"
	OpAtMost  CondOp = "<="
	OpMore    CondOp = ">"
	OpAtLeast CondOp = ">="
	OpAll     CondOp = "all"
	OpAny     CondOp = "any"
)

// Missing holds when there is no item.
func Missing() Cond { return Cond{Op: OpMissing} }

// Absent holds when the item lacks the attribute, or there is no item.
func Absent(attr string) Cond { return Cond{Op: OpAbsent, Attr: attr} }

// Present holds when the item has the attribute.
func Present(attr string) Cond { return Cond{Op: OpPresent, Attr: attr} }

// Is holds when the attribute has exactly this value.
func Is(attr string, v any) Cond { return compare(OpEqual, attr, v) }

// AtMost holds when the attribute is at most v: numbers by value, texts by
// bytes.
func AtMost(attr string, v any) Cond { return compare(OpAtMost, attr, v) }

// AtLeast holds when the attribute is at least v.
func AtLeast(attr string, v any) Cond { return compare(OpAtLeast, attr, v) }

// Less holds when the attribute is below v.
func Less(attr string, v any) Cond { return compare(OpLess, attr, v) }

// More holds when the attribute is above v.
func More(attr string, v any) Cond { return compare(OpMore, attr, v) }

// OneOf holds when the attribute has one of the values.
func OneOf(attr string, vs ...string) Cond {
	sub := make([]Cond, len(vs))
	for i, v := range vs {
		sub[i] = Is(attr, v)
	}
	return Any(sub...)
}

// All holds when every part holds.
func All(cs ...Cond) Cond { return Cond{Op: OpAll, Sub: cs} }

// Any holds when some part holds; of no parts, never.
func Any(cs ...Cond) Cond { return Cond{Op: OpAny, Sub: cs} }

// AtVersion holds when the item is still as it was read; version 0 is an item
// that was not there.
func AtVersion(v int64) Cond {
	if v == 0 {
		return Missing()
	}
	return Is("version", v)
}

func compare(op CondOp, attr string, v any) Cond {
	n, err := Normal(v)
	if err != nil {
		n = nil // Validate reports it
	}
	return Cond{Op: op, Attr: attr, Value: n}
}

// Holds judges the condition on an item; nil is an item that does not exist.
// It is the definition that every store must agree with.
func (c Cond) Holds(it Item) bool {
	switch c.Op {
	case OpNone:
		return true
	case OpMissing:
		return it == nil
	case OpAbsent:
		_, ok := it[c.Attr]
		return !ok
	case OpPresent:
		_, ok := it[c.Attr]
		return ok
	case OpAll:
		for _, s := range c.Sub {
			if !s.Holds(it) {
				return false
			}
		}
		return true
	case OpAny:
		for _, s := range c.Sub {
			if s.Holds(it) {
				return true
			}
		}
		return false
	case OpEqual, OpLess, OpAtMost, OpMore, OpAtLeast:
		return holdsCompare(c.Op, it[c.Attr], c.Value)
	}
	return false
}

func holdsCompare(op CondOp, have, want any) bool {
	var order int
	switch w := want.(type) {
	case string:
		h, ok := have.(string)
		if !ok {
			return false
		}
		order = strings.Compare(h, w)
	case int64:
		h, ok := have.(int64)
		if !ok {
			return false
		}
		order = cmpInt(h, w)
	case bool:
		h, ok := have.(bool)
		return ok && op == OpEqual && h == w
	default:
		return false
	}
	switch op {
	case OpEqual:
		return order == 0
	case OpLess:
		return order < 0
	case OpAtMost:
		return order <= 0
	case OpMore:
		return order > 0
	case OpAtLeast:
		return order >= 0
	default:
		return false
	}
}

func cmpInt(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

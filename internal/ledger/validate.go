package ledger

import (
	"fmt"
	"unicode/utf8"

	"onefold/internal/schema"
)

// Limits of DynamoDB that every store keeps, so that a commit that the
// embedded store takes is one that DynamoDB takes (API Reference,
// TransactWriteItems, BatchGetItem; Developer Guide, "Constraints in Amazon
// DynamoDB"; read 2026-11).
const (
	MaxWrites   = 100 // writes in a commit
	MaxKeys     = 100 // keys in a GetMany
	MaxPage     = 1000
	MaxSortText = 1024 // bytes of an index's sort attribute
	MaxPartText = 2048 // bytes of an index's partition attribute

	// MaxItemBytes is below the 400 KB of an item by what the store adds: the
	// two keys and the attributes of stamp. It bounds what one write brings;
	// what updates add up to is the caller's to bound.
	MaxItemBytes = 400*1024 - 8*1024
)

var reserved = [...]string{schema.PK, schema.SK, schema.Entity, schema.Tenant, schema.ID, schema.Sub, schema.Version, schema.Revision}

// Validate refuses what no store may accept.
func (c Commit) Validate() error {
	if len(c.Writes) == 0 || len(c.Writes) > MaxWrites {
		return fmt.Errorf("%w: a commit of %d writes", ErrInvalid, len(c.Writes))
	}
	seen := make(map[Key]bool, len(c.Writes))
	for _, w := range c.Writes {
		if err := w.Key.Validate(); err != nil {
			return err
		}
		if seen[w.Key] {
			return fmt.Errorf("%w: two writes of one %s in a commit", ErrInvalid, w.Key.Entity)
		}
		seen[w.Key] = true
		if err := w.validate(); err != nil {
			return fmt.Errorf("%s of %s: %w", w.Op, w.Key.Entity, err)
		}
	}
	return nil
}

func (w Write) validate() error {
	switch w.Op {
	case OpCreate:
		if len(w.Item) == 0 {
			return fmt.Errorf("%w: no attributes", ErrInvalid)
		}
		for _, attr := range [...]string{schema.PK, schema.SK} {
			if _, ok := w.Item[attr]; ok {
				return fmt.Errorf("%w: sets %s", ErrInvalid, attr)
			}
		}
		if err := w.Item.validate(w.Key.Entity.Table()); err != nil {
			return err
		}
	case OpUpdate:
		if err := w.validateUpdate(); err != nil {
			return err
		}
	case OpCheck:
		if w.If.Op == OpNone {
			return fmt.Errorf("%w: no condition", ErrInvalid)
		}
	default:
		return fmt.Errorf("%w: unknown write", ErrInvalid)
	}
	return w.If.validate()
}

func (w Write) validateUpdate() error {
	if len(w.Set)+len(w.Remove) == 0 {
		return fmt.Errorf("%w: changes nothing", ErrInvalid)
	}
	removed := make(map[string]bool, len(w.Remove))
	for _, attr := range w.Remove {
		if _, set := w.Set[attr]; set || removed[attr] || attr == "" {
			return fmt.Errorf("%w: names attribute %q twice, or not at all", ErrInvalid, attr)
		}
		removed[attr] = true
	}
	for _, attr := range reserved {
		if _, set := w.Set[attr]; set || removed[attr] {
			return fmt.Errorf("%w: changes %s", ErrInvalid, attr)
		}
	}
	return w.Set.validate(w.Key.Entity.Table())
}

// validate refuses values that are not in normal form or too big, and
// attributes that an index of the table could not hold.
func (it Item) validate(t schema.Table) error {
	size := 0
	for attr, v := range it {
		n, ok := sizeOf(v)
		if !ok || attr == "" || v == "" {
			return fmt.Errorf("%w: attribute %q holds nothing or a %T that is not in normal form", ErrInvalid, attr, v)
		}
		size += len(attr) + n
		if limit := indexLimit(t, attr); limit > 0 {
			if s, text := v.(string); !text || len(s) > limit {
				return fmt.Errorf("%w: attribute %q does not fit its index", ErrInvalid, attr)
			}
		}
	}
	if size > MaxItemBytes {
		return fmt.Errorf("%w: %d bytes of attributes", ErrInvalid, size)
	}
	return nil
}

// indexLimit is the longest text an attribute may be as the key of an index;
// 0 for an attribute that is none.
func indexLimit(t schema.Table, attr string) int {
	for _, k := range indexKeys {
		if k.table == t && k.attr == attr {
			return k.limit
		}
	}
	return 0
}

type indexKey struct {
	table schema.Table
	attr  string
	limit int
}

// indexKeys is never written after the start; it spares each commit the
// walk through the schema.
var indexKeys = func() (keys []indexKey) {
	for _, spec := range schema.Specs() {
		for _, ix := range spec.Indexes {
			keys = append(keys, indexKey{spec.Name, ix.Partition, MaxPartText}, indexKey{spec.Name, ix.Sort, MaxSortText})
		}
	}
	return keys
}()

// sizeOf counts a value as DynamoDB does, rounded up (Developer Guide, "Item
// sizes and formats"), and tells whether it is one that an item may hold.
func sizeOf(v any) (int, bool) {
	switch v := v.(type) {
	case string:
		return len(v), utf8.ValidString(v)
	case int64:
		return 21, true
	case bool:
		return 1, true
	case []any:
		size := 3
		for _, e := range v {
			n, ok := sizeOf(e)
			if !ok {
				return 0, false
			}
			size += n + 1
		}
		return size, true
	case map[string]any:
		size := 3
		for name, e := range v {
			n, ok := sizeOf(e)
			if !ok {
				return 0, false
			}
			size += len(name) + n + 1
		}
		return size, true
	default:
		return 0, false
	}
}

func (c Cond) validate() error {
	switch c.Op {
	case OpNone, OpMissing:
		return nil
	case OpAll, OpAny:
		if len(c.Sub) == 0 {
			return fmt.Errorf("%w: an empty group of conditions", ErrInvalid)
		}
		for _, s := range c.Sub {
			if err := s.validate(); err != nil {
				return err
			}
		}
		return nil
	case OpAbsent, OpPresent, OpEqual, OpLess, OpAtMost, OpMore, OpAtLeast:
	default:
		return fmt.Errorf("%w: unknown condition %q", ErrInvalid, string(c.Op))
	}
	if c.Attr == "" || c.Attr == schema.PK || c.Attr == schema.SK {
		return fmt.Errorf("%w: a condition on attribute %q", ErrInvalid, c.Attr)
	}
	if c.Op == OpAbsent || c.Op == OpPresent {
		return nil
	}
	switch v := c.Value.(type) {
	case string:
		if v != "" && utf8.ValidString(v) {
			return nil
		}
	case int64:
		return nil
	case bool: // has no order
		if c.Op == OpEqual {
			return nil
		}
	}
	return fmt.Errorf("%w: a comparison of %s with nothing, or with a %T", ErrInvalid, c.Attr, c.Value)
}

// ValidateKeys refuses a GetMany that no store can answer.
func ValidateKeys(keys []Key) error {
	if len(keys) > MaxKeys {
		return fmt.Errorf("%w: %d keys at once", ErrInvalid, len(keys))
	}
	seen := make(map[Key]bool, len(keys))
	for _, k := range keys {
		if err := k.Validate(); err != nil {
			return err
		}
		if seen[k] {
			return fmt.Errorf("%w: one key of %s twice", ErrInvalid, k.Entity)
		}
		seen[k] = true
	}
	return nil
}

// ValidateLimit refuses a size of a page that is not 1 to MaxPage.
func ValidateLimit(limit int) error {
	if limit < 1 || limit > MaxPage {
		return fmt.Errorf("%w: a page of %d", ErrInvalid, limit)
	}
	return nil
}

// Validate refuses a query of an index that there is not, or without a
// partition: an item without that attribute is not in the index.
func (q Query) Validate() (schema.Index, error) {
	ix, ok := schema.IndexOf(q.Table, q.Index)
	if !ok {
		return ix, fmt.Errorf("%w: no index %q of %q", ErrInvalid, q.Index, string(q.Table))
	}
	if q.Partition == "" || len(q.Partition) > MaxPartText || len(q.UpTo) > MaxSortText {
		return ix, fmt.Errorf("%w: a query of %s with a partition of %d bytes", ErrInvalid, q.Index, len(q.Partition))
	}
	return ix, ValidateLimit(q.Limit)
}

// Validate refuses a scan of a table or segment that there is not.
func (s Scan) Validate() error {
	known := false
	for _, spec := range schema.Specs() {
		known = known || spec.Name == s.Table
	}
	if !known || s.Segments < 1 || s.Segment < 0 || s.Segment >= s.Segments {
		return fmt.Errorf("%w: segment %d of %d of %q", ErrInvalid, s.Segment, s.Segments, string(s.Table))
	}
	return ValidateLimit(s.Limit)
}

// HasStream tells whether a table has a feed.
func HasStream(t schema.Table) bool {
	for _, spec := range schema.Specs() {
		if spec.Name == t {
			return spec.Stream
		}
	}
	return false
}

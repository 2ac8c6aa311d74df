package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"unicode/utf8"

	"onefold/internal/schema"
	"onefold/internal/utc"
)

// Item is what a store holds: named attributes whose values are string,
// int64, bool, []any and map[string]any of these. There are no floats and no
// nulls: an attribute without a value is absent.
//
// The store itself sets entity, tenant, id, sub, version and schema.
type Item map[string]any

// Encode makes an item of a noun by its json tags. Evolution rule: an
// attribute may be added and may fall out of use; its name and meaning never
// change.
func Encode(noun any) (Item, error) {
	b, err := json.Marshal(noun)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", noun, err)
	}
	it, err := ItemFromJSON(b)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", noun, err)
	}
	// version is the store's: a noun that was read carries the old one.
	delete(it, schema.Version)
	// Empty text is no value: an index must not see the item by it.
	for attr, v := range it {
		if v == "" {
			delete(it, attr)
		}
	}
	return it, nil
}

// Decode fills a noun from an item. Attributes that the noun does not know
// are passed over: newer code may have written them.
func (it Item) Decode(noun any) error {
	b, err := json.Marshal(it)
	if err != nil {
		return fmt.Errorf("decode %T: %w", noun, err)
	}
	if err := json.Unmarshal(b, noun); err != nil {
		return fmt.Errorf("decode %T: %w", noun, err)
	}
	return nil
}

// ItemFromJSON reads a JSON object as an item. Nulls are dropped, a number
// that is no whole number is an error.
func ItemFromJSON(b []byte) (Item, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	return normalMap(m)
}

// Normal brings a Go value to the form that items hold.
func Normal(v any) (any, error) { return normal(v) }

func normal(v any) (any, error) {
	switch v := v.(type) {
	case string:
		// As encoding/json does it: a store that keeps JSON must give back what
		// was put in.
		if !utf8.ValidString(v) {
			return string([]rune(v)), nil
		}
		return v, nil
	case bool, int64:
		return v, nil
	case int:
		return int64(v), nil
	case utc.Time:
		return v.String(), nil
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			return nil, fmt.Errorf("%w: a number that is not whole", ErrInvalid)
		}
		return n, nil
	case []string:
		out := make([]any, len(v))
		for i, s := range v {
			out[i], _ = normal(s) // a text always has a normal form
		}
		return out, nil
	case []any:
		out := make([]any, 0, len(v))
		for _, e := range v {
			if e == nil {
				continue
			}
			n, err := normal(e)
			if err != nil {
				return nil, err
			}
			out = append(out, n)
		}
		return out, nil
	case map[string]any:
		return normalMap(v)
	}
	return normalKind(v)
}

func normalMap(m map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(m))
	for k, e := range m {
		if e == nil {
			continue
		}
		n, err := normal(e)
		if err != nil {
			return nil, err
		}
		out[k] = n
	}
	return out, nil
}

// Text is a text attribute, or "".
func (it Item) Text(attr string) string {
	s, _ := it[attr].(string)
	return s
}

// Int is a number attribute, or 0.
func (it Item) Int(attr string) int64 {
	n, _ := it[attr].(int64)
	return n
}

// Version is how often the item has been written; 0 of an absent item.
func (it Item) Version() int64 { return it.Int(schema.Version) }

// Clone copies an item so deep that neither copy shows in the other.
func (it Item) Clone() Item {
	if it == nil {
		return nil
	}
	return cloneMap(it)
}

func cloneMap(m map[string]any) map[string]any {
	out := maps.Clone(m)
	for k, e := range out {
		out[k] = cloneValue(e)
	}
	return out
}

func cloneValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return cloneMap(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = cloneValue(e)
		}
		return out
	default:
		return v
	}
}

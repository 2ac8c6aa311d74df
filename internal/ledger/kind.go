package ledger

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
)

// normalKind takes named text, number and bool types (states, modes) and
// structs to their plain form. It must give what Encode gives for the same
// value, or an attribute would change its form with the first update: so a
// type's own marshalling goes first, and its String only where it is a struct
// that has none.
func normalKind(v any) (any, error) {
	rv := reflect.ValueOf(v)
	kind := rv.Kind()
	switch v := v.(type) {
	case json.Marshaler, encoding.TextMarshaler:
		kind = reflect.Struct
	case fmt.Stringer:
		if kind == reflect.Struct || kind == reflect.Pointer {
			return normal(v.String())
		}
	}
	switch kind {
	case reflect.String:
		return normal(rv.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return rv.Int(), nil
	case reflect.Bool:
		return rv.Bool(), nil
	case reflect.Struct, reflect.Map, reflect.Slice, reflect.Pointer:
		b, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("%w: %T", ErrInvalid, v)
		}
		m, err := ItemFromJSON([]byte(`{"v":` + string(b) + `}`))
		if err != nil {
			return nil, err
		}
		return m["v"], nil
	default:
		return nil, fmt.Errorf("%w: an attribute of type %T", ErrInvalid, v)
	}
}

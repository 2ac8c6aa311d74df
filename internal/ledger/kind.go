package ledger

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// normalKind takes named text, number and bool types (states, modes) and
// structs to their plain form.
func normalKind(v any) (any, error) {
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.String:
		return rv.String(), nil
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

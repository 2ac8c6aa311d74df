package dynamo

import (
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

type attributes = map[string]types.AttributeValue

// encode writes an item's attributes; pk and sk are added by who places it.
func encode(it ledger.Item) (attributes, error) {
	out := make(attributes, len(it)+2)
	for attr, v := range it {
		av, err := encodeValue(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", attr, err)
		}
		out[attr] = av
	}
	return out, nil
}

func encodeValue(v any) (types.AttributeValue, error) {
	switch v := v.(type) {
	case string:
		return &types.AttributeValueMemberS{Value: v}, nil
	case int64:
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(v, 10)}, nil
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}, nil
	case []any:
		list := make([]types.AttributeValue, len(v))
		for i, e := range v {
			av, err := encodeValue(e)
			if err != nil {
				return nil, err
			}
			list[i] = av
		}
		return &types.AttributeValueMemberL{Value: list}, nil
	case map[string]any:
		m := make(attributes, len(v))
		for name, e := range v {
			av, err := encodeValue(e)
			if err != nil {
				return nil, err
			}
			m[name] = av
		}
		return &types.AttributeValueMemberM{Value: m}, nil
	default:
		return nil, fmt.Errorf("%w: a value of type %T", ledger.ErrInvalid, v)
	}
}

// decode reads an item. The item's place is the store's own and not part of
// it. An absent item, nil or empty, is nil.
func decode(av attributes) (ledger.Item, error) {
	if len(av) == 0 {
		return nil, nil
	}
	it := make(ledger.Item, len(av))
	for attr, v := range av {
		if attr == schema.PK || attr == schema.SK {
			continue
		}
		d, err := decodeValue(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", attr, err)
		}
		it[attr] = d
	}
	return it, nil
}

// decodeValue reads what encodeValue wrote. Another type, or a number that is
// not whole, was written by a stranger.
func decodeValue(av types.AttributeValue) (any, error) {
	switch av := av.(type) {
	case *types.AttributeValueMemberS:
		return av.Value, nil
	case *types.AttributeValueMemberN:
		n, err := strconv.ParseInt(av.Value, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: a number that is not whole", ledger.ErrDamaged)
		}
		return n, nil
	case *types.AttributeValueMemberBOOL:
		return av.Value, nil
	case *types.AttributeValueMemberL:
		list := make([]any, len(av.Value))
		for i, e := range av.Value {
			v, err := decodeValue(e)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case *types.AttributeValueMemberM:
		m := make(map[string]any, len(av.Value))
		for name, e := range av.Value {
			v, err := decodeValue(e)
			if err != nil {
				return nil, err
			}
			m[name] = v
		}
		return m, nil
	default:
		return nil, fmt.Errorf("%w: a value of type %T", ledger.ErrDamaged, av)
	}
}

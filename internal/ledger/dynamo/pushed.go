package dynamo

import (
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"onefold/internal/ledger"
)

// ChangeOf reads one record of a table's stream in the JSON in which Lambda
// hands it over (Lambda Developer Guide, "Process Amazon DynamoDB records with
// Lambda", read 2026-11): numbers stay the digits that were written. The item
// is nil where the record has no new image, as one of a removal. The position
// is the record's sequence number.
//
// Fields beside "dynamodb" are passed over. A record that is not of this
// package's making gives ledger.ErrDamaged; it will be the same next time. No
// error shows a value of the item.
func ChangeOf(record []byte) (ledger.Change, error) {
	var r struct {
		DynamoDB *struct {
			Keys           map[string]json.RawMessage
			NewImage       map[string]json.RawMessage
			SequenceNumber string
		} `json:"dynamodb"`
	}
	if err := json.Unmarshal(record, &r); err != nil || r.DynamoDB == nil {
		return ledger.Change{}, fmt.Errorf("%w: a stream record without content", ledger.ErrDamaged)
	}
	keys, err := fromJSON(r.DynamoDB.Keys)
	if err != nil {
		return ledger.Change{}, err
	}
	image, err := fromJSON(r.DynamoDB.NewImage)
	if err != nil {
		return ledger.Change{}, err
	}
	it, err := decode(image)
	if err != nil {
		return ledger.Change{}, err
	}
	k, err := keyAt(placeIn(keys))
	if err != nil {
		return ledger.Change{}, err
	}
	return ledger.Change{Position: r.DynamoDB.SequenceNumber, Key: k, Item: it}, nil
}

// fromJSON takes values from DynamoDB's JSON to the table's types.
func fromJSON(m map[string]json.RawMessage) (attributes, error) {
	out := make(attributes, len(m))
	for attr, raw := range m {
		v, err := fromJSONValue(raw)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", attr, err)
		}
		out[attr] = v
	}
	return out, nil
}

// fromJSONValue reads one value: an object with one member, named by its type
// (API Reference, AttributeValue). Types that this package never writes are as
// wrong as anything else.
func fromJSONValue(raw json.RawMessage) (types.AttributeValue, error) {
	var typed map[string]json.RawMessage
	if err := json.Unmarshal(raw, &typed); err != nil || len(typed) != 1 {
		return nil, fmt.Errorf("%w: a value of no type, or of several", ledger.ErrDamaged)
	}
	for name, v := range typed {
		switch name {
		case "S":
			return read(v, func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} })
		case "N":
			return read(v, func(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} })
		case "BOOL":
			return read(v, func(b bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: b} })
		case "L":
			return fromJSONList(v)
		case "M":
			var m map[string]json.RawMessage
			if err := json.Unmarshal(v, &m); err != nil {
				break
			}
			inner, err := fromJSON(m)
			return &types.AttributeValueMemberM{Value: inner}, err
		}
	}
	return nil, fmt.Errorf("%w: a value of another type", ledger.ErrDamaged)
}

func fromJSONList(raw json.RawMessage) (types.AttributeValue, error) {
	var all []json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("%w: a value of another type", ledger.ErrDamaged)
	}
	list := make([]types.AttributeValue, len(all))
	for i, e := range all {
		v, err := fromJSONValue(e)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return &types.AttributeValueMemberL{Value: list}, nil
}

func read[T any](raw json.RawMessage, as func(T) types.AttributeValue) (types.AttributeValue, error) {
	var v *T
	if err := json.Unmarshal(raw, &v); err != nil || v == nil {
		return nil, fmt.Errorf("%w: a value of another type", ledger.ErrDamaged)
	}
	return as(*v), nil
}

package dynamo

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"onefold/internal/ledger"
)

// change reads a stream record. One without an image is of an item that was
// removed: by the time to live, or by an erasure.
func change(shard string, rec streamtypes.Record) (ledger.Change, error) {
	if rec.Dynamodb == nil {
		return ledger.Change{}, fmt.Errorf("%w: a stream record without content", ledger.ErrDamaged)
	}
	it, err := decode(fromStream(rec.Dynamodb.NewImage))
	if err != nil {
		return ledger.Change{}, err
	}
	k, err := keyAt(placeIn(fromStream(rec.Dynamodb.Keys)))
	if err != nil {
		return ledger.Change{}, err
	}
	return ledger.Change{Position: shard + "/" + text(rec.Dynamodb.SequenceNumber), Key: k, Item: it}, nil
}

// fromStream takes values to the table's types: the SDK has each twice. What
// this package never writes becomes nil and so an error of decode.
func fromStream(m map[string]streamtypes.AttributeValue) attributes {
	out := make(attributes, len(m))
	for attr, v := range m {
		out[attr] = fromStreamValue(v)
	}
	return out
}

func fromStreamValue(v streamtypes.AttributeValue) types.AttributeValue {
	switch v := v.(type) {
	case *streamtypes.AttributeValueMemberS:
		return &types.AttributeValueMemberS{Value: v.Value}
	case *streamtypes.AttributeValueMemberN:
		return &types.AttributeValueMemberN{Value: v.Value}
	case *streamtypes.AttributeValueMemberBOOL:
		return &types.AttributeValueMemberBOOL{Value: v.Value}
	case *streamtypes.AttributeValueMemberL:
		list := make([]types.AttributeValue, len(v.Value))
		for i, e := range v.Value {
			list[i] = fromStreamValue(e)
		}
		return &types.AttributeValueMemberL{Value: list}
	case *streamtypes.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: fromStream(v.Value)}
	default:
		return nil
	}
}

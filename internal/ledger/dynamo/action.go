package dynamo

import (
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"onefold/internal/ledger"
)

// action makes one action of a transaction. ALL_OLD on each, since a refusal
// carries the item as the condition saw it.
func action(table string, w ledger.Write) (types.TransactWriteItem, error) {
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	e := newExpression()
	at := placeOf(w.Key).attributes()
	var out types.TransactWriteItem
	switch w.Op {
	case ledger.OpCreate:
		item, err := encode(w.Apply(nil))
		if err != nil {
			return out, err
		}
		maps.Copy(item, at)
		cond := e.guarded(e.missing(), w.If)
		out.Put = &types.Put{TableName: &table, Item: item, ConditionExpression: &cond,
			ExpressionAttributeNames: e.placeholders(), ExpressionAttributeValues: e.boundValues(),
			ReturnValuesOnConditionCheckFailure: old}
	case ledger.OpUpdate:
		change := e.update(w)
		cond := e.guarded(e.exists(), w.If)
		out.Update = &types.Update{TableName: &table, Key: at, UpdateExpression: &change, ConditionExpression: &cond,
			ExpressionAttributeNames: e.placeholders(), ExpressionAttributeValues: e.boundValues(),
			ReturnValuesOnConditionCheckFailure: old}
	default:
		cond := e.condition(w.If, false)
		if cond == "" {
			cond = e.always()
		}
		out.ConditionCheck = &types.ConditionCheck{TableName: &table, Key: at, ConditionExpression: &cond,
			ExpressionAttributeNames: e.placeholders(), ExpressionAttributeValues: e.boundValues(),
			ReturnValuesOnConditionCheckFailure: old}
	}
	return out, e.err
}

package localaws_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"onefold/internal/proof/localaws/localawstest"
)

// item is a row whose attributes are all texts.
type item map[string]string

func (it item) values() map[string]types.AttributeValue {
	av := make(map[string]types.AttributeValue, len(it))
	for name, text := range it {
		av[name] = &types.AttributeValueMemberS{Value: text}
	}
	return av
}

func itemOf(av map[string]types.AttributeValue) item {
	it := item{}
	for name, value := range av {
		if text, ok := value.(*types.AttributeValueMemberS); ok {
			it[name] = text.Value
		}
	}
	return it
}

// table is a fresh table with a stream and a sparse index, in its own account.
type table struct {
	db      *dynamodb.Client
	streams *dynamodbstreams.Client
	name    *string
	stream  *string
}

const dueIndex = "due"

func newTable(t *testing.T) table {
	t.Helper()
	stack := localawstest.ForTest(t)
	cfg := stack.Config(stack.NewAccount())
	db := dynamodb.NewFromConfig(cfg)
	text := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS}
	}
	key := func(pk, sk string) []types.KeySchemaElement {
		return []types.KeySchemaElement{
			{AttributeName: aws.String(pk), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String(sk), KeyType: types.KeyTypeRange},
		}
	}
	out, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:            aws.String("outbox"),
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{text("pk"), text("sk"), text("shard"), text("due_at")},
		KeySchema:            key("pk", "sk"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String(dueIndex),
			KeySchema:  key("shard", "due_at"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewImage,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return table{
		db:      db,
		streams: dynamodbstreams.NewFromConfig(cfg),
		name:    out.TableDescription.TableName,
		stream:  out.TableDescription.LatestStreamArn,
	}
}

func (tb table) put(t *testing.T, it item) {
	t.Helper()
	if _, err := tb.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: tb.name, Item: it.values()}); err != nil {
		t.Fatal(err)
	}
}

// get is a consistent read; nil when there is no such row.
func (tb table) get(t *testing.T, pk, sk string) item {
	t.Helper()
	out, err := tb.db.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: tb.name, Key: item{"pk": pk, "sk": sk}.values(), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	if out.Item == nil {
		return nil
	}
	return itemOf(out.Item)
}

func (tb table) setState(t *testing.T, pk, sk, state string) {
	t.Helper()
	_, err := tb.db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: tb.name, Key: item{"pk": pk, "sk": sk}.values(),
		UpdateExpression:          aws.String("SET #s = :s"),
		ExpressionAttributeNames:  map[string]string{"#s": "state"},
		ExpressionAttributeValues: item{":s": state}.values(),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// putNew puts a row that must not exist, as one action of a transaction.
func (tb table) putNew(it item) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: tb.name, Item: it.values(),
		ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}
}

// move updates state under the condition that it is still from.
func (tb table) move(pk, sk, from, to string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: tb.name, Key: item{"pk": pk, "sk": sk}.values(),
		UpdateExpression:                    aws.String("SET #s = :to"),
		ConditionExpression:                 aws.String("#s = :from"),
		ExpressionAttributeNames:            map[string]string{"#s": "state"},
		ExpressionAttributeValues:           item{":from": from, ":to": to}.values(),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}
}

func (tb table) transact(t *testing.T, token string, actions ...types.TransactWriteItem) error {
	t.Helper()
	in := &dynamodb.TransactWriteItemsInput{TransactItems: actions}
	if token != "" {
		in.ClientRequestToken = aws.String(token)
	}
	_, err := tb.db.TransactWriteItems(t.Context(), in)
	return err
}

package smoke

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"onefold/internal/schema"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// How many transactions meet on one item, and by how many writers.
const (
	writers = 16
	each    = 20
)

// conflict has writers raise one number by transactions that are not repeated.
// The ledger takes TransactionConflict for "nothing was written": then the
// number is how many were taken, not one more.
func conflict(ctx context.Context, l *look) (Outcome, string) {
	if !l.Conflict {
		return notChecked("ask for it with -conflict: it makes the table %s, uses it and removes it", schema.Prefix(l.cloud.Stage)+"smoke")
	}
	client := dynamodb.NewFromConfig(l.cloud.Config, func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
	table := aws.String(schema.Prefix(l.cloud.Stage) + "smoke")
	if err := makeTable(ctx, client, table); err != nil {
		return notChecked("the table cannot be made: %s", said(err))
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		_, _ = client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: table})
	}()
	taken, met, other := meet(ctx, client, table)
	got, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: counter(), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return notChecked("the number cannot be read: %s", said(err))
	}
	number := 0
	if v, ok := got.Item["n"].(*types.AttributeValueMemberN); ok {
		number, _ = strconv.Atoi(v.Value)
	}
	switch {
	case other > 0:
		return notChecked("%d of %d transactions ended in another way", other, writers*each)
	case number != taken:
		return failed("%d transactions were taken and %d refused, and the number is %d", taken, met, number)
	case met == 0:
		return notChecked("of %d transactions none was refused with TransactionConflict", writers*each)
	}
	return verified("%d transactions were taken, %d refused, and the number is %d", taken, met, number)
}

func counter() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{schema.PK: &types.AttributeValueMemberS{Value: "smoke"}}
}

func makeTable(ctx context.Context, client *dynamodb.Client, table *string) error {
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: table, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String(schema.PK), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String(schema.PK), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		return err
	}
	return dynamodb.NewTableExistsWaiter(client).Wait(ctx, &dynamodb.DescribeTableInput{TableName: table}, 2*time.Minute)
}

// meet counts how the transactions ended.
func meet(ctx context.Context, client *dynamodb.Client, table *string) (taken, met, other int) {
	raise := &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Update: &types.Update{
		TableName: table, Key: counter(), UpdateExpression: aws.String("ADD n :one"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
	}}}}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				in := *raise // each with a token of its own
				_, err := client.TransactWriteItems(ctx, &in)
				mu.Lock()
				switch {
				case err == nil:
					taken++
				case conflicted(err):
					met++
				default:
					other++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return taken, met, other
}

func conflicted(err error) bool {
	var cancelled *types.TransactionCanceledException
	return errors.As(err, &cancelled) && len(cancelled.CancellationReasons) == 1 &&
		aws.ToString(cancelled.CancellationReasons[0].Code) == "TransactionConflict"
}

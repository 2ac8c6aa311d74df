package localaws_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// What is real here: the SDK and its wire format. What is the emulator's: the
// answers. The expected values are those of the DynamoDB API reference
// (TransactWriteItems, PutItem).

// reasons are the codes of a cancelled transaction, by position.
func reasons(t *testing.T, err error) []types.CancellationReason {
	t.Helper()
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		t.Fatalf("error %v, want a TransactionCanceledException", err)
	}
	return cancelled.CancellationReasons
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != code {
		t.Errorf("error %v, want code %s", err, code)
	}
}

func TestACancelledTransactionNamesEachReasonByPositionAndWritesNothing(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	held := item{"pk": "contact-key", "sk": "-", "state": "held", "owner": "first"}
	tb.put(t, held)
	tb.put(t, item{"pk": "intent", "sk": "-", "state": "sending"})

	err := tb.transact(t, "",
		tb.putNew(item{"pk": "contact", "sk": "-"}),
		tb.putNew(item{"pk": "contact-key", "sk": "-", "state": "held", "owner": "second"}),
		tb.move("intent", "-", "ready", "sending"),
		tb.move("absent", "-", "ready", "sending"),
	)
	got := reasons(t, err)
	want := []string{"None", "ConditionalCheckFailed", "ConditionalCheckFailed", "ConditionalCheckFailed"}
	if len(got) != len(want) {
		t.Fatalf("%d reasons, want one for each of %d actions", len(got), len(want))
	}
	for i, code := range want {
		if aws.ToString(got[i].Code) != code {
			t.Errorf("reason %d is %q, want %q", i, aws.ToString(got[i].Code), code)
		}
	}
	if old := itemOf(got[1].Item); !maps.Equal(old, held) {
		t.Errorf("old item %v, want the whole present row %v", old, held)
	}
	if old := itemOf(got[2].Item); old["state"] != "sending" {
		t.Errorf("old item %v, want state sending", old)
	}
	if len(got[0].Item) != 0 || len(got[3].Item) != 0 {
		t.Errorf("items %v and %v where no condition failed on a row, want none", got[0].Item, got[3].Item)
	}
	if tb.get(t, "contact", "-") != nil {
		t.Error("the first action was written although the transaction was cancelled")
	}
	if row := tb.get(t, "contact-key", "-"); row["owner"] != "first" {
		t.Errorf("the held key now belongs to %q, want first", row["owner"])
	}
}

func TestAFailedConditionOutsideATransactionReturnsTheOldItem(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	held := item{"pk": "lease", "sk": "-", "owner": "first"}
	tb.put(t, held)
	_, err := tb.db.PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: tb.name, Item: item{"pk": "lease", "sk": "-", "owner": "second"}.values(),
		ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		t.Fatalf("error %v, want ConditionalCheckFailedException", err)
	}
	if old := itemOf(failed.Item); !maps.Equal(old, held) {
		t.Errorf("old item %v, want %v", old, held)
	}
}

func TestOneItemTwiceInATransactionIsRefused(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	err := tb.transact(t, "", tb.putNew(item{"pk": "a", "sk": "-"}), tb.move("a", "-", "x", "y"))
	wantCode(t, err, "ValidationException")
}

func TestATransactionHoldsAHundredItemsAndNotMore(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	actions := make([]types.TransactWriteItem, 0, 101)
	for i := range 101 {
		actions = append(actions, tb.putNew(item{"pk": fmt.Sprintf("k%d", i), "sk": "-"}))
	}
	wantCode(t, tb.transact(t, "", actions...), "ValidationException")
	if err := tb.transact(t, "", actions[:100]...); err != nil {
		t.Errorf("100 items: %v", err)
	}
}

func TestARepeatedRequestTokenWritesOnce(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	add := types.TransactWriteItem{Update: &types.Update{
		TableName: tb.name, Key: item{"pk": "counter", "sk": "-"}.values(),
		UpdateExpression: aws.String("ADD n :one"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":one": &types.AttributeValueMemberN{Value: "1"},
		},
	}}
	for range 2 {
		if err := tb.transact(t, "token-1", add); err != nil {
			t.Fatal(err)
		}
	}
	out, err := tb.db.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: tb.name, Key: item{"pk": "counter", "sk": "-"}.values(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := out.Item["n"].(*types.AttributeValueMemberN); !ok || n.Value != "1" {
		t.Errorf("counter %v after two calls with one token, want 1", out.Item["n"])
	}
	err = tb.transact(t, "token-1", tb.putNew(item{"pk": "other", "sk": "-"}))
	wantCode(t, err, "IdempotentParameterMismatchException")
}

func TestOfRacingConditionalPutsOneWins(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	var won, lost atomic.Int64
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			err := tb.transact(t, "",
				tb.putNew(item{"pk": "key", "sk": "-", "owner": fmt.Sprint(i)}),
				tb.putNew(item{"pk": fmt.Sprintf("contact-%d", i), "sk": "-"}))
			if err == nil {
				won.Add(1)
				return
			}
			var cancelled *types.TransactionCanceledException
			if errors.As(err, &cancelled) {
				lost.Add(1)
				return
			}
			t.Errorf("writer %d: %v", i, err)
		})
	}
	wg.Wait()
	if won.Load() != 1 || lost.Load() != 15 {
		t.Errorf("%d won and %d were cancelled, want 1 and 15", won.Load(), lost.Load())
	}
}

func TestLimitsOfAnItem(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	tests := []struct {
		name string
		it   item
		code string // "" is accepted
	}{
		{"empty key", item{"pk": "", "sk": "-"}, "ValidationException"},
		{"key of 2048 bytes", item{"pk": strings.Repeat("k", 2048), "sk": "-"}, ""},
		{"key of 2049 bytes", item{"pk": strings.Repeat("k", 2049), "sk": "-"}, "ValidationException"},
		{"empty text", item{"pk": "e", "sk": "-", "note": ""}, ""},
		{"item below 400 KB", item{"pk": "b", "sk": "-", "body": strings.Repeat("x", 399<<10)}, ""},
		{"item above 400 KB", item{"pk": "c", "sk": "-", "body": strings.Repeat("x", 400<<10)}, "ValidationException"},
		{"empty index key", item{"pk": "d", "sk": "-", "shard": "", "due_at": "x"}, "ValidationException"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := tb.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: tb.name, Item: test.it.values()})
			if test.code == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			wantCode(t, err, test.code)
		})
	}
}

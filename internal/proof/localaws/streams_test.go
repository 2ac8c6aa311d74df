package localaws_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// read returns every record of the table's stream from its beginning, in the
// order each shard gives them, reading pages of limit records. It stops at the
// first empty page of an open shard: nobody writes while it reads.
func (tb table) read(t *testing.T, limit int32) []types.Record {
	t.Helper()
	desc, err := tb.streams.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: tb.stream})
	if err != nil {
		t.Fatal(err)
	}
	var records []types.Record
	for _, shard := range desc.StreamDescription.Shards {
		it, err := tb.streams.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{
			StreamArn: tb.stream, ShardId: shard.ShardId, ShardIteratorType: types.ShardIteratorTypeTrimHorizon,
		})
		if err != nil {
			t.Fatal(err)
		}
		for next := it.ShardIterator; next != nil; {
			out, err := tb.streams.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{
				ShardIterator: next, Limit: aws.Int32(limit),
			})
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, out.Records...)
			if next = out.NextShardIterator; len(out.Records) == 0 {
				break
			}
		}
	}
	return records
}

// words is a record in short: what happened, to which row, its new state.
func words(r types.Record) string {
	state := "-"
	if s, ok := r.Dynamodb.NewImage["state"].(*types.AttributeValueMemberS); ok {
		state = s.Value
	}
	pk, _ := r.Dynamodb.Keys["pk"].(*types.AttributeValueMemberS)
	return fmt.Sprintf("%s %s %s", r.EventName, pk.Value, state)
}

func allWords(records []types.Record) []string {
	var all []string
	for _, r := range records {
		all = append(all, words(r))
	}
	return all
}

func TestTheStreamTellsEachChangeOfARowInOrderWithItsNewImage(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	tb.put(t, item{"pk": "op", "sk": "-", "state": "ready"})
	tb.setState(t, "op", "-", "running")
	tb.setState(t, "op", "-", "done")
	if _, err := tb.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: tb.name, Key: item{"pk": "op", "sk": "-"}.values(),
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{"INSERT op ready", "MODIFY op running", "MODIFY op done", "REMOVE op -"}
	for _, limit := range []int32{1, 3, 100} {
		records := tb.read(t, limit)
		if got := allWords(records); !slices.Equal(got, want) {
			t.Errorf("pages of %d: records %q, want %q", limit, got, want)
		}
		for i, r := range records {
			if r.Dynamodb.StreamViewType != types.StreamViewTypeNewImage || len(r.Dynamodb.OldImage) != 0 {
				t.Errorf("record %d has view %s and old image %v, want the new image alone",
					i, r.Dynamodb.StreamViewType, r.Dynamodb.OldImage)
			}
			if i > 0 && aws.ToString(r.Dynamodb.SequenceNumber) <= aws.ToString(records[i-1].Dynamodb.SequenceNumber) {
				t.Errorf("sequence number of record %d does not rise", i)
			}
		}
	}
}

func TestACommittedTransactionIsOnTheStreamAndACancelledOneIsNot(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	if err := tb.transact(t, "", tb.putNew(item{"pk": "a", "sk": "-", "state": "ready"}),
		tb.putNew(item{"pk": "b", "sk": "-", "state": "ready"})); err != nil {
		t.Fatal(err)
	}
	reasons(t, tb.transact(t, "", tb.putNew(item{"pk": "c", "sk": "-"}), tb.putNew(item{"pk": "a", "sk": "-"})))
	got := allWords(tb.read(t, 100))
	slices.Sort(got) // the order of different rows is not promised
	if want := []string{"INSERT a ready", "INSERT b ready"}; !slices.Equal(got, want) {
		t.Errorf("records %q, want %q", got, want)
	}
}

func TestAWriteThatChangesNothingIsNotOnTheStream(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	tb.put(t, item{"pk": "op", "sk": "-", "state": "ready"})
	tb.setState(t, "op", "-", "ready")
	tb.put(t, item{"pk": "op", "sk": "-", "state": "ready"})
	if got, want := allWords(tb.read(t, 100)), []string{"INSERT op ready"}; !slices.Equal(got, want) {
		t.Errorf("records %q, want %q", got, want)
	}
}

func TestReadingGoesOnAfterASequenceNumber(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	for _, state := range []string{"one", "two", "three"} {
		tb.put(t, item{"pk": "op", "sk": "-", "state": state})
	}
	first := tb.read(t, 100)[0]
	desc, err := tb.streams.DescribeStream(t.Context(), &dynamodbstreams.DescribeStreamInput{StreamArn: tb.stream})
	if err != nil {
		t.Fatal(err)
	}
	it, err := tb.streams.GetShardIterator(t.Context(), &dynamodbstreams.GetShardIteratorInput{
		StreamArn: tb.stream, ShardId: desc.StreamDescription.Shards[0].ShardId,
		ShardIteratorType: types.ShardIteratorTypeAfterSequenceNumber,
		SequenceNumber:    first.Dynamodb.SequenceNumber,
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := tb.streams.GetRecords(t.Context(), &dynamodbstreams.GetRecordsInput{ShardIterator: it.ShardIterator})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := allWords(out.Records), []string{"MODIFY op two", "MODIFY op three"}; !slices.Equal(got, want) {
		t.Errorf("records %q after the first, want %q", got, want)
	}
	if out.NextShardIterator == nil {
		t.Error("an open shard gave no next iterator")
	}
}

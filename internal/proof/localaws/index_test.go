package localaws_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// due asks the sparse index for what is due at now, page by page.
func (tb table) due(t *testing.T, shard, now string, page int32) []string {
	t.Helper()
	var pks []string
	pages := dynamodb.NewQueryPaginator(tb.db, &dynamodb.QueryInput{
		TableName: tb.name, IndexName: aws.String(dueIndex), Limit: aws.Int32(page),
		KeyConditionExpression:    aws.String("#shard = :shard AND due_at <= :now"),
		ExpressionAttributeNames:  map[string]string{"#shard": "shard"}, // a reserved word
		ExpressionAttributeValues: item{":shard": shard, ":now": now}.values(),
	})
	for pages.HasMorePages() {
		out, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Items) > int(page) {
			t.Errorf("page of %d items, want at most %d", len(out.Items), page)
		}
		for _, av := range out.Items {
			pks = append(pks, itemOf(av)["pk"])
		}
	}
	return pks
}

func TestASparseIndexHoldsOnlyRowsThatHaveItsKey(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	rows := []item{
		{"pk": "third", "sk": "-", "shard": "s1", "due_at": "2026-01-03T00:00:00.000Z"},
		{"pk": "first", "sk": "-", "shard": "s1", "due_at": "2026-01-01T00:00:00.000Z"},
		{"pk": "later", "sk": "-", "shard": "s1", "due_at": "2026-02-01T00:00:00.000Z"},
		{"pk": "second", "sk": "-", "shard": "s1", "due_at": "2026-01-02T00:00:00.000Z"},
		{"pk": "elsewhere", "sk": "-", "shard": "s2", "due_at": "2026-01-01T00:00:00.000Z"},
		{"pk": "terminal", "sk": "-", "shard": "s1"},
		{"pk": "never", "sk": "-"},
	}
	for _, row := range rows {
		tb.put(t, row)
	}
	want := []string{"first", "second", "third"} // in the order of due_at
	for page := int32(1); page <= 4; page++ {
		if got := tb.due(t, "s1", "2026-01-15T00:00:00.000Z", page); !slices.Equal(got, want) {
			t.Errorf("pages of %d: due %v, want %v", page, got, want)
		}
	}
}

func TestRemovingTheKeyAttributeTakesARowOutOfTheIndex(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	tb.put(t, item{"pk": "a", "sk": "-", "shard": "s", "due_at": "1"})
	_, err := tb.db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: tb.name, Key: item{"pk": "a", "sk": "-"}.values(), UpdateExpression: aws.String("REMOVE due_at"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := tb.due(t, "s", "9", 10); len(got) != 0 {
		t.Errorf("due %v after its attribute was removed, want none", got)
	}
	if tb.get(t, "a", "-") == nil {
		t.Error("the row left the table with the index")
	}
}

func TestAConsistentReadOfAnIndexIsRefused(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	_, err := tb.db.Query(t.Context(), &dynamodb.QueryInput{
		TableName: tb.name, IndexName: aws.String(dueIndex), ConsistentRead: aws.Bool(true),
		KeyConditionExpression:    aws.String("#shard = :s"),
		ExpressionAttributeNames:  map[string]string{"#shard": "shard"},
		ExpressionAttributeValues: item{":s": "s"}.values(),
	})
	wantCode(t, err, "ValidationException")
}

func TestASegmentedScanSeesEachRowOnce(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	want := make([]string, 0, 40)
	for i := range 40 {
		pk := fmt.Sprintf("row-%02d", i)
		want = append(want, pk)
		tb.put(t, item{"pk": pk, "sk": "-"})
	}
	var got []string
	for segment := range int32(4) {
		pages := dynamodb.NewScanPaginator(tb.db, &dynamodb.ScanInput{
			TableName: tb.name, Segment: aws.Int32(segment), TotalSegments: aws.Int32(4), Limit: aws.Int32(3),
		})
		for pages.HasMorePages() {
			out, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, av := range out.Items {
				got = append(got, itemOf(av)["pk"])
			}
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("scan saw\n%s\nwant\n%s", strings.Join(got, " "), strings.Join(want, " "))
	}
}

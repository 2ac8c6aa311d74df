package dynamo_test

// What is real and what is emulated: see tables_test.go. Here answers get lost
// between the SDK and MiniStack, after MiniStack has worked.

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"onefold/internal/ledger"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/schema"
)

// losing is a client that loses the first n answers.
func (tb tables) losing(n int64) *dynamo.Store {
	lossy := &lossy{}
	lossy.left.Store(n)
	client := dynamodb.New(tb.client.Options(), func(o *dynamodb.Options) {
		lossy.HTTPClient = o.HTTPClient
		o.HTTPClient = lossy
	})
	return dynamo.New(client, dynamo.Options{Prefix: prefix, Wait: time.Millisecond})
}

type lossy struct {
	dynamodb.HTTPClient
	left atomic.Int64
}

func (l *lossy) Do(r *http.Request) (*http.Response, error) {
	resp, err := l.HTTPClient.Do(r)
	if err != nil || l.left.Add(-1) < 0 {
		return resp, err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return nil, io.ErrUnexpectedEOF
}

func TestALostAnswerIsNotALostRace(t *testing.T) {
	t.Parallel()
	tb := newTables(t)
	one := ledger.Commit{Writes: []ledger.Write{{Name: "contact", Op: ledger.OpCreate, Key: annID, Item: ledger.Item{"name": "Ann"}}}}
	if err := tb.losing(1).Commit(t.Context(), one); err != nil {
		t.Fatalf("the writer lost to itself: %v", err)
	}
	raise := ledger.Commit{Writes: []ledger.Write{{Name: "contact", Op: ledger.OpUpdate, Key: annID, If: ledger.AtVersion(1), Set: ledger.Item{"name": "Anna"}}}}
	if err := tb.losing(2).Commit(t.Context(), raise); err != nil {
		t.Fatalf("the writer lost to itself: %v", err)
	}
	it, err := tb.store().Get(t.Context(), annID)
	if err != nil || it.Version() != 2 || it.Text("name") != "Anna" {
		t.Errorf("stored %v, %v; want version 2", it, err)
	}
	// A stranger with the same words is refused all the same.
	if _, refused := ledger.AsRefused(tb.losing(1).Commit(t.Context(), one)); !refused {
		t.Error("a second creator was not refused")
	}
}

func TestWhenNoAnswerComesItMayBeWritten(t *testing.T) {
	t.Parallel()
	tb := newTables(t)
	err := tb.losing(1000).Commit(t.Context(), twoContacts())
	if !errors.Is(err, ledger.ErrUnknown) || ledger.NotWritten(err) {
		t.Fatalf("got %v, want ErrUnknown", err)
	}
	if it, err := tb.store().Get(t.Context(), annID); err != nil || it == nil {
		t.Errorf("got %v, %v: this course did write", it, err)
	}
}

func twoContacts() ledger.Commit {
	other := annID
	other.ID = "bob"
	return ledger.Commit{Writes: []ledger.Write{
		{Name: "a", Op: ledger.OpCreate, Key: annID, Item: ledger.Item{"n": int64(1)}},
		{Name: "b", Op: ledger.OpCreate, Key: other, Item: ledger.Item{"n": int64(1)}},
	}}
}

func TestCreateAgainKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	tb := newTables(t)
	if err := tb.store().Commit(t.Context(), twoContacts()); err != nil {
		t.Fatal(err)
	}
	if err := dynamo.Create(t.Context(), tb.client, prefix); err != nil {
		t.Fatal(err)
	}
	if it, err := tb.store().Get(t.Context(), annID); err != nil || it == nil {
		t.Errorf("after the second creation: %v, %v", it, err)
	}
}

func TestTablesAreMadeAsTheSchemaSays(t *testing.T) {
	t.Parallel()
	tb := newTables(t)
	for _, spec := range schema.Specs() {
		name := prefix + string(spec.Name)
		out, err := tb.client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
		if err != nil {
			t.Fatal(err)
		}
		d := out.Table
		if stream := d.StreamSpecification; (stream != nil && *stream.StreamEnabled) != spec.Stream ||
			spec.Stream && stream.StreamViewType != types.StreamViewTypeNewImage {
			t.Errorf("%s: stream %+v, want new images: %t", name, stream, spec.Stream)
		}
		var got, want []string
		for _, g := range d.GlobalSecondaryIndexes {
			got = append(got, *g.IndexName+" "+*g.KeySchema[0].AttributeName+" "+*g.KeySchema[1].AttributeName+" "+string(g.Projection.ProjectionType))
		}
		for _, ix := range spec.Indexes {
			want = append(want, ix.Name+" "+ix.Partition+" "+ix.Sort+" ALL")
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: indexes %v, want %v", name, got, want)
		}
		ttl, err := tb.client.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: &name})
		if err != nil || ttl.TimeToLiveDescription.AttributeName == nil || *ttl.TimeToLiveDescription.AttributeName != "expires_at" {
			t.Errorf("%s: time to live %+v, %v", name, ttl, err)
		}
	}
}

// read takes n changes of the events.
func read(t *testing.T, f ledger.Feed, n int) []ledger.Change {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var got []ledger.Change
	for len(got) < n {
		cs, err := f.Next(ctx, schema.Events, "extract", n-len(got))
		if err != nil {
			t.Fatalf("after %d changes: %v", len(got), err)
		}
		got = append(got, cs...)
	}
	return got
}

func TestANewProcessIsHandedEverythingAgain(t *testing.T) {
	t.Parallel()
	tb := newTables(t)
	k := ledger.Key{Entity: ledger.Event, Tenant: "acme#1", ID: "e~1"}
	for n := range int64(3) {
		w := ledger.Write{Op: ledger.OpUpdate, Key: k, Set: ledger.Item{"n": n}}
		if n == 0 {
			w = ledger.Write{Op: ledger.OpCreate, Key: k, Item: ledger.Item{"n": n}}
		}
		if err := tb.store().Commit(t.Context(), ledger.Commit{Writes: []ledger.Write{w}}); err != nil {
			t.Fatal(err)
		}
	}
	f := tb.feed(nil)
	for _, c := range read(t, f, 3) {
		if err := f.Done(t.Context(), schema.Events, "extract", c); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range read(t, tb.feed(nil), 3) {
		if c.Key != k || c.Item.Int("n") != int64(i) {
			t.Errorf("change %d is %+v", i, c)
		}
	}
}

func TestARemovalNamesTheKeyAndHasNoItem(t *testing.T) {
	t.Parallel()
	tb := newTables(t)
	k := ledger.Key{Entity: ledger.Delivery, Tenant: "acme#1", ID: "e~1", Sub: "a#b~"}
	c := ledger.Commit{Writes: []ledger.Write{{Op: ledger.OpCreate, Key: k, Item: ledger.Item{"n": int64(1)}}}}
	if err := tb.store().Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	table := prefix + string(schema.Events)
	if _, err := tb.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &table, Key: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "acme~-1#event#e~~1"}, "sk": &types.AttributeValueMemberS{Value: "delivery#a#b~"}}}); err != nil {
		t.Fatal(err)
	}
	got := read(t, tb.feed(nil), 2)
	if got[0].Item == nil || got[1].Item != nil || got[1].Key != k {
		t.Errorf("got %+v", got)
	}
}

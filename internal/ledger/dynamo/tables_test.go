package dynamo_test

// Real: this package, the SDK, HTTP. Emulated: DynamoDB and its streams, by
// MiniStack. So what may be asserted here is what a call means and what is
// stored; not contention, throttling or a lagging index, which MiniStack does
// not have. Those are in commit_test.go, against answers written by hand.

import (
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"onefold/internal/ledger/dynamo"
	"onefold/internal/proof/localaws/localawstest"
)

func TestMain(m *testing.M) { os.Exit(localawstest.Main(m)) }

const prefix = "onefold-"

// tables is an account with the tables in it.
type tables struct {
	client  *dynamodb.Client
	streams *dynamodbstreams.Client
}

func newTables(t *testing.T) tables {
	t.Helper()
	stack := localawstest.ForTest(t)
	cfg := stack.Config(stack.NewAccount())
	tb := tables{client: dynamodb.NewFromConfig(cfg), streams: dynamodbstreams.NewFromConfig(cfg)}
	if err := dynamo.Create(t.Context(), tb.client, prefix); err != nil {
		t.Fatal(err)
	}
	return tb
}

func (tb tables) store() *dynamo.Store { return dynamo.New(tb.client, dynamo.Options{Prefix: prefix}) }

func (tb tables) feed(c *dynamo.Checkpoints) *dynamo.Feed {
	return dynamo.NewFeed(tb.client, tb.streams, dynamo.FeedOptions{Prefix: prefix, Poll: 10 * time.Millisecond, Checkpoints: c})
}

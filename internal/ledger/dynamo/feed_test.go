package dynamo_test

// Real: the feed, the SDK, HTTP on loopback. Written by hand: a stream whose
// shards split, end and forget, which MiniStack's single shard never does.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"onefold/internal/ledger/dynamo"
	"onefold/internal/schema"
)

// part is one shard: its changes are numbered from first on.
type part struct {
	id, parent string
	first      int // older ones are trimmed
	last       int
	closed     bool
}

// stream is a server with one table's stream.
type stream struct {
	*httptest.Server
	mu     sync.Mutex
	parts  []*part
	expire int // so many GetRecords are told that their iterator expired
}

func newStream(t *testing.T, parts ...*part) *stream {
	t.Helper()
	s := &stream{parts: parts}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ShardID                                          string `json:"ShardId"`
			ExclusiveStartShardID                            string `json:"ExclusiveStartShardId"`
			ShardIteratorType, SequenceNumber, ShardIterator string
			Limit                                            int
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller's time ended while it was sending
		}
		if err := json.Unmarshal(body, &in); err != nil {
			t.Errorf("read a request: %v", err)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		switch op {
		case "DescribeTable":
			reply(w, 200, `{"Table":{"LatestStreamArn":"arn:aws:dynamodb:us-east-1:1:table/p-events/stream/1"}}`)
		case "DescribeStream":
			s.describe(w, in.ExclusiveStartShardID)
		case "GetShardIterator":
			p, from := s.part(in.ShardID), 0
			if in.ShardIteratorType == "AFTER_SEQUENCE_NUMBER" {
				from, _ = strconv.Atoi(in.SequenceNumber)
				if from++; from < p.first {
					fails(400, "TrimmedDataAccessException")(w)
					return
				}
			}
			reply(w, 200, fmt.Sprintf(`{"ShardIterator":"%s:%d"}`, p.id, max(from, p.first)))
		case "GetRecords":
			s.records(w, in.ShardIterator, in.Limit)
		default:
			t.Errorf("unexpected %s", op)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *stream) part(id string) *part {
	return s.parts[slices.IndexFunc(s.parts, func(p *part) bool { return p.id == id })]
}

// describe gives one shard a page.
func (s *stream) describe(w http.ResponseWriter, after string) {
	i := slices.IndexFunc(s.parts, func(p *part) bool { return p.id == after }) + 1
	next := ""
	if i+1 < len(s.parts) {
		next = fmt.Sprintf(`,"LastEvaluatedShardId":%q`, s.parts[i].id)
	}
	parent := ""
	if s.parts[i].parent != "" {
		parent = fmt.Sprintf(`,"ParentShardId":%q`, s.parts[i].parent)
	}
	reply(w, 200, fmt.Sprintf(`{"StreamDescription":{"Shards":[{"ShardId":%q%s}]%s}}`, s.parts[i].id, parent, next))
}

func (s *stream) records(w http.ResponseWriter, iterator string, limit int) {
	if s.expire > 0 {
		s.expire--
		fails(400, "ExpiredIteratorException")(w)
		return
	}
	id, at, _ := strings.Cut(iterator, ":")
	p := s.part(id)
	from, _ := strconv.Atoi(at)
	if from < p.first {
		fails(400, "TrimmedDataAccessException")(w)
		return
	}
	var rows []string
	for ; from <= p.last && len(rows) < limit; from++ {
		keys := fmt.Sprintf(`{"pk":{"S":"acme#event#%s"},"sk":{"S":"event"}`, id)
		rows = append(rows, fmt.Sprintf(`{"dynamodb":{"Keys":%s},"NewImage":%s,"n":{"N":"%d"}},"SequenceNumber":"%d"}}`, keys, keys, from, from))
	}
	next := fmt.Sprintf(`,"NextShardIterator":"%s:%d"`, id, from)
	if p.closed && from > p.last {
		next = ""
	}
	reply(w, 200, `{"Records":[`+strings.Join(rows, ",")+`]`+next+`}`)
}

// feed reads the stream.
func (s *stream) feed(c *dynamo.Checkpoints) *dynamo.Feed {
	cfg := aws.Config{Region: "us-east-1", BaseEndpoint: &s.URL, Credentials: credentials.NewStaticCredentialsProvider("key", "local", "")}
	return dynamo.NewFeed(dynamodb.NewFromConfig(cfg), dynamodbstreams.NewFromConfig(cfg),
		dynamo.FeedOptions{Prefix: "p-", Poll: time.Millisecond, Checkpoints: c})
}

// numbers is the changes of a shard in the order in which they came.
func numbers(t *testing.T, f *dynamo.Feed, n int) map[string][]int64 {
	t.Helper()
	got := map[string][]int64{}
	for _, c := range read(t, f, n) {
		got[c.Key.ID] = append(got[c.Key.ID], c.Item.Int("n"))
	}
	return got
}

func want(t *testing.T, got []int64, first, last int64) {
	t.Helper()
	var w []int64
	for n := first; n <= last; n++ {
		w = append(w, n)
	}
	if !slices.Equal(got, w) {
		t.Errorf("got %v, want %d to %d", got, first, last)
	}
}

// A split shard's changes all come before those of the two that follow it, in
// whatever order the stream names them and however few are asked for.
func TestChildrenWaitForTheirParent(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}} {
		parts := []*part{{"root", "gone", 1, 5, true}, {"left", "root", 6, 8, false}, {"right", "root", 6, 9, false}}
		f := newStream(t, parts[order[0]], parts[order[1]], parts[order[2]]).feed(nil)
		byShard := map[string][]int64{}
		for range 12 {
			c := read(t, f, 1)[0]
			byShard[c.Key.ID] = append(byShard[c.Key.ID], c.Item.Int("n"))
			if c.Key.ID != "root" && len(byShard["root"]) < 5 {
				t.Errorf("order %v: %s came before its parent was read", order, c.Key.ID)
			}
		}
		want(t, byShard["root"], 1, 5)
		want(t, byShard["left"], 6, 8)
		want(t, byShard["right"], 6, 9)
	}
}

func TestShardsThatComeLaterAreFound(t *testing.T) {
	t.Parallel()
	root := &part{"root", "", 1, 3, false}
	s := newStream(t, root)
	f := s.feed(nil)
	want(t, numbers(t, f, 3)["root"], 1, 3)
	s.mu.Lock()
	root.last, root.closed = 4, true
	s.parts = append(s.parts, &part{"child", "root", 5, 6, false})
	s.mu.Unlock()
	got := numbers(t, f, 3)
	want(t, got["root"], 4, 4)
	want(t, got["child"], 5, 6)
}

func TestAnExpiredIteratorLosesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	root := &part{"root", "", 1, 3, false}
	s := newStream(t, root)
	f := s.feed(nil)
	want(t, numbers(t, f, 3)["root"], 1, 3)
	s.mu.Lock()
	root.last, s.expire = 5, 1
	s.mu.Unlock()
	want(t, numbers(t, f, 2)["root"], 4, 5)
}

func TestWhatTheStreamForgotIsPassedOver(t *testing.T) {
	t.Parallel()
	root := &part{"root", "", 1, 3, false}
	s := newStream(t, root)
	f := s.feed(nil)
	want(t, numbers(t, f, 3)["root"], 1, 3)
	s.mu.Lock()
	root.first, root.last, s.expire = 7, 9, 1
	s.mu.Unlock()
	want(t, numbers(t, f, 3)["root"], 7, 9)
}

// Sequence numbers are compared as numbers, and Done never goes back.
func TestAFeedGoesOnAfterTheHighestDone(t *testing.T) {
	t.Parallel()
	s := newStream(t, &part{"root", "", 1, 12, false})
	var c dynamo.Checkpoints
	f := s.feed(&c)
	changes := read(t, f, 12)
	for _, i := range []int{9, 8, 0} { // the tenth, the ninth, the first
		if err := f.Done(t.Context(), schema.Events, "extract", changes[i]); err != nil {
			t.Fatal(err)
		}
	}
	want(t, numbers(t, s.feed(&c), 2)["root"], 11, 12)
	want(t, numbers(t, s.feed(nil), 12)["root"], 1, 12)
}

func TestNextWaitsUntilItsContextEnds(t *testing.T) {
	t.Parallel()
	s := newStream(t, &part{"root", "", 1, 0, false})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if cs, err := s.feed(nil).Next(ctx, schema.Events, "extract", 1); !errors.Is(err, context.DeadlineExceeded) || cs != nil {
		t.Errorf("got %v, %v", cs, err)
	}
}

package streamreader_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"onefold/internal/proof/streamreader"
)

// "Retry attempts: the maximum number of times that Lambda retries when the
// function returns an error": two retries are three calls. The shard goes on
// behind what was given up.
func TestABatchIsGivenUpAfterItsRetries(t *testing.T) {
	t.Parallel()
	eachPossible(t, func(t *testing.T, a streamreader.Assume) {
		w := newWorld(t, usual(), a)
		w.put("s", 1, 6)
		w.do = poison("2")
		w.run()
		w.wantHanded("1 2 3 4", "1 2 3 4", "1 2 3 4", "5 6")
		w.wantCount(streamreader.GivenUp, 4)
		w.wantCount(streamreader.Done, 2)
		n := w.r.Notices()[0]
		if len(w.r.Notices()) != 1 || n.Condition != streamreader.RetriesExhausted || n.First != "1" || n.Last != "4" || n.Records != 4 || n.Calls != 3 || n.Shard != "s" {
			t.Errorf("notices %+v", w.r.Notices())
		}
	})
}

// "Splitting a batch does not count towards the retry quota": 1 2 3 4 splits,
// 1 2 splits, 2 alone has its first call and two retries.
func TestBisectFindsThePoisonAndLosesNothingElse(t *testing.T) {
	t.Parallel()
	eachPossible(t, func(t *testing.T, a streamreader.Assume) {
		m := usual()
		m.BisectBatchOnFunctionError = true
		w := newWorld(t, m, a)
		w.put("s", 1, 6)
		w.do = poison("2")
		w.run()
		w.wantHanded("1 2 3 4", "1 2", "1", "2", "2", "2", "3 4", "5 6")
		w.wantCount(streamreader.GivenUp, 1)
		w.wantCount(streamreader.Done, 5)
		if n := w.r.Notices(); len(n) != 1 || n[0].First != "2" || n[0].Last != "2" || n[0].Records != 1 {
			t.Errorf("notices %+v", n)
		}
	})
}

// A partial answer splits at the number it names: what is before is settled.
func TestAPoisonThatIsNamedCostsNothingElse(t *testing.T) {
	t.Parallel()
	eachPossible(t, func(t *testing.T, a streamreader.Assume) {
		m := usual()
		m.BisectBatchOnFunctionError = true
		m.MaximumRetryAttempts = 4
		w := newWorld(t, m, a)
		w.put("s", 1, 8)
		seen := map[string]int{}
		w.do = func(c streamreader.Call) (streamreader.Result, time.Duration) {
			for _, r := range c.Records {
				seen[r.Sequence]++
			}
			if strings.Contains(words(c.Records), "2") {
				return naming("2"), time.Second
			}
			return streamreader.Result{}, time.Second
		}
		w.run()
		if seen["1"] != 1 {
			t.Errorf("1 was handed out %d times", seen["1"])
		}
		if w.r.FateOf("s", "2") != streamreader.GivenUp || w.r.FateOf("s", "1") != streamreader.Done || w.r.Count(streamreader.Done)+w.r.Count(streamreader.GivenUp) != 8 {
			t.Errorf("fates: %d done, %d given up", w.r.Count(streamreader.Done), w.r.Count(streamreader.GivenUp))
		}
		for _, n := range []string{"5", "6", "7", "8"} {
			if w.r.FateOf("s", n) != streamreader.Done {
				t.Errorf("%s is %s", n, w.r.FateOf("s", n))
			}
		}
	})
}

// A worker that has time for one record of each call gets through a batch of
// Retries+1 whatever is counted.
func TestABatchOfRetriesPlusOneGetsThroughOneByOne(t *testing.T) {
	t.Parallel()
	eachPossible(t, func(t *testing.T, a streamreader.Assume) {
		m := usual()
		m.BatchSize, m.MaximumRetryAttempts, m.BisectBatchOnFunctionError = 6, 5, true
		w := newWorld(t, m, a)
		w.put("s", 1, 18)
		w.do = func(c streamreader.Call) (streamreader.Result, time.Duration) {
			if len(c.Records) == 1 {
				return streamreader.Result{}, time.Minute
			}
			return naming(c.Records[1].Sequence), time.Minute
		}
		w.run()
		w.wantCount(streamreader.Done, 18)
	})
}

// And one of Retries+2 may not, where partial answers count: hence the bound.
func TestALongerBatchMayNotGetThroughOneByOne(t *testing.T) {
	t.Parallel()
	for counts, want := range map[bool]int{true: 1, false: 0} {
		m := usual()
		m.BatchSize, m.MaximumRetryAttempts = 7, 5
		w := newWorld(t, m, streamreader.Assume{PartialCounts: counts})
		w.put("s", 1, 7)
		w.do = func(c streamreader.Call) (streamreader.Result, time.Duration) {
			if len(c.Records) == 1 {
				return streamreader.Result{}, time.Minute
			}
			return naming(c.Records[1].Sequence), time.Minute
		}
		w.run()
		w.wantCount(streamreader.GivenUp, want)
	}
}

// "This doesn't apply to service errors or throttles where the batch didn't
// reach the function": 500 throttles use none of two retries.
func TestThrottlesAreNotCounted(t *testing.T) {
	t.Parallel()
	eachPossible(t, func(t *testing.T, a streamreader.Assume) {
		w := newWorld(t, usual(), a)
		w.put("s", 1, 4)
		tries := 0
		w.do = func(c streamreader.Call) (streamreader.Result, time.Duration) {
			if tries++; tries <= 100 {
				return streamreader.Result{Throttled: true}, 0
			}
			if c.Number != tries-100 {
				t.Errorf("call %d of the records is said to be %d", tries-100, c.Number)
			}
			return streamreader.Result{Failed: tries <= 102}, 0
		}
		w.run()
		w.wantCount(streamreader.Done, 4)
	})
}

// What throttles are bounded by: the maximum age, and then there is a notice.
func TestThrottledRecordsAreGivenUpByAge(t *testing.T) {
	t.Parallel()
	m := usual()
	m.MaximumRecordAge = time.Hour
	w := newWorld(t, m, streamreader.Assume{Backoff: func(int) time.Duration { return time.Minute }})
	w.put("s", 1, 2)
	w.r.Begin()
	w.do = func(streamreader.Call) (streamreader.Result, time.Duration) {
		return streamreader.Result{Throttled: true}, 0
	}
	w.until(start.Add(30 * time.Minute))
	w.put("s", 3, 3)
	w.until(start.Add(time.Hour))
	w.wantCount(streamreader.Pending, 3) // an hour old is not older than an hour
	w.until(start.Add(61 * time.Minute))
	w.wantCount(streamreader.GivenUp, 2)
	w.do = nil
	w.until(start.Add(62 * time.Minute))
	w.wantCount(streamreader.Done, 1)
	n := w.r.Notices()
	if len(n) != 1 || n[0].Condition != streamreader.AgeExceeded || n[0].First != "1" || n[0].Last != "2" || n[0].Calls != 0 {
		t.Errorf("notices %+v", n)
	}
}

// With the defaults (-1, -1, no bisect) a poison record holds its shard until
// the stream forgets it, and nobody is told.
func TestInfiniteRetriesBlockAShardForADay(t *testing.T) {
	t.Parallel()
	m := usual()
	m.MaximumRetryAttempts = streamreader.Forever
	w := newWorld(t, m, streamreader.Assume{Backoff: func(int) time.Duration { return 5 * time.Minute }})
	w.put("s", 1, 1)
	w.do = poison("1")
	w.r.Begin()
	w.until(start.Add(12 * time.Hour))
	w.put("s", 2, 2)
	w.until(start.Add(23*time.Hour + 50*time.Minute))
	if w.r.FateOf("s", "2") != streamreader.Pending {
		t.Errorf("the record behind is %s", w.r.FateOf("s", "2"))
	}
	w.until(start.Add(25 * time.Hour))
	if w.r.FateOf("s", "1") != streamreader.Expired || w.r.FateOf("s", "2") != streamreader.Done || len(w.r.Notices()) != 0 {
		t.Errorf("1 is %s, 2 is %s, %d notices", w.r.FateOf("s", "1"), w.r.FateOf("s", "2"), len(w.r.Notices()))
	}
}

// The document has the keys of AWS's example and nothing of the record.
func TestANoticeHasThePlaceAndNotTheContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usual(), streamreader.Assume{})
	w.put("s", 1, 4)
	w.do = poison("2")
	w.run()
	doc, err := w.r.Notices()[0].Document("arn:function", "arn:stream")
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]map[string]any
	var flat map[string]any
	if err := json.Unmarshal(doc, &flat); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"version", "timestamp"} {
		if flat[key] == nil {
			t.Errorf("no %s", key)
		}
		delete(flat, key)
	}
	b, _ := json.Marshal(flat)
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	info := got["DDBStreamBatchInfo"]
	for key, want := range map[string]any{
		"shardId": "s", "startSequenceNumber": "1", "endSequenceNumber": "4", "batchSize": 4.0, "streamArn": "arn:stream",
		"approximateArrivalOfFirstRecord": "2026-11-02T09:00:00.000Z", "approximateArrivalOfLastRecord": "2026-11-02T09:00:00.000Z",
	} {
		if info[key] != want {
			t.Errorf("%s is %v, want %v", key, info[key], want)
		}
	}
	if got["requestContext"]["condition"] != "RetryAttemptsExhausted" || got["requestContext"]["functionArn"] != "arn:function" {
		t.Errorf("request context %v", got["requestContext"])
	}
	if strings.Contains(string(doc), "item") {
		t.Errorf("the notice holds the item: %s", doc)
	}
}

package lambdaio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/proof/streamreader"
	"onefold/internal/schema"
)

// pump brings what was committed to the streams.
func (c *cloud) pump() {
	for _, t := range []schema.Table{schema.Events, schema.Outbox} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
		changes, err := c.store.Next(ctx, t, "stream", 1000)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			c.must(err)
		}
		for _, ch := range changes {
			if c.lost != nil && c.lost(ch) {
				continue
			}
			c.publish(t, ch)
			if c.twice {
				c.publish(t, ch)
			}
		}
	}
}

func (c *cloud) publish(t schema.Table, ch ledger.Change) {
	c.written[t]++
	keys, name := cloudPlaces(ch.Key), "MODIFY"
	if ch.Item.Version() == 1 {
		name = "INSERT"
	}
	image := map[string]any{schema.PK: keys[schema.PK], schema.SK: keys[schema.SK]}
	for attr, v := range ch.Item {
		image[attr] = cloudTyped(v)
	}
	sequence := fmt.Sprintf("%021d", c.written[t])
	body, err := json.Marshal(map[string]any{
		"eventID": sequence, "eventVersion": "1.1", "eventSource": "aws:dynamodb", "eventName": name, "awsRegion": "eu-central-1",
		"eventSourceARN": "arn:aws:dynamodb:eu-central-1:111122223333:table/onefold-test-" + string(t) + "/stream/2026-11-02T09:00:00.000",
		"dynamodb": map[string]any{
			"ApproximateCreationDateTime": time.Now().Unix(), "Keys": keys, "NewImage": image,
			"SequenceNumber": sequence, "SizeBytes": 100, "StreamViewType": "NEW_IMAGE",
		},
	})
	c.must(err)
	h := fnv.New32a()
	_, _ = h.Write([]byte(ch.Key.ID))
	shard := fmt.Sprint("shard-", h.Sum32()%c.shards)
	for _, w := range c.workers {
		if w.table == t {
			c.must(w.reader.Append(shard, streamreader.Record{Sequence: sequence, Item: fmt.Sprint(ch.Key), At: time.Now(), Body: body}))
		}
	}
}

// cloudPlaces is an item's primary key by the table comment of ledger/dynamo.
func cloudPlaces(k ledger.Key) map[string]any {
	escape := strings.NewReplacer("~", "~~", "#", "~-").Replace
	group, sk := string(k.Entity), string(k.Entity)
	if k.Entity == ledger.Delivery || k.Entity == ledger.Extraction {
		group = string(ledger.Event)
	}
	if k.Sub != "" {
		sk += "#" + k.Sub
	}
	return map[string]any{schema.PK: cloudTyped(escape(k.Tenant) + "#" + group + "#" + escape(k.ID)), schema.SK: cloudTyped(sk)}
}

// cloudTyped is a value in DynamoDB's JSON.
func cloudTyped(v any) map[string]any {
	switch v := v.(type) {
	case string:
		return map[string]any{"S": v}
	case bool:
		return map[string]any{"BOOL": v}
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = cloudTyped(e)
		}
		return map[string]any{"L": list}
	case map[string]any:
		m := map[string]any{}
		for name, e := range v {
			m[name] = cloudTyped(e)
		}
		return map[string]any{"M": m}
	default:
		return map[string]any{"N": fmt.Sprint(v)}
	}
}

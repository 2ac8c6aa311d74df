package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"onefold/internal/ledger"
)

// Get implements ledger.Store.
func (s *Store) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if err := k.Validate(); err != nil {
		return nil, err
	}
	table, consistent := s.table(k.Entity.Table()), true
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &table, Key: placeOf(k).attributes(), ConsistentRead: &consistent})
	if err != nil {
		return nil, readFault(ctx, about("get", k), err)
	}
	it, err := decode(out.Item)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", about("get", k), err)
	}
	return it, nil
}

// GetMany implements ledger.Store.
func (s *Store) GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error) {
	if err := ledger.ValidateKeys(keys); err != nil {
		return nil, err
	}
	type spot struct {
		table string
		place
	}
	wanted := map[spot]int{}
	ask := map[string]types.KeysAndAttributes{}
	for i, k := range keys {
		at, consistent := spot{s.table(k.Entity.Table()), placeOf(k)}, true
		wanted[at] = i
		ask[at.table] = types.KeysAndAttributes{ConsistentRead: &consistent, Keys: append(ask[at.table].Keys, at.attributes())}
	}
	items := make([]ledger.Item, len(keys))
	for try := 1; len(ask) > 0; try++ {
		out, err := s.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: ask})
		if err != nil {
			return nil, readFault(ctx, about("get many", keys[0]), err)
		}
		got := 0
		for table, rows := range out.Responses {
			for _, row := range rows {
				it, err := decode(row)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", about("get many", keys[0]), err)
				}
				if i, ok := wanted[spot{table, placeIn(row)}]; ok {
					items[i] = it
					got++
				}
			}
		}
		// An answer holds 16 MB at most and may stop short when throttled. What
		// came counts as progress; what did not is asked for again.
		if ask = out.UnprocessedKeys; len(ask) == 0 {
			break
		}
		if got > 0 {
			try = 0
			continue
		}
		if try >= s.o.Tries || !s.pause(ctx, try) {
			return nil, fault(ctx, about("get many", keys[0]), ledger.ErrContention, "keys left unread")
		}
	}
	return items, nil
}

// about names an operation without any word of the key that may be personal.
func about(operation string, k ledger.Key) string {
	return fmt.Sprintf("%s of %s for tenant %s", operation, k.Entity, k.Tenant)
}

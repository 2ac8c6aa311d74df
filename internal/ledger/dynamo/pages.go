package dynamo

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// List implements ledger.Store. Its cursor, as that of Query and Scan, is the
// key of the last item given, and so may hold personal words.
func (s *Store) List(ctx context.Context, parent ledger.Key, cursor string, limit int) (ledger.Page, error) {
	if err := parent.Validate(); err != nil {
		return ledger.Page{}, err
	}
	if err := ledger.ValidateLimit(limit); err != nil {
		return ledger.Page{}, err
	}
	first, last := childrenOf(parent.Entity)
	table, consistent := s.table(parent.Entity.Table()), true
	cond := "#pk = :pk AND #sk BETWEEN :first AND :last"
	return paged{about("list", parent), cursor, limit, []string{schema.PK, schema.SK}}.read(ctx,
		func(start attributes, n int32) ([]attributes, attributes, error) {
			out, err := s.client.Query(ctx, &dynamodb.QueryInput{
				TableName: &table, ConsistentRead: &consistent, Limit: &n, ExclusiveStartKey: start,
				KeyConditionExpression:    &cond,
				ExpressionAttributeNames:  map[string]string{"#pk": schema.PK, "#sk": schema.SK},
				ExpressionAttributeValues: texts(":pk", partitionOf(parent), ":first", first, ":last", last),
			})
			if err != nil {
				return nil, nil, err
			}
			return out.Items, out.LastEvaluatedKey, nil
		})
}

// Query implements ledger.Store. The indexes project every attribute.
func (s *Store) Query(ctx context.Context, q ledger.Query) (ledger.Page, error) {
	ix, err := q.Validate()
	if err != nil {
		return ledger.Page{}, err
	}
	table := s.table(q.Table)
	cond, names, values := "#p = :p", map[string]string{"#p": ix.Partition}, texts(":p", q.Partition)
	if q.UpTo != "" {
		cond += " AND #s <= :s"
		names["#s"] = ix.Sort
		values[":s"] = &types.AttributeValueMemberS{Value: q.UpTo}
	}
	subject := fmt.Sprintf("query of %s/%s", q.Table, q.Index)
	return paged{subject, q.Cursor, q.Limit, []string{schema.PK, schema.SK, ix.Partition, ix.Sort}}.read(ctx,
		func(start attributes, n int32) ([]attributes, attributes, error) {
			out, err := s.client.Query(ctx, &dynamodb.QueryInput{
				TableName: &table, IndexName: &ix.Name, Limit: &n, ExclusiveStartKey: start,
				KeyConditionExpression: &cond, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.Items, out.LastEvaluatedKey, nil
		})
}

// Scan implements ledger.Store. It reads consistently: an erasure must see
// what was written before it began.
func (s *Store) Scan(ctx context.Context, sc ledger.Scan) (ledger.Page, error) {
	if err := sc.Validate(); err != nil {
		return ledger.Page{}, err
	}
	table, consistent := s.table(sc.Table), true
	segment, total := int32(sc.Segment), int32(sc.Segments)
	return paged{"scan of " + string(sc.Table), sc.Cursor, sc.Limit, []string{schema.PK, schema.SK}}.read(ctx,
		func(start attributes, n int32) ([]attributes, attributes, error) {
			out, err := s.client.Scan(ctx, &dynamodb.ScanInput{
				TableName: &table, ConsistentRead: &consistent, Segment: &segment, TotalSegments: &total,
				Limit: &n, ExclusiveStartKey: start,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.Items, out.LastEvaluatedKey, nil
		})
}

// paged is one page to be read.
type paged struct {
	subject string
	cursor  string
	limit   int
	keys    []string // attributes of a cursor, all texts
}

// read fills a page. DynamoDB ends an answer at 1 MB, so it asks until the
// page is full; and it asks for one item more than the page holds, since
// DynamoDB's own last key does not tell whether anything comes after it.
func (p paged) read(ctx context.Context, fetch func(attributes, int32) ([]attributes, attributes, error)) (ledger.Page, error) {
	if ctx.Err() != nil {
		return ledger.Page{}, fault(ctx, p.subject, ledger.ErrUnavailable, "not sent")
	}
	start, err := p.start()
	if err != nil {
		return ledger.Page{}, err
	}
	var rows []attributes
	for {
		got, last, err := fetch(start, int32(p.limit+1-len(rows)))
		if err != nil {
			return ledger.Page{}, readFault(ctx, p.subject, err)
		}
		rows = append(rows, got...)
		if len(last) == 0 || len(rows) > p.limit {
			break
		}
		start = last
	}
	var page ledger.Page
	if len(rows) > p.limit {
		rows = rows[:p.limit]
		if page.Next, err = p.next(rows[p.limit-1]); err != nil {
			return ledger.Page{}, err
		}
	}
	for _, row := range rows {
		it, err := decode(row)
		if err != nil {
			return ledger.Page{}, fmt.Errorf("%s: %w", p.subject, err)
		}
		page.Items = append(page.Items, it)
	}
	return page, nil
}

func (p paged) next(row attributes) (string, error) {
	words := make([]string, len(p.keys))
	for i, attr := range p.keys {
		s, ok := row[attr].(*types.AttributeValueMemberS)
		if !ok {
			return "", fmt.Errorf("%s: %w: an item without %s", p.subject, ledger.ErrDamaged, attr)
		}
		words[i] = s.Value
	}
	b, err := json.Marshal(words)
	if err != nil {
		return "", fmt.Errorf("%s: write a cursor: %w", p.subject, err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

func (p paged) start() (attributes, error) {
	if p.cursor == "" {
		return nil, nil
	}
	var words []string
	b, err := base64.RawURLEncoding.DecodeString(p.cursor)
	if err != nil || json.Unmarshal(b, &words) != nil || len(words) != len(p.keys) {
		return nil, fmt.Errorf("%s: %w: a cursor that is none of its own", p.subject, ledger.ErrInvalid)
	}
	at := make(attributes, len(words))
	for i, attr := range p.keys {
		at[attr] = &types.AttributeValueMemberS{Value: words[i]}
	}
	return at, nil
}

// texts makes placeholders of names and values in turn.
func texts(pairs ...string) attributes {
	out := make(attributes, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = &types.AttributeValueMemberS{Value: pairs[i+1]}
	}
	return out
}

package bolt

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"

	"onefold/internal/ledger"

	"go.etcd.io/bbolt"
)

// Get implements ledger.Store.
func (s *Store) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	items, err := s.GetMany(ctx, []ledger.Key{k})
	if err != nil {
		return nil, err
	}
	return items[0], nil
}

// GetMany implements ledger.Store. Here it does read all at one moment.
func (s *Store) GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error) {
	if err := ledger.ValidateKeys(keys); err != nil {
		return nil, err
	}
	items := make([]ledger.Item, len(keys))
	err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
		for i, k := range keys {
			if items[i], err = lookup(tx, k.Entity.Table(), itemKey(k)); err != nil {
				return err
			}
		}
		return nil
	})
	return items, err
}

// List implements ledger.Store.
func (s *Store) List(ctx context.Context, parent ledger.Key, cursor string, limit int) (ledger.Page, error) {
	if err := parent.Validate(); err != nil {
		return ledger.Page{}, err
	}
	r := rows{prefix: parentKey(parent), cursor: cursor, limit: limit}
	r.wanted = func(key []byte) (bool, bool) { return true, bytes.HasPrefix(key, r.prefix) }
	r.item = func(_ *bbolt.Tx, _, value []byte) (ledger.Item, error) { return decode(value) }
	return s.page(ctx, itemsBucket(parent.Entity.Table()), r)
}

// Query implements ledger.Store. The index is written with the item, so it
// does not lag.
func (s *Store) Query(ctx context.Context, q ledger.Query) (ledger.Page, error) {
	ix, err := q.Validate()
	if err != nil {
		return ledger.Page{}, err
	}
	r := rows{prefix: appendWord(nil, q.Partition), cursor: q.Cursor, limit: q.Limit}
	bound := appendWord(r.prefix[:len(r.prefix):len(r.prefix)], q.UpTo)
	r.wanted = func(key []byte) (bool, bool) {
		if q.UpTo != "" && bytes.Compare(key[:min(len(key), len(bound))], bound) > 0 {
			return false, false
		}
		return true, bytes.HasPrefix(key, r.prefix)
	}
	r.item = func(tx *bbolt.Tx, _, value []byte) (ledger.Item, error) {
		it, err := lookup(tx, q.Table, value)
		if err == nil && it == nil {
			err = fmt.Errorf("%w: an entry of index %s without its item", ledger.ErrDamaged, q.Index)
		}
		return it, err
	}
	return s.page(ctx, indexBucket(ix), r)
}

// Scan implements ledger.Store. A segment is a share of the keys by hash: each
// segment walks all keys, but reads only its own items.
func (s *Store) Scan(ctx context.Context, sc ledger.Scan) (ledger.Page, error) {
	if err := sc.Validate(); err != nil {
		return ledger.Page{}, err
	}
	r := rows{cursor: sc.Cursor, limit: sc.Limit}
	r.wanted = func(key []byte) (bool, bool) {
		h := fnv.New32a()
		h.Write(key)
		return h.Sum32()%uint32(sc.Segments) == uint32(sc.Segment), true
	}
	r.item = func(_ *bbolt.Tx, _, value []byte) (ledger.Item, error) { return decode(value) }
	return s.page(ctx, itemsBucket(sc.Table), r)
}

// rows says which part of a bucket makes a page.
type rows struct {
	prefix []byte // what all keys begin with
	cursor string
	limit  int
	wanted func(key []byte) (wanted, more bool)
	item   func(tx *bbolt.Tx, key, value []byte) (ledger.Item, error)
}

func (s *Store) page(ctx context.Context, bucket []byte, r rows) (ledger.Page, error) {
	if err := ledger.ValidateLimit(r.limit); err != nil {
		return ledger.Page{}, err
	}
	from, err := after(r.cursor, r.prefix)
	if err != nil {
		return ledger.Page{}, err
	}
	var p ledger.Page
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		var last []byte
		c := tx.Bucket(bucket).Cursor()
		for key, value := c.Seek(from); key != nil; key, value = c.Next() {
			wanted, more := r.wanted(key)
			if !more {
				return nil
			}
			if !wanted || r.cursor != "" && bytes.Equal(key, from) {
				continue
			}
			if len(p.Items) == r.limit {
				p.Next = cursorOf(last, r.prefix)
				return nil
			}
			it, err := r.item(tx, key, value)
			if err != nil {
				return err
			}
			p.Items, last = append(p.Items, it), key
		}
		return nil
	})
	if err != nil {
		return ledger.Page{}, err
	}
	return p, nil
}

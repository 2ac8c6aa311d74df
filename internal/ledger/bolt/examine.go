package bolt

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"

	"onefold/internal/ledger"
	"onefold/internal/schema"

	"go.etcd.io/bbolt"
)

// examine proves that the file is whole, brings it up to the schema and reads
// how far the consumers were.
func (s *Store) examine() error {
	// A former process may have been killed between the write of a meta page
	// and its fsync: what is read here must be durable before anybody is told.
	if err := s.db.Sync(); err != nil {
		return err
	}
	err := s.db.View(func(tx *bbolt.Tx) error {
		info, err := os.Stat(s.db.Path())
		if err != nil {
			return err
		}
		if info.Size() < tx.Size() {
			return fmt.Errorf("%w: %d bytes of %d", ledger.ErrDamaged, info.Size(), tx.Size())
		}
		meta := tx.Bucket(metaBucket)
		if meta == nil || tx.Bucket(doneBucket) == nil {
			return ErrFormat
		}
		if v := meta.Get(formatKey); string(v) != format {
			return fmt.Errorf("%w: it has %q, this is %q", ErrFormat, v, format)
		}
		return whole(tx)
	})
	if err != nil {
		return err
	}
	if err := s.prepare(); err != nil {
		return err
	}
	return s.db.View(func(tx *bbolt.Tx) error {
		s.progress.durable = tx.ID()
		return tx.Bucket(doneBucket).ForEach(func(name, n []byte) error {
			s.readers.worked[string(name)] = binary.BigEndian.Uint64(n)
			s.readers.stored[string(name)] = binary.BigEndian.Uint64(n)
			return nil
		})
	})
}

// whole walks all keys and values, here, where a fault is caught, and has bbolt
// check its page bookkeeping only after that: its check runs in a goroutine of
// its own.
func whole(tx *bbolt.Tx) error {
	err := tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		asJSON := bytes.HasPrefix(name, []byte("items/")) || bytes.HasPrefix(name, []byte("feed/"))
		var last []byte
		return b.ForEach(func(key, value []byte) error {
			if last != nil && bytes.Compare(last, key) >= 0 || asJSON && !json.Valid(value) {
				return fmt.Errorf("%w: keys out of order or content lost in %q", ledger.ErrDamaged, name)
			}
			last = key
			return nil
		})
	})
	if err != nil {
		return err
	}
	for range tx.Check() { // to its end, or its goroutine stays
		// What it says may hold keys, which may be personal.
		err = fmt.Errorf("%w: the pages do not fit together", ledger.ErrDamaged)
	}
	return err
}

// prepare makes the buckets that the schema has and the file has not, and
// fills a new index from the items.
func (s *Store) prepare() error {
	var missing []schema.Spec
	err := s.db.View(func(tx *bbolt.Tx) error {
		for _, spec := range schema.Specs() {
			lacks := tx.Bucket(itemsBucket(spec.Name)) == nil || spec.Stream && tx.Bucket(feedBucket(spec.Name)) == nil
			for _, ix := range spec.Indexes {
				lacks = lacks || tx.Bucket(indexBucket(ix)) == nil
			}
			if lacks {
				missing = append(missing, spec)
			}
		}
		return nil
	})
	if err != nil || len(missing) == 0 {
		return err
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		for _, spec := range missing {
			if err := fill(tx, spec); err != nil {
				return err
			}
		}
		return nil
	})
}

func fill(tx *bbolt.Tx, spec schema.Spec) error {
	items, err := tx.CreateBucketIfNotExists(itemsBucket(spec.Name))
	if err != nil {
		return err
	}
	if spec.Stream {
		if _, err := tx.CreateBucketIfNotExists(feedBucket(spec.Name)); err != nil {
			return err
		}
	}
	for _, ix := range spec.Indexes {
		if tx.Bucket(indexBucket(ix)) != nil {
			continue
		}
		b, err := tx.CreateBucket(indexBucket(ix))
		if err != nil {
			return err
		}
		err = items.ForEach(func(key, value []byte) error {
			it, err := decode(value)
			if err != nil {
				return err
			}
			return reindex(b, ix, bytes.Clone(key), nil, it)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

package bolt

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"onefold/internal/ledger"
	"onefold/internal/schema"

	"go.etcd.io/bbolt"
)

// format is the version of all that keys.go writes. Another is ErrFormat.
const format = "1"

var (
	metaBucket = []byte("meta")
	formatKey  = []byte("format")
	doneBucket = []byte("done")
)

func itemsBucket(t schema.Table) []byte { return []byte("items/" + string(t)) }
func feedBucket(t schema.Table) []byte  { return []byte("feed/" + string(t)) }

func indexBucket(ix schema.Index) []byte {
	return []byte("index/" + string(ix.Table) + "/" + ix.Name)
}

// appendWord adds a text with an end mark, so that words never run together
// and keys sort as their words do: the mark 00 01 is below any going on, and
// a NUL within the text becomes 00 ff.
func appendWord(key []byte, word string) []byte {
	for i := range len(word) {
		key = append(key, word[i])
		if word[i] == 0 {
			key = append(key, 0xff)
		}
	}
	return append(key, 0, 1)
}

// parentKey is the beginning of the keys of all items of one ID.
func parentKey(k ledger.Key) []byte {
	key := make([]byte, 0, len(k.Entity)+len(k.Tenant)+len(k.ID)+len(k.Sub)+8)
	key = appendWord(key, string(k.Entity))
	key = appendWord(key, k.Tenant)
	return appendWord(key, k.ID)
}

func itemKey(k ledger.Key) []byte { return appendWord(parentKey(k), k.Sub) }

// indexKey is where an item stands in an index; nil if it is not in it.
func indexKey(ix schema.Index, it ledger.Item, item []byte) []byte {
	partition, sort := it.Text(ix.Partition), it.Text(ix.Sort)
	if partition == "" || sort == "" {
		return nil
	}
	return append(appendWord(appendWord(nil, partition), sort), item...)
}

func sequenceKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// encode writes an item as JSON with sorted names, so that equal items are
// equal bytes.
func encode(it ledger.Item) ([]byte, error) { return json.Marshal(it) }

func decode(b []byte) (ledger.Item, error) {
	it, err := ledger.ItemFromJSON(b)
	if err != nil {
		// The reason may quote the content.
		return nil, fmt.Errorf("%w: an item of %d bytes is not readable", ledger.ErrDamaged, len(b))
	}
	return it, nil
}

// lookup reads one item; nil if there is none.
func lookup(tx *bbolt.Tx, t schema.Table, key []byte) (ledger.Item, error) {
	b := tx.Bucket(itemsBucket(t)).Get(key)
	if b == nil {
		return nil, nil
	}
	return decode(b)
}

// A cursor is the key of the last row handed out, without what all rows of the
// list begin with.
func cursorOf(key, prefix []byte) string {
	return base64.RawURLEncoding.EncodeToString(bytes.TrimPrefix(key, prefix))
}

// after is the key to go on behind, or prefix itself at the beginning.
func after(cursor string, prefix []byte) ([]byte, error) {
	rest, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return nil, fmt.Errorf("%w: a cursor that is none", ledger.ErrInvalid)
	}
	return append(append([]byte{}, prefix...), rest...), nil
}

package local

import (
	"errors"
	"fmt"
	"os"
	"time"

	"onefold/internal/app"
	"onefold/internal/blob"
	"onefold/internal/blob/dir"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/bolt"
	"onefold/internal/policybook"
	"onefold/internal/schema"
)

// Opened is a data folder opened for one command, without workers.
type Opened struct {
	Store    ledger.Store
	Blob     blob.Store
	IDs      digest.Key
	Policies *policybook.Book
	close    func() error
}

// Close lets the folder go.
func (o *Opened) Close() error { return o.close() }

// consumers are the readers of the embedded store's feed. The store keeps a
// change until each of them has passed it.
func consumers() map[schema.Table][]string {
	return map[schema.Table][]string{schema.Events: {"extract"}, schema.Outbox: {"crmsync", "send"}}
}

// Open opens a data folder that exists. ledger.ErrInUse means that a running
// process has it: see Running.
func Open(folder string) (*Opened, error) {
	d := Data{folder}
	if _, err := os.Stat(d.path("ledger.db")); err != nil {
		return nil, fmt.Errorf("no data in %s: start `onefold dev` first, or name the folder with -data", folder)
	}
	secrets, err := d.Prepare()
	if err != nil {
		return nil, err
	}
	key, err := secrets.Key()
	if err != nil {
		return nil, err
	}
	store, err := bolt.Open(d.path("ledger.db"), bolt.Options{MustExist: true, Consumers: consumers()})
	if err != nil {
		return nil, err
	}
	blobs, err := dir.Open(d.path("raw"))
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &Opened{
		Store: store, Blob: blobs, IDs: key, close: store.Close,
		Policies: &policybook.Book{Store: store, Now: app.Clock, Keep: time.Second},
	}, nil
}

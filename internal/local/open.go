package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"onefold/internal/app"
	"onefold/internal/blob/dir"
	"onefold/internal/ledger"
	"onefold/internal/ledger/bolt"
	"onefold/internal/operate/stage"
	"onefold/internal/policy/versions"
	"onefold/internal/schema"
)

// Opened is a data folder opened for one command, without workers.
type Opened = stage.Opened

// consumers are the readers of the embedded store's feed. The store keeps a
// change until each of them has passed it.
func consumers() map[schema.Table][]string {
	return map[schema.Table][]string{schema.Events: {"extract"}, schema.Outbox: {"crmsync", "send"}}
}

// Open opens a data folder that exists. ledger.ErrInUse means that a running
// process has it: see Running.
func Open(folder string) (*Opened, error) {
	d := Data{folder}
	_, err := os.Stat(d.path("ledger.db"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no data in %s: start `onefold dev` first, or name the folder with -data", folder)
	case err != nil:
		return nil, d.explain(err)
	}
	secrets, fault := d.read()
	store, err := bolt.Open(d.path("ledger.db"), bolt.Options{MustExist: true, Consumers: consumers()})
	if errors.Is(err, ledger.ErrInUse) {
		return nil, err // whoever has it may be making the secrets right now
	}
	if errors.Is(fault, fs.ErrNotExist) {
		fault = d.keyless()
	}
	if err != nil {
		return nil, cmp.Or(fault, d.explain(err))
	}
	o := &Opened{
		Store: store, Release: store.Close, Secrets: d.secrets(),
		Policies: &versions.Book{Store: store, Now: app.Clock, Keep: keepPolicy}, Settle: settle,
	}
	if fault == nil {
		fault = fill(o, d, secrets)
	}
	if fault != nil {
		return nil, errors.Join(fault, store.Close())
	}
	return o, nil
}

// fill adds what belongs to the ledger. The ledger is compared with the key
// and not given one: a command that reads leaves no trace.
func fill(o *Opened, d Data, secrets Secrets) (err error) {
	if o.IDs, err = secrets.Key(); err != nil {
		return err
	}
	known, mine, err := app.LedgerKey(context.Background(), o.Store, o.IDs)
	if err != nil {
		return err
	}
	if known && !mine {
		return ErrOtherKey
	}
	if o.Blob, err = dir.Open(d.path("raw")); err != nil {
		return d.explain(err)
	}
	return nil
}

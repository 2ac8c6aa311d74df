package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"onefold/internal/app"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/schema"
	"onefold/internal/secret"
	"onefold/internal/secret/file"
)

// ErrOtherKey means that the identifier key is not the one that the ledger was
// made with. Under another key every opt-out and every follow-up would be
// forgotten, so nothing starts. A person restores secrets.json.
var ErrOtherKey = errors.New("this data folder's key is not the one its ledger was made with: restore secrets.json")

// Secrets is the content of secrets.json.
type Secrets = file.Content

// secrets is the store of secrets.json.
func (d Data) secrets() *file.Store { return file.Open(d.path("secrets.json")) }

// Prepare makes the folder where there is none and reads its secrets. The
// error is fs.ErrNotExist when there are none yet; a first start makes them.
func (d Data) Prepare() (Secrets, error) {
	if err := d.make(); err != nil {
		return Secrets{}, err
	}
	return d.read()
}

func (d Data) read() (Secrets, error) {
	s, err := file.Read(d.path("secrets.json"))
	var refused *fs.PathError
	switch {
	case errors.As(err, &refused):
		return s, fmt.Errorf("read secrets.json: %w", d.explain(err))
	case err != nil:
		return s, fmt.Errorf("secrets.json in %s cannot be read: restore it, or start with a new -data folder", d.Dir)
	}
	return s, nil
}

// keyless is a folder that has lost its secrets.
func (d Data) keyless() error {
	return fmt.Errorf("%s has a ledger and no secrets.json: restore it, or start with a new -data folder", d.Dir)
}

// secretsOf reads the secrets that belong to an open ledger, and makes them
// for an empty one. The ledger comes first: the embedded one lets one process
// in, so nobody else makes a key meanwhile; and whatever ledger it is, the
// check value in it decides between two who did.
func (d Data) secretsOf(ctx context.Context, store ledger.Store) (Secrets, digest.Key, error) {
	s, err := d.read()
	if errors.Is(err, fs.ErrNotExist) {
		s, err = d.first(ctx, store)
	}
	if err != nil {
		return s, digest.Key{}, err
	}
	key, err := s.Key()
	if err != nil {
		return s, key, err
	}
	err = app.ClaimLedger(ctx, store, key)
	if errors.Is(err, app.ErrOtherKey) {
		err = ErrOtherKey // and says what to restore
	}
	return s, key, err
}

// first makes the secrets of a ledger in which nothing is yet.
func (d Data) first(ctx context.Context, store ledger.Store) (Secrets, error) {
	for cursor := ""; ; {
		page, err := store.Scan(ctx, ledger.Scan{Table: schema.Ledger, Segments: 1, Cursor: cursor, Limit: 1})
		if err != nil {
			return Secrets{}, fmt.Errorf("look into the ledger: %w", err)
		}
		if len(page.Items) > 0 {
			return Secrets{}, d.keyless()
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	// Of two that make a key at once the later takes the earlier's.
	if err := d.secrets().First(file.New()); err != nil && !errors.Is(err, fs.ErrExist) {
		return Secrets{}, fmt.Errorf("write secrets.json: %w", d.explain(err))
	}
	return d.read()
}

// Save writes secrets.json whole or not at all. It never replaces one
// identifier key by another.
func (d Data) Save(s Secrets) error {
	if _, err := d.read(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := d.secrets().Save(s)
	if errors.Is(err, secret.ErrRefused) {
		return ErrOtherKey
	}
	return err
}

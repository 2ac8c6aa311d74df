package local

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// ErrOtherKey means that the identifier key is not the one that the ledger was
// made with. Under another key every opt-out and every follow-up would be
// forgotten, so nothing starts. A person restores secrets.json.
var ErrOtherKey = errors.New("this data folder's key is not the one its ledger was made with: restore secrets.json")

// Secrets is the content of secrets.json.
type Secrets struct {
	IdentifierKey string            `json:"identifier_key"` // base64, 32 bytes
	Webhooks      map[string]string `json:"webhooks"`       // tenant/name → whsec_…
}

// Key is the identifier key.
func (s Secrets) Key() (digest.Key, error) {
	b, err := base64.StdEncoding.DecodeString(s.IdentifierKey)
	if err != nil {
		return digest.Key{}, errors.New("secrets.json: identifier_key is not base64")
	}
	return digest.NewKey(b)
}

// Prepare makes the folder where there is none and reads its secrets. The
// error is fs.ErrNotExist when there are none yet; a first start makes them.
func (d Data) Prepare() (Secrets, error) {
	if err := d.make(); err != nil {
		return Secrets{}, err
	}
	return d.read()
}

func (d Data) read() (Secrets, error) {
	var s Secrets
	b, err := os.ReadFile(d.path("secrets.json"))
	if err != nil {
		return s, fmt.Errorf("read secrets.json: %w", d.explain(err))
	}
	if err := json.Unmarshal(b, &s); err != nil {
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
	return s, key, claimLedger(ctx, store, key)
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
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails (crypto/rand, Go 1.24)
	s := Secrets{IdentifierKey: base64.StdEncoding.EncodeToString(key[:]), Webhooks: map[string]string{}}
	// Link, not rename: of two that make a key at once the later takes the
	// earlier's.
	if err := place(d.path("secrets.json"), s.text(), os.Link); err != nil && !errors.Is(err, fs.ErrExist) {
		return s, fmt.Errorf("write secrets.json: %w", d.explain(err))
	}
	return d.read()
}

var deploymentKey = ledger.Key{Entity: ledger.Deployment, Tenant: ledger.NoTenant, ID: "deployment"}

// keyCheck is the attribute that tells keys apart and gives none away.
const keyCheck = "identifier_key_check"

func checkValue(key digest.Key) string { return key.ID("identifier key check") }

// claimLedger writes the check value of the key into the ledger the first
// time, and refuses another key from then on.
func claimLedger(ctx context.Context, store ledger.Store, key digest.Key) error {
	mine := checkValue(key)
	var c ledger.Commit
	if err := c.Create("deployment", deploymentKey, ledger.Item{keyCheck: mine}); err != nil {
		return err
	}
	known, err := knownKey(ctx, store)
	if err == nil && known == "" {
		// Whatever came of it, the ledger says whose key it holds now.
		_ = store.Commit(ctx, c)
		known, err = knownKey(ctx, store)
	}
	switch {
	case err != nil:
		return err
	case known == "":
		return fmt.Errorf("%w: the identifier key's check value was not written", ledger.ErrUnavailable)
	case known != mine:
		return ErrOtherKey
	}
	return nil
}

// knownKey is the check value in the ledger, "" of one that has none.
func knownKey(ctx context.Context, store ledger.Store) (string, error) {
	it, err := store.Get(ctx, deploymentKey)
	if err != nil {
		return "", fmt.Errorf("read which key the ledger was made with: %w", err)
	}
	return it.Text(keyCheck), nil
}

// Save writes secrets.json whole or not at all. It never replaces one
// identifier key by another.
func (d Data) Save(s Secrets) error {
	have, err := d.read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case have.IdentifierKey != s.IdentifierKey:
		return ErrOtherKey
	}
	return writeWhole(d.path("secrets.json"), s.text())
}

func (s Secrets) text() []byte {
	b, _ := json.MarshalIndent(s, "", "  ") // texts always encode
	return append(b, '\n')
}

// Secret is the webhook secret of a name, made the first time it is asked for.
func (s *Secrets) Secret(tenantID, name string) (text string, isNew bool) {
	k := tenantID + "/" + name
	if have := s.Webhooks[k]; have != "" {
		return have, false
	}
	var b [32]byte
	_, _ = rand.Read(b[:])
	if s.Webhooks == nil {
		s.Webhooks = map[string]string{}
	}
	s.Webhooks[k] = "whsec_" + base64.StdEncoding.EncodeToString(b[:])
	return s.Webhooks[k], true
}

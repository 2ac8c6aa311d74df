package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"

	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/schema"
	"onefold/internal/secret"
)

// ErrOtherKey means that the identifier key is not the one that the ledger was
// made with. Under another key every opt-out and every follow-up would be
// forgotten, so nothing starts. A person brings the key back.
var ErrOtherKey = errors.New("the identifier key is not the one that the ledger was made with")

// MinKeyText is the least length of the secret from which a deployment derives
// its identifier key. 32 characters of letters and digits hold 190 bits.
const MinKeyText = 32

// keyInfo separates this key from any other that might be derived of the same
// secret. It never changes, nor does the derivation: both are part of the key.
const keyInfo = "onefold identifier key v1"

// DeriveKey makes the identifier key of a deployment from its secret, the text
// as it is stored: 32 bytes by HKDF-SHA256 (RFC 5869) without a salt, with
// "onefold identifier key v1" as info. A text shorter than MinKeyText is
// refused; the error does not show it.
func DeriveKey(text string) (digest.Key, error) {
	if len(text) < MinKeyText {
		return digest.Key{}, fmt.Errorf("the secret %s has %d characters: at least %d", schema.SecretIdentifierKey, len(text), MinKeyText)
	}
	b, err := hkdf.Key(sha256.New, []byte(text), nil, keyInfo, 32)
	if err != nil {
		return digest.Key{}, fmt.Errorf("derive the identifier key: %w", err)
	}
	return digest.NewKey(b)
}

// identifierKey reads the key of a deployment and compares it with the ledger.
// A previous value is never tried: the key is not rotated.
func identifierKey(ctx context.Context, secrets secret.Store, store ledger.Store) (digest.Key, error) {
	kept, err := secrets.Get(ctx, schema.SecretIdentifierKey)
	if err != nil {
		return digest.Key{}, fmt.Errorf("read the identifier key: %w", err)
	}
	key, err := DeriveKey(kept.Current)
	if err != nil {
		return digest.Key{}, err
	}
	return key, ClaimLedger(ctx, store, key)
}

var deploymentKey = ledger.Deployment.At(ledger.NoTenant, "deployment")

// keyCheck is the attribute that tells keys apart and gives none away.
const keyCheck = "identifier_key_check"

func checkValue(key digest.Key) string { return key.ID("identifier key check") }

// ClaimLedger writes the check value of the key into the ledger the first
// time, and refuses another key from then on: ErrOtherKey. Any other error
// means that the ledger could not be asked; nothing may start on it.
func ClaimLedger(ctx context.Context, store ledger.Store, key digest.Key) error {
	var c ledger.Commit
	if err := c.Create("deployment", deploymentKey, ledger.Item{keyCheck: checkValue(key)}); err != nil {
		return err
	}
	known, mine, err := LedgerKey(ctx, store, key)
	if err == nil && !known {
		// Whatever came of it, the ledger says whose key it holds now.
		_ = store.Commit(ctx, c)
		known, mine, err = LedgerKey(ctx, store, key)
	}
	switch {
	case err != nil:
		return err
	case !known:
		return fmt.Errorf("%w: the identifier key's check value was not written", ledger.ErrUnavailable)
	case !mine:
		return ErrOtherKey
	}
	return nil
}

// LedgerKey tells, and writes nothing, whether the ledger knows its key, and
// whether it is this one.
func LedgerKey(ctx context.Context, store ledger.Store, key digest.Key) (known, mine bool, err error) {
	it, err := store.Get(ctx, deploymentKey)
	if err != nil {
		return false, false, fmt.Errorf("read which key the ledger was made with: %w", err)
	}
	check := it.Text(keyCheck)
	return check != "", check == checkValue(key), nil
}

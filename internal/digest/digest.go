// Package digest makes the identifiers that are hashes: plain ones for
// content, keyed ones wherever the input names a person or must not be
// guessable.
//
// Its invariant: two different lists of parts never give the same input to
// the hash, since each part is written with its length before it.
package digest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"strings"
)

// Content is the hex SHA-256 of the bytes. It identifies content; it hides
// nothing that can be guessed.
func Content(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Parts is the hex SHA-256 of a list of texts, each with its length.
func Parts(parts ...string) string {
	h := sha256.New()
	writeParts(h, parts)
	return hex.EncodeToString(h.Sum(nil))
}

// Key makes keyed identifiers. One key serves one deployment for good: with
// another key every intent and guard would get another identifier, and what
// was sent or suppressed would be forgotten.
type Key struct{ secret []byte }

// NewKey takes a secret of at least 32 bytes.
func NewKey(secret []byte) (Key, error) {
	if len(secret) < 32 {
		return Key{}, errors.New("digest: the identifier key needs at least 32 bytes")
	}
	return Key{secret: append([]byte(nil), secret...)}, nil
}

var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// ID is an opaque identifier of 32 lower-case letters and digits (160 bits of
// HMAC-SHA256). purpose separates kinds of identifier made from equal parts.
func (k Key) ID(purpose string, parts ...string) string {
	h := hmac.New(sha256.New, k.secret)
	writeParts(h, append([]string{purpose}, parts...))
	return strings.ToLower(encoding.EncodeToString(h.Sum(nil)[:20]))
}

func writeParts(h hash.Hash, parts []string) {
	var length [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		h.Write([]byte(p))
	}
}

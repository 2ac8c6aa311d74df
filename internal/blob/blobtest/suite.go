// Package blobtest is what every blob.Store must pass: the contract of the
// port, as tests. Each test uses a tenant of its own, so that one store may
// serve all of them.
package blobtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"onefold/internal/blob"
)

// Opened is a store under test.
type Opened struct {
	Store blob.Store
	// Spoil puts other bytes where the content of a reference is kept, behind
	// the store's back. Nil skips what needs it.
	Spoil func(t *testing.T, ref blob.Ref, content []byte)
}

// Suite runs the contract. open is called once for each test, and may give one
// shared store each time.
func Suite(t *testing.T, open func(t *testing.T) Opened) {
	for _, part := range []struct {
		name string
		test func(*bench)
	}{
		{"ContentComesBackByteForByte", roundTrip},
		{"PutTwiceIsOnePut", twice},
		{"AbsentContentIsMissing", missing},
		{"EqualContentOfTwoEventsIsKeptApart", apart},
		{"InvalidReferencesAreRefused", invalid},
		{"OtherContentUnderANameIsRefused", other},
		{"CancelledContextStoresNothing", cancelled},
		{"ConcurrentPutsAgree", concurrent},
		{"SpoiltContentIsNotHandedOut", spoilt},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			var b [8]byte
			rand.Read(b[:]) // never fails (crypto/rand)
			part.test(&bench{T: t, Opened: open(t), tenant: "t-" + hex.EncodeToString(b[:])})
		})
	}
}

type bench struct {
	*testing.T
	Opened
	tenant string
}

func (b *bench) put(event string, content []byte) blob.Ref {
	b.Helper()
	ref := blob.RefOf(b.tenant, event, content)
	if err := b.Store.Put(b.Context(), ref, content); err != nil {
		b.Fatalf("put: %v", err)
	}
	return ref
}

func (b *bench) holds(ref blob.Ref, want []byte) {
	b.Helper()
	got, err := b.Store.Get(b.Context(), ref)
	if err != nil || !bytes.Equal(got, want) {
		b.Errorf("get: %d bytes, %v; want %d bytes", len(got), err, len(want))
	}
}

func (b *bench) absent(ref blob.Ref) {
	b.Helper()
	if _, err := b.Store.Get(b.Context(), ref); !errors.Is(err, blob.ErrMissing) {
		b.Errorf("get: %v, want ErrMissing", err)
	}
}

func roundTrip(b *bench) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for name, content := range map[string][]byte{
		"empty":      {},
		"one zero":   {0},
		"every byte": every,
		"bare LF":    []byte("Subject: x\n\nbody\n"),
		"CRLF":       []byte("Subject: x\r\n\r\nbody\r\n"),
		"large":      bytes.Repeat(every, 3<<20/256),
	} {
		b.holds(b.put(name, content), content)
	}
}

func twice(b *bench) {
	content := []byte("once")
	ref := b.put("e", content)
	if again := b.put("e", content); again != ref {
		b.Errorf("another name: %s", again)
	}
	b.holds(ref, content)
	got, err := b.Store.Get(b.Context(), ref)
	if err != nil {
		b.Fatal(err)
	}
	got[0] = 'X' // the answer is the caller's own
	b.holds(ref, content)
}

func missing(b *bench) {
	b.absent(blob.RefOf(b.tenant, "e", []byte("never put")))
	b.put("e", []byte("put"))
	b.absent(blob.RefOf(b.tenant, "e", []byte("never put")))
}

func apart(b *bench) {
	content := []byte("the same")
	first := b.put("a", content)
	second := blob.RefOf(b.tenant, "b", content)
	b.absent(second)
	b.put("b", content)
	b.holds(first, content)
	b.holds(second, content)
}

func invalid(b *bench) {
	content := []byte("x")
	good := string(blob.RefOf("acme", "e", content))
	_, rest, _ := strings.Cut(good, "/")
	event, hash, _ := strings.Cut(rest, "/")
	for _, ref := range []string{
		"", "/", "acme", "acme/", "//", good + "/", "/" + good, good + "/..", "../" + good, "./" + good, good + " ", good + "\x00",
		"../" + rest, "/" + rest, "/etc/" + rest, "./" + rest, ".hidden/" + rest, "a\\b/" + rest, "a b/" + rest, "c:/" + rest, "é/" + rest, "%2e%2e/" + rest,
		strings.Repeat("a", 65) + "/" + rest, "acme/../" + hash, "acme/" + event + "/..", "acme/" + event + "/../" + hash,
		"acme/" + event[:39] + "/" + hash, "acme/" + event + "/" + hash[:63], "acme/" + event + "/" + strings.ToUpper(hash),
		"acme/" + event[:39] + "g/" + hash, "acme\\" + event + "\\" + hash, "acme//" + event + "/" + hash,
	} {
		if err := b.Store.Put(b.Context(), blob.Ref(ref), content); !errors.Is(err, blob.ErrInvalid) {
			b.Errorf("put %q: %v, want ErrInvalid", ref, err)
		}
		if _, err := b.Store.Get(b.Context(), blob.Ref(ref)); !errors.Is(err, blob.ErrInvalid) {
			b.Errorf("get %q: %v, want ErrInvalid", ref, err)
		}
	}
}

func other(b *bench) {
	content := []byte("right")
	ref := blob.RefOf(b.tenant, "e", content)
	if err := b.Store.Put(b.Context(), ref, []byte("wrong")); !errors.Is(err, blob.ErrInvalid) {
		b.Errorf("put: %v, want ErrInvalid", err)
	}
	b.absent(ref)
	b.put("e", content)
	if err := b.Store.Put(b.Context(), ref, []byte("wrong")); !errors.Is(err, blob.ErrInvalid) {
		b.Errorf("put over it: %v, want ErrInvalid", err)
	}
	b.holds(ref, content)
}

func cancelled(b *bench) {
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	content := []byte("late")
	ref := blob.RefOf(b.tenant, "e", content)
	if err := b.Store.Put(ctx, ref, content); err == nil {
		b.Error("put: no error")
	}
	b.absent(ref)
	b.put("e", content)
	if _, err := b.Store.Get(ctx, ref); err == nil || errors.Is(err, blob.ErrMissing) {
		b.Errorf("get: %v, want an error that is not ErrMissing", err)
	}
}

func concurrent(b *bench) {
	content := bytes.Repeat([]byte("same "), 10_000)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			own := fmt.Appendf(nil, "own %d", i)
			for event, c := range map[string][]byte{"shared": content, "own": own} {
				ref := blob.RefOf(b.tenant, event, c)
				if err := b.Store.Put(b.Context(), ref, c); err != nil {
					b.Errorf("put: %v", err)
				}
				b.holds(ref, c)
			}
		})
	}
	wg.Wait()
}

func spoilt(b *bench) {
	if b.Spoil == nil {
		b.Skip("the store's content cannot be spoilt from here")
	}
	content := []byte("as it came")
	for _, bad := range [][]byte{{}, []byte("as it camf"), []byte("as it"), []byte("as it came ")} {
		ref := b.put("e", content)
		b.Spoil(b.T, ref, bad)
		if got, err := b.Store.Get(b.Context(), ref); !errors.Is(err, blob.ErrDamaged) || errors.Is(err, blob.ErrMissing) || got != nil {
			b.Errorf("spoilt to %q: got %q, %v; want ErrDamaged", bad, got, err)
		}
		b.put("e", content) // the right content under its name mends it
		b.holds(ref, content)
	}
}

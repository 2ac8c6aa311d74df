package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/ledger/bolt"
	"onefold/internal/ledger/ledgertest"
	"onefold/internal/schema"
)

func TestMain(m *testing.M) {
	// The tests of crashes start this binary again as the process that crashes.
	if child, ok := children[os.Getenv("BOLT_TEST_CHILD")]; ok {
		child(os.Getenv("BOLT_TEST_FILE"))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestConformance(t *testing.T) {
	t.Parallel()
	ledgertest.Suite(t, func(t *testing.T) ledgertest.Opened {
		return opened(t, filepath.Join(t.TempDir(), "ledger"))
	})
}

func TestConformanceOfASharedStore(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "ledger"), bolt.Options{})
	ledgertest.Suite(t, func(*testing.T) ledgertest.Opened {
		return ledgertest.Opened{Store: s, Feed: s, Concurrency: 16}
	})
}

func opened(t *testing.T, path string) ledgertest.Opened {
	s := open(t, path, bolt.Options{})
	return ledgertest.Opened{Store: s, Feed: s, Reopen: func(t *testing.T) ledgertest.Opened {
		closed(t, s)
		return opened(t, path)
	}}
}

// open opens a store that the test closes at its end, if it has not done so.
func open(t *testing.T, path string, opt bolt.Options) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, s) })
	return s
}

func closed(t *testing.T, s *bolt.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func event(id string) ledger.Key {
	return ledger.Key{Entity: ledger.Event, Tenant: "t", ID: id}
}

func create(keys ...ledger.Key) ledger.Commit {
	var c ledger.Commit
	for _, k := range keys {
		c.Writes = append(c.Writes, ledger.Write{Name: "create", Op: ledger.OpCreate, Key: k,
			Item: ledger.Item{"mark": k.ID, schema.DueShard: "p", schema.DueAt: k.ID}})
	}
	return c
}

func must(t *testing.T, s *bolt.Store, c ledger.Commit) {
	t.Helper()
	if err := s.Commit(t.Context(), c); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

// TestCloseWaitsForCommits closes under load: what was answered with nil is in
// the file, and what came too late was told so.
func TestCloseWaitsForCommits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	s := open(t, path, bolt.Options{})
	var mu sync.Mutex
	var accepted []ledger.Key
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for n := 0; ; n++ {
				k := event(fmt.Sprint(g, "-", n))
				err := s.Commit(context.Background(), create(k))
				if errors.Is(err, ledger.ErrUnavailable) && ledger.NotWritten(err) {
					return
				}
				if err != nil {
					t.Errorf("commit: %v", err)
					return
				}
				mu.Lock()
				accepted = append(accepted, k)
				mu.Unlock()
			}
		})
	}
	if _, err := s.Next(t.Context(), schema.Events, "c", 1); err != nil { // until one is in
		t.Fatal(err)
	}
	closed(t, s)
	wg.Wait()
	if _, err := s.Get(t.Context(), accepted[0]); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("get after close: %v", err)
	}
	s = open(t, path, bolt.Options{MustExist: true})
	for _, k := range accepted {
		if it, err := s.Get(t.Context(), k); err != nil || it == nil {
			t.Errorf("%s was accepted: got %v, %v", k.ID, it, err)
		}
	}
}

func TestNextEndsWithTheStore(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "ledger"), bolt.Options{})
	got := make(chan error)
	go func() {
		_, err := s.Next(context.Background(), schema.Events, "c", 1)
		got <- err
	}()
	closed(t, s)
	if err := <-got; !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}

func TestACopyIsAWholeLedger(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "ledger"), bolt.Options{})
	must(t, s, create(event("1"), event("2")))
	var b bytes.Buffer
	if err := s.CopyTo(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	must(t, s, create(event("3")))
	if err := os.WriteFile(filepath.Join(dir, "copy"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, filepath.Join(dir, "copy"), bolt.Options{MustExist: true})
	for id, there := range map[string]bool{"1": true, "2": true, "3": false} {
		if it, err := c.Get(t.Context(), event(id)); err != nil || (it != nil) != there {
			t.Errorf("%s in the copy: %v, %v", id, it, err)
		}
	}
}

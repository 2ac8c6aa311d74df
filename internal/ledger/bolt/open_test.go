package bolt_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/ledger/bolt"
	"onefold/internal/schema"

	"go.etcd.io/bbolt"
)

// made is the content of a closed ledger of 500 events.
func made(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger")
	s := open(t, path, bolt.Options{})
	for i := range 10 {
		var keys []ledger.Key
		for j := range 50 {
			keys = append(keys, event(fmt.Sprintf("%02d-%02d", i, j)))
		}
		must(t, s, create(keys...))
	}
	closed(t, s)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSecondOpenerIsToldThatItIsInUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	s := open(t, path, bolt.Options{})
	if _, err := bolt.Open(path, bolt.Options{}); !errors.Is(err, ledger.ErrInUse) {
		t.Errorf("got %v, want ErrInUse", err)
	}
	must(t, s, create(event("1"))) // the first goes on
	closed(t, s)
	open(t, path, bolt.Options{})
}

func TestDamagedFileIsNotTakenForANewOne(t *testing.T) {
	t.Parallel()
	whole := made(t)
	page := os.Getpagesize()
	change := func(fn func(b []byte) []byte) []byte { return fn(bytes.Clone(whole)) }
	random := rand.New(rand.NewPCG(1, 2))
	noise := func(b []byte) []byte {
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	for name, content := range map[string][]byte{
		"empty":                    {},
		"one byte":                 {0},
		"first page only":          whole[:page],
		"meta pages only":          whole[:2*page],
		"half":                     whole[:len(whole)/2/page*page],
		"odd length":               whole[:len(whole)/2+17],
		"zeros":                    make([]byte, len(whole)),
		"garbage":                  noise(make([]byte, len(whole))),
		"another kind of file":     bytes.Repeat([]byte("From: a@example.com\r\n"), 4000),
		"both meta pages garbage":  change(func(b []byte) []byte { noise(b[:2*page]); return b }),
		"both meta pages one bit":  change(func(b []byte) []byte { b[16+40] ^= 1; b[page+16+40] ^= 1; return b }),
		"all but the meta garbage": change(func(b []byte) []byte { noise(b[2*page:]); return b }),
		"all but the meta zeros":   change(func(b []byte) []byte { clear(b[2*page:]); return b }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "ledger")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the first attempt leaves neither a lock nor a change
				if _, err := bolt.Open(path, bolt.Options{}); !errors.Is(err, ledger.ErrDamaged) {
					t.Fatalf("got %v, want ErrDamaged", err)
				}
			}
			if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, content) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

// TestDamagedPageNeverCrashesTheProcess spoils one page at a time. Whether that
// shows depends on what the page held; but a store that opens must hold only
// items that are right, and nothing may panic or fault.
func TestDamagedPageNeverCrashesTheProcess(t *testing.T) {
	t.Parallel()
	whole := made(t)
	page := os.Getpagesize()
	random := rand.New(rand.NewPCG(3, 4))
	damaged := 0
	for at := 0; at < len(whole); at += page {
		b := bytes.Clone(whole)
		for i := at; i < at+page; i++ {
			b[i] = byte(random.Uint32())
		}
		path := filepath.Join(t.TempDir(), "ledger")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := bolt.Open(path, bolt.Options{})
		if errors.Is(err, ledger.ErrDamaged) {
			damaged++
			continue
		}
		if err != nil {
			t.Fatalf("page %d: %v", at/page, err)
		}
		for i := range 500 {
			k := event(fmt.Sprintf("%02d-%02d", i/50, i%50))
			it, err := s.Get(t.Context(), k)
			if err != nil || it != nil && it.Text("mark") != k.ID {
				t.Fatalf("page %d: %s is %v, %v", at/page, k.ID, it, err)
			}
			// Without the newer meta page the last commit, and only that, is lost.
			if it == nil && (at > page || i < 450) {
				t.Fatalf("page %d: %s is lost and nobody was told", at/page, k.ID)
			}
		}
		closed(t, s)
	}
	if damaged < 10 {
		t.Errorf("damage showed on %d pages only", damaged)
	}
}

func TestOtherFormatIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*bbolt.Tx) error{
		"newer format": func(tx *bbolt.Tx) error {
			_, err := tx.CreateBucket([]byte("done"))
			meta, err2 := tx.CreateBucket([]byte("meta"))
			return errors.Join(err, err2, meta.Put([]byte("format"), []byte("2")))
		},
		"another program's": func(tx *bbolt.Tx) error {
			_, err := tx.CreateBucket([]byte("widgets"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "ledger")
			db, err := bbolt.Open(path, 0o600, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(db.Update(prepare), db.Close()); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			if _, err := bolt.Open(path, bolt.Options{}); !errors.Is(err, bolt.ErrFormat) {
				t.Errorf("got %v, want ErrFormat", err)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestMissingFileIsMadeOnlyIfAllowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger")
	if _, err := bolt.Open(path, bolt.Options{MustExist: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	if _, err := bolt.Open(filepath.Join(dir, "none", "ledger"), bolt.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in no folder: got %v, want fs.ErrNotExist", err)
	}
	// A crash while it was made leaves a file of another name.
	if err := os.WriteFile(path+".new-123", []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, path, bolt.Options{})
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left in the folder: %v, %v", entries, err)
	}
}

func TestOneOfManyWhoMakeTheFileHasIt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	var wg sync.WaitGroup
	var mu sync.Mutex
	var winner *bolt.Store
	for range 6 {
		wg.Go(func() {
			s, err := bolt.Open(path, bolt.Options{})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && winner == nil:
				winner = s
			case !errors.Is(err, ledger.ErrInUse):
				t.Errorf("got %v, want ErrInUse", err)
			}
		})
	}
	wg.Wait()
	must(t, winner, create(event("1")))
	closed(t, winner)
	s := open(t, path, bolt.Options{})
	if it, err := s.Get(t.Context(), event("1")); err != nil || it == nil {
		t.Errorf("got %v, %v", it, err)
	}
}

// TestNewIndexIsFilledFromTheItems opens a file that lacks an index, as one
// made before the schema had it.
func TestNewIndexIsFilledFromTheItems(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	s := open(t, path, bolt.Options{})
	must(t, s, create(event("1"), event("2")))
	closed(t, s)
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("index/events/by_due")) })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	s = open(t, path, bolt.Options{})
	p, err := s.Query(t.Context(), ledger.Query{Table: schema.Events, Index: schema.ByDue, Partition: "p", Limit: 10})
	if err != nil || len(p.Items) != 2 {
		t.Errorf("got %v, %v", p, err)
	}
}

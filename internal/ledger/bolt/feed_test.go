package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/ledger/bolt"
	"onefold/internal/schema"
)

// read hands out n changes to a consumer.
func read(t *testing.T, s *bolt.Store, consumer string, n int) []ledger.Change {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var all []ledger.Change
	for len(all) < n {
		batch, err := s.Next(ctx, schema.Events, consumer, n-len(all))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, batch...)
	}
	return all
}

func TestFeedIsTrimmedBehindTheSlowestConsumer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	opt := bolt.Options{Consumers: map[schema.Table][]string{schema.Events: {"quick", "slow"}}}
	s := open(t, path, opt)
	for i := range 10 {
		must(t, s, create(event(fmt.Sprint(i))))
	}
	for _, c := range read(t, s, "quick", 10) {
		if err := s.Done(t.Context(), schema.Events, "quick", c); err != nil {
			t.Fatal(err)
		}
	}
	// The slow one has never run: nothing may be gone.
	closed(t, s)
	s = open(t, path, opt)
	got := read(t, s, "slow", 10)
	if got[0].Key.ID != "0" || got[9].Key.ID != "9" {
		t.Fatalf("got %s to %s", got[0].Key.ID, got[9].Key.ID)
	}
	if err := s.Done(t.Context(), schema.Events, "slow", got[6]); err != nil {
		t.Fatal(err)
	}
	must(t, s, create(event("10"))) // the checkpoint goes with it
	closed(t, s)

	// With everybody let in, a newcomer sees what is kept.
	s = open(t, path, bolt.Options{})
	if got := read(t, s, "newcomer", 1); got[0].Key.ID != "7" {
		t.Errorf("oldest kept: got %s, want 7", got[0].Key.ID)
	}
	if got := read(t, s, "slow", 4); got[0].Key.ID != "7" || got[3].Key.ID != "10" {
		t.Errorf("slow goes on at %s to %s, want 7 to 10", got[0].Key.ID, got[3].Key.ID)
	}
	if got := read(t, s, "quick", 1); got[0].Key.ID != "10" {
		t.Errorf("quick goes on at %s, want 10", got[0].Key.ID)
	}
}

func TestPositionsGoOnAfterEverythingWasTrimmed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	opt := bolt.Options{Consumers: map[schema.Table][]string{schema.Events: {"only"}}}
	s := open(t, path, opt)
	must(t, s, create(event("1")))
	first := read(t, s, "only", 1)[0]
	if err := s.Done(t.Context(), schema.Events, "only", first); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	s = open(t, path, opt)
	must(t, s, create(event("2")))
	second := read(t, s, "only", 1)[0]
	if second.Key.ID != "2" || second.Position <= first.Position {
		t.Errorf("got %s at %s after %s", second.Key.ID, second.Position, first.Position)
	}
}

func TestConsumerThatIsNotNamedIsRefused(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "ledger"), bolt.Options{Consumers: map[schema.Table][]string{schema.Events: {"named"}}})
	if _, err := s.Next(t.Context(), schema.Events, "other", 1); !errors.Is(err, ledger.ErrInvalid) {
		t.Errorf("next: %v", err)
	}
	if err := s.Done(t.Context(), schema.Events, "other", ledger.Change{Position: "1"}); !errors.Is(err, ledger.ErrInvalid) {
		t.Errorf("done: %v", err)
	}
}

func TestDoneWithWhatWasNotHandedOutIsRefused(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "ledger"), bolt.Options{})
	must(t, s, create(event("1"), event("2")))
	c := read(t, s, "c", 1)[0]
	c.Position = "2"
	if err := s.Done(t.Context(), schema.Events, "c", c); !errors.Is(err, ledger.ErrInvalid) {
		t.Errorf("got %v, want ErrInvalid", err)
	}
	if next := read(t, s, "c", 1)[0]; next.Position != fmt.Sprintf("%020d", 2) {
		t.Errorf("next is at %s", next.Position)
	}
}

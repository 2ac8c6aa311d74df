package ledger_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/record/audit"
	"onefold/internal/record/claim"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

// noun is a machine with the key of one row of it.
type noun struct {
	machine *machine.Table
	key     ledger.Key
}

func nouns() []noun {
	key := func(e ledger.Entity, sub string) ledger.Key {
		return ledger.Key{Entity: e, Tenant: "demo", ID: "n", Sub: sub}
	}
	return []noun{
		{inbound.Machine(), key(ledger.Event, "")},
		{review.Machine(), key(ledger.ReviewTask, "")},
		{followup.IntentMachine(), key(ledger.Intent, "")},
		{followup.AttemptMachine(), key(ledger.Attempt, "00001")},
		{outbox.Machine(), key(ledger.Operation, "")},
	}
}

// TestARowMovesIffItsTableHasTheMove: for every state and every event, and for
// every state that the row may really be in. The condition is the store's, not
// the check before it.
func TestARowMovesIffItsTableHasTheMove(t *testing.T) {
	t.Parallel()
	for _, n := range nouns() {
		for _, read := range n.machine.Names() {
			for _, event := range n.machine.Events() {
				if !n.machine.Can(read, event) {
					refusedByTheTable(t, n, read, event)
					continue
				}
				for _, is := range n.machine.Names() {
					movesFrom(t, n, read, event, is)
				}
			}
		}
	}
}

func refusedByTheTable(t *testing.T, n noun, read, event string) {
	t.Helper()
	var c ledger.Commit
	_, err := c.Move(step(n, read, 3, event))
	var no *machine.NoMoveError
	if !errors.As(err, &no) || len(c.Writes) != 0 {
		t.Errorf("%s: %s by %s: %v with %d writes, want a NoMoveError and none", n.machine.Noun, read, event, err, len(c.Writes))
	}
}

// movesFrom puts a row into the state is, and moves it as one that was read in
// the state read. The transition count is the same, so that the state alone
// decides.
func movesFrom(t *testing.T, n noun, read, event, is string) {
	t.Helper()
	store := put(t, n, is, 3)
	var c ledger.Commit
	to, err := c.Move(step(n, read, 3, event))
	if err != nil {
		t.Fatal(err)
	}
	err = store.Commit(t.Context(), c)
	row, record := rows(t, store, n, 4)
	if is != read {
		r, refused := ledger.AsRefused(err)
		if !refused || row.Text("state") != is || row.Int("transition") != 3 || record != nil {
			t.Errorf("%s read in %s but in %s: %s gave %v and left %q", n.machine.Noun, read, is, event, err, row.Text("state"))
			return
		}
		if f, ok := r.By(string(n.key.Entity)); !ok || f.Current.Text("state") != is {
			t.Errorf("%s: the refusal does not show the row as it is", n.machine.Noun)
		}
		return
	}
	want, _ := n.machine.Next(read, event)
	if err != nil || to != want || row.Text("state") != want || row.Int("transition") != 4 {
		t.Errorf("%s: %s by %s: %v, is in %q, want %q", n.machine.Noun, read, event, err, row.Text("state"), want)
	}
	if record.Text("event") != event || record.Text("from") != read || record.Text("to") != want || record.Int("transition") != 4 {
		t.Errorf("%s: %s by %s left the record %v", n.machine.Noun, read, event, record)
	}
}

// TestARowThatMovedAndCameBackIsNotTheRowThatWasRead: the state is the same,
// the transition count is not.
func TestARowThatMovedAndCameBackIsNotTheRowThatWasRead(t *testing.T) {
	t.Parallel()
	for _, n := range nouns() {
		m := n.machine.Moves[0]
		store := put(t, n, m.From[0], 5)
		var c ledger.Commit
		if _, err := c.Move(step(n, m.From[0], 3, m.Event)); err != nil {
			t.Fatal(err)
		}
		if _, refused := ledger.AsRefused(store.Commit(t.Context(), c)); !refused {
			t.Errorf("%s: moved on a count that was read two transitions ago", n.machine.Noun)
		}
	}
}

// TestANudgeDoesNotRefuseAMove: only transitions raise the count.
func TestANudgeDoesNotRefuseAMove(t *testing.T) {
	t.Parallel()
	for _, n := range nouns() {
		m := n.machine.Moves[0]
		store := put(t, n, m.From[0], 3)
		var nudge, c ledger.Commit
		if err := nudge.Update("row", n.key, ledger.Cond{}, ledger.Item{"nudges": 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Move(step(n, m.From[0], 3, m.Event)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(store.Commit(t.Context(), nudge), store.Commit(t.Context(), c)); err != nil {
			t.Errorf("%s: %v", n.machine.Noun, err)
		}
	}
}

// TestARowThatIsNotThereDoesNotMove: a move is never a creation.
func TestARowThatIsNotThereDoesNotMove(t *testing.T) {
	t.Parallel()
	for _, n := range nouns() {
		m := n.machine.Moves[0]
		var c ledger.Commit
		if _, err := c.Move(step(n, m.From[0], 0, m.Event)); err != nil {
			t.Fatal(err)
		}
		store := mem.New()
		if _, refused := ledger.AsRefused(store.Commit(t.Context(), c)); !refused {
			t.Errorf("%s: a row that is not there moved", n.machine.Noun)
		}
	}
}

// TestARowIsBornInAStartState and in no other.
func TestARowIsBornInAStartState(t *testing.T) {
	t.Parallel()
	for _, n := range append(nouns(), noun{claim.Machine(), ledger.Key{Entity: ledger.Operation, Tenant: "demo", ID: "n"}}) {
		for _, state := range n.machine.Names() {
			var c ledger.Commit
			err := c.Insert(step(n, "", 0, "create"), ledger.Item{"state": state, "transition": 1}, state)
			if start := slices.Contains(n.machine.Start, state); start != (err == nil) || !start && !errors.Is(err, ledger.ErrInvalid) {
				t.Errorf("%s born in %q: %v", n.machine.Noun, state, err)
			}
		}
	}
}

// Who moved a row, and when, can be said at the move alone.
func TestNoRowIsMadeOrMovedWithoutTimeAndActor(t *testing.T) {
	t.Parallel()
	n := nouns()[0]
	for name, spoil := range map[string]func(*audit.Record){
		"no time":  func(r *audit.Record) { r.At = utc.Time{} },
		"no actor": func(r *audit.Record) { r.By = "" },
		"neither":  func(r *audit.Record) { *r = audit.Record{} },
	} {
		var c ledger.Commit
		s := step(n, inbound.Recorded, 1, "park")
		spoil(&s.Audit)
		if _, err := c.Move(s); !errors.Is(err, ledger.ErrInvalid) {
			t.Errorf("moved with %s: %v", name, err)
		}
		if err := c.Insert(s, ledger.Item{"state": inbound.Recorded, "transition": 1}, inbound.Recorded); !errors.Is(err, ledger.ErrInvalid) {
			t.Errorf("made with %s: %v", name, err)
		}
	}
}

func step(n noun, from string, transition int64, event string) ledger.Step {
	return ledger.Step{
		Key: n.key, Machine: n.machine, From: from, Transition: transition, Event: event,
		Audit: audit.Record{At: utc.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), By: "test"},
	}
}

func put(t *testing.T, n noun, state string, transition int64) *mem.Store {
	t.Helper()
	store := mem.New()
	var c ledger.Commit
	if err := c.Create("row", n.key, ledger.Item{"state": state, "transition": transition}); err != nil {
		t.Fatal(err)
	}
	if err := store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return store
}

func rows(t *testing.T, store *mem.Store, n noun, transition int64) (row, record ledger.Item) {
	t.Helper()
	items, err := store.GetMany(t.Context(), []ledger.Key{n.key, ledger.AuditKey(n.key, transition)})
	if err != nil {
		t.Fatal(err)
	}
	return items[0], items[1]
}

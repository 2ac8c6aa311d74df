package machine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"onefold/internal/record/claim"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
)

// noun is a machine with what it should be, written by hand from section 4 of
// the design: a line for each event, a column for each state, "." where the
// state must not know the event, "x" after a state that is terminal. The state
// without a word, of a record that nobody has claimed, is "-".
type noun struct {
	table *machine.Table
	want  string
}

func nouns() map[string]noun {
	return map[string]noun{
		"event": {inbound.Machine(), `
			event        recorded   in_review  decided:x  parked
			decide       decided    decided    .          .
			refer        in_review  .          .          .
			park         parked     .          .          .
			replay       .          .          .          recorded`},
		"review task": {review.Machine(), `
			event    open      approved:x  rejected:x  closed:x
			approve  approved  .           .           .
			reject   rejected  .           .           .
			close    closed    .           .           .
			refresh  open      .           .           .`},
		"operation": {outbox.Machine(), `
			event      open        waiting     done:x  superseded:x  refused  parked
			finish     done        done        .       .             .        .
			wait       waiting     .           .       .             .        .
			wake       .           open        .       .             .        .
			supersede  superseded  superseded  .       .             .        .
			refuse     refused     .           .       .             .        .
			park       parked      parked      .       .             .        .
			reopen     .           .           .       .             open     open`},
		"attempt": {followup.AttemptMachine(), `
			event      begun      accepted:x  rejected:x  throttled:x  not_begun:x  unknown
			accept     accepted   .           .           .            .            accepted
			evidence   accepted   .           .           .            .            accepted
			reject     rejected   .           .           .            .            rejected
			throttle   throttled  .           .           .            .            throttled
			not_begun  not_begun  .           .           .            .            not_begun
			lose       unknown    .           .           .            .            .`},
		"intent": {followup.IntentMachine(), `
			event     observed:x  proposed    ready       sending   unknown    in_review  accepted:x  rejected:x  suppressed:x  cancelled:x
			approve   .           ready       .           .         .          ready      .           .           .             .
			refuse    .           cancelled   .           .         .          cancelled  .           .           .             .
			claim     .           .           sending     .         .          .          .           .           .             .
			accept    .           .           .           accepted  .          .          .           .           .             .
			reject    .           .           .           rejected  .          .          .           .           .             .
			back      .           .           .           ready     .          .          .           .           .             .
			lose      .           .           .           unknown   .          .          .           .           .             .
			evidence  .           .           accepted    accepted  accepted   accepted   .           .           .             .
			suppress  .           suppressed  suppressed  .         .          suppressed .           .           .             .
			cancel    .           cancelled   cancelled   .         .          .          .           .           .             .
			refer     .           .           in_review   .         in_review  .          .           .           .             .
			resend    .           .           .           .         ready      ready      .           .           .             .
			settle    .           .           .           .         .          accepted   .           .           .             .`},
		"idempotency record": {claim.Machine(), `
			event      -            in_progress  completed:x  failed       unknown
			take       in_progress  .            .            .            .
			take_over  .            in_progress  .            in_progress  in_progress
			complete   .            completed    .            .            .
			release    .            failed       .            .            .
			lose       .            unknown      .            .            .
			close      completed    completed    .            completed    completed
			set_aside  unknown      unknown      .            unknown      .`},
		"crm connection": {outbox.ConnectionMachine(), `
			event    up    down
			fail     down  .
			recover  .     up`},
		"identity migration": {contact.MigrationMachine(), `
			event     started  adding   ready    active:x  aborted
			begin     adding   .        adding   .         .
			finish    .        ready    .        .         .
			activate  .        .        active   .         .
			abort     aborted  aborted  aborted  .         .
			restart   .        .        .        .         started`},
	}
}

func TestNoTableHasProblems(t *testing.T) {
	t.Parallel()
	for name, n := range nouns() {
		for _, p := range n.table.Problems() {
			t.Errorf("%s: %s", name, p)
		}
		for _, s := range n.table.States {
			if s.Means == "" || !s.Terminal && s.Mover == "" {
				t.Errorf("%s: state %s does not say what it means and who moves it", name, s.Name)
			}
		}
	}
}

func TestEveryStateKnowsExactlyItsEvents(t *testing.T) {
	t.Parallel()
	for name, n := range nouns() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := strings.Split(strings.TrimSpace(n.want), "\n")
			head := strings.Fields(lines[0])[1:]
			states := make([]string, len(head))
			for i, h := range head {
				word, terminal := strings.CutSuffix(h, ":x")
				if word == "-" {
					word = ""
				}
				states[i] = word
				if n.table.Terminal(word) != terminal {
					t.Errorf("terminal %s: %t", word, !terminal)
				}
			}
			if !slices.Equal(sorted(states), sorted(n.table.Names())) {
				t.Fatalf("states %v, want %v", n.table.Names(), states)
			}
			var events []string
			for _, line := range lines[1:] {
				f := strings.Fields(line)
				events = append(events, f[0])
				for i, want := range f[1:] {
					checkMove(t, n.table, states[i], f[0], strings.TrimPrefix(want, "."))
				}
			}
			if !slices.Equal(sorted(events), sorted(n.table.Events())) {
				t.Errorf("events %v, want %v", n.table.Events(), events)
			}
		})
	}
}

func checkMove(t *testing.T, m *machine.Table, from, event, want string) {
	t.Helper()
	got, err := m.Next(from, event)
	var no *machine.NoMoveError
	switch {
	case got != want:
		t.Errorf("%s by %s leads to %q, want %q", from, event, got, want)
	case want == "" && (!errors.As(err, &no) || no.From != from || no.Event != event):
		t.Errorf("%s by %s: %v, want a NoMoveError that names them", from, event, err)
	case want != "" && err != nil:
		t.Errorf("%s by %s: %v", from, event, err)
	case m.Can(from, event) != (want != ""):
		t.Errorf("Can(%s, %s) contradicts Next", from, event)
	}
}

func TestUnknownWordsMoveNothing(t *testing.T) {
	t.Parallel()
	for name, n := range nouns() {
		for _, s := range n.table.Names() {
			if n.table.Can(s, "no_such_event") {
				t.Errorf("%s: %s knows an event that there is not", name, s)
			}
		}
		for _, e := range n.table.Events() {
			noWord := n.table.Can("", e) && !slices.Contains(n.table.Names(), "")
			if n.table.Can("no_such_state", e) || noWord {
				t.Errorf("%s: %s moves a state that there is not", name, e)
			}
		}
		// Newer code may know the word: work must not stop for it as for an end.
		if n.table.Terminal("no_such_state") {
			t.Errorf("%s: an unknown state counts as terminal", name)
		}
	}
}

// TestACallerCannotChangeTheTable: what is given out is a copy.
func TestACallerCannotChangeTheTable(t *testing.T) {
	t.Parallel()
	inbound.Machine().Moves = nil
	if !inbound.Machine().Can(inbound.Recorded, "decide") {
		t.Error("the table was changed by a caller")
	}
}

func TestProblemsFindsEachFault(t *testing.T) {
	t.Parallel()
	state := func(name string, terminal bool) machine.State { return machine.State{Name: name, Terminal: terminal} }
	a, b := state("a", false), state("b", true)
	good := []machine.Move{{Event: "go", From: []string{"a"}, To: "b"}}
	for want, table := range map[string]machine.Table{
		"start state c is not in the list": {Start: []string{"a", "c"}, States: []machine.State{a, b}, Moves: good},
		"go leads to c, which is not in the list": {Start: []string{"a", "b"}, States: []machine.State{a, b},
			Moves: []machine.Move{{Event: "go", From: []string{"a"}, To: "c"}}},
		"go comes from c, which is not in the list": {Start: []string{"a"}, States: []machine.State{a, b},
			Moves: []machine.Move{{Event: "go", From: []string{"a", "c"}, To: "b"}}},
		"two moves from a by go": {Start: []string{"a"}, States: []machine.State{a, b}, Moves: append(good[:1:1], good...)},
		"nothing leads to a":     {Start: []string{"b"}, States: []machine.State{a, b}, Moves: good},
		"b is terminal and is left": {Start: []string{"a"}, States: []machine.State{a, b},
			Moves: append(good[:1:1], machine.Move{Event: "back", From: []string{"b"}, To: "a"})},
		"b cannot be left": {Start: []string{"a"}, States: []machine.State{a, state("b", false)}, Moves: good},
	} {
		if got := table.Problems(); !slices.Contains(got, want) {
			t.Errorf("got %v, want %q", got, want)
		}
	}
	if got := (machine.Table{Start: []string{"a"}, States: []machine.State{a, b}, Moves: good}).Problems(); got != nil {
		t.Errorf("a sound table: %v", got)
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

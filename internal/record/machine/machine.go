// Package machine holds state machines as data. Each noun's package states
// its own table; the table drives the check in Go, the condition of the write,
// the generated page docs/state-machines.md and the exhaustive test.
//
// Its invariant: for one state and one event there is at most one next state.
package machine

import (
	"fmt"
	"slices"
	"time"
)

// The attributes of a row that has a machine.
const (
	StateAttr      = "state"
	TransitionAttr = "transition" // how many transitions there were
	ReasonAttr     = "reason"     // why the row is in its state; not every noun has it
)

// State is one word that is stored, with what a reader must know of it.
type State struct {
	Name     string
	Means    string
	Not      string        // what it does not mean, where that is easily mistaken
	Mover    string        // who moves it on
	Crash    string        // what crash leaves a row here
	Dwell    time.Duration // the longest it should stay; 0 when a person decides
	Terminal bool
}

// Move is one kind of transition.
type Move struct {
	Event string
	From  []string
	To    string
	By    string
}

// Table is a whole machine.
type Table struct {
	Noun   string
	Start  []string // states that a row may be born in
	States []State
	Moves  []Move
}

// NoMoveError says that a state does not know an event. The caller has read
// something stale, or a message came late: it reads again and decides again.
type NoMoveError struct {
	Noun, From, Event string
}

// Error names the noun, its state and the event.
func (e *NoMoveError) Error() string {
	return fmt.Sprintf("%s: no move from %q by %q", e.Noun, e.From, e.Event)
}

// Next is the state after an event, or a *NoMoveError.
func (t Table) Next(from, event string) (string, error) {
	for _, m := range t.Moves {
		if m.Event == event && slices.Contains(m.From, from) {
			return m.To, nil
		}
	}
	return "", &NoMoveError{t.Noun, from, event}
}

// Can tells whether a state knows an event.
func (t Table) Can(from, event string) bool {
	_, err := t.Next(from, event)
	return err == nil
}

// Terminal tells whether nothing follows a state. An unknown word is not
// terminal: newer code may know it.
func (t Table) Terminal(state string) bool {
	i := slices.IndexFunc(t.States, func(s State) bool { return s.Name == state })
	return i >= 0 && t.States[i].Terminal
}

// Names lists the states.
func (t Table) Names() []string {
	names := make([]string, len(t.States))
	for i, s := range t.States {
		names[i] = s.Name
	}
	return names
}

// Events lists the events, each once.
func (t Table) Events() []string {
	var events []string
	for _, m := range t.Moves {
		if !slices.Contains(events, m.Event) {
			events = append(events, m.Event)
		}
	}
	return events
}

// Problems lists what is wrong with a table itself: two moves for one state
// and event, words that are no states, states that cannot be reached or left.
func (t Table) Problems() []string {
	var out []string
	names := t.Names()
	known := func(s string) bool { return slices.Contains(names, s) }
	seen, entered, left := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, s := range t.Start {
		entered[s] = true
		if !known(s) {
			out = append(out, "start state "+s+" is not in the list")
		}
	}
	for _, m := range t.Moves {
		if !known(m.To) {
			out = append(out, m.Event+" leads to "+m.To+", which is not in the list")
		}
		for _, f := range m.From {
			if !known(f) {
				out = append(out, m.Event+" comes from "+f+", which is not in the list")
			}
			if seen[f+" "+m.Event] {
				out = append(out, "two moves from "+f+" by "+m.Event)
			}
			seen[f+" "+m.Event] = true
			left[f] = true
			if f != m.To {
				entered[m.To] = true
			}
		}
	}
	for _, s := range t.States {
		if !entered[s.Name] {
			out = append(out, "nothing leads to "+s.Name)
		}
		if s.Terminal && left[s.Name] {
			out = append(out, s.Name+" is terminal and is left")
		}
		if !s.Terminal && !left[s.Name] {
			out = append(out, s.Name+" cannot be left")
		}
	}
	return out
}

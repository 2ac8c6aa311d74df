package decide

import (
	"errors"
	"fmt"
	"slices"

	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/review"
)

// Ask names one thing that a decision reads: its role, and of what.
type Ask struct{ Role, Of string }

// Snapshot is what is known of the ledger.
type Snapshot struct {
	// Rows are items as they were read; nil: there was none.
	Rows map[ledger.Key]ledger.Item
	// Kept are the answers that an earlier decision on the event was made from; nil
	// where none was. They are redacted, so nothing is found out from them but what
	// they say: an ask that needs whole rows is missing if it is not among them.
	Kept map[Ask]any
}

// Missing is what a snapshot lacks.
type Missing struct {
	Ask
	Lost Lost
	// Key is the row to be read. None: beside Kept no row can answer.
	Key ledger.Key
}

// Lost says what cannot be told of an event without one of its reads.
type Lost string

// What is lost with a read. LostFollowUp, LostRule and LostCount matter only to
// a decision that comes to a contact or a follow-up.
const (
	LostPerson   Lost = "person"    // what is known of an address
	LostContact  Lost = "contact"   // who the contact is
	LostThread   Lost = "thread"    // which mails of ours the event answers or returns
	LostFollowUp Lost = "follow_up" // what the contact had asked, and what its other addresses forbid
	LostRule     Lost = "rule"      // what a rule had done for the contact
	LostCount    Lost = "count"     // how many follow-ups there were
	LostNothing  Lost = "nothing"   // the row never changes, so it says now what it said then
)

// ErrTaskMoved means that the task which a person answers is not as it was shown
// to them. The answer is to something else; they look at it again.
var ErrTaskMoved = errors.New("decide: the task has moved since it was shown")

// MaxRounds is how often a decision is asked for before nothing is missing: five
// times without merges (keys; contacts; what belongs to these; the mail in the
// slot and the other rules' slots; their mails), and once more for each merge on
// the way.
const MaxRounds = 5 + contact.MaxAbsorbed

// Decide makes the commit for an input on a snapshot. Where something is
// missing there is no result. An error is a fault of the program or of the
// policy, never of the input, or ErrTaskMoved.
func Decide(in Input, seen Snapshot, ids digest.Key) (Result, []Missing, error) {
	return on(in, seen, ids, decideGround)
}

// HoldFirst makes the commit of holdGround.
func HoldFirst(in Input, seen Snapshot, ids digest.Key) (ledger.Commit, []Missing, error) {
	return on(in, seen, ids, holdGround)
}

// StopFirst makes the commit of stopGround.
func StopFirst(in Input, seen Snapshot, ids digest.Key) (ledger.Commit, []Missing, error) {
	return on(in, seen, ids, stopGround)
}

func on[T any](in Input, seen Snapshot, ids digest.Key, decide func(Ground, digest.Key) (T, error)) (res T, missing []Missing, err error) {
	w := &walk{g: Ground{Input: in}, ids: ids, seen: seen}
	w.walk()
	if w.err != nil || len(w.missing) > 0 {
		return res, w.missing, w.err
	}
	res, err = decide(w.g, ids)
	return res, nil, err
}

// Read asks Decide, HoldFirst or StopFirst until nothing is missing. rows reads
// different keys: an item for each, nil where there is none.
func Read[T any](
	in Input, ids digest.Key, ask func(Input, Snapshot, digest.Key) (T, []Missing, error), rows func([]ledger.Key) ([]ledger.Item, error),
) (res T, err error) {
	seen := Snapshot{Rows: map[ledger.Key]ledger.Item{}}
	for range MaxRounds + 1 {
		res, missing, err := ask(in, seen, ids)
		if err != nil || len(missing) == 0 {
			return res, err
		}
		var keys []ledger.Key
		for _, m := range missing {
			if !slices.Contains(keys, m.Key) {
				keys = append(keys, m.Key)
			}
		}
		items, err := rows(keys)
		if err != nil {
			return res, fmt.Errorf("read the ground: %w", err)
		}
		for n, k := range keys {
			seen.Rows[k] = items[n]
		}
	}
	return res, errors.New("decide: what a decision reads has no end")
}

// EmptyLedger are the rows of a ledger in which there is nothing.
func EmptyLedger(keys []ledger.Key) ([]ledger.Item, error) {
	return make([]ledger.Item, len(keys)), nil
}

// walk looks up what a decision reads, in the order in which one thing leads to
// the next. What can be named already is asked for in the same pass.
type walk struct {
	g       Ground // so far
	ids     digest.Key
	seen    Snapshot
	lost    Lost
	missing []Missing
	err     error
	// was is a ground that is walked again for the asks that it answers, which are
	// noted in answers.
	was     Ground
	answers map[Ask]any
	// chains are the contacts passed on the way from an ID.
	chains map[string][]string
}

func (w *walk) walk() {
	g := &w.g
	w.chains = map[string][]string{}
	g.Person = Identify(w.ids, g.Policy, Whom(g.Facts, g.Extraction, g.Answer))
	p := Party{Person: g.Person}
	w.party(&p, w.was.main(), RoleContact)
	g.setMain(p)
	for _, r := range reads() {
		if r.look != nil {
			w.lost = r.lost
			r.look(w)
		}
	}
	identified := len(w.missing) == 0
	if a := g.Answer; a != nil && identified {
		w.check(*a, g.Seen.Task)
	}
	for _, r := range reads() {
		if r.thread != nil {
			w.lost = r.lost
			r.thread(w)
		}
	}
	g.Facts = Accused(g.Facts, g.Person, g.Seen.Returned)
	for n, o := range Others(w.ids, g.Policy, g.Facts, g.Extraction, g.Person) {
		p, was := Party{Person: o}, Party{}
		if n < len(w.was.Also) {
			was = w.was.Also[n]
		}
		w.party(&p, was, RoleOther)
		g.Also = append(g.Also, p)
	}
	if !identified || w.err != nil {
		return
	}
	c := LedTo(*g)
	for _, r := range reads() {
		if r.of != nil && c != nil {
			w.lost = r.lost
			r.of(w, *c)
		}
	}
}

// check compares the task of an answer with what the person was shown.
func (w *walk) check(a Answer, t *review.Task) {
	switch {
	case a.Asked != nil && (t == nil || t.State != review.Open || t.Transition != a.Asked.Transition):
		w.err = ErrTaskMoved
	case t == nil:
		w.err = errors.New("decide: an answer without its task")
	}
}

func (w *walk) party(p *Party, was Party, role string) {
	for _, r := range partyReads() {
		w.lost = r.lost
		r.look(w, p, was, role)
	}
}

// ask answers one thing that a decision reads. kept is the answer of the ground
// that is walked again. rows finds it out from whole rows, if it can.
func ask[T any](w *walk, role, of string, kept T, rows func() T) (answer T) {
	a := Ask{role, of}
	switch {
	case w.answers != nil:
		w.answers[a] = kept
		return kept
	case w.seen.Kept != nil:
		if v, ok := w.seen.Kept[a]; ok {
			answer, _ = v.(T)
			return answer
		}
	}
	first := len(w.missing)
	answer = rows()
	for n := range w.missing[first:] {
		w.missing[first+n].Ask = a
	}
	return answer
}

// whole is ask for what only rows that are not redacted can answer.
func whole[T any](w *walk, role, of string, kept T, rows func() T) T {
	return ask(w, role, of, kept, func() (none T) {
		if w.seen.Kept != nil {
			w.missing = append(w.missing, Missing{Lost: w.lost})
			return none
		}
		return rows()
	})
}

func (w *walk) key(e ledger.Entity, id string) ledger.Key {
	return ledger.Key{Entity: e, Tenant: w.g.Event.Tenant, ID: id}
}

// item is a row, nil where there is none; known tells whether it was read.
func (w *walk) item(k ledger.Key) (it ledger.Item, known bool) {
	if it, known = w.seen.Rows[k]; !known {
		w.missing = append(w.missing, Missing{Lost: w.lost, Key: k})
	}
	return it, known
}

// row is a row as a noun.
func row[T any](w *walk, k ledger.Key) *T {
	it, _ := w.item(k)
	if it == nil {
		return nil
	}
	noun := new(T)
	if err := it.Decode(noun); err != nil && w.err == nil {
		w.err = err
	}
	return noun
}

// contact follows merges from an ID to the contact it leads to now; nil if one
// on the way is not there.
func (w *walk) contact(role, from string, kept *contact.Contact) *contact.Contact {
	if from == "" {
		return nil
	}
	return ask(w, role, from, kept, func() *contact.Contact {
		c, chain, err := contact.Follow(from, func(id string) (*contact.Contact, error) {
			return row[contact.Contact](w, w.key(ledger.Contact, id)), w.err
		})
		if err != nil && w.err == nil {
			w.err = err
		}
		w.chains[from] = chain
		return c
	})
}

// known are the asks that a ground answers.
func known(g Ground, ids digest.Key) (map[Ask]any, error) {
	w := &walk{g: Ground{Input: g.Input}, ids: ids, was: g, answers: map[Ask]any{}}
	w.walk()
	return w.answers, w.err
}

// pending tells whether an ask of these roles is missing.
func (w *walk) pending(roles ...string) bool {
	return slices.ContainsFunc(w.missing, func(m Missing) bool { return slices.Contains(roles, m.Role) })
}

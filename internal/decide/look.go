package decide

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
)

// Ask names one thing that a decision reads: its role, and of what.
type Ask struct{ Role, Of string }

// Snapshot is what is known of the ledger.
type Snapshot struct {
	// Rows are items as they were read; nil: there was none.
	Rows map[ledger.Key]ledger.Item
	// Kept are the answers that an earlier decision on the event was made from; nil
	// where none was. They are redacted: an ask that needs whole rows, and is not
	// among them, is missing.
	Kept map[Ask]any
}

// Missing is what a snapshot lacks.
type Missing struct {
	Ask
	Lost Lost
	Key  ledger.Key // of the row to be read; none: beside Kept no row can answer
}

// Lost says what cannot be told of an event without one of its reads.
type Lost string

// LostFollowUp, LostRule and LostCount matter only to a decision that comes to a
// contact or a follow-up.
const (
	LostPerson   Lost = "person"    // what is known of an address
	LostContact  Lost = "contact"   // who the contact is
	LostThread   Lost = "thread"    // which mails of ours the event answers or returns
	LostFollowUp Lost = "follow_up" // what the contact had asked, and what its other addresses forbid
	LostRule     Lost = "rule"      // what a rule had done for the contact
	LostCount    Lost = "count"     // how many follow-ups there were
	LostNothing  Lost = "nothing"   // what is read of the row never changes
)

// MaxRounds is how often Read reads: four times (keys; contacts; what belongs to
// these; their mails), a fifth time where the policy has first mails approved
// and other rules' mails are looked at, and once more for each merge on the way.
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
	if w.walk(); w.err != nil || len(w.missing) > 0 {
		return res, w.missing, w.err
	}
	res, err = decide(w.g, ids)
	return res, nil, err
}

// Read asks Decide, HoldFirst or StopFirst until nothing is missing. rows reads
// keys, none of them twice, and returns an item for each, nil if it is not there.
func Read[T any](
	in Input, ids digest.Key, question func(Input, Snapshot, digest.Key) (T, []Missing, error), rows func([]ledger.Key) ([]ledger.Item, error),
) (res T, err error) {
	seen := Snapshot{Rows: map[ledger.Key]ledger.Item{}}
	for range MaxRounds + 1 {
		res, missing, err := question(in, seen, ids)
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

// walk looks up what a decision reads (reads.go). Everything that can be named
// already is asked for in one pass.
type walk struct {
	g       Ground // so far
	ids     digest.Key
	seen    Snapshot
	missing []Missing
	err     error
	chains  map[string][]string // the contacts passed on the way from an ID
	// Where a ground is kept, or put together again, its answers go to kept, or come
	// from there, and are noted.
	mode    mode
	kept    parts
	also    []parts // of the other parties
	answers map[Ask]any
}

// parts are what is kept of reads, by a letter for each. Letters that are not
// known are passed over.
type parts map[string]json.RawMessage

type mode int

const (
	reading mode = iota
	keeping
	thawing
)

// ask answers one thing that a decision reads. rows finds it out from rows, where
// it is not kept.
func ask[T any](w *walk, p part[T], of string, answer *T, rows func() T) {
	a := Ask{p.role, of}
	known, is := w.seen.Kept[a]
	switch {
	case w.mode == keeping:
		p.keep(w, *answer)
	case w.mode == thawing:
		*answer = p.thaw(w)
	case is:
		*answer, _ = known.(T)
	case p.whole && w.seen.Kept != nil:
		w.missing = append(w.missing, Missing{Ask: a, Lost: p.lost})
	default:
		first := len(w.missing)
		*answer = rows()
		for n := range w.missing[first:] {
			w.missing[first+n].Ask, w.missing[first+n].Lost = a, p.lost
		}
	}
	if w.answers != nil {
		w.answers[a] = *answer
	}
}

// part is one thing that a decision reads of the ledger.
type part[T any] struct {
	role string
	lost Lost
	// whole: only rows that are not redacted answer it.
	whole bool
	// How it is kept with the event, and had again.
	keep func(w *walk, v T)
	thaw func(w *walk) T
}

func (p part[T]) ofWholeRows() part[T] { p.whole = true; return p }

// noun is a part that is one noun, or nil.
func noun[T, K any](role, letter string, lost Lost, keep func(T) K, thaw func(K) T) part[*T] {
	return part[*T]{
		role: role, lost: lost,
		keep: func(w *walk, v *T) {
			if v != nil {
				put(w, letter, keep(*v))
			}
		},
		thaw: func(w *walk) *T {
			kept := get[*K](w, letter)
			if kept == nil {
				return nil
			}
			v := thaw(*kept)
			return &v
		},
	}
}

// list is a part that is a list.
func list[T, K any](role, letter string, lost Lost, keep func(T) K, thaw func(K) T) part[[]T] {
	return part[[]T]{
		role: role, lost: lost, whole: true,
		keep: func(w *walk, list []T) {
			var out []K
			for _, v := range list {
				out = append(out, keep(v))
			}
			put(w, letter, out)
		},
		thaw: func(w *walk) (list []T) {
			for _, v := range get[[]K](w, letter) {
				list = append(list, thaw(v))
			}
			return list
		},
	}
}

// put keeps a value, nothing where it is nil or false.
func put(w *walk, letter string, v any) {
	b, err := json.Marshal(v)
	w.err = cmp.Or(w.err, err)
	if s := string(b); s != "null" && s != "false" {
		w.kept[letter] = b
	}
}

// get is a value that was kept, the zero value where nothing was.
func get[T any](w *walk, letter string) (v T) {
	if raw, there := w.kept[letter]; there && json.Unmarshal(raw, &v) != nil {
		w.err = fmt.Errorf("%w: part %s of it is damaged", ErrGround, letter)
	}
	return v
}

// askRow is ask for what one row answers.
func askRow[T any](w *walk, p part[*T], k ledger.Key, answer **T) {
	ask(w, p, strings.TrimSpace(k.ID+" "+k.Sub), answer, func() *T { return row[T](w, k) })
}

func (w *walk) key(e ledger.Entity, id string) ledger.Key {
	return e.At(w.g.Event.Tenant, id)
}

// item is a row. It is nil if the row is not there, and also if it has not been
// read yet; then it is noted as missing.
func (w *walk) item(k ledger.Key) ledger.Item {
	it, read := w.seen.Rows[k]
	if !read {
		w.missing = append(w.missing, Missing{Key: k})
	}
	return it
}

// row is a row as a noun.
func row[T any](w *walk, k ledger.Key) *T {
	it := w.item(k)
	if it == nil {
		return nil
	}
	noun := new(T)
	if err := it.Decode(noun); err != nil && w.err == nil {
		w.err = err
	}
	return noun
}

// pending tells whether an ask of these roles is missing.
func (w *walk) pending(roles ...string) bool {
	return slices.ContainsFunc(w.missing, func(m Missing) bool { return slices.Contains(roles, m.Role) })
}

// known is what a ground keeps, and the asks that it answers.
func known(g Ground, ids digest.Key) *walk {
	w := &walk{g: g, ids: ids, mode: keeping, kept: parts{}, answers: map[Ask]any{}}
	w.walk()
	return w
}

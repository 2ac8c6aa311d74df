// Package verify checks a whole ledger against what is promised: one event
// per delivery ID, one contact per key, one follow-up per cause, one
// submission per follow-up, none after a stop, an owner for everything, a
// record of every move.
//
// Its invariant: it only reads, and what it reports it has read twice. A scan
// is not of one moment, so a finding counts only when every row that it names
// is still exactly as it was scanned; where rows move, the whole ledger is
// scanned again, a few times.
//
// It repairs nothing, decides nothing and gives out no personal value: a
// finding names identifiers, and a contact's key by a hash.
package verify

import (
	"context"
	"fmt"
	"time"

	"onefold/internal/blob"
	"onefold/internal/digest"
	"onefold/internal/ledger"
)

// Options say how much is checked. The zero value is a full check of what the
// ledger alone can tell.
type Options struct {
	// IDs, if given, lets the check make intent and guard identifiers again.
	IDs *digest.Key
	// Blob, if given, is asked for the raw content of every event that is not
	// decided.
	Blob blob.Store
	// Quiet asks besides that nothing is under way: everything is in a final
	// state or with a person.
	Quiet bool
	// Slack is how far the stamped times of two commits may be out of the order
	// in which they took effect: the time that a commit takes, and clock skew. A
	// claim that is stamped after a stop by more than this is a violation, by
	// less a warning. Zero is right only where nothing ran at the same time, as
	// in a simulation: a stop may be stamped, a claim be stamped and committed,
	// and the stop be committed then.
	Slack time.Duration
	// Segments is into how many parts each table is cut; 0 is 1. They are read
	// one after the other.
	Segments int
	// Passes is the most scans of the whole ledger; 0 is 3.
	Passes int
}

// Severity is how bad a finding is.
type Severity string

// The severities.
const (
	Violation Severity = "violation" // a promise is broken
	Warning   Severity = "warning"   // to be looked at; no promise is provably broken
)

// Finding is one thing that is wrong.
type Finding struct {
	Check    string   `json:"check"`
	Promise  int      `json:"promise"` // number in section 1 of the design
	Severity Severity `json:"severity"`
	Tenant   string   `json:"tenant"`
	What     string   `json:"what"` // one sentence; identifiers only
	Keys     []string `json:"keys"` // the rows it is about

	rows  []ledger.Key
	again func(context.Context, ledger.Store) (bool, error) // nil: rows say all
}

// Report is what a check found.
type Report struct {
	Findings []Finding `json:"findings"`
	// Unsettled counts findings that could not be judged, since their rows were
	// written meanwhile in every pass. Run again when less is going on.
	Unsettled int `json:"unsettled"`
	Items     int `json:"items"`
	Passes    int `json:"passes"`
	// Counts says how many rows of a kind there are: "intent",
	// "intent.accepted", "operation.crm_note.done" and so on.
	Counts map[string]int `json:"counts"`
}

// Holds tells whether no promise was found broken. Warnings and unsettled
// findings do not count.
func (r Report) Holds() bool {
	for _, f := range r.Findings {
		if f.Severity == Violation {
			return false
		}
	}
	return true
}

// Check reads the whole ledger and reports what is wrong. An error means that
// the ledger could not be read, and says nothing about what it holds.
//
// It keeps a small part of each row in memory, about one kilobyte.
func Check(ctx context.Context, store ledger.Store, o Options) (Report, error) {
	var rep Report
	confirmed := map[string]bool{}
	passes := o.Passes
	if passes == 0 {
		passes = 3
	}
	for rep.Passes < passes {
		rep.Passes++
		v, err := scan(ctx, store, o)
		if err != nil {
			return rep, err
		}
		rep.Items, rep.Counts, rep.Unsettled = len(v.versions)+v.counts["audit"], v.counts, 0
		found, err := search(ctx, v, o)
		if err != nil {
			return rep, err
		}
		for _, f := range found {
			still, err := stands(ctx, store, v, f)
			if err != nil {
				return rep, err
			}
			name := f.Check + "\x00" + f.What
			switch {
			case !still:
				rep.Unsettled++
			case !confirmed[name]:
				confirmed[name] = true
				rep.Findings = append(rep.Findings, f)
			}
		}
		if rep.Unsettled == 0 {
			break
		}
	}
	return rep, nil
}

// stands reads the rows of a finding again. It stands when each is there, or
// is not there, in the very version that was scanned.
func stands(ctx context.Context, store ledger.Store, v *view, f Finding) (bool, error) {
	for from := 0; from < len(f.rows); from += ledger.MaxKeys {
		keys := distinct(f.rows[from:min(from+ledger.MaxKeys, len(f.rows))])
		items, err := store.GetMany(ctx, keys)
		if err != nil {
			return false, fmt.Errorf("read the rows of a finding again: %w", err)
		}
		for n, it := range items {
			if it.Version() != v.version(keys[n]) {
				return false, nil
			}
		}
	}
	if f.again == nil {
		return true, nil
	}
	return f.again(ctx, store)
}

func distinct(keys []ledger.Key) []ledger.Key {
	seen := make(map[ledger.Key]bool, len(keys))
	var out []ledger.Key
	for _, k := range keys {
		if !seen[k] && k.Validate() == nil {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

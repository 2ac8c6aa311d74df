package send_test

import (
	"context"
	"errors"
	"sync"

	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/record/followup"
)

// death ends a worker where it stands; nothing of it goes on.
type death struct{}

// errDeath, returned by a hook, kills whoever made the call.
var errDeath = errors.New("dies here")

// faulty is the ledger in memory with faults, gates and a record of what took
// effect when.
type faulty struct {
	*mem.Store
	hook     func(n int, c ledger.Commit) (apply bool, err error) // n-th commit, from 1
	readHook func(n int) error                                    // n-th read, from 1

	mu      sync.Mutex
	commits int // asked for
	reads   int
	applied int            // took effect
	claimed map[string]int // attempt number of i1 → place of its claim among what took effect
	stopped int            // place of the first stop of g1; 0: none
	changes []ledger.Change
}

func (f *faulty) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if err := f.read(ctx); err != nil {
		return nil, err
	}
	return f.Store.Get(ctx, k)
}

func (f *faulty) GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error) {
	if err := f.read(ctx); err != nil {
		return nil, err
	}
	return f.Store.GetMany(ctx, keys)
}

func (f *faulty) read(ctx context.Context) error {
	gateOf(ctx, true)
	f.mu.Lock()
	f.reads++
	n := f.reads
	f.mu.Unlock()
	if f.readHook == nil {
		return nil
	}
	err := f.readHook(n)
	if errors.Is(err, errDeath) {
		panic(death{})
	}
	return err
}

func (f *faulty) Commit(ctx context.Context, c ledger.Commit) error {
	gate(ctx)
	f.mu.Lock()
	f.commits++
	n := f.commits
	f.mu.Unlock()
	apply, fault := true, error(nil)
	if f.hook != nil {
		apply, fault = f.hook(n, c)
	}
	var err error
	if apply {
		err = f.apply(ctx, c)
	}
	switch {
	case errors.Is(fault, errDeath):
		panic(death{})
	case fault != nil:
		return fault
	}
	return err
}

// apply commits and notes what took effect.
func (f *faulty) apply(ctx context.Context, c ledger.Commit) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.Store.Commit(ctx, c); err != nil {
		return err
	}
	f.applied++
	for _, w := range c.Writes {
		if w.Op == ledger.OpCheck {
			continue
		}
		switch w.Key.Entity {
		case ledger.Operation:
			it, _ := f.Store.Get(context.Background(), w.Key)
			f.changes = append(f.changes, ledger.Change{Key: w.Key, Item: it})
		case ledger.Attempt:
			if w.Op == ledger.OpCreate && w.Key.ID == "i1" && w.Item.Text("state") == followup.AttemptBegun {
				f.claimed[w.Key.Sub] = f.applied
			}
		case ledger.Guard:
			if it, _ := f.Store.Get(context.Background(), w.Key); f.stopped == 0 && w.Key == guardKey && it.Text("stop_all") != "" {
				f.stopped = f.applied
			}
		default:
		}
	}
	return nil
}

func (f *faulty) next() (ledger.Change, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.changes) == 0 {
		return ledger.Change{}, false
	}
	ch := f.changes[0]
	f.changes = f.changes[1:]
	return ch, true
}

func (f *faulty) again(ch ledger.Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes = append(f.changes, ch)
}

// fault is one way in which a write goes wrong.
type fault struct {
	name  string
	apply bool
	err   error
	twice bool // the store repeats a write whose answer it lost, and refuses its own
}

func faults() []fault {
	return []fault{
		{"refused by the network", false, ledger.ErrUnavailable, false},
		{"no answer, not applied", false, ledger.ErrUnknown, false},
		{"no answer, applied", true, ledger.ErrUnknown, false},
		{"dies before", false, errDeath, false},
		{"dies after", true, errDeath, false},
		{"refused by its own first try", true, nil, true},
	}
}

// actor is a worker that a schedule steps from store call to store call.
type actor struct {
	step   chan bool // false: die
	parked chan bool // true at a gate, false at the end
	reads  bool      // at the gate: the call that comes next only reads
}

type actorKey struct{}

// gate stops an actor until the schedule lets it go on.
func gate(ctx context.Context) { gateOf(ctx, false) }

func gateOf(ctx context.Context, reads bool) {
	a, ok := ctx.Value(actorKey{}).(*actor)
	if !ok {
		return
	}
	a.reads = reads
	a.parked <- true
	if !<-a.step {
		panic(death{})
	}
}

// start runs work as an actor until its first gate; alive is false if there
// was none.
func start(ctx context.Context, work func(context.Context)) (a *actor, alive bool) {
	a = &actor{step: make(chan bool), parked: make(chan bool)}
	ctx = context.WithValue(ctx, actorKey{}, a)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				if _, ours := r.(death); !ours {
					panic(r)
				}
			}
			a.parked <- false
		}()
		work(ctx)
	}()
	return a, <-a.parked
}

// go1 lets the actor make its next call; dead kills it instead.
func (a *actor) go1(dead bool) (alive bool) {
	a.step <- !dead
	return <-a.parked
}

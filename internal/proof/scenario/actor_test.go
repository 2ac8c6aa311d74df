package scenario_test

import (
	"context"
	"time"
)

// death ends a worker where it stands; nothing of it goes on.
type death struct{}

// actor is one worker at one piece of work. It runs until it ends or stands
// still at a call, and only one actor runs at a time.
type actor struct {
	role   string
	key    string    // what it works on
	steps  bool      // stands still at every call
	until  time.Time // stands still until then
	wake   chan bool // false: die
	state  chan bool // true: stands still, false: has ended
	err    error
	died   bool
	finish func(ok bool)
	on     runner
	looked int // of a sweeper: how often it has asked for due rows
}

type actorKey struct{}

func actorOf(ctx context.Context) *actor {
	a, _ := ctx.Value(actorKey{}).(*actor)
	return a
}

// runner is a goroutine that workers run on, one after the other.
type runner chan func()

func newRunner() runner {
	r := make(runner)
	go func() {
		for do := range r {
			do()
		}
	}()
	return r
}

// start runs work until it first stands still or ends; false: it has ended.
func (a *actor) start(r runner, work func(context.Context) error) bool {
	a.wake, a.state = make(chan bool), make(chan bool)
	ctx := context.WithValue(context.Background(), actorKey{}, a)
	r <- func() {
		defer func() {
			if r := recover(); r != nil {
				if _, ours := r.(death); !ours {
					panic(r)
				}
				a.died = true
			}
			a.state <- false
		}()
		a.err = work(ctx)
	}
	return <-a.state
}

// stand is called by the actor itself.
func (a *actor) stand(until time.Time) {
	a.until = until
	a.state <- true
	if !<-a.wake {
		panic(death{})
	}
}

// goOn lets it make its next call, or kills it; false: it has ended.
func (a *actor) goOn(alive bool) bool {
	a.wake <- alive
	return <-a.state
}

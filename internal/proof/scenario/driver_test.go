package scenario_test

import (
	"context"
	"slices"
	"time"

	"onefold/internal/utc"
)

// job is one piece of work that waits for a worker. Jobs of one key are begun
// in order and one at a time, as the records of one item are.
type job struct {
	role, key string
	tries     int
	wait      time.Duration // before it comes again
	work      func(context.Context) error
	done      func()
}

// end takes a job off, or has it come again.
func (w *world) end(j *job, ok bool) {
	switch j.tries--; {
	case ok:
		if j.done != nil {
			j.done()
		}
	case j.tries <= 0:
		// A record that is too old, a dead letter: the rows' own times remain.
	case j.wait > 0:
		w.later(j.wait, func() { w.jobs = append(w.jobs, j) })
	default:
		w.jobs = append([]*job{j}, w.jobs...)
	}
}

// run has one worker do one job. A worker that stands still past its time is
// given up, and the job comes again; the worker goes on all the same.
func (w *world) run(j *job) {
	a := &actor{role: j.role, key: j.key, on: w.runner(), finish: func(ok bool) { w.end(j, ok) }}
	w.after(a, a.start(a.on, j.work))
}

// runner gives an idle goroutine.
func (w *world) runner() runner {
	if n := len(w.idle); n > 0 {
		r := w.idle[n-1]
		w.idle = w.idle[:n-1]
		return r
	}
	return newRunner()
}

func (w *world) after(a *actor, stands bool) {
	finish := a.finish
	if stands {
		w.parked = append(w.parked, a)
		finish, a.finish = a.finish, func(bool) {}
		finish(false)
		return
	}
	w.idle = append(w.idle, a.on)
	finish(a.err == nil && !a.died)
}

// sweep runs the sweeper once. The rows that it nudges come in an order of its
// own; the stream has them by name.
func (w *world) sweep() {
	j := func(n string) *job {
		return &job{role: "sweep", key: "sweep" + n, tries: 1, work: func(ctx context.Context) error {
			_, err := w.sys.Sweep.Run(ctx)
			return err
		}}
	}
	if w.pick != nil { // two at once, among the other workers
		w.jobs = append(w.jobs, j("1"), j("2"))
		w.interleave()
		return
	}
	from := len(w.jobs)
	w.run(j(""))
	if from <= len(w.jobs) {
		slices.SortStableFunc(w.jobs[from:], func(a, b *job) int { return compare(a.key, b.key) })
	}
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// maxRounds bounds a schedule. A history with a stop that lasts weeks has a
// moment every five minutes.
const maxRounds = 20000

// untilQuiet works, redelivers, sweeps and lets time pass until nothing is
// left that would move by itself. Unless it is the end, it does not wait longer
// than an hour for what an operator has to let go on.
func (w *world) untilQuiet(end bool) {
	var since time.Time
	for range maxRounds {
		w.work()
		next, any := w.nextMoment()
		held := !end && (w.stopped["all"] || w.stopped["tenant"] || w.silent) && len(w.timers)+len(w.parked) == 0
		switch {
		case !any:
			return
		case !held:
			since = w.now()
		case next.Sub(since) > time.Hour:
			return
		}
		if d := next.Sub(w.now()); d > 0 {
			if d >= time.Minute {
				w.prove()
			}
			time.Sleep(next.Sub(w.now()))
			if d >= time.Minute {
				w.prove()
			}
		} else if w.now().Before(w.away) {
			time.Sleep(30 * time.Second) // the next run of the sweeper
		}
		w.moments()
		w.work()
		if w.anyDue() {
			w.sweep()
		}
	}
	w.wrongf("not quiet after %d moments: %s", maxRounds, w.still())
}

// work does all that can be done now.
func (w *world) work() {
	if w.pick != nil {
		w.interleave()
		return
	}
	for len(w.jobs) > 0 {
		j := w.jobs[0]
		w.jobs = w.jobs[1:]
		w.run(j)
	}
}

// moments lets happen what is due now: timers, and workers that wake.
func (w *world) moments() {
	now := w.now()
	var rest []timer
	list := w.timers
	w.timers = nil
	for _, t := range list {
		if t.at.After(now) {
			rest = append(rest, t)
			continue
		}
		t.do()
	}
	w.timers = append(rest, w.timers...)
	for _, a := range slices.Clone(w.parked) {
		if !a.until.After(now) {
			w.parked = slices.DeleteFunc(w.parked, func(b *actor) bool { return a == b })
			w.after(a, a.goOn(true))
		}
	}
}

func (w *world) nextMoment() (next time.Time, any bool) {
	earlier := func(t time.Time) {
		if !any || t.Before(next) {
			next, any = t, true
		}
	}
	for _, t := range w.timers {
		earlier(t.at)
	}
	for _, a := range w.parked {
		earlier(a.until)
	}
	for _, d := range w.due {
		if d.open {
			at, err := utc.Parse(d.at)
			w.must(err)
			earlier(at.Std())
		}
	}
	return next, any
}

func (w *world) anyDue() bool {
	now := utc.At(w.now()).String()
	for _, d := range w.due {
		if d.open && d.at <= now {
			return true
		}
	}
	return false
}

func (w *world) still() (names string) {
	for k, d := range w.due {
		if d.open {
			it := w.get(k)
			names += " " + string(k.Entity) + " " + it.Text("kind") + " " + it.Text("state") + " " + it.Text("reason") + " due " + d.at
		}
	}
	return names
}

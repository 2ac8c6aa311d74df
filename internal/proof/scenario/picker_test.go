package scenario_test

// picker chooses who goes next. Its choices are all that a schedule of several
// workers adds to a scenario.
type picker struct {
	workers int    // at once
	again   int    // one record in so many is handed to two instances; 0: none
	choices []byte // then always the first
	next    int
	used    []byte
	die     int // the n-th choice kills the worker instead; 0: none
}

// choose takes one of n.
func (p *picker) choose(n int) int {
	c := 0
	if p.next < len(p.choices) {
		c = int(p.choices[p.next]) % n
	}
	p.next++
	p.used = append(p.used, byte(c))
	return c
}

func (p *picker) twice() bool { return p.again > 0 && p.choose(p.again) == p.again-1 }

// interleave steps up to so many workers from call to call.
func (w *world) interleave() {
	var live []*actor
	for {
		free := w.free(live)
		starts := 0
		if len(live) < w.pick.workers {
			starts = min(len(free), 3)
		}
		if len(live)+starts == 0 {
			return
		}
		n := w.pick.choose(len(live) + starts)
		if n < len(live) {
			a := live[n]
			alive := w.pick.die == 0 || w.pick.next != w.pick.die
			if !a.goOn(alive) {
				live = append(live[:n:n], live[n+1:]...)
				w.after(a, false)
			}
			continue
		}
		j := free[n-len(live)]
		for i := range w.jobs {
			if w.jobs[i] == j {
				w.jobs = append(w.jobs[:i:i], w.jobs[i+1:]...)
				break
			}
		}
		a := &actor{role: j.role, key: j.key, steps: true, on: w.runner(), finish: func(ok bool) { w.end(j, ok) }}
		if a.start(a.on, j.work) {
			live = append(live, a)
			continue
		}
		w.after(a, false)
	}
}

// free lists the jobs that may be begun: the first of each key that nobody is
// at.
func (w *world) free(live []*actor) (jobs []*job) {
	busy := map[string]bool{}
	for _, a := range live {
		busy[a.key] = true
	}
	for _, j := range w.jobs {
		if !busy[j.key] {
			busy[j.key] = true
			jobs = append(jobs, j)
		}
	}
	return jobs
}

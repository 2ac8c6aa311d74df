package stories_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// worker is a child process as its parent sees it.
type worker struct {
	w      *world
	cmd    *exec.Cmd
	log    *output
	once   sync.Once
	ended  chan struct{} // closed when it is reaped
	mu     sync.Mutex
	counts map[string]int // lines said
	url    string
}

// start runs a process with the given workers, whose clock is the world's.
func (w *world) start(workers ...string) *worker {
	w.t.Helper()
	s := w.set
	s.Workers, s.Ahead = workers, time.Duration(w.ahead.Load())
	text, err := json.Marshal(s)
	if err != nil {
		w.t.Fatal(err)
	}
	c := &worker{w: w, log: &output{name: strings.Join(workers, "+") + " ahead " + s.Ahead.String()}, ended: make(chan struct{}), counts: map[string]int{}}
	c.cmd = exec.Command(os.Args[0], "-test.run=^$")
	c.cmd.Env = append(os.Environ(), roleVariable+"="+string(text))
	c.cmd.Stderr = c.log
	// The pipe is the leash: a child whose parent dies reads its end.
	leash, err1 := c.cmd.StdinPipe()
	said, err2 := c.cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		w.t.Fatal(err1, err2)
	}
	if err := c.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(c.ended)
		for lines := bufio.NewScanner(said); lines.Scan(); {
			c.hear(lines.Text())
		}
		_ = c.cmd.Wait() // killed: that is how it ends
		_ = leash.Close()
	}()
	w.t.Cleanup(func() {
		c.kill()
		if w.t.Failed() {
			w.t.Log(c.log.tail())
		}
	})
	return c
}

func (c *worker) hear(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[line]++
	if url, ok := strings.CutPrefix(line, "at "); ok {
		c.url = url
	}
}

func (c *worker) said(line string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[line]
}

// kill ends the process as a power cut would, and returns when it is gone.
func (c *worker) kill() {
	c.once.Do(func() { _ = c.cmd.Process.Kill() }) // SIGKILL
	<-c.ended
}

// address waits for where its ingest listens.
func (c *worker) address() string {
	c.w.t.Helper()
	url := ""
	c.w.until("a process listens", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		url = c.url
		select {
		case <-c.ended:
			c.w.t.Fatalf("a process ended by itself; %s", c.log.tail())
		default:
		}
		return url != ""
	})
	return url
}

// workedOff waits until the process has swept, has read every change that this
// nudged, and finds nothing more to do.
func (c *worker) workedOff(consumers ...string) {
	c.w.t.Helper()
	swept := c.said("swept")
	c.w.until("the sweeper has run", func() bool { return c.said("swept") >= max(swept+1, 2) })
	idle := map[string]int{}
	for _, consumer := range consumers {
		idle[consumer] = c.said("idle " + consumer)
	}
	for _, consumer := range consumers {
		// Two: the first may have begun before the sweep ended.
		c.w.until(consumer+" is idle", func() bool { return c.said("idle "+consumer) >= idle[consumer]+2 })
	}
}

package localcrm

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// command is what to run: the whole environment, the folder ("" is the server's)
// and what is read from its standard input.
type command struct {
	path  string
	args  []string
	env   []string
	dir   string
	input string
	// other runs it as another user where this process is root's.
	other bool
}

// part is one process under way.
type part struct {
	cmd  *exec.Cmd
	log  string
	done chan struct{} // closed once it is reaped
}

func (s *Server) prepare(c command) (*exec.Cmd, error) {
	// Not CommandContext: a context bounds a start, the part outlives it.
	cmd := exec.Command(c.path, c.args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	if c.dir == "" {
		cmd.Dir = s.dir
	}
	if c.env == nil {
		cmd.Env = []string{"HOME=" + s.dir}
	}
	return cmd, own(cmd, c.other)
}

// run starts a part.
func (s *Server) run(name string, c command) (*part, error) {
	cmd, err := s.prepare(c)
	if err != nil {
		return nil, err
	}
	out, err := os.Create(filepath.Join(s.dir, name+".log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }() // the child has its own
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &part{cmd: cmd, log: out.Name(), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // how it ended is told by its output
	}()
	s.mu.Lock()
	s.parts = append(s.parts, p)
	s.mu.Unlock()
	return p, nil
}

// finish runs a command to its end and gives its output.
func (s *Server) finish(ctx context.Context, c command) (string, error) {
	cmd, err := s.prepare(c)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewBufferString(c.input), &out, &out
	if err := cmd.Start(); err != nil {
		return "", err
	}
	defer context.AfterFunc(ctx, func() { kill(cmd) })()
	if err := cmd.Wait(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", filepath.Base(c.path), err, tail(out.Bytes()))
	}
	return out.String(), nil
}

// await asks until the part is ready, has ended, or the time is over.
func (p *part) await(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%w\n%s", errEnded, p.output())
		case <-ctx.Done():
			return fmt.Errorf("not ready in time: %w\n%s", err, p.output())
		case <-tick.C:
		}
	}
}

func (p *part) output() []byte {
	b, _ := os.ReadFile(p.log) // without it there is nothing to show
	return tail(b)
}

// endTimeout is how long a part may take to end by itself.
const endTimeout = 10 * time.Second

// end asks the part to end what it started and then itself, ends it by force when
// that takes too long, and waits.
func (p *part) end() {
	if interrupt(p.cmd) == nil {
		select {
		case <-p.done:
			return
		case <-time.After(endTimeout):
		}
	}
	kill(p.cmd)
	<-p.done
}

// tail is the end of an output: enough for a Python traceback.
func tail(b []byte) []byte {
	const most = 8 << 10
	return b[max(0, len(b)-most):]
}

// dials reports whether something listens on a Unix socket.
func dials(ctx context.Context, socket string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return err
	}
	return conn.Close()
}

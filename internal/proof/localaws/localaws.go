// Package localaws runs the pinned AWS emulator (MiniStack) as a child process
// on a free loopback port, for tests and for `onefold dev -aws`.
//
// It owns one invariant: the emulator never outlives its owner. The child is
// its own process group, and it watches a pipe that only this process holds, so
// it ends, and removes its folder, even after SIGKILL of a test binary.
//
// It refuses to install anything, to read the environment, to use a fixed port
// and to keep state: Close throws everything away. What the emulator may be
// trusted for is written down as tests (dynamodb_test.go, streams_test.go,
// storage_test.go); where it differs from AWS, deviations_test.go says so.
package localaws

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNotInstalled says that the virtual environment with MiniStack is missing.
// The caller shows it as it is; the person runs the command it names.
var ErrNotInstalled = errors.New("MiniStack is not installed: run `make setup`")

// DefaultTimeout bounds a start. An idle machine needs about two seconds; the
// margin is for a loaded one with two cores.
const DefaultTimeout = 60 * time.Second

// Region is the region every Stack answers for.
const Region = "us-east-1"

//go:embed launch.py
var launcher string

// Options says what to start. The zero value is what tests want.
type Options struct {
	// Root is the folder that holds .venv. Empty: the module root, found by
	// walking up from the working directory to go.mod.
	Root string
	// Env is added to the child's environment, as KEY=value. Nothing else is
	// inherited, so no credentials or proxies of the person reach the emulator.
	Env []string
	// Timeout bounds the start. Zero: DefaultTimeout.
	Timeout time.Duration
}

// Stack is one running emulator. Its methods may be called concurrently.
type Stack struct {
	cmd      *exec.Cmd
	endpoint string
	version  string
	dir      string
	leash    io.Closer     // the child ends when this closes
	output   *ring         // the newest output of the child
	done     chan struct{} // closed once the child is reaped
	accounts atomic.Int64
	closing  sync.Once
}

// Start launches the emulator and returns once it answers. ctx and
// Options.Timeout bound the start only; the stack then lives until Close.
// Errors: ErrNotInstalled, or one that ends with the child's last output.
func Start(ctx context.Context, opts Options) (*Stack, error) {
	python, err := findPython(opts.Root)
	if err != nil {
		return nil, err
	}
	if opts.Timeout <= 0 {
		opts.Timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()

	s, err := launch(python, opts.Env)
	if err != nil {
		return nil, err
	}
	if s.version, err = s.awaitHealth(ctx); err != nil {
		// Close first: only then is the output complete.
		s.Close()
		return nil, fmt.Errorf("start MiniStack: %w\n%s", err, s.output)
	}
	return s, nil
}

// launch opens the port and starts the child on it, without waiting for health.
func launch(python string, env []string) (*Stack, error) {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, fmt.Errorf("open a loopback port: %w", err)
	}
	// Both copies of the socket here close once the child has its own, so a
	// dead child means refused connections, not hanging ones.
	defer func() { _ = listener.Close() }()
	socket, err := listener.File()
	if err != nil {
		return nil, fmt.Errorf("hand over the loopback port: %w", err)
	}
	defer func() { _ = socket.Close() }()

	dir, err := os.MkdirTemp("", "onefold-localaws-")
	if err != nil {
		return nil, fmt.Errorf("make the emulator's folder: %w", err)
	}
	address := listener.Addr().String()
	s := &Stack{
		endpoint: "http://" + address,
		dir:      dir,
		output:   newRing(ringSize),
		done:     make(chan struct{}),
	}
	// Not CommandContext: ctx bounds the start, the stack outlives it.
	s.cmd = exec.Command(python, "-c", launcher, dir)
	s.cmd.Dir = dir
	s.cmd.Env = append(childEnv(dir, strings.TrimPrefix(address, "127.0.0.1:")), env...)
	s.cmd.Stdout, s.cmd.Stderr = s.output, s.output
	s.cmd.ExtraFiles = []*os.File{socket}
	s.cmd.WaitDelay = 5 * time.Second
	ownGroup(s.cmd)
	if s.leash, err = s.cmd.StdinPipe(); err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("run MiniStack: %w", err), os.RemoveAll(dir))
	}
	go func() {
		defer close(s.done)
		_ = s.cmd.Wait() // how it ended is told by its output
	}()
	return s, nil
}

// childEnv is the whole environment of the emulator. Everything it might write
// lies in dir, and the listeners it opens unasked on fixed ports are off.
func childEnv(dir, port string) []string {
	return []string{
		"HOME=" + dir,
		"TMPDIR=" + dir,
		"STATE_DIR=" + filepath.Join(dir, "state"),
		"S3_DATA_DIR=" + filepath.Join(dir, "s3"),
		"GATEWAY_PORT=" + port,
		"EDGE_PORT=" + port,
		"MINISTACK_HOST=127.0.0.1",
		"MINISTACK_REGION=" + Region,
		"IOT_MTLS_ENABLED=0",
		"SFTP_ENABLED=0",
		"LOG_LEVEL=WARNING",
		"PYTHONDONTWRITEBYTECODE=1",
		"PYTHONUNBUFFERED=1",
	}
}

// Endpoint is the base URL of every emulated service.
func (s *Stack) Endpoint() string { return s.endpoint }

// PID is the emulator's process, whose children run functions.
func (s *Stack) PID() int { return s.cmd.Process.Pid }

// Version is what the emulator says it is.
func (s *Stack) Version() string { return s.version }

// Output is the newest output of the emulator, to be shown when a test fails.
func (s *Stack) Output() string { return s.output.String() }

// Close kills the emulator with everything it started, waits until it is gone
// and removes its folder. It may be called again and does nothing then.
func (s *Stack) Close() {
	s.closing.Do(func() {
		// Group first: the leash alone would leave the folder to two hands.
		killGroup(s.cmd)
		<-s.done
		_ = s.leash.Close() // the reader is gone
		_ = os.RemoveAll(s.dir)
	})
}

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// endless is a standard input that nobody writes to: a read tells that it has
// begun and never ends.
type endless struct{ begun func() }

func (r endless) Read([]byte) (int, error) {
	r.begun()
	select {}
}

func TestAnInterruptEndsWhateverWaitsForStandardInput(t *testing.T) {
	t.Parallel()
	s, folder := system(t)
	next := policyFile(t, "2", "auto")
	commands := [][]string{
		{"inspect", "-"},
		{"match", "-policy", next, "-"},
		{"policy", "validate", "-"},
		{"policy", "diff", "-", "-data", folder},
		{"policy", "apply", next, "-data", folder},
	}
	try := func(where string) {
		for _, args := range commands {
			ctx, cancel := context.WithCancel(t.Context())
			var stdout, stderr bytes.Buffer
			ended := make(chan int, 1)
			go func() { ended <- Main(ctx, args, endless{cancel}, &stdout, &stderr) }()
			select {
			case code := <-ended:
				said{code, stdout.String(), stderr.String()}.want(t, exitFailed, "", "onefold: error: interrupted")
			case <-time.After(10 * time.Second):
				t.Fatalf("%s, %q waits on", where, args)
			}
			cancel()
		}
	}
	try("while another process holds the ledger")
	s.Stop(context.Background())
	try("on the ledger itself")
	if got := onefold(t, "", "policy", "show", "-json", "-data", folder); inForce(t, got) != 1 {
		t.Errorf("an interrupted policy was applied: %s", got.stdout)
	}
}

// another runs a command of this test binary under the name it has there.
func another(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = args
	return cmd
}

// until reads what a process writes until it has written the words.
func until(t *testing.T, r io.Reader, words string) {
	t.Helper()
	var got strings.Builder
	b := make([]byte, 1)
	for !strings.Contains(got.String(), words) {
		if _, err := r.Read(b); err != nil {
			t.Fatalf("it wrote %q and not %q: %v", got.String(), words, err)
		}
		got.WriteByte(b[0])
	}
}

func TestControlCAtThePromptAppliesNothing(t *testing.T) {
	t.Parallel()
	s, folder := system(t)
	s.Stop(context.Background())
	cmd := another(t, "onefold", "policy", "apply", policyFile(t, "2", "auto"), "-data", folder)
	stdin, err := cmd.StdinPipe() // open, and nobody answers
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close() }()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, stderr, "[y/N] ")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(stderr)
	_ = cmd.Wait()
	if cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(string(rest), "\nonefold: error: interrupted") {
		t.Errorf("%v, said %q", cmd.ProcessState, rest)
	}
	if got := onefold(t, "", "policy", "show", "-json", "-data", folder); inForce(t, got) != 1 {
		t.Errorf("an interrupted policy was applied: %s", got.stdout)
	}
}

// A command that does not end when it is told to can still be ended.
func TestASecondControlCKillsAtOnce(t *testing.T) {
	t.Parallel()
	cmd := another(t, "stubborn")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, stdout, "works\n")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	until(t, stdout, "told\n")
	// The first lets go of the signal a moment after the command is told.
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for begun := time.Now(); time.Since(begun) < 20*time.Second; {
		select {
		case <-ended:
			if cmd.ProcessState.ExitCode() != -1 {
				t.Errorf("it ended by itself: %v", cmd.ProcessState)
			}
			return
		case <-again.C:
			_ = cmd.Process.Signal(os.Interrupt)
		}
	}
	t.Fatal("it lives on")
}

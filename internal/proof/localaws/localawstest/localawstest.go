// Package localawstest shares one emulator of AWS among the tests of a binary.
//
// It is apart from localaws, which the command line uses too, so that the
// program holds no test code.
package localawstest

import (
	"context"
	"sync"
	"testing"

	"onefold/internal/proof/localaws"
)

// shared is the one stack of a test binary. It is process-wide state because
// what it stands for is: one child process, shared by parallel tests, ended
// with the process that owns it.
var shared struct {
	mu    sync.Mutex
	stack *localaws.Stack
	err   error
}

// ForTest is the stack that all tests of this binary share, started by the
// first that asks. Tests keep apart by localaws.Stack.NewAccount. Without MiniStack the
// test fails with the one line of ErrNotInstalled; it is never skipped.
func ForTest(t testing.TB) *localaws.Stack {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.stack == nil && shared.err == nil {
		// Not the test's context: the stack outlives the test.
		shared.stack, shared.err = localaws.Start(context.Background(), localaws.Options{})
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.stack
}

// Main runs the tests, ends the shared stack and returns the exit code, for
//
//	func TestMain(m *testing.M) { os.Exit(localawstest.Main(m)) }
//
// A binary without it, or one that is killed, leaves nothing behind either: the
// emulator ends with the pipe. Main only makes the end orderly.
func Main(m *testing.M) int {
	defer func() {
		shared.mu.Lock()
		defer shared.mu.Unlock()
		if shared.stack != nil {
			shared.stack.Close()
		}
	}()
	return m.Run()
}

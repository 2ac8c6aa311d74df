package localaws

import (
	"context"
	"sync"
	"testing"
)

// shared is the one stack of a test binary. It is process-wide state because
// what it stands for is: one child process, shared by parallel tests, ended
// with the process that owns it.
var shared struct {
	mu    sync.Mutex
	stack *Stack
	err   error
}

// ForTest is the stack that all tests of this binary share, started by the
// first that asks. Tests keep apart by Stack.NewAccount. Without MiniStack the
// test fails with the one line of ErrNotInstalled; it is never skipped.
func ForTest(t testing.TB) *Stack {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.stack == nil && shared.err == nil {
		// Not the test's context: the stack outlives the test.
		shared.stack, shared.err = Start(context.Background(), Options{})
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.stack
}

// Main runs the tests, ends the shared stack and returns the exit code, for
//
//	func TestMain(m *testing.M) { os.Exit(localaws.Main(m)) }
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

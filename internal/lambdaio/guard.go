package lambdaio

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"onefold/internal/ledger"
)

// panicked is a panic as it may be told: its type, and the place in the code.
// The value may quote a person's data.
type panicked struct{ kind, at string }

func (p *panicked) Error() string { return "panic: " + p.kind + " at " + p.at }

// guarded makes an error of a panic.
func guarded(do func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicked{kind: fmt.Sprintf("%T", v), at: place()}
		}
	}()
	return do()
}

// place is the function of this module that panicked, or called what did.
func place() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	unwinding := false
	for {
		frame, more := frames.Next()
		// The frames before the panic are those of this file.
		if unwinding && strings.HasPrefix(frame.Function, "onefold/") {
			return fmt.Sprintf("%s:%d", strings.TrimPrefix(frame.Function, "onefold/"), frame.Line)
		}
		unwinding = unwinding || frame.Function == "runtime.gopanic"
		if !more {
			return "?"
		}
	}
}

// unreachable tells whether an error says that the ledger does not answer:
// then nothing else of a batch could be done either. What it says about one
// row holds up no other.
func unreachable(err error) bool {
	return errors.Is(err, ledger.ErrUnavailable) || errors.Is(err, ledger.ErrUnknown) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

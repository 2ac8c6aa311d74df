// Command onefold is the operator's tool, and the local system itself.
//
// Its invariant: data goes to stdout, everything else to stderr, and the exit
// code tells how it ended: 0 done, 1 failed, 2 wrong usage, 3 an invariant is
// violated. It decides nothing: every command asks the packages that Lambda
// runs too. A ledger that another process of this machine holds is left to
// that process, which carries the command out.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(untilSignal(func(ctx context.Context) int {
		return Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	}))
}

// untilSignal does work under a context that the first Ctrl-C or SIGTERM ends.
// The second is no longer caught: it kills a process that does not end.
func untilSignal(work func(context.Context) int) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return work(ctx)
}

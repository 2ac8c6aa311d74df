package main

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"onefold": main,
		// stubborn does not end when it is told to.
		"stubborn": func() {
			os.Exit(untilSignal(func(ctx context.Context) int {
				os.Stdout.WriteString("works\n")
				<-ctx.Done()
				os.Stdout.WriteString("told\n")
				time.Sleep(time.Hour)
				return exitDone
			}))
		},
		// code runs onefold and prints how it ended, which scripts cannot ask.
		"code": func() {
			os.Stdout.WriteString(string(rune('0'+Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))) + "\n")
		},
	})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata", RequireExplicitExec: true, RequireUniqueNames: true})
}

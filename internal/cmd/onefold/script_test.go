package main

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"onefold": func() {
			os.Exit(Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
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

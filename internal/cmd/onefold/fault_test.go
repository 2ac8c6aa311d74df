package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The errors are those of the operating system, which a test that runs as root
// cannot provoke.
func TestAFileThatCannotBeReadIsNamedWithWhatToDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cause      syscall.Errno
		what, hint string
	}{
		{syscall.EACCES, "permission denied", "hint: you may not use it: `ls -l` shows who may"},
		{syscall.EPERM, "operation not permitted", "hint: you may not use it: `ls -l` shows who may"},
		{syscall.ENOENT, "no such file", "hint: look at how its name is written"},
		{syscall.EISDIR, "is a directory", "hint: name a file, not a folder"},
	} {
		var stderr bytes.Buffer
		e := &env{stderr: &stderr, shown: ".onefold"}
		err := fmt.Errorf("read the policy: %w", &fs.PathError{Op: "open", Path: "p.json", Err: c.cause})
		code := e.report(err)
		if got := stderr.String(); code != exitFailed || !strings.Contains(got, "p.json") || !strings.Contains(got, c.what) || !strings.Contains(got, c.hint) {
			t.Errorf("%v: exit %d, said %q", c.cause, code, got)
		}
	}
}

func TestEveryCommandThatReadsAFileSaysWhatToDo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing")
	for _, args := range [][]string{
		{"inspect"}, {"inspect", "mail.eml", "-policy"}, {"match", "records.jsonl", "-policy"}, {"policy", "validate"},
	} {
		for _, name := range []string{missing, folder} {
			onefold(t, "", append(slices.Clone(args), name)...).want(t, exitFailed, "", "onefold: hint: ")
		}
	}
	if os.Geteuid() != 0 {
		if err := os.WriteFile(missing, nil, 0); err != nil {
			t.Fatal(err)
		}
		onefold(t, "", "inspect", missing).want(t, exitFailed, "", "onefold: hint: you may not use it")
	}
}

func TestHintsOfDevNameNothingThatDoesNotExist(t *testing.T) {
	t.Parallel()
	got := onefold(t, "", "dev", "-aws", "https://aws.example", "-data", t.TempDir())
	got.want(t, exitUsage, "", "hint: this version runs on an emulator on this machine")
	if strings.Contains(got.stderr, "cdk") {
		t.Errorf("it names what there is not: %s", got.stderr)
	}
}

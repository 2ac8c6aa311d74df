package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"onefold/internal/ledger"
)

// The exit codes.
const (
	exitDone     = 0
	exitFailed   = 1
	exitUsage    = 2
	exitViolated = 3
)

// fault is a failure with what a person can do about it, and its exit code.
type fault struct {
	err  error
	hint string
	code int
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// usage is a command line that cannot be meant.
func usage(message, hint string) error {
	return &fault{errors.New(message), hint, exitUsage}
}

// hinted adds what to do to an error.
func hinted(err error, hint string) error {
	return &fault{err, hint, exitFailed}
}

// ended is an error whose words are out already: only its code is left.
type ended int

func (e ended) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// report prints an error and says how the program ends.
func (e *env) report(err error) int {
	if err == nil {
		return exitDone
	}
	var code ended
	if errors.As(err, &code) {
		return int(code)
	}
	f := e.describe(err)
	e.say("error", f.Error())
	if f.hint != "" {
		e.say("hint", f.hint)
	}
	return f.code
}

// say prints one line for people.
func (e *env) say(kind, line string) {
	_, _ = fmt.Fprintf(e.stderr, "onefold: %s: %s\n", kind, plain(line))
}

// describe finds the words for an error: its own, or those that a person can
// use better.
func (e *env) describe(err error) *fault {
	var f *fault
	if errors.As(err, &f) {
		return f
	}
	what, hint := err.Error(), ""
	switch {
	case errors.Is(err, context.Canceled):
		what = "interrupted"
	case errors.Is(err, ledger.ErrInUse):
		what = "another process has the data folder " + e.shown + " open"
		hint = "end that process, or name another folder with -data"
	case errors.Is(err, ledger.ErrDamaged):
		what = "the ledger in " + e.shown + " is damaged and cannot be read"
		hint = "keep the folder as it is, restore it from a copy, or start with another -data folder"
	case errors.Is(err, fs.ErrPermission):
		hint = "you may not use it: `ls -l` shows who may; have the rights changed, or act as that user"
	case errors.Is(err, fs.ErrNotExist):
		hint = "look at how its name is written, and at the folder you are in"
	case errors.Is(err, syscall.EISDIR):
		hint = "name a file, not a folder"
	}
	return &fault{errors.New(what), hint, exitFailed}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"

	"onefold/internal/ledger"
	"onefold/internal/local"
	"onefold/internal/operate/stage"
)

// maxFile is the largest file that a command reads, in bytes.
const maxFile = 64 << 20

// env is what a command works with.
type env struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	data   string // the data folder
	shown  string // how a person knows that folder
	place  stage.Place
	on     string // how a person knows the environment, where it is a stage

	args  []string // as given
	model *kong.Application

	// opened is set in the process that holds the ledger, when it carries out
	// a command of another; files are then the only files there are.
	opened *stage.Opened
	files  map[string][]byte
}

// open opens the data folder or the stage. The caller closes it.
func (e *env) open() (*stage.Opened, error) {
	if e.place.Stage != "" {
		return e.openStage()
	}
	if _, err := os.Stat(filepath.Join(e.data, "ledger.db")); errors.Is(err, fs.ErrNotExist) {
		return nil, hinted(fmt.Errorf("there is no data in %s", e.data), "start `onefold dev` first, or name the folder with -data")
	}
	return local.Open(e.data)
}

// onLedger does work on the ledger of the data folder: here, or in the process
// that has it open. files are those that the command line names.
func (e *env) onLedger(work func(*stage.Opened) error, files ...string) error {
	if e.opened != nil {
		return work(e.opened)
	}
	opened, err := e.open()
	if errors.Is(err, ledger.ErrInUse) {
		return e.relay(e.args, files, e.stdout)
	}
	if err != nil {
		return err
	}
	return errors.Join(work(opened), opened.Close())
}

// read is the content of a file; "-" is standard input.
func (e *env) read(name string) ([]byte, error) {
	if e.files != nil {
		b, ok := e.files[name]
		if !ok {
			return nil, errors.New("a file of the command was not sent along")
		}
		return b, nil
	}
	b, err := unlessEnded(e.ctx, func() ([]byte, error) { return readAll(name, e.stdin) })
	if err != nil {
		return nil, err
	}
	if len(b) > maxFile {
		return nil, fmt.Errorf("%s is larger than %d MiB", name, maxFile>>20)
	}
	return b, nil
}

// readAll reads a file, or standard input if its name is "-", to at most one
// byte more than maxFile.
func readAll(name string, stdin io.Reader) ([]byte, error) {
	from := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	b, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return b, nil
}

// unlessEnded does a read that may wait for ever, as those of a terminal and a
// pipe do, and gives it up when the context ends: there is no way to end such a
// read, so it is left to end with the process.
func unlessEnded[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// printf writes data for people. A reader that has gone away is no fault.
func (e *env) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(e.stdout, format, args...)
}

// printJSON writes data for programs, indented.
func (e *env) printJSON(v any) error {
	enc := json.NewEncoder(e.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// plain keeps a stranger's text from steering the terminal: control characters
// and those that turn the direction of writing are shown as a mark.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/local"
	"onefold/internal/operate/stage"
)

// Serve gives what the process that holds a ledger does with the commands of
// others: it runs the same command on the ledger it has open. It reads no file
// and asks nobody.
func Serve(opened *stage.Opened) func(context.Context, local.Command) local.CommandResult {
	return func(ctx context.Context, c local.Command) local.CommandResult {
		var stdout, stderr bytes.Buffer
		files := c.Files
		if files == nil {
			files = map[string][]byte{}
		}
		e := &env{ctx: ctx, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, opened: opened, files: files}
		code := run(e, c.Args)
		return local.CommandResult{Stdout: stdout.String(), Stderr: stderr.String(), Exit: code}
	}
}

// relay has a command carried out by the process that holds the data folder,
// and passes on what it printed and how it ended.
func (e *env) relay(args, names []string, stdout io.Writer) error {
	holder, found := local.FindRunning(e.data)
	if !found {
		return ledger.ErrInUse
	}
	folder, err := filepath.Abs(e.data)
	if err != nil {
		return err
	}
	c := local.Command{Args: append([]string{"-shown-folder=" + folder}, args...), Files: map[string][]byte{}}
	for _, name := range names {
		if c.Files[name], err = e.read(name); err != nil {
			return err
		}
	}
	result, err := holder.Run(e.ctx, c)
	if err != nil {
		if e.ctx.Err() != nil {
			return e.ctx.Err()
		}
		return hinted(fmt.Errorf("the ledger in %s is open in process %d: %w", e.data, holder.PID, err),
			"wait a moment and try again, or end that process")
	}
	_, out := io.WriteString(stdout, result.Stdout)
	_, told := io.WriteString(e.stderr, result.Stderr)
	if result.Exit != exitDone {
		return ended(result.Exit)
	}
	return errors.Join(out, told)
}

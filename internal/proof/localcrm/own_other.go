//go:build !linux

package localcrm

import (
	"errors"
	"os/exec"
)

// errLinux says that nothing else would end the parts for sure.
var errLinux = errors.New("the real CRM runs on Linux alone")

func own(*exec.Cmd, bool) error { return errLinux }

func yield(string) error { return errLinux }

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func interrupt(*exec.Cmd) error { return errLinux }

//go:build !unix

package localaws

import "os/exec"

// ownGroup does nothing: without process groups only the child itself is ended.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

//go:build unix

package localaws

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the child the leader of a process group, so that what it
// starts can be ended with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup ends the child and everything in its group. A group that is gone
// already is no error.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}

package localcrm

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// own makes a process the leader of a group, which the kernel ends when the
// thread that started it does: that is with this process at the latest.
// PostgreSQL refuses to run as root, so other is nobody then.
func own(cmd *exec.Cmd, other bool) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if !other || os.Geteuid() != 0 {
		return nil
	}
	uid, gid, err := nobody()
	if err != nil {
		return err
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return nil
}

func nobody() (uid, gid int, err error) {
	u, err := user.Lookup("nobody")
	if err != nil {
		return 0, 0, fmt.Errorf("find a user other than root for PostgreSQL: %w", err)
	}
	uid, err = strconv.Atoi(u.Uid)
	if err == nil {
		gid, err = strconv.Atoi(u.Gid)
	}
	return uid, gid, err
}

// yield gives a file to the user that PostgreSQL runs as.
func yield(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid, err := nobody()
	if err != nil {
		return err
	}
	return os.Lchown(path, uid, gid)
}

// kill ends a process and everything in its group; one that is gone is no error.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// interrupt asks for an orderly end that waits for no client: PostgreSQL's "fast
// shutdown", gunicorn's "quick" one, and Redis's only one.
func interrupt(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGINT) }

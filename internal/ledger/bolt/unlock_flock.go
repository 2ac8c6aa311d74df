//go:build unix && !aix && !solaris

package bolt

import (
	"os"
	"syscall"
)

// unlock gives up the lock that bbolt took on the file. Closing it is not
// enough after a panic within bbolt: the mapping, which nobody can undo then,
// keeps the open file and so the lock alive.
func unlock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }

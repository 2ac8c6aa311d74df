//go:build unix

package bolt_test

import (
	"os/signal"
	"syscall"
)

// limitFileSize makes each write beyond the size fail with EFBIG, as a full
// disk makes it fail with ENOSPC.
func limitFileSize(bytes uint64) {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
	limit.Cur = bytes
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
}

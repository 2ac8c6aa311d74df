//go:build !unix || aix || solaris

package bolt

import "os"

// unlock does nothing: here the lock ends with the file, or the process.
func unlock(*os.File) error { return nil }

package local

import "time"

const (
	// keepPolicy is how long the local processes remember a policy.
	keepPolicy = time.Second
	// settle is how long after a policy was applied a worker may still work under
	// the one before; some seconds are for a commit that takes its time. There is
	// one clock.
	settle = keepPolicy + workerTimeout + 5*time.Second
)

package app

import (
	"time"

	"onefold/internal/schema"
)

// skew is by what the clocks of two functions, or of a function and an operator
// may differ; leases reckon with the same.
const skew = time.Minute

// PolicySettles is how long after a policy was applied a function of a stage may
// still work under the one before: it remembers that so long, and may have begun
// with it just before it forgot.
func PolicySettles() time.Duration {
	longest := time.Duration(0)
	for _, r := range schema.Functions() {
		longest = max(longest, r.Timeout)
	}
	return keepPolicy + longest + skew
}

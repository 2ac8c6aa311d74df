package stage

import (
	"time"

	"onefold/internal/blob"
	"onefold/internal/crm"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/versions"
	"onefold/internal/secret"
)

// Opened is what a command of an operator works on: a deployed stage, or a data
// folder of this machine.
type Opened struct {
	Store    ledger.Store
	Blob     blob.Store
	IDs      digest.Key
	Policies *versions.Book
	Secrets  secret.Keeper
	// Slack is within which time the stamps of two records do not tell which
	// was first; 0: 30 s, a worker's life where one clock stamps everything.
	Slack time.Duration
	// Settle is how long after a policy was applied a process may still work under
	// the one before.
	Settle time.Duration
	// LocalCRM is the CRM of a system that runs on this machine, whatever the
	// policy names; nil elsewhere.
	LocalCRM crm.Vendor
	// Release lets go of what is held; nil where nothing is.
	Release func() error
}

// slack of a stage: a function's life (60 s), and a minute by which the clocks
// of two functions may differ.
const slack = 2 * time.Minute

// Close lets go of what is held.
func (o *Opened) Close() error {
	if o.Release == nil {
		return nil
	}
	return o.Release()
}

package schema

import "time"

// Function is the name of a function: of its folder in functions/, of its
// binary and, after the stage's prefix, of the deployed function.
type Function string

// The functions.
const (
	Ingest   Function = "ingest"   // HTTP API and inbound mail queue → events
	Extract  Function = "extract"  // stream of events → decisions
	CRMSync  Function = "crmsync"  // stream of outbox → CRM
	Send     Function = "send"     // stream of outbox, and the feed probe's schedule → SES
	Feedback Function = "feedback" // queue of SES events → attempts, intents, guards
	Sweep    Function = "sweep"    // schedule → nudges
	Console  Function = "console"  // people → review
	Optout   Function = "optout"   // mail clients → stops
)

// Runs says how a function runs. The timeout is an invariant shared by the code
// and the infrastructure: a claim's lease is claim + Timeout + 60 s, so a
// function that lived longer than Timeout could lose its claim while it works.
type Runs struct {
	Function Function
	Timeout  time.Duration // Lambda's, and what leases are reckoned with
	MemoryMB int64         // of Lambda, which gives CPU in proportion (1,769 MB is one)
	Why      string
}

// Functions lists the functions in the order in which mail passes them.
func Functions() []Runs {
	return []Runs{
		{Ingest, 15 * time.Second, 512, "one read, one put and one commit; half of what the HTTP API waits (30 s)"},
		{Extract, 60 * time.Second, 1024, "parses up to 40 MB of MIME and may wait for a model"},
		{CRMSync, 60 * time.Second, 512, "a few CRM calls of at most 10 s each"},
		{Send, 60 * time.Second, 512, "one SES call of at most 10 s for each record of a small batch"},
		{Feedback, 30 * time.Second, 512, "one or two commits a message; a sixth of the queue's visibility timeout"},
		{Sweep, 50 * time.Second, 512, "ends before the schedule's next minute"},
		{Console, 20 * time.Second, 512, "a page of tasks, or one decision"},
		{Optout, 10 * time.Second, 256, "one commit"},
	}
}

// RunsOf finds a function.
func RunsOf(f Function) (Runs, bool) {
	for _, r := range Functions() {
		if r.Function == f {
			return r, true
		}
	}
	return Runs{}, false
}

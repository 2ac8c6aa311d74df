// Package scenario proves, as tests, what DESIGN section 1 promises, by trying
// to break it: the whole system runs in one process on a virtual clock, and
// its calls fail, die, stall, repeat and interleave, one schedule at a time.
//
// Its invariant: a schedule is a value. Scenario, faults and choices together
// say all that happens, so a failure prints the line that runs it again.
//
// What is real: every use case, wired as app wires them, the policy, the rules
// that read the text, the state machines and the ledger (in memory, embedded,
// or DynamoDB in an emulator). What is fake: the provider of mail, the CRM, the
// raw content, the streams between ledger and workers, and the clock. The
// fakes keep journals of their own, and what is asserted rests on these and on
// internal/operate/verify, never on what a worker says it did.
//
// It refuses to judge speed, the wire and the adapters: those have tests of
// their own (crmtest, mailertest, ledgertest, stories).
package scenario

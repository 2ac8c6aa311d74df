// Package stored proves, as tests, that nothing stored may be forgotten: it
// keeps stores that an earlier tree wrote, and each later tree must read them,
// explain them in the same words, and go on with what waits in them.
//
// Its invariant: a kept store is never written again. A format that replaces
// another gets a store of its own beside it:
//
//	go test ./internal/proof/scenario/stored -run TestWrite -write NAME
//
// What is real: the use cases as app wires them, the embedded ledger, the
// folder of raw content. What is fake: the clock, the provider of mail, the CRM,
// and the reader, which is the rules with a few words of a script.
//
// It refuses to keep sentences: these are for people and may get better. What
// is kept of explain are the words that programs read.
package stored

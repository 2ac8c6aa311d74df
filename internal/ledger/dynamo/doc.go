// Package dynamo is the ledger on DynamoDB.
//
// It owns how an item lies in a table (keys.go, item.go), how a condition is
// said to DynamoDB (expr.go) and what DynamoDB's answers mean (answer.go). It
// decides nothing about the nouns: every condition is the caller's.
//
// Its invariant: an error that says "nothing was written" is true of every
// request that the call put on the wire, the repeated ones too. Where one of
// them went unanswered, the answer is ledger.ErrUnknown.
//
// # Why every commit is a transaction
//
// A lone conditional PutItem whose answer is lost is repeated by the SDK,
// meets its own item and reports that the condition failed: the writer is told
// that it lost to itself. TransactWriteItems carries a client request token,
// by which DynamoDB knows the repeat for ten minutes and answers "done". So
// one write goes as a transaction of one too, at twice the write units (API
// Reference, TransactWriteItems; Developer Guide, "Amazon DynamoDB
// Transactions: How it works"; read 2026-11).
//
// Errors name operation, entity and tenant, never another word of a key and
// never DynamoDB's message, which may quote one.
package dynamo

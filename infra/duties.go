package main

import "onefold/internal/schema"

// duty is what a function does, and so all that its role may.
type duty struct {
	function schema.Function
	tables   []access
	raw      rawAccess
	secrets  []string // names after schema.SecretPrefix; one that ends in / is a prefix
	mail     bool     // reads the bucket of inbound mail
	sends    bool     // calls SES
	asks     bool     // calls the model, if there is one
}

// access is what a function does with one table. Reads are of single items by
// key, or of those under one key; indexes are queried by name.
type access struct {
	table   schema.Table
	reads   []string
	indexes []string
	writes  []string
}

type rawAccess string

const (
	rawNone rawAccess = ""
	rawPut  rawAccess = "put"
	rawGet  rawAccess = "get"
)

// The actions on tables. All writes are parts of transactions, and the roles
// say so. There is no DeleteItem and no Scan: no function removes an item or
// reads through a table.
const (
	get     = "dynamodb:GetItem"
	getMany = "dynamodb:BatchGetItem"
	put     = "dynamodb:PutItem"
	update  = "dynamodb:UpdateItem"
	check   = "dynamodb:ConditionCheckItem"
	query   = "dynamodb:Query"
)

// duties lists what each function does. Audit records are put and never
// changed; that a put overwrites none is a condition of the ledger's, since
// IAM knows none for it.
func duties() []duty {
	audit := access{table: schema.Audit, writes: []string{put}}
	return []duty{
		{
			function: schema.Ingest,
			tables: []access{
				// Of a mail to several mailboxes, several events at once.
				{table: schema.Events, reads: []string{get, getMany}, writes: []string{put}},
				// Policy, the mailboxes that a received mail is for, and the task
				// about a conflict.
				{table: schema.Ledger, reads: []string{get, getMany}, writes: []string{put}},
				audit,
			},
			raw: rawPut, mail: true,
			secrets: []string{schema.SecretIdentifierKey, schema.SecretWebhooks},
		},
		{
			function: schema.Extract,
			tables: []access{
				{table: schema.Events, reads: []string{get}, writes: []string{put, update, check}},
				{table: schema.Ledger, reads: []string{get, getMany}, writes: []string{put, update, check}},
				{table: schema.Outbox, writes: []string{put}},
				audit,
			},
			raw: rawGet, secrets: []string{schema.SecretIdentifierKey}, asks: true,
		},
		{
			function: schema.CRMSync,
			tables: []access{
				{table: schema.Events, reads: []string{get}},
				{table: schema.Ledger, reads: []string{get, getMany}, writes: []string{put, update, check}},
				{table: schema.Outbox, reads: []string{get}, indexes: []string{schema.ByWaitsFor}, writes: []string{update}},
				audit,
			},
			raw: rawGet, secrets: []string{schema.SecretCRM},
		},
		{
			function: schema.Send,
			tables: []access{
				{table: schema.Ledger, reads: []string{get, getMany}, indexes: []string{schema.ByContact}, writes: []string{put, update, check}},
				{table: schema.Outbox, reads: []string{get}, writes: []string{update}},
				audit,
			},
			secrets: []string{schema.SecretIdentifierKey}, sends: true,
		},
		{
			function: schema.Feedback,
			tables: []access{
				{table: schema.Ledger, reads: []string{get, getMany}, writes: []string{put, update}},
				{table: schema.Outbox, reads: []string{get}, writes: []string{put, update}},
				audit,
			},
			secrets: []string{schema.SecretIdentifierKey},
		},
		{
			function: schema.Sweep,
			tables: []access{
				{table: schema.Events, reads: []string{get}, indexes: []string{schema.ByDue}, writes: []string{update}},
				{table: schema.Outbox, reads: []string{get}, indexes: []string{schema.ByDue}, writes: []string{update}},
				audit,
			},
		},
		{
			function: schema.Console,
			tables: []access{
				// What a person approves is read like any other, and what was read is
				// put. An event's readings are listed, whoever made them.
				{table: schema.Events, reads: []string{get, getMany, query}, writes: []string{put, update, check}},
				{
					table: schema.Ledger, reads: []string{get, getMany},
					indexes: []string{schema.ByOpenReview}, writes: []string{put, update, check},
				},
				{table: schema.Outbox, reads: []string{get}, writes: []string{put, update}},
				// Whose answer it was that put a task anew.
				{table: schema.Audit, reads: []string{get}, writes: []string{put}},
			},
			raw: rawGet, secrets: []string{schema.SecretIdentifierKey, schema.SecretConsole},
		},
		{
			function: schema.Optout,
			tables: []access{
				// A key that nobody has yet must still be nobody's.
				{table: schema.Ledger, reads: []string{get}, writes: []string{put, update, check}},
				{table: schema.Outbox, writes: []string{put}},
				audit,
			},
			secrets: []string{schema.SecretIdentifierKey},
		},
	}
}

func dutyOf(f schema.Function) duty {
	for _, d := range duties() {
		if d.function == f {
			return d
		}
	}
	return duty{function: f} // may nothing
}

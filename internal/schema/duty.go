package schema

// Duty is what a function does, and so all that its role may. Roles are made of
// it, and each use case's own tests are compared with it.
type Duty struct {
	Function Function
	Tables   []Access
	Raw      RawAccess
	Secrets  []string // names after SecretPrefix; one that ends in / is a prefix
	Mail     bool     // reads the bucket of inbound mail
	Sends    bool     // calls SES
	Asks     bool     // calls the model, if there is one
}

// Access is what a function does with one table. Reads are of single items by
// key, or of those under one key; indexes are queried by name.
type Access struct {
	Table   Table
	Reads   []string
	Indexes []string
	Writes  []string
}

// RawAccess is what a function does with raw content.
type RawAccess string

// The accesses to raw content.
const (
	RawNone RawAccess = ""
	RawPut  RawAccess = "put"
	RawGet  RawAccess = "get"
)

// The actions on tables. All writes are parts of transactions, and the roles
// say so. There is no DeleteItem and no Scan: no function removes an item or
// reads through a table.
const (
	GetItem        = "dynamodb:GetItem"
	BatchGetItem   = "dynamodb:BatchGetItem"
	PutItem        = "dynamodb:PutItem"
	UpdateItem     = "dynamodb:UpdateItem"
	ConditionCheck = "dynamodb:ConditionCheckItem"
	QueryItems     = "dynamodb:Query"
)

// Duties lists what each function does. Audit records are put and never
// changed; that a put overwrites none is a condition of the ledger's, since
// IAM knows none for it.
func Duties() []Duty {
	audit := Access{Table: Audit, Writes: []string{PutItem}}
	return []Duty{
		{
			Function: Ingest,
			Tables: []Access{
				// Of a mail to several mailboxes, several events at once.
				{Table: Events, Reads: []string{GetItem, BatchGetItem}, Writes: []string{PutItem}},
				// Policy, the mailboxes that a received mail is for, and the task
				// about a conflict.
				{Table: Ledger, Reads: []string{GetItem, BatchGetItem}, Writes: []string{PutItem}},
				audit,
			},
			Raw: RawPut, Mail: true,
			Secrets: []string{SecretIdentifierKey, SecretWebhooks},
		},
		{
			Function: Extract,
			Tables: []Access{
				{Table: Events, Reads: []string{GetItem}, Writes: []string{PutItem, UpdateItem, ConditionCheck}},
				{Table: Ledger, Reads: []string{GetItem, BatchGetItem}, Writes: []string{PutItem, UpdateItem, ConditionCheck}},
				{Table: Outbox, Writes: []string{PutItem}},
				audit,
			},
			Raw: RawGet, Secrets: []string{SecretIdentifierKey}, Asks: true,
		},
		{
			Function: CRMSync,
			Tables: []Access{
				{Table: Events, Reads: []string{GetItem}},
				{Table: Ledger, Reads: []string{GetItem, BatchGetItem}, Writes: []string{PutItem, UpdateItem, ConditionCheck}},
				{Table: Outbox, Reads: []string{GetItem}, Indexes: []string{ByWaitsFor}, Writes: []string{PutItem, UpdateItem}},
				audit,
			},
			Raw: RawGet, Secrets: []string{SecretIdentifierKey, SecretCRM},
		},
		{
			Function: Send,
			Tables: []Access{
				{Table: Ledger, Reads: []string{GetItem, BatchGetItem}, Indexes: []string{ByContact}, Writes: []string{PutItem, UpdateItem, ConditionCheck}},
				{Table: Outbox, Reads: []string{GetItem}, Writes: []string{UpdateItem}},
				audit,
			},
			Secrets: []string{SecretIdentifierKey}, Sends: true,
		},
		{
			Function: Feedback,
			Tables: []Access{
				{Table: Ledger, Reads: []string{GetItem, BatchGetItem}, Writes: []string{PutItem, UpdateItem}},
				{Table: Outbox, Reads: []string{GetItem}, Writes: []string{PutItem, UpdateItem}},
				audit,
			},
			Secrets: []string{SecretIdentifierKey},
		},
		{
			Function: Sweep,
			Tables: []Access{
				{Table: Events, Reads: []string{GetItem}, Indexes: []string{ByDue}, Writes: []string{UpdateItem}},
				{Table: Outbox, Reads: []string{GetItem}, Indexes: []string{ByDue}, Writes: []string{UpdateItem}},
				audit,
			},
		},
		{
			Function: Console,
			Tables: []Access{
				// An event's readings are listed, whoever made them; none is made here.
				{Table: Events, Reads: []string{GetItem, BatchGetItem, QueryItems}, Writes: []string{UpdateItem, ConditionCheck}},
				{
					Table: Ledger, Reads: []string{GetItem, BatchGetItem},
					Indexes: []string{ByOpenReview}, Writes: []string{PutItem, UpdateItem, ConditionCheck},
				},
				{Table: Outbox, Writes: []string{PutItem}},
				// Whose answer it was that put a task anew.
				{Table: Audit, Reads: []string{GetItem}, Writes: []string{PutItem}},
			},
			Raw: RawGet, Secrets: []string{SecretIdentifierKey, SecretConsole},
		},
		{
			Function: Optout,
			Tables: []Access{
				// A key that nobody has yet must still be nobody's.
				{Table: Ledger, Reads: []string{GetItem}, Writes: []string{PutItem, UpdateItem, ConditionCheck}},
				{Table: Outbox, Writes: []string{PutItem}},
				audit,
			},
			Secrets: []string{SecretIdentifierKey},
		},
	}
}

// DutyOf finds the duty of a function; one that is none may do nothing.
func DutyOf(f Function) Duty {
	for _, d := range Duties() {
		if d.Function == f {
			return d
		}
	}
	return Duty{Function: f}
}

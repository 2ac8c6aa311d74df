// Package schema names the tables, their keys and their indexes, once, for the
// stores that use them and the infrastructure that makes them.
//
// It owns names only: no value is built here and nothing is read.
package schema

// Table is the logical name of a table. A deployment may put a prefix before
// it; code never does.
type Table string

// The four tables. Events and outbox are apart because a stream shard serves
// two readers well, not three.
const (
	Events Table = "events" // event, its deliveries, its stored extraction; stream to extract
	Ledger Table = "ledger" // everything that is decided; no stream
	Outbox Table = "outbox" // operations; stream to crmsync and send
	Audit  Table = "audit"  // append-only
)

// Attribute names that the stores and the infrastructure share.
const (
	PK        = "pk"
	SK        = "sk"
	Entity    = "entity"     // what kind of item this is; stream filters match on it
	Tenant    = "tenant"     // whose it is
	ID        = "id"         // the item's own words, unescaped
	Sub       = "sub"        // place within the parent, or absent
	Version   = "version"    // raised by every write
	Revision  = "schema"     // form of the item; 1 now
	ExpiresAt = "expires_at" // epoch seconds; retention only, never a lock
	DueShard  = "due_shard"
	DueAt     = "due_at"
)

// Index is a sparse global index: an item is in it while it has both
// attributes. Reads of an index are eventually consistent everywhere.
type Index struct {
	Name      string
	Table     Table
	Partition string // attribute, text
	Sort      string // attribute, text
	Serves    string // the access pattern
}

// The index names.
const (
	ByDue        = "by_due"
	ByWaitsFor   = "by_waits_for"
	ByOpenReview = "by_open_review"
	ByContact    = "by_contact"
	ByIntent     = "by_intent"
	ByMessage    = "by_message"
)

// Spec describes a table.
type Spec struct {
	Name    Table
	Stream  bool // new image
	Indexes []Index
}

// Specs lists the tables in the order in which they are made.
func Specs() []Spec {
	return []Spec{
		{Name: Events, Stream: true, Indexes: []Index{
			{ByDue, Events, DueShard, DueAt, "sweep: events whose time has come"},
		}},
		{Name: Ledger, Indexes: []Index{
			{ByOpenReview, Ledger, "open_for", "opened_at", "review: what waits for a person"},
			{ByContact, Ledger, "contact_ref", "created_at", "explain, cancel: the intents of a contact"},
		}},
		{Name: Outbox, Stream: true, Indexes: []Index{
			{ByDue, Outbox, DueShard, DueAt, "sweep: operations whose time has come"},
			{ByWaitsFor, Outbox, "waits_for", "created_at", "crmsync: what a finished operation releases"},
		}},
		{Name: Audit, Indexes: []Index{
			{ByContact, Audit, "contact_ref", "at", "explain by contact"},
			{ByIntent, Audit, "intent_ref", "at", "explain by intent"},
			{ByMessage, Audit, "message_ref", "at", "explain by provider message"},
		}},
	}
}

// Shards is the number of partitions of the by_due index. It may rise, never
// fall: rows keep the shard they were born with.
const Shards = 4

// Ref is the text by which an index finds what belongs to one thing of one
// tenant.
func Ref(tenant, id string) string {
	if id == "" {
		return ""
	}
	return tenant + "#" + id
}

// IndexOf finds an index of a table by its name.
func IndexOf(t Table, name string) (Index, bool) {
	for _, s := range Specs() {
		if s.Name != t {
			continue
		}
		for _, ix := range s.Indexes {
			if ix.Name == name {
				return ix, true
			}
		}
	}
	return Index{}, false
}

// Shard is the partition of by_due for an identifier.
func Shard(id string) string {
	var h uint32 = 2166136261 // FNV-1a
	for i := range len(id) {
		h = (h ^ uint32(id[i])) * 16777619
	}
	return string(rune('0' + h%Shards))
}

package schema

import (
	"encoding/json"
	"time"
)

// StreamMapping says how a function reads a table's stream. All mappings start
// at the oldest record (TRIM_HORIZON), report the records that failed, and send
// word of what they give up to a queue; those three are no choice:
//
//   - LATEST loses what is written while a mapping is made or changed, since
//     polling then begins at some moment of the next minutes (Lambda Developer
//     Guide, "Using AWS Lambda with Amazon DynamoDB", read 2026-11).
//   - Without reported failures one record that fails repeats its whole batch.
//   - What a mapping gives up is lost to the stream. The row's own due time
//     brings the work back; the word of it is for people.
type StreamMapping struct {
	Function Function
	Table    Table
	// Where are the attributes of the new image that a record must have, one of
	// the texts of each. A removal has no new image and so never fits; a filter
	// on eventName is not needed, and Lambda's guide says that mappings of
	// DynamoDB filter on the key "dynamodb" alone ("Using event filtering with a
	// DynamoDB event source", read 2026-11).
	Where []Where

	BatchSize   int           // records of one invocation, at most
	Window      time.Duration // how long a batch is gathered
	PerShard    int           // ParallelizationFactor: batches of one shard at once
	Retries     int           // MaximumRetryAttempts: calls after the first; throttles are not counted
	MaxAge      time.Duration // MaximumRecordAgeInSeconds
	Bisect      bool          // BisectBatchOnFunctionError
	WhyWhere    string
	WhyBatch    string
	WhyPerShard string
	WhyRetries  string
	WhyMaxAge   string
}

// Where is one attribute and the texts that fit.
type Where struct {
	Attribute string
	Texts     []string
}

// Kind is the attribute by which an operation's worker knows it; a stream
// filter matches on it. The words are those of the outbox.
const Kind = "kind"

// StreamRetention is how long a stream keeps a record (DynamoDB Developer
// Guide, "Change data capture for DynamoDB Streams", read 2026-11).
const StreamRetention = 24 * time.Hour

// Reasons that all mappings share.
const (
	whyPerShard = "an account begins with 10 concurrent executions for all its functions, and a new table's stream may have several shards: one batch of a shard at a time leaves the HTTP API room. Lambda cannot cap a stream mapping otherwise, and reserving is refused below 10 unreserved. Order per item would hold with more"
	whyRetries  = "at least the batch less one, so that a worker which has time for one record only still gets through its batch if Lambda counts every call against it; no more, since a record that fails each time holds its shard for all of them, once for each of its row's ten nudges. What is given up comes back by the row's due time"
	whyMaxAge   = "bounds what retries do not count (throttles, a function that cannot be started); half of what a stream keeps, so that giving up is told of instead of the record expiring unseen"
)

// StreamMappings lists the mappings.
func StreamMappings() []StreamMapping {
	return []StreamMapping{
		{
			Function: Extract, Table: Events,
			Where:     []Where{{Entity, []string{"event"}}},
			BatchSize: 4, PerShard: 1, Retries: 3, MaxAge: 12 * time.Hour, Bisect: true,
			WhyWhere:    "deliveries and extractions are in the same table and are nobody's work; states are judged on the row, not on the image",
			WhyBatch:    "an event may wait for a model: of four, each has a quarter of the timeout. No window: a mail does not wait for others",
			WhyPerShard: whyPerShard, WhyRetries: whyRetries, WhyMaxAge: whyMaxAge,
		},
		{
			Function: CRMSync, Table: Outbox,
			Where:     []Where{{Entity, []string{"operation"}}, {Kind, []string{"crm_contact", "crm_note", "crm_task", "crm_probe"}}},
			BatchSize: 4, PerShard: 1, Retries: 3, MaxAge: 12 * time.Hour, Bisect: true,
			WhyWhere:    "its kinds, in every state: the change by which a contact's operation ended is what releases the notes that wait for it",
			WhyBatch:    "four calls of at most 10 s fit the timeout of 60 s, with time to write down what came of them",
			WhyPerShard: whyPerShard, WhyRetries: whyRetries, WhyMaxAge: whyMaxAge,
		},
		{
			Function: Send, Table: Outbox,
			Where:     []Where{{Entity, []string{"operation"}}, {Kind, []string{"send_intent", "cancel_intents"}}},
			BatchSize: 4, PerShard: 1, Retries: 3, MaxAge: 12 * time.Hour, Bisect: true,
			WhyWhere:    "its kinds; a kind that no mapping names would wait for ever, which a test of lambdaio refuses",
			WhyBatch:    "four calls of at most 10 s fit the timeout of 60 s, with time to write down what came of them",
			WhyPerShard: whyPerShard, WhyRetries: whyRetries, WhyMaxAge: whyMaxAge,
		},
	}
}

// StreamMappingOf finds the mapping of a function.
func StreamMappingOf(f Function) (StreamMapping, bool) {
	for _, m := range StreamMappings() {
		if m.Function == f {
			return m, true
		}
	}
	return StreamMapping{}, false
}

// FilterPattern is the mapping's one filter in Lambda's syntax.
func (m StreamMapping) FilterPattern() string {
	image := map[string]any{}
	for _, w := range m.Where {
		image[w.Attribute] = map[string][]string{"S": w.Texts}
	}
	b, err := json.Marshal(map[string]any{"dynamodb": map[string]any{"NewImage": image}})
	if err != nil {
		return "" // unreachable: texts and maps of texts always marshal
	}
	return string(b)
}

// Package streamreader reads a DynamoDB stream as a Lambda event source mapping
// does, by AWS's documented rules, so that the settings of our mappings can be
// proven where no AWS is: the emulator of the tests does not retry as AWS does.
//
// Its invariant: every record that was appended ends in exactly one Fate, and
// none is lost to the caller without a Notice, except by what AWS documents as
// loss: the stream's retention, and LATEST. It calls nothing and waits for
// nothing: time is an argument, Due says which batches are to be handed to the
// function now, Answer takes what became of one. It refuses tumbling windows,
// and filter operators that our mappings do not use.
//
// # The rules and where they are written
//
// All of AWS Lambda's Developer Guide unless said otherwise, read 2026-11.
//
//   - Batches of one shard, in order; up to BatchSize records and 6 MB
//     ("Process DynamoDB records with Lambda", event source options).
//   - A window gathers until the batch is full, the window passed or 6 MB are
//     reached ("Using AWS Lambda with Amazon DynamoDB", polling and batching).
//   - ParallelizationFactor: up to 10 batches of a shard at once, in order "at
//     the item (partition and sort key) level" (same page, "Simultaneous
//     readers"; parameters page).
//   - LATEST begins after what is there, and can miss records while a mapping is
//     made or changed (minutes); TRIM_HORIZON cannot (same page, "Polling
//     and stream starting positions").
//   - Filters are joined by or, keys in a pattern by and; a record that fits no
//     filter is discarded, and the reading goes on behind it ("Control which
//     events Lambda sends to your function"). Patterns of DynamoDB are on the key
//     "dynamodb" ("Using event filtering with a DynamoDB event source").
//   - A function that cannot be called (throttle, service error): again until the
//     record expires or exceeds the maximum age; the retry quota is not used
//     ("Retain discarded records for a DynamoDB event source", before invocation;
//     "Process DynamoDB records", Retry attempts).
//   - A function that fails or times out: again until expiry, maximum age or the
//     retry quota. BisectBatchOnFunctionError splits the batch in two; splitting
//     does not use the quota (same page, during invocation).
//   - What is given up is named to the destination by shard, sequence numbers and
//     times, not by content, and the reading goes on (same page).
//   - Partial answers: the lowest sequence number is the checkpoint, everything
//     from there is tried again. An empty or null list or answer is success; an
//     empty or null identifier or another key name is failure of the whole batch.
//     Without ReportBatchItemFailures such answers are not read. With bisect the
//     batch is split at that number ("Configuring partial batch response with
//     DynamoDB and Lambda").
//   - At least once: a record can come again, later ones with it ("How Lambda
//     processes records from stream and queue-based event sources").
//   - A parent shard is read before its children; records are trimmed after 24
//     hours (DynamoDB Developer Guide, "Change data capture for DynamoDB Streams").
//
// # What AWS does not say
//
// Assume holds it, so that a proof can be run under each possibility: how long
// is waited between tries, whether a partial answer that made progress uses a
// retry, whether one that names the first record is split like an error. Taken
// for worst and not varied: an identifier that is not in the batch fails the
// whole batch; an exhausted quota gives a batch up even where it could still be
// split; what expires in the stream is told to nobody; a reader that dies
// forgets its counts and starts behind the last record before which all are
// settled.
package streamreader

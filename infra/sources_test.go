package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"onefold/internal/schema"
)

func streamReadersOf(t *testing.T) map[schema.Function]resource {
	t.Helper()
	out := map[schema.Function]resource{}
	for _, r := range core(t, nil).each(t, "AWS::Lambda::EventSourceMapping") {
		if r.Properties["StartingPosition"] == nil {
			continue
		}
		for _, m := range schema.StreamMappings() {
			if written(r.Properties["FunctionName"]) == "<"+title(string(m.Function))+"Function>" {
				out[m.Function] = r
			}
		}
	}
	return out
}

// Each setting here is one that loses mail, or blocks a shard for a day, when
// it has Lambda's default (Lambda Developer Guide, "Parameters for DynamoDB
// event source mappings"; bug reports of other systems in each line).
func TestAStreamReaderWithADefaultThatLosesOrBlocks(t *testing.T) {
	readers := streamReadersOf(t)
	if len(readers) != 3 {
		t.Fatalf("%d stream readers, not 3", len(readers))
	}
	number := func(r resource, name string) float64 { n, _ := r.Properties[name].(float64); return n }
	for f, r := range readers {
		id := string(f)
		must(t, id, r, "TRIM_HORIZON", "StartingPosition")                           // LATEST loses what is written while it is deployed
		must(t, id, r, []string{"ReportBatchItemFailures"}, "FunctionResponseTypes") // without it one record repeats all
		must(t, id, r, true, "BisectBatchOnFunctionError")                           // a crash is narrowed down to its record
		if n := number(r, "MaximumRetryAttempts"); n < 1 || n > 100 {                // -1: a poison record blocks its shard for 24 h
			t.Errorf("%s: %v retries", id, n)
		}
		if n := number(r, "MaximumRecordAgeInSeconds"); n < 60 || n > 0.75*24*3600 { // well before the stream drops it unseen
			t.Errorf("%s: records of up to %v s", id, n)
		}
		if n := number(r, "ParallelizationFactor"); n < 1 || n > 2 { // ten executions for everything
			t.Errorf("%s: %v batches of a shard at once", id, n)
		}
		if n := number(r, "BatchSize"); n < 1 || n > 10 {
			t.Errorf("%s: batches of %v", id, n)
		}
		want := "<" + title(failedQueues()[f]) + "Queue.Arn>"
		if got := written(at(any(r.Properties), "DestinationConfig", "OnFailure", "Destination")); got != want {
			t.Errorf("%s gives up into %s, not %s", id, got, want)
		}
	}
}

// Two functions that see each other's records would both be woken; one that
// sees none sleeps for ever. The pattern is of text attributes alone.
func TestAStreamReaderThatSeesWhatIsNotItsOwn(t *testing.T) {
	for f, r := range streamReadersOf(t) {
		filters, _ := at(any(r.Properties), "FilterCriteria", "Filters").([]any)
		if len(filters) != 1 {
			t.Fatalf("%s has %d filters", f, len(filters))
		}
		var pattern struct {
			DynamoDB struct {
				NewImage map[string]map[string][]string
			} `json:"dynamodb"`
		}
		if err := json.Unmarshal([]byte(written(at(filters[0], "Pattern"))), &pattern); err != nil {
			t.Fatal(err)
		}
		want := map[schema.Function]string{schema.Extract: "event", schema.CRMSync: "operation", schema.Send: "operation"}[f]
		if got := pattern.DynamoDB.NewImage["entity"]["S"]; !slices.Equal(got, []string{want}) {
			t.Errorf("%s sees %v", f, got)
		}
	}
}

// Two readers a shard and no more: a third starves the others.
func TestAStreamWithThreeReaders(t *testing.T) {
	readers := map[string]int{}
	for _, r := range core(t, nil).each(t, "AWS::Lambda::EventSourceMapping") {
		if r.Properties["StartingPosition"] != nil {
			readers[written(r.Properties["EventSourceArn"])]++
		}
	}
	for stream, n := range readers {
		if n > 2 {
			t.Errorf("%s has %d readers", stream, n)
		}
	}
}

func TestAQueueReaderThatRepeatsWhatSucceeded(t *testing.T) {
	n := 0
	for id, r := range core(t, nil).each(t, "AWS::Lambda::EventSourceMapping") {
		if r.Properties["StartingPosition"] != nil {
			continue
		}
		n++
		must(t, id, r, []string{"ReportBatchItemFailures"}, "FunctionResponseTypes")
		must(t, id, r, 2, "ScalingConfig", "MaximumConcurrency")
	}
	if n != 2 {
		t.Errorf("%d queue readers, not 2", n)
	}
}

// Shorter, a message is handed out again while it is still worked on.
func TestAQueueThatHandsAMessageOutTwice(t *testing.T) {
	queues := core(t, nil).each(t, "AWS::SQS::Queue")
	for name, timeout := range map[string]float64{"MailQueue": 15, "FeedbackQueue": 30} {
		if got, _ := queues[name].Properties["VisibilityTimeout"].(float64); got < 6*timeout {
			t.Errorf("%s: %v s for a function of %v s", name, got, timeout)
		}
	}
}

func TestAQueueThatDropsWhatItCannotHand(t *testing.T) {
	for id, r := range core(t, nil).each(t, "AWS::SQS::Queue") {
		must(t, id, r, 14*24*3600, "MessageRetentionPeriod")
		must(t, id, r, true, "SqsManagedSseEnabled")
		if strings.HasSuffix(id, "DeadQueue") || strings.HasSuffix(id, "FailedQueue") {
			continue
		}
		if at(any(r.Properties), "RedrivePolicy", "deadLetterTargetArn") == nil {
			t.Errorf("%s has no dead-letter queue", id)
		}
		if n, _ := at(any(r.Properties), "RedrivePolicy", "maxReceiveCount").(float64); n < 5 {
			t.Errorf("%s gives up after %v tries", id, n)
		}
	}
}

// Whoever may send to the queue of mail makes mail.
func TestAQueueThatStrangersCanWriteTo(t *testing.T) {
	for id, r := range core(t, nil).each(t, "AWS::SQS::QueuePolicy") {
		for _, s := range words(at(any(r.Properties), "PolicyDocument", "Statement"))[1:] {
			source := written(at(s, "Condition", "ArnEquals", "aws:SourceArn"))
			if at(s, "Principal", "Service") != "sns.amazonaws.com" || at(s, "Action") != "sqs:SendMessage" ||
				!strings.HasPrefix(source, "arn:<AWS::Partition>:sns:<AWS::Region>:<AWS::AccountId>:onefold-prod-") || strings.Contains(source, "*") {
				t.Errorf("%s: %s", id, written(s))
			}
		}
	}
}

// An asynchronous call that fails leaves no trace of its own.
func TestAScheduledCallThatFailsUnseen(t *testing.T) {
	tpl := core(t, nil)
	dead := "<ScheduleDeadQueue.Arn>"
	invoked := map[string]bool{}
	for id, r := range tpl.each(t, "AWS::Lambda::EventInvokeConfig") {
		if got := written(at(any(r.Properties), "DestinationConfig", "OnFailure", "Destination")); got != dead {
			t.Errorf("%s fails into %s", id, got)
		}
		invoked[written(r.Properties["FunctionName"])] = true
	}
	inputs := map[string]string{"SweepFunction": `{"onefold":"sweep"}`, "SendFunction": `{"onefold":"probe"}`}
	for id, r := range tpl.each(t, "AWS::Scheduler::Schedule") {
		if got := written(at(any(r.Properties), "Target", "DeadLetterConfig", "Arn")); got != dead {
			t.Errorf("%s is given up into %s", id, got)
		}
		target := strings.TrimSuffix(strings.TrimPrefix(written(at(any(r.Properties), "Target", "Arn")), "<"), ".Arn>")
		must(t, id, r, inputs[target], "Target", "Input")
		if !invoked["<"+target+">"] {
			t.Errorf("%s: %s has no destination for calls that fail", id, target)
		}
	}
	if got := len(tpl.each(t, "AWS::Scheduler::Schedule")); got != 2 {
		t.Errorf("%d schedules, not 2", got)
	}
}

func TestWithoutAProbeAddressNothingIsProbed(t *testing.T) {
	if got := len(core(t, map[string]any{"probeFrom": ""}).each(t, "AWS::Scheduler::Schedule")); got != 1 {
		t.Errorf("%d schedules, not 1", got)
	}
}

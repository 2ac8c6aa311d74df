package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"onefold/internal/schema"
)

// questions lists the rows of the dashboard.
func (c Config) questions(api string) []question {
	own := func(names ...string) []signal {
		var out []signal
		for _, n := range names {
			out = append(out, c.own(n))
		}
		return out
	}
	functions := func(metric, stat string, of ...schema.Function) []signal {
		var out []signal
		for _, f := range of {
			out = append(out, ofFunction(c, f, metric, stat))
		}
		return out
	}
	queues := func(metric string, names ...string) []signal {
		var out []signal
		for _, n := range names {
			out = append(out, ofQueue(c, n, metric))
		}
		return out
	}
	gateway := func(metric, stat string) signal {
		return signal{schema.NamespaceAPI, metric, [][2]string{{"ApiId", api}}, stat}
	}
	ofTables := func(metric string) map[string]string {
		return map[string]string{metric: fmt.Sprintf(`SEARCH('{%s,TableName} MetricName="%s" "%s"', 'Sum', 300)`, schema.NamespaceDynamoDB, metric, c.whole())}
	}
	rows := []question{
		{"Is mail flowing?", []panel{
			{title: "What wakes somebody", alarms: []string{"work-stuck", "deliveries-failing", "promise-broken", "sending-halted"}},
			{title: "Taken in", lines: own(schema.DeliveriesRecorded, schema.DeliveriesDuplicate, schema.DeliveriesRefused, schema.DeliveriesFailed)},
			{title: "Decided", lines: own(schema.EventsDecided, schema.EventsReferred, schema.EventsRetried, schema.IntentsMade)},
			{title: "Sent", lines: own(schema.SendsAccepted, schema.SendsRejected, schema.SendsThrottled, schema.SendsUnknown, schema.SendsHalted)},
		}},
		{"Is anything stuck?", []panel{
			{title: "Due rows: age (s), number, sending past lease", lines: own(schema.OldestDueAge, schema.RowsDue, schema.SendingPastLease)},
			{title: "Behind their stream (ms)", lines: functions("IteratorAge", "Maximum", streamReaders()...)},
			{title: "Waiting in queues (s)", lines: queues("ApproximateAgeOfOldestMessage", queueMail, queueFeedback)},
			{title: "Given up, parked, unknown", lines: slices.Concat(queues("ApproximateNumberOfMessagesVisible", deadQueues()...),
				own(schema.RowsParked, schema.SendingLapsed, schema.UnknownReferred, schema.SettlesFailed, schema.RowsUnreadable))},
		}},
		{"Has anyone been stopped?", []panel{
			{title: "Opt-outs and what they blocked", lines: own(schema.OptOuts, schema.OptOutsDoubtful, schema.SuppressionBlocks, schema.SendsPostponed)},
			{title: "Bounces and complaints", lines: own(schema.Bounces, schema.Complaints)},
			{title: "The account's rates", region: c.SESRegion, lines: []signal{
				{schema.NamespaceSES, "Reputation.BounceRate", nil, "Maximum"}, {schema.NamespaceSES, "Reputation.ComplaintRate", nil, "Maximum"},
			}},
		}},
		{"Was a duplicate prevented, or made?", []panel{
			{title: "Prevented", lines: own(schema.DuplicatesPrevented, schema.DeliveriesConflict, schema.ProviderEventsAgain, schema.CRMAdopted)},
			{title: "Writers that met", lines: own(schema.UniqueConflicts, schema.InProgressConflicts), expr: ofTables("TransactionConflict")},
			{title: "Perhaps made", lines: own(schema.DuplicateMessageIDs, schema.DuplicateSubmissions, schema.ResponseMismatches, schema.DuplicatesSuspected)},
			{title: "Unknown outcomes", lines: own(schema.TimeoutsReconciled, schema.UnknownAge, schema.FeedAge)},
		}},
		{"What waits for people?", []panel{
			{
				title: "Tasks", lines: own(schema.ReviewsOpened, schema.ReviewsAnswered),
				expr: map[string]string{"opened less answered, since the graph begins": "RUNNING_SUM(FILL(m1, 0)) - RUNNING_SUM(FILL(m2, 0))"},
			},
			{title: "Answers", lines: own(schema.ReviewsApproved, schema.ReviewsEdited, schema.ReviewsRejected)},
			{title: "Whose is it?", lines: own(schema.MatchesAmbiguous, schema.MatchReviewsAnswered, schema.ContactsCreated)},
			{title: "CRM", lines: own(schema.CRMDone, schema.CRMRefused, schema.CRMRetried, schema.CRMConnectionsDown)},
		}},
		{"How well does the reader read, and for how much?", []panel{
			{title: "Asked, failed, corrected", lines: own(schema.ReaderCalls, schema.ReaderFailures, schema.ReaderCorrections, schema.ReaderAbstentions)},
			{title: "Time of reading (ms), from receipt to decision (s)", lines: own(schema.ReaderTime, schema.DecisionTime)},
			{title: "Tokens and cost (USD), as the reader says", lines: own(schema.ReaderInputTokens, schema.ReaderOutputTokens, schema.ReaderCost)},
			{title: "Models, of the whole account, by hour", expr: map[string]string{
				"calls ":      search(schema.NamespaceBedrock, "ModelId", "Invocations"),
				"tokens in ":  search(schema.NamespaceBedrock, "ModelId", "InputTokenCount"),
				"tokens out ": search(schema.NamespaceBedrock, "ModelId", "OutputTokenCount"),
			}},
		}},
		{"Does the machinery run?", []panel{
			{title: "Errors", lines: functions("Errors", "Sum", all()...)},
			{title: "Throttles", lines: functions("Throttles", "Sum", all()...)},
			{title: "Duration (ms, 99th percentile)", lines: functions("Duration", "p99", all()...)},
			{title: "API", lines: []signal{gateway("Count", "Sum"), gateway("4xx", "Sum"), gateway("5xx", "Sum"), gateway("Latency", "p99")}},
		}},
		{"And underneath?", []panel{
			{title: "Handed back", lines: own(schema.RecordsFailed, schema.RowsNudged)},
			{title: "Events of the provider", lines: own(schema.ProviderEvents, schema.ProviderEventsOrphan)},
			{title: "Conditions that refused a write", expr: ofTables("ConditionalCheckFailedRequests")},
			{title: "DynamoDB's own trouble", expr: map[string]string{
				"errors":    fmt.Sprintf(`SEARCH('{%s,Operation,TableName} MetricName="SystemErrors" "%s"', 'Sum', 300)`, schema.NamespaceDynamoDB, c.whole()),
				"throttles": fmt.Sprintf(`SEARCH('{%s,Operation,TableName} MetricName="ThrottledRequests" "%s"', 'Sum', 300)`, schema.NamespaceDynamoDB, c.whole()),
			}},
		}},
	}
	if c.MailDomain != "" {
		var lines []signal
		for _, name := range []string{"Received", "PublishSuccess", "PublishFailure", "PublishExpired"} {
			lines = append(lines, signal{schema.NamespaceSES, name, [][2]string{{"RuleName", c.whole()}}, "Sum"})
		}
		rows = slices.Insert(rows, 1, question{"Does mail come in?", []panel{
			{title: "Received by SES", region: c.MailRegion, lines: lines},
			{title: "In the mail queue", lines: queues("ApproximateNumberOfMessagesVisible", queueMail, queueMailDead)},
		}})
	}
	return rows
}

func all() []schema.Function {
	var out []schema.Function
	for _, r := range schema.Functions() {
		out = append(out, r.Function)
	}
	return out
}

func search(namespace, dimension, metric string) string {
	return fmt.Sprintf(`SEARCH('{%s,%s} MetricName="%s"', 'Sum', %d)`, namespace, dimension, metric, perHour)
}

// sorted goes through a map in the order of its keys.
func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

package schema

// AWS's own metrics that alarms and the dashboard read. Names and meanings are
// of the service's page on monitoring with CloudWatch.
const (
	NamespaceLambda   = "AWS/Lambda"
	NamespaceSQS      = "AWS/SQS"
	NamespaceSES      = "AWS/SES"
	NamespaceDynamoDB = "AWS/DynamoDB"
	NamespaceAPI      = "AWS/ApiGateway"
	NamespaceBedrock  = "AWS/Bedrock"
)

// AWSMetrics lists them in the form of our own. By is whom a metric is about.
func AWSMetrics() []Metric {
	all := []Function{Ingest, Extract, CRMSync, Send, Feedback, Sweep, Console, Optout}
	streams := []Function{Extract, CRMSync, Send}
	return []Metric{
		{NamespaceAPI, "5xx", Count, Page, []string{"10.10"}, []Function{Ingest, Console, Optout}, false, "a request was answered 5xx, by a function, a throttle or the gateway"},
		{NamespaceAPI, "4xx", Count, Dashboard, []string{"10.13"}, []Function{Ingest, Console, Optout}, false, "a request was answered 4xx"},
		{NamespaceAPI, "Count", Count, Dashboard, []string{"10.13"}, []Function{Ingest, Console, Optout}, false, "requests"},
		{NamespaceAPI, "Latency", Milliseconds, Dashboard, []string{"10.13"}, []Function{Ingest, Console, Optout}, true, "from a request to its answer"},

		{NamespaceLambda, "Errors", Count, Page, []string{"10.10"}, all, false, "an invocation ended in an error, a timeout or a kill; of ingest, many page"},
		{NamespaceLambda, "Throttles", Count, Ticket, []string{"10.10"}, all, false, "an invocation was not begun, since the account's concurrency was used up"},
		{NamespaceLambda, "Duration", Milliseconds, Dashboard, []string{"10.13"}, all, true, "how long an invocation ran"},
		{NamespaceLambda, "IteratorAge", Milliseconds, Page, []string{"10.4"}, streams, true, "age of the last record of a batch when a function was given it: how far a reader is behind its stream, which keeps 24 hours"},

		{NamespaceSQS, "ApproximateNumberOfMessagesVisible", Count, Ticket, []string{"10.10"}, nil, true, "messages that wait in a queue; in a dead-letter queue, what was given up"},
		{NamespaceSQS, "ApproximateAgeOfOldestMessage", Seconds, Page, []string{"10.4"}, []Function{Ingest, Feedback}, true, "age of the oldest message in a queue that was handed out less than three times"},

		{NamespaceSES, "PublishFailure", Count, Page, []string{"10.10"}, nil, false, "an action of a receipt rule failed for a mail and is tried again, for four hours at most"},
		{NamespaceSES, "PublishExpired", Count, Page, []string{"10.10"}, nil, false, "a receipt rule's actions were given up for a mail: it is lost to us"},
		{NamespaceSES, "PublishSuccess", Count, Dashboard, []string{"10.13"}, nil, false, "a receipt rule worked off a mail"},
		{NamespaceSES, "Received", Count, Dashboard, []string{"10.13"}, nil, false, "a mail came in for a receipt rule"},
		{NamespaceSES, "Reputation.BounceRate", NoUnit, Page, []string{"10.6", "10.13"}, []Function{Send}, true, "share of mail that bounced for good, of a representative number of mails of this account; 1 is all"},
		{NamespaceSES, "Reputation.ComplaintRate", NoUnit, Page, []string{"10.6", "10.13"}, []Function{Send}, true, "share of mail whose recipient complained, likewise"},

		{NamespaceDynamoDB, "SystemErrors", Count, Ticket, []string{"10.10"}, nil, false, "DynamoDB answered 500 to a request on a table"},
		{NamespaceDynamoDB, "ThrottledRequests", Count, Ticket, []string{"10.10"}, nil, false, "DynamoDB throttled a request on a table"},
		{NamespaceDynamoDB, "TransactionConflict", Count, Dashboard, []string{"10.1", "10.8"}, nil, false, "two writers met on one item; one of them repeats"},
		{NamespaceDynamoDB, "ConditionalCheckFailedRequests", Count, Dashboard, []string{"10.1"}, nil, false, "a condition refused a write: the rules at work"},

		{NamespaceBedrock, "Invocations", Count, Dashboard, []string{"10.13"}, []Function{Extract}, false, "calls of a model, of the whole account, by model"},
		{NamespaceBedrock, "InputTokenCount", Count, Dashboard, []string{"10.13"}, []Function{Extract}, false, "tokens put into a model, likewise: what is paid for"},
		{NamespaceBedrock, "OutputTokenCount", Count, Dashboard, []string{"10.13"}, []Function{Extract}, false, "tokens got from a model, likewise"},
	}
}

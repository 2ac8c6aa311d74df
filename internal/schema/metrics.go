package schema

// Metrics lists the metrics that functions write. Each is written by every
// function it names, on the log line of what it counts.
func Metrics() []Metric {
	one := func(f ...Function) []Function { return f }
	n := func(name string, c Class, rows []string, by []Function, means string) Metric {
		return Metric{Namespace: MetricNamespace, Name: name, Unit: Count, Class: c, Rows: rows, By: by, Means: means}
	}
	level := func(name string, u Unit, c Class, rows []string, by []Function, means string) Metric {
		return Metric{Namespace: MetricNamespace, Name: name, Unit: u, Class: c, Rows: rows, By: by, Gauge: true, Means: means}
	}
	rows := func(r ...string) []string { return r }
	return []Metric{
		n(DeliveriesRecorded, Dashboard, rows("10.12"), one(Ingest), "a delivery made a new event"),
		n(DeliveriesDuplicate, Dashboard, rows("10.1", "10.7", "10.12"), one(Ingest), "a delivery of a known event with the same content was answered with that event's state"),
		n(DeliveriesConflict, Ticket, rows("10.1", "10.3"), one(Ingest), "a delivery used a known event's ID with other content; it was refused and put before a person"),
		n(DeliveriesRefused, Ticket, rows("10.10"), one(Ingest), "a delivery to an endpoint that exists was answered 4xx, a conflict left out: no valid signature, no readable body"),
		n(DeliveriesFailed, Page, rows("10.10"), one(Ingest), "a delivery could not be made durable by a fault of ours: it got no 2xx, or stays in the mail queue"),
		n(RecordsFailed, Ticket, rows("10.10"), one(Ingest, Extract, CRMSync, Send, Feedback), "a record of a stream or queue was handed back, since the ledger could not be asked"),
		n(InProgressConflicts, Dashboard, rows("10.8"), one(Extract, CRMSync, Send), "a worker left an event, an operation or an intent alone, since another has it in work or won the claim"),

		n(EventsDecided, Dashboard, rows("10.12", "10.13"), one(Extract, Console), "an event was decided"),
		n(EventsReferred, Dashboard, rows("10.11"), one(Extract), "an event was put before a person instead of decided"),
		n(EventsRetried, Ticket, rows("10.10"), one(Extract), "an event could not be decided now and was given back with a later time"),
		level(DecisionTime, Seconds, Dashboard, rows("10.13"), one(Extract), "from receipt of an event to its decision by a worker"),
		n(UniqueConflicts, Dashboard, rows("10.1"), one(Extract), "a deciding commit was refused by a uniqueness rule (contact key, intent, cause): somebody was quicker, and it was decided again"),
		n(DuplicatesPrevented, Dashboard, rows("10.7", "10.12"), one(Extract), "an event joined the intent of another event: the follow-up that would have been a second one was not made"),
		n(ContactsCreated, Dashboard, rows("10.12"), one(Extract, Console), "a decision made a new contact"),
		n(MatchesAmbiguous, Dashboard, rows("10.2", "10.11"), one(Extract), "matching named no single contact (several, shared, conflicting fields) and asked a person"),
		n(DuplicatesSuspected, Dashboard, rows("10.12"), one(Extract, CRMSync), "a contact may exist twice: matching put a conflict with a known contact or a shared address before a person, or the CRM holds a record of that person that is not ours (adopted, or in conflict)"),
		n(IntentsMade, Dashboard, rows("10.12"), one(Extract, Console), "a decision made an intent, in whatever mode"),
		n(OptOuts, Dashboard, rows("10.6"), one(Extract, Optout), "a person's wish not to be mailed was committed"),
		n(OptOutsDoubtful, Dashboard, rows("10.6"), one(Extract), "words that may be an opt-out put a hold on an address until a person says"),

		n(ReaderCalls, Dashboard, rows("10.13"), one(Extract), "a reader (rules or a model) was asked to read an event"),
		n(ReaderFailures, Ticket, rows("10.13"), one(Extract), "a reader gave no answer, or none that could be used at all"),
		level(ReaderTime, Milliseconds, Dashboard, rows("10.13"), one(Extract), "how long a reader took"),
		n(ReaderCorrections, Dashboard, rows("10.13"), one(Extract), "validation took a value out of a reader's answer, or replaced a word of it"),
		n(ReaderAbstentions, Dashboard, rows("10.13"), one(Extract), "a reader answered that a person should look"),
		n(ReaderInputTokens, Dashboard, rows("10.13"), one(Extract), "tokens given to a reader that counts them; the rules have none"),
		n(ReaderOutputTokens, Dashboard, rows("10.13"), one(Extract), "tokens had from such a reader"),
		{Namespace: MetricNamespace, Name: ReaderCost, Unit: NoUnit, Class: Dashboard, Rows: rows("10.13"), By: one(Extract), Means: "what a reader that knows its price says its answers cost, in US dollars"},

		n(ReviewsOpened, Dashboard, rows("10.11"), one(Ingest, Extract, Send), "a review task was opened"),
		n(ReviewsAnswered, Dashboard, rows("10.11", "10.13"), one(Console), "a person answered a review task"),
		n(MatchReviewsAnswered, Dashboard, rows("10.11"), one(Console), "a person answered a task about whose an event is"),
		n(ReviewsApproved, Dashboard, rows("10.13"), one(Console), "a person approved what a task proposed as it was; with ReviewsEdited and ReviewsRejected, how far reviewers agree"),
		n(ReviewsEdited, Dashboard, rows("10.13"), one(Console), "a person approved with something changed: another address, or a possible second mail counted as sent"),
		n(ReviewsRejected, Dashboard, rows("10.13"), one(Console), "a person rejected what a task proposed"),

		n(SuppressionBlocks, Dashboard, rows("10.6"), one(Extract, Send), "a stop, a hold or a withdrawn consent forbade a mail, when it was decided, queued or claimed"),
		n(SendsPostponed, Dashboard, rows("10.6"), one(Send), "a mail that may not go now was given a later time: quiet period, stop of a tenant, policy"),
		n(SendsAccepted, Dashboard, rows("10.9"), one(Send), "the provider took a mail and the worker stored it"),
		n(SendsRejected, Ticket, rows("10.10"), one(Send), "the provider refused a mail for good"),
		n(SendsThrottled, Ticket, rows("10.10"), one(Send), "a submission is known not to have begun or was refused for now; it is tried again"),
		n(SendsHalted, Page, rows("10.10"), one(Send), "the provider refuses all mail of the account: suspended, paused, or its daily quota used up"),
		n(SendsUnknown, Ticket, rows("10.4", "10.9"), one(Send), "the outcome of a submission did not reach us, the lapse of its lease included"),
		n(SendingLapsed, Ticket, rows("10.4"), one(Send), "an intent was found in sending past its lease, and moved to unknown"),
		n(SettlesFailed, Ticket, rows("10.10"), one(Send, CRMSync), "an outcome that was known could not be stored"),
		n(UnknownReferred, Ticket, rows("10.4", "10.9"), one(Send), "no evidence came for an unknown outcome before its deadline: a person is asked, or the policy's resend made"),
		level(UnknownAge, Seconds, Ticket, rows("10.4"), one(Send), "how long an outcome has been unknown, each time it is looked at past its deadline while the feed is not proven alive"),
		n(TimeoutsReconciled, Dashboard, rows("10.9"), one(Feedback, Send, CRMSync), "an outcome that was unknown, or whose lease had lapsed, was resolved without doing the work twice"),
		n(ResponseMismatches, Ticket, rows("10.3"), one(Feedback, CRMSync), "an outside system contradicted itself: a mail refused and then reported, taken and then dropped, a CRM record in conflict"),
		n(DuplicateMessageIDs, Page, rows("10.5"), one(Feedback, Send), "a provider message ID is taken by another submission, or a second submission of one intent is accepted that nobody had allowed"),
		n(DuplicateSubmissions, Dashboard, rows("10.12"), one(Feedback, Send), "a second submission of one intent is known to have been accepted, be it that a person or a policy had allowed it; one that nobody allowed is counted in DuplicateMessageIDs too, which pages"),

		n(ProviderEvents, Dashboard, rows("10.13"), one(Feedback), "an event of the provider about our mail was worked off"),
		n(ProviderEventsAgain, Dashboard, rows("10.7"), one(Feedback), "an event of the provider came again and changed nothing"),
		n(ProviderEventsOrphan, Ticket, rows("10.3"), one(Feedback), "an event of the provider names an attempt that cannot be read; the queue brings it again"),
		n(Bounces, Dashboard, rows("10.6"), one(Feedback), "a mail bounced for good and its address was stopped"),
		n(Complaints, Dashboard, rows("10.6"), one(Feedback), "a recipient complained and the address was stopped"),
		level(FeedAge, Seconds, Ticket, rows("10.9"), one(Send), "age of the latest event of the provider that came through the feed, read at each probe; no level where none ever came"),

		n(CRMDone, Dashboard, rows("10.13"), one(CRMSync), "a CRM operation was done and its result stored"),
		n(CRMAdopted, Dashboard, rows("10.7", "10.12"), one(CRMSync), "a record that existed in the CRM was linked instead of made a second time"),
		n(CRMRefused, Ticket, rows("10.10"), one(CRMSync), "a CRM refused an operation for good; a person must look"),
		n(CRMRetried, Ticket, rows("10.10"), one(CRMSync), "a CRM was busy, not reached, or its outcome unknown; the operation is tried again"),
		n(CRMConnectionsDown, Ticket, rows("10.10"), one(CRMSync), "a tenant's CRM did not answer, or refused the account, once more while its connection is down; what is for it waits"),

		n(RowsParked, Ticket, rows("10.4", "10.10"), one(Extract, CRMSync, Sweep), "an event or operation made no progress and waits for a person"),
		n(RowsNudged, Dashboard, rows("10.4"), one(Sweep), "the sweeper put a row that was due before its worker again"),
		level(RowsDue, Count, Dashboard, rows("10.4"), one(Sweep), "rows found due in a run; written in every run"),
		level(OldestDueAge, Seconds, Page, rows("10.4"), one(Sweep), "for how long a row found due has been due, the waits of its nudges since its last progress included: the longest of a run; 0 when none is due; written in every run"),
		level(SendingPastLease, Count, Ticket, rows("10.4"), one(Sweep), "timers of a submission found due behind its lease in a run: intents stuck in sending; written in every run"),
		n(RowsUnreadable, Ticket, rows("10.4"), one(Sweep), "the sweeper met a row in a state it does not know or that kept a timer nobody needs"),
	}
}

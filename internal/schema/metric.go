package schema

// MetricNamespace is where the functions' own metrics are, each with the one
// dimension DimensionStage. More dimensions would multiply their price, and a
// tenant's name has no place in a metric.
const (
	MetricNamespace = "Onefold"
	DimensionStage  = "stage"
)

// Unit is a unit of CloudWatch, by its own word.
type Unit string

// The units.
const (
	Count        Unit = "Count"
	Seconds      Unit = "Seconds"
	Milliseconds Unit = "Milliseconds"
	Percent      Unit = "Percent"
	NoUnit       Unit = "None"
)

// Class says what a metric may do to a person.
type Class string

// The classes. What refuses a duplicate or forbids a mail is the system at
// work: it never pages.
const (
	Page      Class = "page"      // wakes somebody: mail is being lost, sent twice or not sent at all
	Ticket    Class = "ticket"    // somebody looks on the next working day
	Dashboard Class = "dashboard" // seen by whoever looks
)

// Metric describes a measure.
type Metric struct {
	Namespace string // MetricNamespace, or AWS's
	Name      string
	Unit      Unit
	Class     Class      // of the gravest alarm on it; Dashboard: it has none
	Rows      []string   // of requirements section 10 that it serves
	By        []Function // who writes it; of AWS's own: whom it is about, or nobody
	Gauge     bool       // a level, read as a maximum; else a number of events, read as a sum
	Means     string
}

// MetricOf finds a metric of ours.
func MetricOf(name string) (Metric, bool) {
	for _, m := range Metrics() {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// The metrics that functions write. A count is written when it is not zero:
// what is idle costs nothing.
const (
	// Deliveries.
	DeliveriesRecorded   = "DeliveriesRecorded"
	DeliveriesDuplicate  = "DeliveriesDuplicate"
	DeliveriesConflict   = "DeliveriesConflict"
	DeliveriesRefused    = "DeliveriesRefused"
	DeliveriesFailed     = "DeliveriesFailed"
	RecordsFailed        = "RecordsFailed"
	InProgressConflicts  = "InProgressConflicts"
	EventsDecided        = "EventsDecided"
	EventsReferred       = "EventsReferred"
	EventsRetried        = "EventsRetried"
	DecisionTime         = "DecisionTime"
	RowsParked           = "RowsParked"
	UniqueConflicts      = "UniqueConflicts"
	DuplicatesPrevented  = "DuplicatesPrevented"
	ContactsCreated      = "ContactsCreated"
	MatchesAmbiguous     = "MatchesAmbiguous"
	DuplicatesSuspected  = "DuplicatesSuspected"
	ReviewsOpened        = "ReviewsOpened"
	ReviewsAnswered      = "ReviewsAnswered"
	MatchReviewsAnswered = "MatchReviewsAnswered"
	ReviewsApproved      = "ReviewsApproved"
	ReviewsEdited        = "ReviewsEdited"
	ReviewsRejected      = "ReviewsRejected"
	OptOuts              = "OptOuts"
	OptOutsDoubtful      = "OptOutsDoubtful"

	// Reading.
	ReaderCalls        = "ReaderCalls"
	ReaderFailures     = "ReaderFailures"
	ReaderTime         = "ReaderTime"
	ReaderCorrections  = "ReaderCorrections"
	ReaderAbstentions  = "ReaderAbstentions"
	ReaderInputTokens  = "ReaderInputTokens"
	ReaderOutputTokens = "ReaderOutputTokens"
	ReaderCost         = "ReaderCost"

	// Sending.
	IntentsMade          = "IntentsMade"
	SuppressionBlocks    = "SuppressionBlocks"
	SendsPostponed       = "SendsPostponed"
	SendsAccepted        = "SendsAccepted"
	SendsRejected        = "SendsRejected"
	SendsThrottled       = "SendsThrottled"
	SendsUnknown         = "SendsUnknown"
	SendsHalted          = "SendsHalted"
	SendingLapsed        = "SendingLapsed"
	SettlesFailed        = "SettlesFailed"
	TimeoutsReconciled   = "TimeoutsReconciled"
	UnknownReferred      = "UnknownReferred"
	UnknownAge           = "UnknownAge"
	ResponseMismatches   = "ResponseMismatches"
	DuplicateMessageIDs  = "DuplicateMessageIDs"
	DuplicateSubmissions = "DuplicateSubmissions"
	ProviderEvents       = "ProviderEvents"
	ProviderEventsAgain  = "ProviderEventsAgain"
	ProviderEventsOrphan = "ProviderEventsOrphan"
	Bounces              = "Bounces"
	Complaints           = "Complaints"
	FeedAge              = "FeedAge"

	// CRM.
	CRMDone    = "CRMDone"
	CRMAdopted = "CRMAdopted"
	CRMRefused = "CRMRefused"
	CRMRetried = "CRMRetried"

	CRMConnectionsDown = "CRMConnectionsDown"

	// Sweeping.
	RowsNudged       = "RowsNudged"
	RowsDue          = "RowsDue"
	OldestDueAge     = "OldestDueAge"
	SendingPastLease = "SendingPastLease"
	RowsUnreadable   = "RowsUnreadable"
)

package main

import "onefold/internal/schema"

// rates are tickets about our own measures. Most count over an hour: a single
// one is a case, which a review task or a parked row shows; many are a fault.
func (c Config) rates() []alarm {
	hourly := func(name, metric string, level float64, what, do string) alarm {
		return alarm{
			name: name, class: schema.Ticket, what: what, do: do, signals: []signal{c.own(metric)},
			level: level, period: 3600, bad: 1, of: 1, silence: silenceIsGood,
		}
	}
	out := []alarm{
		{
			name: "deliveries-refused", class: schema.Ticket,
			what:    "In six hours, five or more deliveries to endpoints that exist were refused: a source signs with another secret, or sends what cannot be read.",
			do:      "the logs of ingest by `error`.",
			signals: []signal{c.own(schema.DeliveriesRefused)}, level: 5, period: 6 * 3600, bad: 1, of: 1, silence: silenceIsGood,
		},
		hourly("id-reuse", schema.DeliveriesConflict, 10, "Ten or more deliveries in an hour used a known ID with other content: a source that numbers anew, or one that is forged.", "the open tasks of kind id_conflict."),
		hourly("records-handed-back", schema.RecordsFailed, 50, "Fifty or more records in an hour were handed back to their stream or queue, since the ledger could not be asked.", "the same hour's table-errors and table-throttles."),
		hourly("events-retried", schema.EventsRetried, 20, "Twenty or more times in an hour an event could not be decided and was put off.", "the logs of extract: `error` names the step."),
		hourly("reader-failing", schema.ReaderFailures, 5, "Five or more times in an hour the reader gave no usable answer. Events wait, and go to people after six tries.", "model access and quota in Bedrock."),
		hourly("rows-parked", schema.RowsParked, 1, "An event or operation made no progress and waits for a person. Nothing moves it otherwise, so one is enough.", "the log line with RowsParked, then `onefold explain`."),
		hourly("rows-unreadable", schema.RowsUnreadable, 1, "The sweeper met a row in a state that its code does not know, or a final row with a timer: two versions of the code, or a fault.", "the logs of sweep by `alarm`."),
		hourly("sends-rejected", schema.SendsRejected, 5, "SES refused five or more mails in an hour for good: sender not verified, configuration set missing, content refused.", "the logs of send by `reason`."),
		hourly("sends-throttled", schema.SendsThrottled, 20, "Twenty or more submissions in an hour were put off by SES or found no connection.", "the send rate of `aws sesv2 get-account`."),
		hourly("sends-unknown", schema.SendsUnknown, 3, "Three or more submissions in an hour have an unknown outcome. Evidence settles most within minutes; one alone is ordinary.", "feed-silent and errors-send; then `onefold explain -intent`."),
		hourly("sending-lapsed", schema.SendingLapsed, 3, "Three or more workers in an hour died between claim and settle, or could not store the outcome.", "errors-send: timeouts and kills."),
		{
			name: "sending-stuck", class: schema.Ticket,
			what:    "For a quarter of an hour an intent has been in sending behind its lease, and send does not move it to unknown.",
			do:      "errors-send and stream-age-send.",
			signals: []signal{c.own(schema.SendingPastLease)}, level: 1, period: 300, bad: 3, of: 3, silence: silenceSaysNone,
		},
		hourly("unknown-overdue", schema.UnknownAge, 12*3600, "An outcome has been unknown for half a day, since the feed is not proven alive and no deadline counts.", "feed-silent."),
		hourly("unknown-referred", schema.UnknownReferred, 3, "For three or more unknown outcomes in an hour no evidence came: people are asked, or the policy resends.", "dead-letter-feedback."),
		hourly("outcome-not-stored", schema.SettlesFailed, 1, "A worker knew an outcome and could not store it. The lapse makes it unknown; evidence or the repeated call puts it right.", "table-errors."),
		hourly("response-mismatch", schema.ResponseMismatches, 1, "A provider or CRM contradicted itself: a mail refused and then reported, taken and then dropped, a CRM record in conflict.", "the logs by `reason`; then `onefold explain -intent`."),
		hourly("orphan-events", schema.ProviderEventsOrphan, 10, "Ten or more events of SES in an hour name attempts that cannot be read: another ledger's mail, or a table put back to an earlier time.", "dead-letter-feedback."),
		hourly("crm-refused", schema.CRMRefused, 1, "A CRM refused an operation for good: rights, a field, a deleted record. It waits for a person.", "the log line's `reason`."),
		hourly("crm-down", schema.CRMConnectionsDown, 2, "The connection to a tenant's CRM is down and stays so. What is for it waits, none of it at fault, and goes on by itself when the CRM answers.", "the log line's `tenant` and `reason`."),
		hourly("crm-retried", schema.CRMRetried, 30, "Thirty or more CRM operations in an hour are tried again: the CRM is busy, down, or does not answer.", "the CRM's status page."),
	}
	if c.ProbeFrom != "" {
		// Four probes an hour; silence is as bad as an old event. An hour's age in
		// each of two hours is two of silence, and three at most.
		out = append(out, alarm{
			name: "feed-silent", class: schema.Ticket,
			what:    "For two hours or more no event of SES has come through, though a probe is sent each quarter of an hour: bounces, complaints and evidence do not arrive, and no deadline counts.",
			do:      "the probe's outcome in the logs of send.",
			signals: []signal{c.own(schema.FeedAge)}, level: 3600, period: 3600, bad: 2, of: 2, silence: silenceIsBad,
		})
	}
	return out
}

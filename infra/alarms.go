package main

import (
	"fmt"
	"strings"

	"onefold/internal/schema"
)

// addAlarms makes the alarms of the core stack.
func addAlarms(c *Core) {
	w := &watch{stack: c.Stack, cfg: c.Cfg, page: c.Alarms.Ref(), ticket: addAlarmTopicTo(c.Stack, c.Cfg, topicTickets, "tickets")}
	w.add(c.Cfg.pages(*c.API.Ref())...)
	w.add(c.Cfg.machinery()...)
	w.add(c.Cfg.rates()...)
}

// deadQueues are the queues that hold what was given up.
func deadQueues() []string {
	var out []string
	for _, q := range sourceQueues() {
		out = append(out, q.dead)
	}
	return append(out, queueExtractFailed, queueCRMSyncFailed, queueSendFailed, queueScheduleDead)
}

func streamReaders() []schema.Function {
	return []schema.Function{schema.Extract, schema.CRMSync, schema.Send}
}

// pages are the core stack's alarms that wake somebody, with their parts. The
// mail stacks have the other ones.
func (c Config) pages(api string) []alarm {
	parts := []alarm{{
		name: "oldest-due", what: "A row has been due for half an hour and nobody took it on, or the sweeper no longer says so. The sweeper looks each minute and a worker takes a row within seconds; half an hour is some five nudges.",
		do:      "the logs of sweep, then of the row's worker.",
		signals: []signal{c.own(schema.OldestDueAge)}, level: 1800, period: 300, bad: 3, of: 3, silence: silenceIsBad,
	}}
	for _, f := range streamReaders() {
		parts = append(parts, alarm{
			name: "stream-age-" + string(f), what: "This reader is a quarter of an hour behind its stream. A stream keeps 24 hours; the sweeper makes up for what is lost, slowly.",
			do:      "the function's errors and throttles.",
			signals: []signal{ofFunction(c, f, "IteratorAge", "Maximum")}, level: 15 * 60 * 1000, period: 300, bad: 3, of: 3, silence: silenceIsGood,
		})
	}
	// SQS leaves a message out of the age once it was handed out three times
	// (SQS Developer Guide, "Available CloudWatch metrics", read 2026-11): this
	// sees a queue that is not read, and never one whose reader fails.
	for _, q := range sourceQueues() {
		parts = append(parts, alarm{
			name: "queue-age-" + q.name, what: "A message has waited half an hour in this queue and was hardly handed out: nobody reads it. What is read and fails does not count here.",
			do:      "the mapping and the throttles of " + string(q.reader) + ".",
			signals: []signal{ofQueue(c, q.name, "ApproximateAgeOfOldestMessage")}, level: 1800, period: 300, bad: 3, of: 3, silence: silenceIsGood,
		})
	}
	stuck := alarm{
		name: "work-stuck", class: schema.Page,
		what: "Work that should take seconds has waited for half an hour: mail is not answered, or opt-outs are not carried out.",
		do:   "see which of its parts is in alarm; that one's section says how to go on.",
	}
	for i := range parts {
		parts[i].class, parts[i].part = schema.Page, true
		stuck.anyOf = append(stuck.anyOf, parts[i].name)
	}
	return append(parts, stuck,
		alarm{
			name: "api-5xx", class: schema.Page, part: true,
			what:    "Five or more requests were answered 5xx in each of two periods of five minutes, of three.",
			do:      "errors and throttles of ingest, console and optout.",
			signals: []signal{{schema.NamespaceAPI, "5xx", [][2]string{{"ApiId", api}}, "Sum"}}, level: 5, period: 300, bad: 2, of: 3, silence: silenceIsGood,
		},
		alarm{
			name: "deliveries-not-recorded", class: schema.Page, part: true,
			what:    "Five or more deliveries could not be made durable in each of two periods of five minutes, of three: over HTTP, or from the mail queue.",
			do:      "the logs of ingest: `step` says what failed.",
			signals: []signal{c.own(schema.DeliveriesFailed)}, level: 5, period: 300, bad: 2, of: 3, silence: silenceIsGood,
		},
		alarm{
			// A function that does not start counts no deliveries, and its queue
			// grows no older.
			name: "ingest-failing", class: schema.Page, part: true,
			what:    "Five or more invocations of ingest in each of two periods of five minutes, of three, ended in an error, a timeout or a kill: it does not start, or dies.",
			do:      "the logs of ingest of level ERROR, and the first lines of a start.",
			signals: []signal{ofFunction(c, schema.Ingest, "Errors", "Sum")}, level: 5, period: 300, bad: 2, of: 3, silence: silenceIsGood,
		},
		alarm{
			name: "deliveries-failing", class: schema.Page, anyOf: []string{"api-5xx", "deliveries-not-recorded", "ingest-failing"},
			what: "Senders get 5xx, or mail stays in its queue. They try again, but not for ever: some give up within the hour.",
			do:   "see which of its parts is in alarm.",
		},
		alarm{
			name: "promise-broken", class: schema.Page,
			what:    "One provider message ID for two submissions, or two accepted submissions of one intent: somebody may have got a mail twice. It must never happen, so once is enough.",
			do:      "pause sending (runbook), then `onefold explain -intent`.",
			signals: []signal{c.own(schema.DuplicateMessageIDs)}, level: 1, period: 300, bad: 1, of: 1, silence: silenceIsGood,
		},
		alarm{
			name: "sending-halted", class: schema.Page,
			what:    "SES refuses all mail of the account: suspended, paused, or the day's quota used up. Nothing is lost; it waits and is tried every quarter of an hour.",
			do:      "`aws sesv2 get-account`.",
			signals: []signal{c.own(schema.SendsHalted)}, level: 1, period: 900, bad: 1, of: 1, silence: silenceIsGood,
		},
	)
}

// machinery are tickets about AWS's own measures.
func (c Config) machinery() []alarm {
	var out []alarm
	for _, q := range deadQueues() {
		out = append(out, alarm{
			name: "dead-letter-" + strings.TrimSuffix(strings.TrimSuffix(q, "-dead"), "-failed"), class: schema.Ticket,
			what:    "Something was given up and waits here, for 14 days at most.",
			do:      "read a message without deleting it.",
			signals: []signal{ofQueue(c, q, "ApproximateNumberOfMessagesVisible")}, level: 1, period: 300, bad: 1, of: 1, silence: silenceIsGood,
		})
	}
	for _, r := range schema.Functions() {
		out = append(out, alarm{
			name: "errors-" + string(r.Function), class: schema.Ticket,
			what:    "Three or more invocations in a quarter of an hour ended in an error, a timeout or a kill. Single ones repeat by themselves.",
			do:      "the function's logs of level ERROR.",
			signals: []signal{ofFunction(c, r.Function, "Errors", "Sum")}, level: 3, period: 900, bad: 1, of: 1, silence: silenceIsGood,
		})
	}
	return append(out,
		alarm{
			name: "throttles", class: schema.Ticket,
			// Concurrency is one pool of the account and region, so the
			// measure of all functions is the right one.
			what:    "Lambda refused ten or more invocations in a quarter of an hour: the account's concurrency is used up, by us or by others.",
			do:      "`aws lambda get-account-settings`.",
			signals: []signal{{schema.NamespaceLambda, "Throttles", nil, "Sum"}}, level: 10, period: 900, bad: 1, of: 1, silence: silenceIsGood,
		},
		c.tables("table-errors", "SystemErrors", 5, "DynamoDB answered 500 five times or more in a quarter of an hour. Calls are repeated; this many means trouble there.", "AWS's health page."),
		c.tables("table-throttles", "ThrottledRequests", 20, "DynamoDB throttled twenty requests or more in a quarter of an hour: a hot key, or a table that grows faster than it splits.", "the table's page, most throttled keys."),
	)
}

// tables is an alarm over all tables and operations: DynamoDB writes these
// measures by operation, and only where there is something to write.
func (c Config) tables(name, metric string, level float64, what, do string) alarm {
	var which []string
	for _, s := range schema.Specs() {
		which = append(which, fmt.Sprintf("TableName = '%s'", schema.TableName(c.Stage, s.Name)))
	}
	return alarm{
		name: name, class: schema.Ticket, what: what, do: do, level: level, period: 900, bad: 1, of: 1, silence: silenceIsGood,
		expr: fmt.Sprintf(`SELECT SUM(%s) FROM SCHEMA("%s", Operation, TableName) WHERE %s`, metric, schema.NamespaceDynamoDB, strings.Join(which, " OR ")),
	}
}

package main

import "onefold/internal/schema"

// addMailAlarms makes the alarms of a stack of SES. An alarm lives in the
// region of its metric, so these have topics of their own.
func addMailAlarms(p *Post, receives, sends bool) {
	word := "ses-"
	if receives {
		word = "mail-"
	}
	w := &watch{
		stack: p.Stack, cfg: p.Cfg,
		page:   addAlarmTopicTo(p.Stack, p.Cfg, word+topicAlarms, word+"alarms"),
		ticket: addAlarmTopicTo(p.Stack, p.Cfg, word+topicTickets, word+"tickets"),
	}
	w.add(p.undelivered(receives))
	if receives {
		w.add(p.receiving()...)
	}
	if sends {
		w.add(reputation()...)
	}
}

func (p *Post) undelivered(receives bool) alarm {
	q := queueLostSES
	if receives {
		q = queueLost
	}
	return alarm{
		name: "dead-letter-" + q, class: schema.Ticket,
		what: "SNS could not bring a notification of SES to its queue: the queue is gone or its policy forbids it. Word of mail, or of what became of one, waits here for 14 days.",
		do:   "the queue's policy; then send the messages on.",
		signals: []signal{
			ofQueue(p.Cfg, q, "ApproximateNumberOfMessagesVisible"),
		}, level: 1, period: 300, bad: 1, of: 1, silence: silenceIsGood,
	}
}

// receiving pages while something can still be done: SES tries a failed action
// for four hours and then drops the mail (SES Developer Guide, "Viewing metrics
// for email receiving", read 2026-11). A change of the rule does not help mail
// that has come; giving back a permission does.
func (p *Post) receiving() []alarm {
	ofRule := func(name string) signal {
		return signal{schema.NamespaceSES, name, [][2]string{{"RuleName", p.Cfg.whole()}}, "Sum"}
	}
	return []alarm{
		{
			name: "receipt-failing", class: schema.Page, part: true,
			what: "An action of the receipt rule failed for a mail. SES tries it again for four hours at most.",
			do:   "the policies of the mail bucket, its key and the mail topic.", signals: []signal{ofRule("PublishFailure")},
			level: 1, period: 900, bad: 1, of: 1, silence: silenceIsGood,
		},
		{
			name: "receipt-expired", class: schema.Page, part: true,
			what: "SES gave up on a mail that had come in: it is lost to us.",
			do:   "the same policies; then the senders, if they can be known.", signals: []signal{ofRule("PublishExpired")},
			level: 1, period: 900, bad: 1, of: 1, silence: silenceIsGood,
		},
		{
			name: "mail-lost", class: schema.Page, anyOf: []string{"receipt-failing", "receipt-expired"},
			what: "SES cannot put inbound mail into the bucket, or gave one up. Such a mail is lost to us, and its sender does not know.",
			do:   "the policies of the mail bucket, its key and the mail topic: within four hours nothing is lost yet.",
		},
	}
}

// reputation pages at the rates at which SES puts an account under review: 5 %
// bounces, 0.1 % complaints (SES Developer Guide, "Reputation metrics
// messages", read 2026-11). At 10 % and 0.5 % it may pause the account.
func reputation() []alarm {
	rate := func(name, metric string, level float64, what, do string) alarm {
		return alarm{
			name: name, class: schema.Page, part: true, what: what, do: do,
			signals: []signal{{schema.NamespaceSES, metric, nil, "Maximum"}}, level: level, period: 3600, bad: 1, of: 1,
			// Written when there is something to say: no value is no recovery.
			silence: silenceSaysNone,
		}
	}
	return []alarm{
		rate("bounce-rate", "Reputation.BounceRate", 0.05, "5 % of the account's mail bounces for good.", "whose mail bounces: the logs of feedback by `tenant`."),
		rate("complaint-rate", "Reputation.ComplaintRate", 0.001, "One in a thousand of the account's mails draws a complaint.", "whose mail it is: the logs of feedback by `tenant`."),
		{
			name: "reputation", class: schema.Page, anyOf: []string{"bounce-rate", "complaint-rate"},
			what: "So much of the account's mail bounces or draws complaints that SES puts the account under review; at twice and five times that it may pause it.",
			do:   "pause sending (runbook), then find whose mail it is.",
		},
	}
}

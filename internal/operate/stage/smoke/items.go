// Package smoke verifies on a deployed stage what no test without an AWS
// account can: that AWS behaves as the code takes it to, and that what was
// deployed is what was written.
//
// Its invariant: an item is verified only by something seen now, on this stage.
// What could not be looked at is told as not checked, with the reason. It
// changes nothing but what its options ask for: a delivery to a webhook, and a
// table of its own that it removes.
package smoke

import (
	"context"
	"fmt"
	"strings"
)

// Item is one thing that was not verified without an account.
type Item struct {
	ID   string
	Fact string // what is to be true
	Why  string // why it is not known before
	How  string // how it is verified here; of those by hand, what to do

	look func(context.Context, *look) (Outcome, string)
}

// Items lists them. docs/deploy.md has the same table; a test compares.
func Items() []Item {
	return []Item{
		{"functions", "every function runs as deployed: active, its timeout, arm64 or x86_64 as set", "the emulator runs them on the host", "reads each function's configuration", functions},
		{"streams", "stream readers really have their filter, bisection, partial responses, bounded retries and age", "the emulator does not retry as AWS does", "compares each mapping with its table in the code", streams},
		{"given-up", "what a stream reader gives up goes to a queue, and nothing is there", "the emulator gives nothing up", "reads the mappings' destination and counts the messages", givenUp},
		{"roles", "only `send` may send mail; only `extract` may ask a model, and one alone; nobody may delete or change audit records", "the emulator asks no policy", "asks IAM's policy simulator for each function's role", roles},
		{"model", "the model answers `extract`", "tests use a fake of its wire", "reads in CloudWatch what it has answered in the last day", model},
		{"schedules", "the scheduler calls `sweep` every minute", "the emulator's scheduler is its own", "reads its invocations of the last 15 minutes in CloudWatch", schedules},
		{"feed", "SES events come back: a probe returned within 45 minutes", "the emulator sends no events", "reads in the ledger when the feed was last alive", feed},
		{"tags", "SES events carry the tags of intent and attempt", "the emulator drops tags", "compares in CloudWatch the events taken with those that named no attempt, of the last day", tags},
		{"conflict", "of transactions that meet, one is refused with TransactionConflict and has written nothing", "the emulator never refuses so", "with -conflict: lets transactions meet on a table of its own, and counts", conflict},
		{"webhook", "a signed delivery is recorded, its repetition is a duplicate, a wrong signature is refused, and the event is decided", "gateway, secrets, keys, roles and streams work together on AWS alone", "with -webhook: sends one from an address of the SES simulator", webhookRoundTrip},
		{"domain", "the API's own domain answers over TLS", "no DNS and no certificates in tests", "asks it for a page", domain},
		{"console", "the console sends people to sign in, and its issuer answers", "the emulator's user pool has no sign-in page", "asks both", console},
		{"mail-domain", "the mail domain is proved, and its MX leads to SES", "no DNS in tests", "asks SES and DNS", mailDomain},
		{"mail-rule", "the stage's rule is in the region's active receipt rule set", "the emulator has no active set", "asks SES", mailRule},
		{"inbound", "a mail to the inbound address becomes an event", "SES receives on AWS alone", "with -wrote: looks for what somebody outside has sent", inboundMail},
		{"alarms", "somebody is told of alarms: the topic has a confirmed subscription", "confirming needs a mailbox", "asks SNS", alarms},
		{"timeout", "an invocation that is killed at its timeout leaves its lease, and the work goes on", "the emulator ends functions otherwise", "by hand: set the timeout of `extract` to 1 s for some minutes, send mail, then `onefold verify`", nil},
		{"crm", "HubSpot's index lag, its limits and its duplicates are as declared", "tests use a fake of its wire", "by hand: a test account of HubSpot, then `onefold explain` of somebody new", nil},
	}
}

// Outcome is what a look came to.
type Outcome string

// The outcomes.
const (
	Verified   Outcome = "verified"
	Failed     Outcome = "failed"
	NotChecked Outcome = "not checked"
)

// Line is an item with what was seen.
type Line struct {
	ID      string  `json:"id"`
	Fact    string  `json:"fact"`
	Outcome Outcome `json:"outcome"`
	Found   string  `json:"found"`
}

// Table is the items as a table of Markdown, for docs/deploy.md.
func Table() string {
	var b strings.Builder
	b.WriteString("| item | what is to be true | why it is not known before | how `make smoke-aws` looks |\n|---|---|---|---|\n")
	for _, i := range Items() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", i.ID, i.Fact, i.Why, i.How)
	}
	return b.String()
}

func notChecked(format string, args ...any) (Outcome, string) {
	return NotChecked, fmt.Sprintf(format, args...)
}

func failed(format string, args ...any) (Outcome, string) {
	return Failed, fmt.Sprintf(format, args...)
}

func verified(format string, args ...any) (Outcome, string) {
	return Verified, fmt.Sprintf(format, args...)
}

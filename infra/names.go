package main

import (
	"fmt"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"

	"onefold/internal/schema"
)

// Physical names. All of a stage begin with schema.Prefix, so two stages in one
// account share none. They are explicit, since code, alarms, queue policies and
// operators name them; the price is that a resource whose replacement
// CloudFormation wants cannot be made beside the old one, and the deployment
// fails. For what holds data that is meant.

// The queues. A dead one holds what was given up, for people.
const (
	queueMail          = "mail"           // word of inbound mail → ingest
	queueMailDead      = "mail-dead"      // mail that ingest could not take
	queueFeedback      = "feedback"       // SES events → feedback
	queueFeedbackDead  = "feedback-dead"  // SES events that feedback could not take
	queueExtractFailed = "extract-failed" // word of stream records given up
	queueCRMSyncFailed = "crmsync-failed"
	queueSendFailed    = "send-failed"
	queueScheduleDead  = "schedule-dead" // scheduled calls that did not happen or failed
)

// The topics.
const (
	topicAlarms   = "alarms"   // alarms → people
	topicMail     = "mail"     // SES receipts → queueMail; in the mail stack
	topicFeedback = "feedback" // SES events → queueFeedback; in the region that sends
)

func (c Config) name(word string) string { return schema.Prefix(c.Stage) + word }

// whole is the name of what a stage has once.
func (c Config) whole() string { return strings.TrimSuffix(schema.Prefix(c.Stage), "-") }

func (c Config) configurationSet() string { return c.whole() }
func (c Config) keyAlias() string         { return "alias/" + c.whole() }

// mailKeyAlias is the alias of the key of the mail bucket. Ingest's role knows
// the key by it, since the key's ARN is another stack's.
func (c Config) mailKeyAlias() string { return "alias/" + c.whole() + "-mail" }

func functionLogs(c Config, f schema.Function) string {
	return "/aws/lambda/" + schema.FunctionName(c.Stage, f)
}

// accessLogs lies below /aws/vendedlogs/, where a delivery needs no line of its
// own in the account's one resource policy, which has room for few (CloudWatch
// Logs User Guide, "Enable logging from AWS services", read 2026-11).
func accessLogs(c Config) string { return "/aws/vendedlogs/" + c.whole() + "/api" }

// arn makes an ARN in the stack's own account; region "" is for services whose
// names have none.
func arn(s awscdk.Stack, service, region, rest string) string {
	return fmt.Sprintf("arn:%s:%s:%s:%s:%s", *s.Partition(), service, region, *s.Account(), rest)
}

func text(s string) *string        { return jsii.String(s) }
func whole(n int) *float64         { return jsii.Number(float64(n)) }
func yes() *bool                   { return jsii.Bool(true) }
func texts(s ...string) *[]*string { return jsii.Strings(s...) }

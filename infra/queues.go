package main

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"

	"onefold/internal/schema"
)

// retention is SQS's longest: what was given up waits two weeks for a person.
const retention = 14 * 24 * time.Hour

// sourceQueue is a queue that a function reads.
type sourceQueue struct {
	name, dead string
	reader     schema.Function
	topicName  string // the one topic that may send to it
	// receives is how often a message is handed out before it is given up. A
	// message that fails is seen again after the visibility timeout, so
	// receives × that is how long a fault of the ledger may last before mail
	// needs a person.
	receives int
	why      string
	batch    int // messages of one call, at most
}

func sourceQueues() []sourceQueue {
	return []sourceQueue{
		{queueMail, queueMailDead, schema.Ingest, topicMail, 60, "60 × 90 s: an hour and a half of trouble costs nobody a mail", 2},
		{queueFeedback, queueFeedbackDead, schema.Feedback, topicFeedback, 30, "30 × 180 s: likewise; an event that is late is as good as one that is not", 10},
	}
}

// visibility is six times the reader's timeout, as Lambda's guide asks, so that
// a message is not handed out again while a throttled reader still has it
// ("Using Lambda with Amazon SQS", read 2026-11).
func visibility(f schema.Function) time.Duration {
	runs, _ := schema.RunsOf(f)
	return 6 * runs.Timeout
}

// addQueues makes the queues. All are encrypted with SQS's own key: word of
// what failed holds no content, and a queue that no key policy can lock loses
// no mail to one. TLS alone, for everybody.
func (c *Core) addQueues() {
	for _, q := range sourceQueues() {
		c.addDead(q.dead)
		c.addQueue(q.name, &awssqs.CfnQueueProps{
			VisibilityTimeout: whole(int(visibility(q.reader).Seconds())),
			RedrivePolicy: map[string]any{
				"deadLetterTargetArn": *c.Queues[q.dead].AttrArn(), "maxReceiveCount": q.receives,
			},
		}, c.fromTopic(q))
	}
	for _, name := range []string{queueExtractFailed, queueCRMSyncFailed, queueSendFailed, queueScheduleDead} {
		c.addDead(name)
	}
}

func (c *Core) addDead(name string) {
	c.addQueue(name, &awssqs.CfnQueueProps{})
	suppress(c.Queues[name], "AwsSolutions-SQS3", "It is itself where messages end that were given up; people empty it.")
}

func (c *Core) addQueue(name string, props *awssqs.CfnQueueProps, more ...statement) {
	props.QueueName = text(c.Cfg.name(name))
	props.MessageRetentionPeriod = whole(int(retention.Seconds()))
	props.SqsManagedSseEnabled = true
	q := awssqs.NewCfnQueue(c.Stack, text(title(name)+"Queue"), props)
	c.Queues[name] = q
	awssqs.NewCfnQueuePolicy(c.Stack, text(title(name)+"QueuePolicy"), &awssqs.CfnQueuePolicyProps{
		Queues:         texts(*q.Ref()),
		PolicyDocument: policy(append([]statement{tlsOnly("sqs:*", *q.AttrArn())}, more...)...),
	})
}

// fromTopic lets one topic of this account send to a queue. The topic is of the
// mail stack, perhaps in another region, and known by its name.
func (c *Core) fromTopic(q sourceQueue) statement {
	region := c.Cfg.sesRegion(c.region())
	if q.topicName == topicMail {
		region = c.Cfg.mailRegion(c.region())
	}
	return statement{
		"Sid": "Topic", "Effect": "Allow", "Action": "sqs:SendMessage",
		"Principal": map[string]any{"Service": "sns.amazonaws.com"},
		"Resource":  arn(c.Stack, "sqs", c.region(), c.Cfg.name(q.name)),
		"Condition": map[string]any{"ArnEquals": map[string]any{
			"aws:SourceArn": arn(c.Stack, "sns", region, c.Cfg.name(q.topicName)),
		}},
	}
}

// addQueueReaders has functions read queues: a few messages at once (a mail may
// have 40 MB), reported one by one, so that one bad message repeats alone; two
// readers at most, Lambda's least, since a fresh account has ten for everything.
func (c *Core) addQueueReaders() {
	for _, q := range sourceQueues() {
		awslambda.NewCfnEventSourceMapping(c.Stack, text(title(q.name)+"Reader"), &awslambda.CfnEventSourceMappingProps{
			FunctionName:          c.Functions[q.reader].Ref(),
			EventSourceArn:        c.Queues[q.name].AttrArn(),
			BatchSize:             whole(q.batch),
			FunctionResponseTypes: texts("ReportBatchItemFailures"),
			ScalingConfig:         &awslambda.CfnEventSourceMapping_ScalingConfigProperty{MaximumConcurrency: whole(2)},
		})
	}
}

// addAlarmTopic makes the topic of every alarm. Its messages hold names and
// numbers, no content, and CloudWatch cannot publish to a topic under AWS's
// managed key; so it has SNS's own encryption at rest.
func (c *Core) addAlarmTopic() {
	c.Alarms = awssns.NewCfnTopic(c.Stack, text("AlarmTopic"), &awssns.CfnTopicProps{
		TopicName: text(c.Cfg.name(topicAlarms)), DisplayName: text(fmt.Sprintf("Onefold %s alarms", c.Cfg.Stage)),
	})
	name := arn(c.Stack, "sns", c.region(), c.Cfg.name(topicAlarms))
	awssns.NewCfnTopicPolicy(c.Stack, text("AlarmTopicPolicy"), &awssns.CfnTopicPolicyProps{
		Topics: texts(*c.Alarms.Ref()),
		PolicyDocument: policy(
			tlsOnly("sns:Publish", name),
			statement{
				"Sid": "Alarms", "Effect": "Allow", "Action": "sns:Publish", "Resource": name,
				"Principal": map[string]any{"Service": "cloudwatch.amazonaws.com"},
				"Condition": map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": *c.Stack.Account()}},
			},
		),
	})
	if c.Cfg.AlarmEmail != "" {
		awssns.NewCfnSubscription(c.Stack, text("AlarmEmail"), &awssns.CfnSubscriptionProps{
			TopicArn: c.Alarms.Ref(), Protocol: text("email"), Endpoint: text(c.Cfg.AlarmEmail),
		})
	}
	c.output("AlarmTopicArn", *c.Alarms.Ref(), "Where alarms go; subscribe whoever is to be told")
}

// list makes what jsii takes as a list of mixed values.
func list[T any](items ...T) *[]any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = item
	}
	return &out
}

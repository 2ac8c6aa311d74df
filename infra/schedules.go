package main

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"

	"onefold/internal/schema"
)

// schedule calls a function at times.
type schedule struct {
	id       string
	function schema.Function
	rate     string
	input    string
	means    string
}

// schedules lists them. Two sweeps do no harm, and one too few is made up for
// by the next; so nothing is tried again for long. The same holds for probes.
func (c Config) schedules() []schedule {
	all := []schedule{{
		"Sweep", schema.Sweep, "rate(1 minute)", `{"onefold":"sweep"}`, "nudges what is due",
	}}
	if c.ProbeFrom != "" {
		all = append(all, schedule{
			"Probe", schema.Send, "rate(15 minutes)", `{"onefold":"probe"}`, "sends a mail to the SES simulator, whose events prove the feed alive",
		})
	}
	return all
}

// addSchedules makes the schedules, their group, and the role that may call
// the scheduled functions and nothing else. A call is asynchronous: what the
// scheduler cannot hand over and what the function fails both end in one queue.
func (c *Core) addSchedules() {
	group := awsscheduler.NewCfnScheduleGroup(c.Stack, text("Schedules"), &awsscheduler.CfnScheduleGroupProps{Name: text(c.Cfg.whole())})
	dead := c.Queues[queueScheduleDead].AttrArn()
	var functions []string
	for _, s := range c.Cfg.schedules() {
		functions = append(functions, *c.Functions[s.function].AttrArn())
	}
	role := awsiam.NewCfnRole(c.Stack, text("SchedulerRole"), &awsiam.CfnRoleProps{
		Description: text("The scheduler of Onefold " + c.Cfg.Stage),
		AssumeRolePolicyDocument: policy(statement{
			"Effect": "Allow", "Action": "sts:AssumeRole",
			"Principal": map[string]any{"Service": "scheduler.amazonaws.com"},
			"Condition": map[string]any{
				"StringEquals": map[string]any{"aws:SourceAccount": *c.Stack.Account()},
				"ArnEquals":    map[string]any{"aws:SourceArn": arn(c.Stack, "scheduler", c.region(), "schedule-group/"+c.Cfg.whole())},
			},
		}),
		Policies: list(&awsiam.CfnRole_PolicyProperty{PolicyName: text("calls"), PolicyDocument: policy(
			statement{"Sid": "Call", "Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": functions},
			statement{"Sid": "GiveUp", "Effect": "Allow", "Action": "sqs:SendMessage", "Resource": *dead},
		)}),
	})
	for _, s := range c.Cfg.schedules() {
		scheduled := awsscheduler.NewCfnSchedule(c.Stack, text(s.id+"Schedule"), &awsscheduler.CfnScheduleProps{
			Name: text(c.Cfg.name(strings.ToLower(s.id))), GroupName: text(c.Cfg.whole()), Description: text(s.means),
			ScheduleExpression: text(s.rate),
			FlexibleTimeWindow: &awsscheduler.CfnSchedule_FlexibleTimeWindowProperty{Mode: text("OFF")},
			Target: &awsscheduler.CfnSchedule_TargetProperty{
				Arn: c.Functions[s.function].AttrArn(), RoleArn: role.AttrArn(), Input: text(s.input),
				DeadLetterConfig: &awsscheduler.CfnSchedule_DeadLetterConfigProperty{Arn: dead},
				RetryPolicy: &awsscheduler.CfnSchedule_RetryPolicyProperty{
					MaximumEventAgeInSeconds: whole(60), MaximumRetryAttempts: whole(2),
				},
			},
		})
		scheduled.AddResourceDependency(group, nil)
		awslambda.NewCfnEventInvokeConfig(c.Stack, text(s.id+"Invoke"), &awslambda.CfnEventInvokeConfigProps{
			FunctionName: c.Functions[s.function].Ref(), Qualifier: text("$LATEST"),
			MaximumEventAgeInSeconds: whole(60), MaximumRetryAttempts: whole(0),
			DestinationConfig: &awslambda.CfnEventInvokeConfig_DestinationConfigProperty{
				OnFailure: &awslambda.CfnEventInvokeConfig_OnFailureProperty{Destination: dead},
			},
		})
	}
}

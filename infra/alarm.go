package main

import (
	"fmt"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"

	"onefold/internal/schema"
)

// maxPages is the most alarms of a stage that may wake somebody, in all its
// stacks.
const maxPages = 6

// topicTickets is where alarms go that wait for a working day.
const topicTickets = "tickets"

// silence is what an alarm makes of a period without a value.
type silence string

const (
	silenceIsGood   silence = "notBreaching" // of counts: nothing happened
	silenceIsBad    silence = "breaching"    // of what is written in every run: the writer is dead
	silenceSaysNone silence = "ignore"       // the state stays: nobody measured
)

// signal is one metric that an alarm or the dashboard reads.
type signal struct {
	namespace, name string
	dims            [][2]string
	stat            string // Sum, Maximum, Average
}

// alarm describes an alarm. Its name, after the stage's prefix, is its heading
// in docs/runbook.md.
type alarm struct {
	name  string
	class schema.Class
	// part says that the alarm tells nobody itself: a composite does.
	part bool
	what string // what it means and why the threshold is what it is
	do   string // the first step

	signals []signal
	expr    string // of the signals m1, m2, …; "" for one signal alone
	level   float64
	over    bool // alarm above the level; else at or above it
	period  int  // seconds
	bad, of int  // bad periods of so many
	silence silence

	anyOf []string // of a composite: names of alarms
}

// watch makes alarms in a stack.
type watch struct {
	stack    awscdk.Stack
	cfg      Config
	page     *string // topics
	ticket   *string
	internal map[string]awscdk.CfnResource
}

func (w *watch) add(alarms ...alarm) {
	if w.internal == nil {
		w.internal = map[string]awscdk.CfnResource{}
	}
	for _, a := range alarms {
		if !w.cfg.canAlarm(a) {
			continue
		}
		if len(a.anyOf) > 0 {
			w.composite(a)
			continue
		}
		props := &awscloudwatch.CfnAlarmProps{
			AlarmName: text(w.cfg.name(a.name)), AlarmDescription: text(a.description()), AlarmActions: w.actions(a), OkActions: w.actions(a),
			ComparisonOperator: text(map[bool]string{true: "GreaterThanThreshold", false: "GreaterThanOrEqualToThreshold"}[a.over]),
			Threshold:          &a.level, EvaluationPeriods: whole(a.of), DatapointsToAlarm: whole(a.bad), TreatMissingData: text(string(a.silence)),
		}
		if a.expr == "" {
			s := a.signals[0]
			props.Namespace, props.MetricName, props.Dimensions = text(s.namespace), text(s.name), s.dimensions()
			props.Statistic, props.Period = text(s.stat), whole(a.period)
		} else {
			props.Metrics = a.queries()
		}
		if a.silence == silenceIsBad && w.cfg.Target == AWS {
			// A new stage has not said anything yet. It ends as soon as there
			// is a value for each period.
			props.WarmUpConfiguration = &awscloudwatch.CfnAlarm_WarmUpConfigurationProperty{WarmUpPeriodDurationInMinutes: whole(2 * a.of * a.period / 60)}
		}
		w.internal[a.name] = awscloudwatch.NewCfnAlarm(w.stack, text(title(a.name)+"Alarm"), props)
	}
}

func (w *watch) composite(a alarm) {
	rules := make([]string, len(a.anyOf))
	for i, name := range a.anyOf {
		rules[i] = fmt.Sprintf("ALARM(%q)", w.cfg.name(name))
	}
	c := awscloudwatch.NewCfnCompositeAlarm(w.stack, text(title(a.name)+"Alarm"), &awscloudwatch.CfnCompositeAlarmProps{
		AlarmName: text(w.cfg.name(a.name)), AlarmDescription: text(a.description()), AlarmRule: text(strings.Join(rules, " OR ")),
		AlarmActions: w.actions(a), OkActions: w.actions(a),
	})
	// The rule names alarms, and CloudWatch wants them there.
	for _, name := range a.anyOf {
		c.AddResourceDependency(w.internal[name], nil)
	}
	w.internal[a.name] = c
}

func (w *watch) actions(a alarm) *[]any {
	switch {
	case a.part:
		return nil
	case a.class == schema.Page:
		return list(w.page)
	}
	return list(w.ticket)
}

// description is what somebody reads first, on a telephone perhaps.
func (a alarm) description() string {
	return fmt.Sprintf("[%s] %s First: %s Runbook: docs/runbook.md#%s", a.class, a.what, a.do, a.name)
}

func (a alarm) queries() []any {
	var out []any
	for i, s := range a.signals {
		out = append(out, &awscloudwatch.CfnAlarm_MetricDataQueryProperty{
			Id: text(fmt.Sprint("m", i+1)), ReturnData: false,
			MetricStat: &awscloudwatch.CfnAlarm_MetricStatProperty{
				Metric: &awscloudwatch.CfnAlarm_MetricProperty{Namespace: text(s.namespace), MetricName: text(s.name), Dimensions: s.dimensions()},
				Period: whole(a.period), Stat: text(s.stat),
			},
		})
	}
	e := &awscloudwatch.CfnAlarm_MetricDataQueryProperty{Id: text("e"), Expression: text(a.expr), Label: text(a.name), ReturnData: true}
	if len(a.signals) == 0 {
		e.Period = whole(a.period)
	}
	return append(out, e)
}

func (s signal) dimensions() []any {
	var out []any
	for _, d := range s.dims {
		out = append(out, &awscloudwatch.CfnAlarm_DimensionProperty{Name: text(d[0]), Value: text(d[1])})
	}
	return out
}

// own is a metric that functions of the stage write.
func (c Config) own(name string) signal {
	stat := "Sum"
	if m, ok := schema.MetricOf(name); ok && m.Gauge {
		stat = "Maximum"
	}
	return signal{schema.MetricNamespace, name, [][2]string{{schema.DimensionStage, c.Stage}}, stat}
}

func ofFunction(c Config, f schema.Function, name, stat string) signal {
	return signal{schema.NamespaceLambda, name, [][2]string{{"FunctionName", schema.FunctionName(c.Stage, f)}}, stat}
}

func ofQueue(c Config, queue, name string) signal {
	return signal{schema.NamespaceSQS, name, [][2]string{{"QueueName", c.name(queue)}}, "Maximum"}
}

// addAlarmTopicTo makes a topic for alarms: for names and numbers, never
// content, so under SNS's own encryption, which CloudWatch can publish to.
func addAlarmTopicTo(s awscdk.Stack, cfg Config, word, means string) *string {
	id := title(word)
	t := awssns.NewCfnTopic(s, text(id+"Topic"), &awssns.CfnTopicProps{
		TopicName: text(cfg.name(word)), DisplayName: text("Onefold " + cfg.Stage + " " + means),
	})
	name := arn(s, "sns", *s.Region(), cfg.name(word))
	awssns.NewCfnTopicPolicy(s, text(id+"TopicPolicy"), &awssns.CfnTopicPolicyProps{
		Topics: texts(*t.Ref()),
		PolicyDocument: policy(tlsOnly("sns:Publish", name), statement{
			"Sid": "Alarms", "Effect": "Allow", "Action": "sns:Publish", "Resource": name,
			"Principal": map[string]any{"Service": "cloudwatch.amazonaws.com"},
			"Condition": map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": *s.Account()}},
		}),
	})
	if cfg.AlarmEmail != "" {
		awssns.NewCfnSubscription(s, text(id+"Email"), &awssns.CfnSubscriptionProps{
			TopicArn: t.Ref(), Protocol: text("email"), Endpoint: text(cfg.AlarmEmail),
		})
	}
	return t.Ref()
}

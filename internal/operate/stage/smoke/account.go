package smoke

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/operate/stage"
	"onefold/internal/schema"
	"onefold/internal/utc"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// may is one question to the policy simulator.
type may struct {
	action   string
	resource string
	only     []schema.Function // who may; everybody else may not
}

// sender is a domain that send may send from: that of the probe, or the mail
// domain; "" where neither is known.
func (l *look) sender(ctx context.Context) string {
	send, err := l.function(ctx, schema.Send)
	if err == nil && send.Environment != nil {
		if _, domain, ok := strings.Cut(send.Environment.Variables[schema.EnvProbeFrom], "@"); ok {
			return domain
		}
	}
	return l.mailDomainName()
}

func (l *look) questions(sender string) []may {
	audit := fmt.Sprintf("arn:aws:dynamodb:%s:%s:table/%s", l.cloud.Region, l.cloud.Account, schema.TableName(l.cloud.Stage, schema.Audit))
	all := []may{
		{"dynamodb:DeleteItem", audit, nil},
		{"dynamodb:UpdateItem", audit, nil},
		{"bedrock:InvokeModel", "*", nil},
		{"ses:SendRawEmail", "*", nil},
	}
	if sender != "" {
		identity := fmt.Sprintf("arn:aws:ses:%s:%s:identity/%s", l.SESRegion, l.cloud.Account, sender)
		all = append(all, may{"ses:SendEmail", identity, []schema.Function{schema.Send}})
	}
	if model := l.outputs[schema.ModelOutput]; model != "" {
		all = append(all, may{"bedrock:InvokeModel", model, []schema.Function{schema.Extract}})
	}
	return all
}

// roles asks what each function's role may.
func roles(ctx context.Context, l *look) (Outcome, string) {
	if l.noAWS {
		return notChecked("the emulator asks no policy")
	}
	asked, wrong, sender := 0, []string{}, l.sender(ctx)
	for _, runs := range schema.Functions() {
		f, err := l.function(ctx, runs.Function)
		if err != nil {
			return notChecked("the role of %s cannot be read: %s", runs.Function, said(err))
		}
		for _, q := range l.questions(sender) {
			in := url.Values{"PolicySourceArn": {aws.ToString(f.Role)}, "ActionNames.member.1": {q.action}, "ResourceArns.member.1": {q.resource}}
			if q.action == "ses:SendEmail" {
				in.Set("ContextEntries.member.1.ContextKeyName", "ses:FromAddress")
				in.Set("ContextEntries.member.1.ContextKeyType", "string")
				in.Set("ContextEntries.member.1.ContextKeyValues.member.1", "smoke@"+sender)
			}
			var out struct {
				Decision string `xml:"SimulatePrincipalPolicyResult>EvaluationResults>member>EvalDecision"`
			}
			if err := l.cloud.Query(ctx, stage.IAM(), "", "SimulatePrincipalPolicy", in, &out); err != nil {
				return notChecked("asking needs iam:SimulatePrincipalPolicy: %s", said(err))
			}
			asked++
			if (out.Decision == "allowed") != slices.Contains(q.only, runs.Function) {
				wrong = append(wrong, fmt.Sprintf("%s: %s is %s", runs.Function, q.action, out.Decision))
			}
		}
	}
	switch {
	case len(wrong) > 0:
		return failed("%s", strings.Join(wrong, "; "))
	case sender == "":
		return verified("%d questions, all but who may send: the stage sends from no domain", asked)
	}
	return verified("%d questions", asked)
}

// sum is a metric's sum over the time before now.
func (l *look) sum(ctx context.Context, namespace, name string, d time.Duration, dimension, value string) (float64, error) {
	now := l.cloud.Now().UTC()
	var out struct {
		Sums []float64 `xml:"GetMetricStatisticsResult>Datapoints>member>Sum"`
	}
	err := l.cloud.Query(ctx, stage.CloudWatch(), l.cloud.Region, "GetMetricStatistics", url.Values{
		"Namespace": {namespace}, "MetricName": {name}, "Statistics.member.1": {"Sum"}, "Period": {fmt.Sprint(int(d.Seconds()))},
		"StartTime": {now.Add(-d).Format(time.RFC3339)}, "EndTime": {now.Format(time.RFC3339)},
		"Dimensions.member.1.Name": {dimension}, "Dimensions.member.1.Value": {value},
	}, &out)
	total := 0.0
	for _, s := range out.Sums {
		total += s
	}
	return total, err
}

// schedules looks for the sweeper's invocations. CloudWatch has a metric a
// minute or two late.
func schedules(ctx context.Context, l *look) (Outcome, string) {
	if l.noAWS {
		return notChecked("the emulator's scheduler is its own")
	}
	n, err := l.sum(ctx, schema.NamespaceLambda, "Invocations", 15*time.Minute, "FunctionName", schema.FunctionName(l.cloud.Stage, schema.Sweep))
	switch {
	case err != nil:
		return notChecked("reading it needs cloudwatch:GetMetricStatistics: %s", said(err))
	case n < 5:
		return failed("sweep was called %.0f times in 15 minutes; a stage younger than that needs a moment", n)
	}
	return verified("sweep was called %.0f times in 15 minutes", n)
}

// feedWithin is three probes of 15 minutes.
const feedWithin = 45 * time.Minute

// feed reads when an event last came through.
func feed(ctx context.Context, l *look) (Outcome, string) {
	send, err := l.function(ctx, schema.Send)
	switch {
	case err != nil:
		return notChecked("the function send cannot be read: %s", said(err))
	case send.Environment == nil || send.Environment.Variables[schema.EnvProbeFrom] == "":
		return notChecked("no probes are sent: deploy with probeFrom")
	}
	it, err := l.opened.Store.Get(ctx, ledger.FeedProbe.At(ledger.NoTenant, "feed"))
	if err != nil {
		return notChecked("the ledger cannot be read: %s", said(err))
	}
	at, err := utc.Parse(it.Text("alive_at"))
	switch {
	case (it == nil || err != nil) && l.noAWS:
		return notChecked("no event of the fake of SES has come back yet")
	case it == nil || err != nil:
		return failed("no event of SES has ever come back; a new stage sends its first probe after 15 minutes")
	}
	age := l.cloud.Now().Sub(at.Std()).Round(time.Second)
	if age > feedWithin {
		return failed("the last event of SES is %s old", age)
	}
	return verified("an event of SES that happened %s ago came back", age)
}

// tags compares the events that came with those that no tag led home.
func tags(ctx context.Context, l *look) (Outcome, string) {
	if l.noAWS {
		return notChecked("the emulator drops tags and sends no events")
	}
	const day = 24 * time.Hour
	came, err := l.sum(ctx, schema.MetricNamespace, schema.ProviderEvents, day, schema.DimensionStage, l.cloud.Stage)
	if err != nil {
		return notChecked("reading it needs cloudwatch:GetMetricStatistics: %s", said(err))
	}
	lost, err := l.sum(ctx, schema.MetricNamespace, schema.ProviderEventsOrphan, day, schema.DimensionStage, l.cloud.Stage)
	switch {
	case err != nil:
		return notChecked("reading it needs cloudwatch:GetMetricStatistics: %s", said(err))
	case lost > 0:
		return failed("%.0f events of the last day named no attempt", lost)
	case came == 0:
		return notChecked("no event of a follow-up came in the last day: send one first")
	}
	return verified("%.0f events of the last day each named its attempt", came)
}

// alarms looks at who is told.
func alarms(ctx context.Context, l *look) (Outcome, string) {
	topic := l.outputs["AlarmTopicArn"]
	switch {
	case topic == "":
		return notChecked("the stack tells of no alarm topic")
	case l.noAWS:
		return notChecked("the emulator sends no mail")
	}
	var out struct {
		ARNs []string `xml:"ListSubscriptionsByTopicResult>Subscriptions>member>SubscriptionArn"`
	}
	if err := l.cloud.Query(ctx, stage.SNS(), l.cloud.Region, "ListSubscriptionsByTopic", url.Values{"TopicArn": {topic}}, &out); err != nil {
		return notChecked("reading it needs sns:ListSubscriptionsByTopic: %s", said(err))
	}
	confirmed := 0
	for _, arn := range out.ARNs {
		if strings.HasPrefix(arn, "arn:") { // otherwise "PendingConfirmation"
			confirmed++
		}
	}
	switch {
	case confirmed > 0:
		return verified("%d confirmed subscriptions", confirmed)
	case len(out.ARNs) > 0:
		return failed("nobody has confirmed: follow the link in the mail of SNS")
	}
	return failed("nobody is told: deploy with alarmEmail, or subscribe to %s", topic)
}

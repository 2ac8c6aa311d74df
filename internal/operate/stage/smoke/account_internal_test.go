package smoke

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/operate/stage"
	"onefold/internal/schema"
	"onefold/internal/utc"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// lookAt is a look at an account whose query APIs are answered by a fake, as
// though it were AWS, with every function in place.
func lookAt(t *testing.T, answer func(form url.Values) string) *look {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		form, err := url.ParseQuery(string(body))
		if err != nil || !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ") {
			t.Errorf("no signed query: %v", err)
		}
		say := answer(form)
		if say == "" {
			w.WriteHeader(http.StatusForbidden)
			say = `<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>`
		}
		_, _ = io.WriteString(w, say)
	}))
	t.Cleanup(server.Close)
	l := &look{
		cloud: &stage.Cloud{
			Place: stage.Place{Stage: "prod", Region: "eu-west-1", Endpoint: server.URL}, Account: "123456789012",
			Config: aws.Config{Credentials: credentials.NewStaticCredentialsProvider("id", "key", "")}, Now: func() time.Time { return noon },
		},
		opened: &stage.Opened{Store: mem.New()}, running: map[schema.Function]*lambda.GetFunctionConfigurationOutput{},
		outputs: map[string]string{"AlarmTopicArn": "arn:aws:sns:eu-west-1:123456789012:onefold-prod-alarms"},
	}
	l.SESRegion, l.MailRegion = "eu-west-1", "eu-west-1"
	for _, r := range schema.Functions() {
		l.running[r.Function] = &lambda.GetFunctionConfigurationOutput{
			Role: aws.String("arn:aws:iam::123456789012:role/" + string(r.Function)), State: types.StateActive,
			Timeout: aws.Int32(int32(r.Timeout.Seconds())), Architectures: []types.Architecture{types.ArchitectureArm64},
		}
	}
	l.running[schema.Send].Environment = &types.EnvironmentResponse{Variables: map[string]string{schema.EnvProbeFrom: "probe@example.com"}}
	return l
}

func expect(t *testing.T, name string, outcome Outcome, found string, want Outcome, words string) {
	t.Helper()
	if outcome != want || !strings.Contains(found, words) {
		t.Errorf("%s: %s, %q; want %s with %q", name, outcome, found, want, words)
	}
}

func decision(allowed bool) string {
	word := "implicitDeny"
	if allowed {
		word = "allowed"
	}
	return "<R><SimulatePrincipalPolicyResult><EvaluationResults><member><EvalDecision>" + word + "</EvalDecision></member></EvaluationResults></SimulatePrincipalPolicyResult></R>"
}

func TestARoleThatMayMoreOrLessThanItsDutyFails(t *testing.T) {
	t.Parallel()
	right := func(form url.Values) bool {
		return form.Get("ActionNames.member.1") == "ses:SendEmail" && strings.HasSuffix(form.Get("PolicySourceArn"), "role/send") &&
			form.Get("ResourceArns.member.1") == "arn:aws:ses:eu-west-1:123456789012:identity/example.com"
	}
	for name, c := range map[string]struct {
		allowed func(url.Values) bool
		want    Outcome
		words   string
	}{
		"as it should be": {right, Verified, "40 questions"},
		"send may not":    {func(url.Values) bool { return false }, Failed, "send: ses:SendEmail is implicitDeny"},
		"sweep may": {func(f url.Values) bool {
			return right(f) || strings.HasSuffix(f.Get("PolicySourceArn"), "role/sweep") && f.Get("ActionNames.member.1") == "ses:SendEmail"
		}, Failed, "sweep: ses:SendEmail is allowed"},
		"audit may be deleted":           {func(f url.Values) bool { return right(f) || f.Get("ActionNames.member.1") == "dynamodb:DeleteItem" }, Failed, "extract: dynamodb:DeleteItem is allowed"},
		"the simulator may not be asked": {nil, NotChecked, "iam:SimulatePrincipalPolicy"},
	} {
		l := lookAt(t, func(f url.Values) string {
			if c.allowed == nil {
				return ""
			}
			return decision(c.allowed(f))
		})
		outcome, found := roles(t.Context(), l)
		expect(t, name, outcome, found, c.want, c.words)
	}
}

func statistics(sum string) string {
	if sum == "" {
		return "<R><GetMetricStatisticsResult><Datapoints/></GetMetricStatisticsResult></R>"
	}
	return "<R><GetMetricStatisticsResult><Datapoints><member><Sum>" + sum + "</Sum></member></Datapoints></GetMetricStatisticsResult></R>"
}

func TestTheScheduleIsSeenByItsCalls(t *testing.T) {
	t.Parallel()
	for sum, want := range map[string]Outcome{"15.0": Verified, "2.0": Failed, "": Failed} {
		l := lookAt(t, func(f url.Values) string {
			if f.Get("Dimensions.member.1.Value") != "onefold-prod-sweep" || f.Get("StartTime") != "2026-03-04T11:45:00Z" || f.Get("Period") != "900" {
				t.Errorf("asked for %v", f)
			}
			return statistics(sum)
		})
		outcome, found := schedules(t.Context(), l)
		expect(t, sum, outcome, found, want, "in 15 minutes")
	}
}

func TestEventsWithoutATagFail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		came, lost string
		want       Outcome
	}{{"12", "", Verified}, {"12", "1", Failed}, {"", "", NotChecked}} {
		l := lookAt(t, func(f url.Values) string {
			if f.Get("MetricName") == schema.ProviderEventsOrphan {
				return statistics(c.lost)
			}
			return statistics(c.came)
		})
		outcome, found := tags(t.Context(), l)
		expect(t, c.came+"/"+c.lost, outcome, found, c.want, "")
	}
}

func TestTheFeedIsAliveOnlyWhileEventsReturn(t *testing.T) {
	t.Parallel()
	l := lookAt(t, func(url.Values) string { return "" })
	outcome, found := feed(t.Context(), l)
	expect(t, "never", outcome, found, Failed, "ever")
	for ago, want := range map[time.Duration]Outcome{10 * time.Minute: Verified, time.Hour: Failed} {
		l := lookAt(t, func(url.Values) string { return "" })
		var c ledger.Commit
		if err := c.Create("feed", ledger.FeedProbe.At(ledger.NoTenant, "feed"), map[string]any{"alive_at": utc.At(noon.Add(-ago)).String()}); err != nil {
			t.Fatal(err)
		}
		if err := l.opened.Store.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		outcome, found := feed(t.Context(), l)
		expect(t, ago.String(), outcome, found, want, ago.String())
	}
	l.running[schema.Send].Environment = nil
	outcome, found = feed(t.Context(), l)
	expect(t, "no probe", outcome, found, NotChecked, "probeFrom")
}

func TestAlarmsThatNobodyConfirmedTellNobody(t *testing.T) {
	t.Parallel()
	subscribed := func(arns ...string) string {
		list := ""
		for _, a := range arns {
			list += "<member><SubscriptionArn>" + a + "</SubscriptionArn></member>"
		}
		return "<R><ListSubscriptionsByTopicResult><Subscriptions>" + list + "</Subscriptions></ListSubscriptionsByTopicResult></R>"
	}
	for answer, want := range map[string]Outcome{
		subscribed("arn:aws:sns:eu-west-1:123456789012:onefold-prod-alarms:1"): Verified,
		subscribed("PendingConfirmation"):                                      Failed,
		subscribed():                                                           Failed,
		"":                                                                     NotChecked,
	} {
		outcome, found := alarms(t.Context(), lookAt(t, func(url.Values) string { return answer }))
		expect(t, answer, outcome, found, want, "")
	}
}

func TestTheRuleMustBeInTheActiveSet(t *testing.T) {
	t.Parallel()
	set := func(rules string) string {
		return "<R><DescribeActiveReceiptRuleSetResult><Metadata><Name>inbound</Name></Metadata><Rules>" + rules + "</Rules></DescribeActiveReceiptRuleSetResult></R>"
	}
	for answer, want := range map[string]Outcome{
		set("<member><Name>theirs</Name><Enabled>true</Enabled></member><member><Name>onefold-prod</Name><Enabled>true</Enabled></member>"): Verified,
		set("<member><Name>onefold-prod</Name><Enabled>false</Enabled></member>"):                                                           Failed,
		set("<member><Name>onefold-prod-2</Name><Enabled>true</Enabled></member>"):                                                          Failed,
		"": NotChecked,
	} {
		l := lookAt(t, func(url.Values) string { return answer })
		l.mail = map[string]string{"MX": "in.example.com. MX 10 inbound-smtp.eu-west-1.amazonaws.com."}
		outcome, found := mailRule(t.Context(), l)
		expect(t, answer, outcome, found, want, "")
	}
}

func TestAFunctionThatOutlivesItsLeaseFails(t *testing.T) {
	t.Parallel()
	l := lookAt(t, func(url.Values) string { return "" })
	outcome, found := functions(t.Context(), l)
	expect(t, "as deployed", outcome, found, Verified, "8 functions")
	l.running[schema.Extract].Timeout = aws.Int32(900)
	outcome, found = functions(t.Context(), l)
	expect(t, "timeout", outcome, found, Failed, "extract has a timeout of 900 s")
	l.running[schema.Extract].Timeout = aws.Int32(60)
	l.running[schema.Send].State = types.StateFailed
	outcome, found = functions(t.Context(), l)
	expect(t, "state", outcome, found, Failed, "send is Failed")
	l.running[schema.Send].State = types.StateActive
	l.running[schema.Send].Architectures = []types.Architecture{types.ArchitectureX8664}
	outcome, found = functions(t.Context(), l)
	expect(t, "architectures", outcome, found, Failed, "several architectures")
}

package smoke

import (
	"net/url"
	"strings"
	"testing"

	"onefold/internal/schema"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

const profileArn = "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0"

func TestExtractAloneMayAskTheModelAndNoOther(t *testing.T) {
	t.Parallel()
	of := func(f url.Values, action, function string) bool {
		return f.Get("ActionNames.member.1") == action && strings.HasSuffix(f.Get("PolicySourceArn"), "role/"+function)
	}
	right := func(f url.Values) bool {
		return of(f, "ses:SendEmail", "send") || of(f, "bedrock:InvokeModel", "extract") && f.Get("ResourceArns.member.1") == profileArn
	}
	for name, c := range map[string]struct {
		allowed func(url.Values) bool
		want    Outcome
		words   string
	}{
		"as it should be": {right, Verified, "48 questions"},
		"extract may not": {func(f url.Values) bool { return of(f, "ses:SendEmail", "send") }, Failed, "extract: bedrock:InvokeModel is implicitDeny"},
		"console may too": {func(f url.Values) bool {
			return right(f) || of(f, "bedrock:InvokeModel", "console") && f.Get("ResourceArns.member.1") == profileArn
		}, Failed, "console: bedrock:InvokeModel is allowed"},
		"extract may ask any": {func(f url.Values) bool { return right(f) || of(f, "bedrock:InvokeModel", "extract") }, Failed, "extract: bedrock:InvokeModel is allowed"},
	} {
		l := lookAt(t, func(f url.Values) string { return decision(c.allowed(f)) })
		l.outputs[schema.ModelOutput] = profileArn
		outcome, found := roles(t.Context(), l)
		expect(t, name, outcome, found, c.want, c.words)
	}
}

func TestAModelIsVerifiedByItsAnswersAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, id                string
		calls, tokens, failures string
		want                    Outcome
		words                   string
	}{
		{"rules", "", "5", "", "", NotChecked, "not needed"},
		{"nothing came", "eu.m", "", "", "", NotChecked, "send something first"},
		{"rules have read", "eu.m", "6", "", "", NotChecked, "none of 6 readings"},
		{"no answer", "eu.m", "6", "", "6", Failed, "nothing of 6 readings"},
		{"answers", "eu.m", "6", "900", "1", Verified, "900 tokens"},
	} {
		l := lookAt(t, func(f url.Values) string {
			return statistics(map[string]string{schema.ReaderCalls: c.calls, schema.ReaderOutputTokens: c.tokens, schema.ReaderFailures: c.failures}[f.Get("MetricName")])
		})
		l.running[schema.Extract].Environment = &types.EnvironmentResponse{Variables: map[string]string{schema.EnvModelID: c.id}}
		outcome, found := model(t.Context(), l)
		expect(t, c.name, outcome, found, c.want, c.words)
	}
	l := lookAt(t, func(url.Values) string { return "" })
	l.running[schema.Extract].Environment = &types.EnvironmentResponse{Variables: map[string]string{schema.EnvModelID: "eu.m"}}
	outcome, found := model(t.Context(), l)
	expect(t, "unreadable", outcome, found, NotChecked, "cloudwatch:GetMetricStatistics")
}

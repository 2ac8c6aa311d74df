package lambdaio_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"onefold/internal/lambdaio"
)

// Payloads in their documented shapes (read 2026-11): API Gateway Developer
// Guide, "Working with AWS Lambda proxy integrations for HTTP APIs";
// EventBridge User Guide, "Events from AWS services", for the old schedules;
// Scheduler User Guide, "Using templated targets", for the new.
const (
	httpRequest = `{"version": "2.0", "routeKey": "$default", "rawPath": "/v1/demo/form", "rawQueryString": "",
		"headers": {"content-type": "application/json"}, "body": "{}", "isBase64Encoded": false,
		"requestContext": {"accountId": "123456789012", "apiId": "api-id", "domainName": "id.execute-api.us-east-1.amazonaws.com",
			"http": {"method": "POST", "path": "/v1/demo/form", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "agent"},
			"requestId": "id", "routeKey": "$default", "stage": "$default", "time": "12/Mar/2020:19:03:58 +0000", "timeEpoch": 1583348638390}}`
	ruleEvent = `{"version": "0", "id": "53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa", "detail-type": "Scheduled Event", "source": "aws.events",
		"account": "123456789012", "time": "2015-10-08T16:53:06Z", "region": "us-east-1", "resources": ["arn:aws:events:us-east-1:123456789012:rule/my-rule"], "detail": {}}`
	schedulerEvent = `{"version": "0", "id": "d32c5kddcf5bb8c3", "detail-type": "Scheduled Event", "source": "aws.scheduler",
		"account": "123456789012", "time": "2022-12-20T19:03:30Z", "region": "us-east-1", "resources": ["arn:aws:scheduler:us-east-1:123456789012:schedule/default/s"], "detail": "{}"}`
)

// taking is a function that takes every shape and notes what came.
func taking(log *slog.Logger, got *[]string) *lambdaio.Function {
	note := func(what string) { *got = append(*got, what) }
	word := func(w string) func(context.Context) error {
		return func(context.Context) error { note(w); return nil }
	}
	batch := func(what string) lambdaio.BatchHandler {
		return func(_ context.Context, records []json.RawMessage) ([]string, error) {
			note(what)
			return []string{"7"}[:len(records)-1], nil
		}
	}
	return &lambdaio.Function{
		HTTP: func(_ context.Context, r events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
			note("http " + r.RawPath)
			return events.APIGatewayV2HTTPResponse{StatusCode: 202}, nil
		},
		Stream: batch("stream"), Queue: batch("queue"), Scheduled: word("scheduled"),
		Words: map[string]func(context.Context) error{"probe": word("probe"), "sweep": word("sweep")}, Log: log,
	}
}

func TestEachShapeReachesItsHandler(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ payload, want, answer string }{
		{httpRequest, "http /v1/demo/form", `"statusCode":202`},
		{`{"Records": [` + pushed("6", "a") + `]}`, "stream", `{"batchItemFailures":[]}`},
		{`{"Records": [` + pushed("6", "a") + `,` + pushed("7", "b") + `]}`, "stream", `{"batchItemFailures":[{"itemIdentifier":"7"}]}`},
		{`{"Records": [` + message("m", "") + `]}`, "queue", `{"batchItemFailures":[]}`},
		{`{"onefold":"probe"}`, "probe", "null"},
		{` { "onefold" : "sweep" } `, "sweep", "null"},
		{ruleEvent, "scheduled", "null"},
		{schedulerEvent, "scheduled", "null"},
	} {
		log, lines := logged()
		var got []string
		out, err := taking(log, &got).Invoke(t.Context(), []byte(x.payload))
		if err != nil || !slices.Equal(got, []string{x.want}) || !strings.Contains(string(out), x.answer) || lines.Len() > 0 {
			t.Errorf("%s: reached %v, answered %s, %v, told %s", x.want, got, out, err, lines)
		}
	}
}

// The values of these are somebody's data.
func TestAnUnknownShapeIsToldByItsKeysAlone(t *testing.T) {
	t.Parallel()
	const secret = "ann@example.org"
	for payload, want := range map[string]string{
		`{"b": "ann@example.org", "a": {"ann@example.org": 1}}`:                    "keys a, b",
		`{"ann@example.org": 1, "x": 2}`:                                           "keys ?, x",
		`{"onefold": "ann@example.org"}`:                                           "keys onefold",
		`{"onefold": "probe", "more": 1}`:                                          "keys more, onefold",
		`{"onefold": ["probe"]}`:                                                   "keys onefold",
		`{"Records": []}`:                                                          "keys Records",
		`{"Records": "ann@example.org"}`:                                           "keys Records",
		`{"Records": [{"eventSource": "aws:s3"}]}`:                                 "keys Records",
		`{"Records": [` + message("m", "") + `, ` + pushed("1", "a") + `]}`:        "keys Records",
		`{"version": "1.0", "resource": "/", "requestContext": {}, "rawPath": ""}`: "keys rawPath, requestContext, resource, version",
		`{"version": "0", "detail-type": "Object Created", "source": "aws.s3", "detail": {"key": "ann@example.org"}}`: "keys detail, detail-type, source, version",
		`{"version": "2.0", "requestContext": "ann@example.org", "rawPath": "/"}`:                                     "not as documented",
		`["ann@example.org"]`: "no JSON object",
		`null`:                "no JSON object",
		`ann@example.org`:     "no JSON object",
		``:                    "no JSON object",
	} {
		log, lines := logged()
		var got []string
		_, err := taking(log, &got).Invoke(t.Context(), []byte(payload))
		if err == nil || len(got) > 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: reached %v, %v", payload, got, err)
			continue
		}
		mustNotShow(t, err.Error()+lines.String(), secret)
	}
}

func TestAShapeThatIsNotTakenIsUnknown(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{
		httpRequest, ruleEvent, `{"onefold":"probe"}`, `{"Records": [` + pushed("6", "a") + `]}`, `{"Records": [` + message("m", "") + `]}`,
	} {
		f := &lambdaio.Function{Log: slog.New(slog.DiscardHandler)}
		if _, err := f.Invoke(t.Context(), []byte(payload)); err == nil {
			t.Errorf("taken: %s", payload)
		}
	}
}

// Lambda's own report of a panic would show its value.
func TestAPanicIsAnErrorWithoutItsValue(t *testing.T) {
	t.Parallel()
	log, lines := logged()
	f := &lambdaio.Function{Log: log, Words: map[string]func(context.Context) error{
		"probe": func(context.Context) error { return panicking() },
		"sweep": func(context.Context) error { return at(nil, 7) },
	}}
	for word, kind := range map[string]string{"probe": "panic: string at", "sweep": "panic: runtime."} {
		_, err := f.Invoke(t.Context(), []byte(`{"onefold":"`+word+`"}`))
		if err == nil || !strings.Contains(err.Error(), kind) {
			t.Errorf("%s: %v", word, err)
			continue
		}
		mustNotShow(t, err.Error()+lines.String(), "ann@example.org")
	}
}

func at(errs []error, i int) error { return errs[i] }

func TestAHandlersErrorIsTheFunctions(t *testing.T) {
	t.Parallel()
	log, lines := logged()
	failing := errors.New("sweep outbox: no answer")
	f := &lambdaio.Function{Log: log, Scheduled: func(context.Context) error { return failing }}
	if _, err := f.Invoke(t.Context(), []byte(ruleEvent)); !errors.Is(err, failing) || !strings.Contains(lines.String(), failing.Error()) {
		t.Errorf("%v, told %s", err, lines)
	}
}

// The header is that of the X-Ray Developer Guide, "Tracing header".
func TestALogLineCanTellWhichCallItBelongsTo(t *testing.T) {
	t.Parallel()
	var got []lambdaio.Invocation
	f := &lambdaio.Function{Log: slog.New(slog.DiscardHandler), Scheduled: func(ctx context.Context) error {
		got = append(got, lambdaio.InvocationOf(ctx))
		return nil
	}}
	ctx := lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: "r-1"})
	ctx = context.WithValue(ctx, "x-amzn-trace-id", "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=557abcec3ee5a047;Sampled=1") //nolint:revive,staticcheck // the library's key
	for range 2 {
		if _, err := f.Invoke(ctx, []byte(ruleEvent)); err != nil {
			t.Fatal(err)
		}
	}
	want := []lambdaio.Invocation{
		{RequestID: "r-1", TraceID: "1-5759e988-bd862e3fe1be46a994272793", ColdStart: true},
		{RequestID: "r-1", TraceID: "1-5759e988-bd862e3fe1be46a994272793"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	if zero := lambdaio.InvocationOf(t.Context()); zero != (lambdaio.Invocation{}) {
		t.Errorf("outside of any call: %+v", zero)
	}
}

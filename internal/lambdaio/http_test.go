package lambdaio_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"onefold/internal/ingest"
	"onefold/internal/lambdaio"
	"onefold/internal/webhook"
)

func post(path string) events.APIGatewayV2HTTPRequest {
	e := events.APIGatewayV2HTTPRequest{Version: "2.0", RawPath: path}
	e.RequestContext.HTTP.Method = "POST"
	return e
}

func TestTenantAndEndpointComeFromParametersOrPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path       string
		parameters       map[string]string
		tenant, endpoint string // "" is 404
	}{
		{"route with parameters", "/v1/demo/form", map[string]string{"tenant": "demo", "endpoint": "form"}, "demo", "form"},
		{"parameters win over a path with a stage", "/prod/v1/demo/form", map[string]string{"tenant": "demo", "endpoint": "form"}, "demo", "form"},
		{"catch-all route", "/v1/demo/form", map[string]string{"proxy": "v1/demo/form"}, "demo", "form"},
		{"no parameters", "/v1/demo/form", nil, "demo", "form"},
		{"trailing slash", "/v1/demo/form/", nil, "demo", "form"},
		{"named stage before the path", "/prod/v1/demo/form", nil, "demo", "form"},
		{"mapping of a domain before the path", "/hooks/eu/v1/demo/form", nil, "demo", "form"},
		{"tenant named v1", "/v1/v1/form", nil, "v1", "form"},
		{"endpoint named v1", "/v1/demo/v1", nil, "demo", "v1"},
		{"half of the parameters", "/elsewhere", map[string]string{"tenant": "demo"}, "", ""},
		{"empty parameter", "/elsewhere", map[string]string{"tenant": "demo", "endpoint": ""}, "", ""},
		{"root", "/", nil, "", ""},
		{"nothing", "", nil, "", ""},
		{"no endpoint", "/v1/demo", nil, "", ""},
		{"too deep", "/v1/demo/form/extra", nil, "", ""},
		{"other version", "/v2/demo/form", nil, "", ""},
		{"version that only begins so", "/v10/demo/form", nil, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := post(c.path)
			e.PathParameters = c.parameters
			got, resp := handled(t, e)
			if c.tenant == "" {
				if got != nil || resp.StatusCode != 404 || word(t, resp) != "unknown_endpoint" {
					t.Errorf("handled %v, answered %d %s; want 404", got, resp.StatusCode, resp.Body)
				}
				return
			}
			if got == nil || got.Tenant != c.tenant || got.Endpoint != c.endpoint {
				t.Errorf("handled %+v, want %s/%s", got, c.tenant, c.endpoint)
			}
		})
	}
}

func TestBodyIsTheBytesThatWereSent(t *testing.T) {
	t.Parallel()
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for name, c := range map[string]struct {
		body   string
		base64 bool
		want   string // "-" is 400
	}{
		"plain":                       {`{"a":"ü"}`, false, `{"a":"ü"}`},
		"plain that looks like it":    {"e30=", false, "e30="},
		"base64":                      {"e30=", true, "{}"},
		"base64 of every byte":        {base64.StdEncoding.EncodeToString(every), true, string(every)},
		"line ends as they came":      {"DQoKDQ==", true, "\r\n\n\r"},
		"empty":                       {"", false, ""},
		"empty in base64":             {"", true, ""},
		"no base64 though it says so": {"{}", true, "-"},
		"base64 cut short":            {"e30", true, "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := post("/v1/demo/form")
			e.Body, e.IsBase64Encoded = c.body, c.base64
			got, resp := handled(t, e)
			if c.want == "-" {
				if got != nil || resp.StatusCode != 400 || word(t, resp) != "body_encoding" {
					t.Errorf("handled %v, answered %d", got, resp.StatusCode)
				}
				return
			}
			if got == nil || string(got.Body) != c.want {
				t.Errorf("handled %+v, want the body %q", got, c.want)
			}
		})
	}
}

func TestHeaderNamesAreFoldedAndValuesKept(t *testing.T) {
	t.Parallel()
	e := post("/v1/demo/form")
	e.Headers = map[string]string{"Webhook-Id": "A b", "webhook-timestamp": " 1 ", "X-ONEFOLD-ENVELOPE-TO": "Ü@example.net"}
	got, _ := handled(t, e)
	want := map[string]string{"webhook-id": "A b", "webhook-timestamp": " 1 ", "x-onefold-envelope-to": "Ü@example.net"}
	if got == nil || !maps.Equal(got.Headers, want) {
		t.Errorf("handled %+v, want the headers %v", got, want)
	}
}

// The gateway joins equal headers by a comma. Two signatures, as after a
// change of secrets, still verify; two IDs are one that nobody signed.
func TestHeadersThatTheGatewayJoined(t *testing.T) {
	t.Parallel()
	var vectors = struct{ secret, id, timestamp, body, signature string }{
		// A vector of the specification's libraries.
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", `{"test": 2432232314}`,
		"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
	}
	secret, err := webhook.ParseSecret(vectors.secret)
	if err != nil {
		t.Fatal(err)
	}
	at := timeOf(t, vectors.timestamp)
	for name, c := range map[string]struct {
		id, signature string
		ok            bool
	}{
		"one":                  {vectors.id, vectors.signature, true},
		"another before":       {vectors.id, "v1,AAAA," + vectors.signature, true},
		"another after":        {vectors.id, vectors.signature + ",v1,AAAA", true},
		"joined with a space":  {vectors.id, "v1,AAAA, " + vectors.signature, true},
		"id that came twice":   {vectors.id + "," + vectors.id, vectors.signature, false},
		"only another's twice": {vectors.id, "v1,AAAA,v1,AAAA", false},
	} {
		e := post("/v1/demo/form")
		e.Body = vectors.body
		e.Headers = map[string]string{"webhook-id": c.id, "webhook-timestamp": vectors.timestamp, "webhook-signature": c.signature}
		got, _ := handled(t, e)
		err := webhook.Verify([]webhook.Secret{secret}, webhook.HeadersFrom(got.Headers), got.Body, at)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnswerBecomesTheResponse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r          ingest.Response
		body       string
		retryAfter string
	}{
		{ingest.Response{Status: 200, Answer: "recorded", Event: "form/website/1", State: "recorded"},
			`{"answer":"recorded","event":"form/website/1","state":"recorded"}`, ""},
		{ingest.Response{Status: 200, Answer: "duplicate", Event: "e", State: "decided", Outcome: "follow_up"},
			`{"answer":"duplicate","event":"e","state":"decided","outcome":"follow_up"}`, ""},
		{ingest.Response{Status: 409, Answer: "conflict", Event: "e", Error: "id_reused", Hint: "h"},
			`{"answer":"conflict","event":"e","error":"id_reused","hint":"h"}`, ""},
		{ingest.Response{Status: 400, Error: "body_not_json", Hint: "h"}, `{"error":"body_not_json","hint":"h"}`, ""},
		{ingest.Response{Status: 401, Error: "signature_invalid", Hint: "h"}, `{"error":"signature_invalid","hint":"h"}`, ""},
		{ingest.Response{Status: 404, Error: "unknown_endpoint", Hint: "h"}, `{"error":"unknown_endpoint","hint":"h"}`, ""},
		{ingest.Response{Status: 413, Error: "body_too_large", Hint: "h"}, `{"error":"body_too_large","hint":"h"}`, ""},
		{ingest.Response{Status: 503, Error: "not_recorded", Hint: "h"}, `{"error":"not_recorded","hint":"h"}`, "10"},
	} {
		resp, err := lambdaio.Ingest(func(context.Context, ingest.Request) ingest.Response { return c.r })(t.Context(), post("/v1/demo/form"))
		if err != nil || resp.StatusCode != c.r.Status || resp.Body != c.body || resp.IsBase64Encoded {
			t.Errorf("%+v became %d %s, %v", c.r, resp.StatusCode, resp.Body, err)
		}
		if got, there := resp.Headers["retry-after"]; got != c.retryAfter || there != (c.retryAfter != "") {
			t.Errorf("%d: retry-after %q, want %q", c.r.Status, got, c.retryAfter)
		}
		if resp.Headers["content-type"] != "application/json; charset=utf-8" || resp.Headers["cache-control"] != "no-store" {
			t.Errorf("%d: headers %v", c.r.Status, resp.Headers)
		}
	}
}

func TestOnlyWhatASourceMaySendIsHandedOver(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"PUT", "HEAD", "DELETE", "post", ""} {
		e := post("/v1/demo/form")
		e.RequestContext.HTTP.Method = method
		if got, resp := handled(t, e); got != nil || resp.StatusCode != 405 || word(t, resp) != "method_not_allowed" {
			t.Errorf("%q: handled %v, answered %d", method, got, resp.StatusCode)
		}
	}
}

// word is the error word of a response.
func word(t *testing.T, resp events.APIGatewayV2HTTPResponse) string {
	t.Helper()
	var body struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal([]byte(resp.Body), &body); err != nil {
		t.Fatal(err)
	}
	return body.Error
}

package lambdaio_test

import (
	"context"
	"encoding/json"
	"testing"

	"onefold/internal/ingest"
	"onefold/internal/lambdaio"
	"onefold/internal/webhook"

	"github.com/aws/aws-lambda-go/events"
)

// What a source asks for is handed over, and an answer with a form of its own
// goes out in it.
func TestAQuestionOfASourceIsPassedBothWays(t *testing.T) {
	t.Parallel()
	allow := map[string]string{"access-control-allow-origin": "https://www.demo.example", "vary": "origin"}
	var got ingest.Request
	answers := map[string]ingest.Response{
		"OPTIONS": {Status: 204, Own: &webhook.Reply{Status: 204, Headers: map[string]string{"access-control-allow-methods": "POST"}}, Headers: &allow},
		"GET":     {Status: 200, Own: &webhook.Reply{Status: 200, Headers: map[string]string{"content-type": "text/plain"}, Body: []byte("challenge")}},
		"POST":    {Status: 409, Answer: "conflict", Headers: &allow, Batch: &ingest.Batch{Recorded: 2, Conflict: 1}},
	}
	h := lambdaio.Ingest(func(_ context.Context, r ingest.Request) ingest.Response {
		got = r
		return answers[r.Method]
	})
	for method, want := range map[string]struct {
		status     int
		body, kind string
		allowed    bool
	}{
		"OPTIONS": {204, "", "", true},
		"GET":     {200, "challenge", "text/plain", false},
		"POST":    {409, `{"answer":"conflict","batch":{"recorded":2,"duplicate":0,"conflict":1,"broken":0,"failed":0}}`, "application/json; charset=utf-8", true},
	} {
		var e events.APIGatewayV2HTTPRequest
		e.RawPath, e.RawQueryString = "/v1/demo/contact", "a=1&b=%20"
		e.RequestContext.HTTP.Method = method
		e.Headers = map[string]string{"Host": "hooks.demo.example"}
		resp, err := h(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if got.Method != method || got.Path != "/v1/demo/contact" || got.Query != "a=1&b=%20" || got.Headers["host"] != "hooks.demo.example" {
			t.Errorf("%s: handed over %+v", method, got)
		}
		if resp.StatusCode != want.status || resp.Body != want.body || resp.Headers["content-type"] != want.kind ||
			(resp.Headers["access-control-allow-origin"] == "https://www.demo.example") != want.allowed {
			b, _ := json.Marshal(resp)
			t.Errorf("%s: answered %s", method, b)
		}
	}
}

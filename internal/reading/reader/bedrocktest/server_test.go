package bedrocktest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"onefold/internal/reading/reader/bedrocktest"
)

const signature = "AWS4-HMAC-SHA256 Credential=A/20260304/eu-central-1/bedrock/aws4_request, SignedHeaders=host, Signature=00"

func post(s http.Handler, path, auth, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Authorization", auth)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

const request = `{"system":[{"text":"s"}],"messages":[{"role":"user","content":[{"text":"m"}]}],"inferenceConfig":{"maxTokens":9},` +
	`"toolConfig":{"tools":[{"toolSpec":{"name":"t","strict":true,"inputSchema":{"json":{"type":"object","additionalProperties":false,"required":[],"properties":{}}}}}],` +
	`"toolChoice":{"tool":{"name":"t"}}}}`

func TestTheFakeRefusesWhatTheServiceRefuses(t *testing.T) {
	t.Parallel()
	const path = "/model/m%3A0/converse"
	in := func(old, replacement string) string { return strings.Replace(request, old, replacement, 1) }
	for name, c := range map[string]struct {
		path, auth, body string
		status           int
		code             string
	}{
		"as it should be":    {path, signature, request, 200, ""},
		"no such operation":  {"/model/m/invoke", signature, request, 404, "UnknownOperationException"},
		"no model":           {"/model//converse", signature, request, 404, "UnknownOperationException"},
		"no signature":       {path, "", request, 403, "MissingAuthenticationTokenException"},
		"another service's":  {path, strings.Replace(signature, "bedrock", "s3", 1), request, 403, "MissingAuthenticationTokenException"},
		"no JSON":            {path, signature, `{`, 400, "ValidationException"},
		"no message":         {path, signature, in(`{"role":"user","content":[{"text":"m"}]}`, ``), 400, "ValidationException"},
		"a blank block":      {path, signature, in(`"text":"m"`, `"text":" "`), 400, "ValidationException"},
		"a blank system":     {path, signature, in(`"text":"s"`, `"text":""`), 400, "ValidationException"},
		"no tokens":          {path, signature, in(`"maxTokens":9`, `"maxTokens":0`), 400, "ValidationException"},
		"a tool of no name":  {path, signature, in(`{"name":"t"}}`, `{"name":"u"}}`), 400, "ValidationException"},
		"a schema with more": {path, signature, in(`"properties":{}`, `"properties":{},"minProperties":1`), 400, "ValidationException"},
		"half a guardrail":   {path, signature, in(`{"system"`, `{"guardrailConfig":{"guardrailIdentifier":"g"},"system"`), 400, "ValidationException"},
		"no form of answer":  {path, signature, `{"messages":[{"role":"user","content":[{"text":"m"}]}]}`, 400, "ValidationException"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &bedrocktest.Server{}
			w := post(s, c.path, c.auth, c.body)
			if w.Code != c.status || w.Header().Get("X-Amzn-Errortype") != c.code {
				t.Errorf("%d %s: %s", w.Code, w.Header().Get("X-Amzn-Errortype"), w.Body)
			}
			if got := s.Requests(); (len(got) == 1) != (c.status == 200) || len(got) == 1 && (got[0].Model != "m:0" || got[0].Message != "m" || got[0].Tool != "t") {
				t.Errorf("requests %+v", got)
			}
		})
	}
}

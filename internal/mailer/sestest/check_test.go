package sestest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"onefold/internal/mailer/sestest"
)

func simpleOf(r map[string]any) map[string]any {
	return r["Content"].(map[string]any)["Simple"].(map[string]any)
}

func headersOf(count int) []any {
	var out []any
	for range count {
		out = append(out, pair("X-Test", "v"))
	}
	return out
}

// The limits are those of API_SendEmail, API_MessageTag, API_MessageHeader,
// API_Destination and the developer guide's header-fields.
func TestRefusesWhatSESDocumentsAsRefused(t *testing.T) {
	t.Parallel()
	setTag := func(name, value string) func(map[string]any) {
		return func(r map[string]any) { r["EmailTags"] = []any{pair(name, value)} }
	}
	setHeader := func(name, value string) func(map[string]any) {
		return func(r map[string]any) { simpleOf(r)["Headers"] = []any{pair(name, value)} }
	}
	for _, c := range []struct {
		name   string
		change func(map[string]any)
		status int
		code   string // "" when it is taken
	}{
		{"tag of 256", setTag("t", strings.Repeat("a", 256)), 200, ""},
		{"tag of 257", setTag("t", strings.Repeat("a", 257)), 400, "BadRequestException"},
		{"tag with all characters", setTag("aZ_-09", "aZ_-09"), 200, ""},
		{"tag with dot", setTag("t", "a.b"), 400, "BadRequestException"},
		{"tag name with colon", setTag("ses:x", "a"), 400, "BadRequestException"},
		{"tag empty", setTag("t", ""), 400, "BadRequestException"},
		{"header value of 995", setHeader("X", strings.Repeat("a", 995)), 200, ""},
		{"header value of 996", setHeader("X", strings.Repeat("a", 996)), 400, "BadRequestException"},
		{"header sum of 997", setHeader("XX", strings.Repeat("a", 995)), 400, "BadRequestException"},
		{"header name of 127", setHeader(strings.Repeat("X", 127), "a"), 400, "BadRequestException"},
		{"header name with space", setHeader("X Y", "a"), 400, "BadRequestException"},
		{"header name with colon", setHeader("X:", "a"), 400, "BadRequestException"},
		{"header not ASCII", setHeader("X", "ü"), 400, "BadRequestException"},
		{"header with line break", setHeader("X", "a\r\nBcc: b@example.net"), 400, "BadRequestException"},
		{"second subject", setHeader("subject", "a"), 400, "BadRequestException"},
		{"Message-ID is overridden, not refused", setHeader("Message-ID", "<a@example.com>"), 200, ""},
		{"15 headers", func(r map[string]any) { simpleOf(r)["Headers"] = headersOf(15) }, 200, ""},
		{"16 headers", func(r map[string]any) { simpleOf(r)["Headers"] = headersOf(16) }, 400, "BadRequestException"},
		{"References twice", func(r map[string]any) {
			simpleOf(r)["Headers"] = []any{pair("References", "<a@b.example>"), pair("references", "<a@b.example>")}
		}, 400, "BadRequestException"},
		{"no content", func(r map[string]any) { r["Content"] = map[string]any{} }, 400, "BadRequestException"},
		{"two contents", func(r map[string]any) { r["Content"].(map[string]any)["Raw"] = map[string]any{"Data": "eA=="} }, 400, "BadRequestException"},
		{"no body", func(r map[string]any) { simpleOf(r)["Body"] = map[string]any{} }, 400, "BadRequestException"},
		{"not ASCII without charset", func(r map[string]any) { simpleOf(r)["Subject"] = map[string]any{"Data": "ü"} }, 400, "BadRequestException"},
		{"no recipient", func(r map[string]any) { r["Destination"] = map[string]any{} }, 400, "BadRequestException"},
		{"51 recipients", func(r map[string]any) {
			r["Destination"] = map[string]any{"ToAddresses": strings.Split(strings.Repeat("a@example.net ", 50)+"a@example.net", " ")}
		}, 400, "BadRequestException"},
		{"recipient not ASCII", func(r map[string]any) { r["Destination"] = map[string]any{"ToAddresses": []string{"ü@example.net"}} }, 400, "BadRequestException"},
		{"list as recipient", func(r map[string]any) {
			r["Destination"] = map[string]any{"ToAddresses": []string{"a@example.net, b@example.net"}}
		}, 400, "BadRequestException"},
		{"From of a subdomain", func(r map[string]any) { r["FromEmailAddress"] = "desk@mail.example.com" }, 200, ""},
		{"From not verified", func(r map[string]any) { r["FromEmailAddress"] = "desk@notexample.com" }, 400, "MessageRejected"},
		{"configuration set unknown", func(r map[string]any) { r["ConfigurationSetName"] = "other" }, 404, "NotFoundException"},
		{"no configuration set", func(r map[string]any) { delete(r, "ConfigurationSetName") }, 200, ""},
		{"unknown field is ignored", func(r map[string]any) { r["TenantName"] = "x" }, 200, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, sestest.Options{VerifiedDomains: []string{"example.com"}})
			w := post(s, body(t, "somebody@example.net", c.change))
			if w.Code != c.status || w.Header().Get("X-Amzn-Errortype") != c.code {
				t.Fatalf("got %d %q %s, want %d %q", w.Code, w.Header().Get("X-Amzn-Errortype"), w.Body, c.status, c.code)
			}
			if taken := len(s.Sent()) == 1; taken != (c.code == "") {
				t.Errorf("%d mails sent", len(s.Sent()))
			}
			if w.Header().Get("X-Amzn-Requestid") == "" {
				t.Error("no request ID")
			}
			var answer struct{ Message *string }
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || c.code != "" && answer.Message == nil {
				t.Errorf("error body %s: %v", w.Body, err)
			}
		})
	}
}

func TestMagicErrorsHaveTheirWireForm(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]struct {
		status int
		code   string
	}{
		"reject@example.net":         {400, "MessageRejected"},
		"REJECT+label@other.example": {400, "MessageRejected"},
		"throttle@example.net":       {429, "TooManyRequestsException"},
		"paused@example.net":         {400, "SendingPausedException"},
		"rejected@example.net":       {200, ""},
	} {
		w := post(newServer(t, sestest.Options{}), body(t, to, nil))
		if w.Code != want.status || w.Header().Get("X-Amzn-Errortype") != want.code {
			t.Errorf("%s: got %d %q, want %+v", to, w.Code, w.Header().Get("X-Amzn-Errortype"), want)
		}
	}
}

func TestSignatureMustBeThere(t *testing.T) {
	t.Parallel()
	s := newServer(t, sestest.Options{})
	for auth, code := range map[string]string{
		"":             "MissingAuthenticationTokenException",
		"Bearer token": "IncompleteSignature",
		"AWS4-HMAC-SHA256 Credential=A/20260304/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=00": "IncompleteSignature",
	} {
		r := httptest.NewRequest(http.MethodPost, sestest.SendPath, strings.NewReader(body(t, "a@example.net", nil)))
		r.Header.Set("X-Amz-Date", "20260304T050607Z")
		r.Header.Set("Authorization", auth)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 403 || w.Header().Get("X-Amzn-Errortype") != code {
			t.Errorf("%q: got %d %q, want %q", auth, w.Code, w.Header().Get("X-Amzn-Errortype"), code)
		}
	}
	if w := post(s, "not JSON"); w.Code != 400 || len(s.Sent()) != 0 {
		t.Errorf("not JSON: %d", w.Code)
	}
}

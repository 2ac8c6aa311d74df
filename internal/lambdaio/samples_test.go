package lambdaio_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"onefold/internal/ingest"
	"onefold/internal/lambdaio"
)

// sampleFiles are requests of payload version 2.0 as others have recorded them:
// those of the Lambda library's own tests and, where it is there, a corpus.
func sampleFiles(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/aws/aws-lambda-go").Output()
	if err != nil {
		t.Fatalf("where the Lambda library is: %v", err)
	}
	var found []string
	for _, pattern := range []string{
		filepath.Join(strings.TrimSpace(string(out)), "events", "testdata", "*.json"),
		filepath.FromSlash("../../../shared/corpora/aws-events/*.json"),
		filepath.FromSlash("../../events/form/*.json"),
		filepath.FromSlash("../../events/mail-api/*.json"),
	} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Logf("no files of %s", pattern)
		}
		found = append(found, files...)
	}
	return found
}

// fill puts values where the generator of the corpus leaves placeholders.
func fill(text []byte) []byte {
	return []byte(strings.NewReplacer("{{{body}}}", base64.StdEncoding.EncodeToString([]byte("caf\xc3\xa9 \x00\xff")),
		"{{{method}}}", "POST", "{{{path}}}", "any/path", "{{{stage}}}", "prod", "{{{dns_suffix}}}", "example.com",
		"{{{account_id}}}", "123456789012").Replace(string(text)))
}

// isRequest tells whether a sample is a request of payload version 2.0.
func isRequest(sample map[string]any) bool {
	rc, _ := sample["requestContext"].(map[string]any)
	_, http := rc["http"].(map[string]any)
	return sample["version"] == "2.0" && http
}

func TestNoByteOfARecordedRequestIsLost(t *testing.T) {
	t.Parallel()
	requests := 0
	for _, file := range sampleFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = fill(text)
		var sample map[string]any
		if json.Unmarshal(text, &sample) != nil || !isRequest(sample) {
			continue
		}
		requests++
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			passesOn(t, sample)
		})
	}
	// In the library's testdata alone: four of an HTTP API, one of a function
	// URL, one of an authorizer, which has the same form.
	if requests < 6 {
		t.Errorf("%d requests found", requests)
	}
}

// passesOn sends the sample to our route and compares what arrives with the
// sample's own words.
func passesOn(t *testing.T, sample map[string]any) {
	rc := sample["requestContext"].(map[string]any)
	rc["http"].(map[string]any)["method"] = "POST"
	sample["rawPath"] = "/v1/demo/form"
	delete(sample, "pathParameters")
	text, err := json.Marshal(sample)
	if err != nil {
		t.Fatal(err)
	}
	var e events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	got, resp := handled(t, e)
	if got == nil {
		t.Fatalf("answered %d without being handled: %s", resp.StatusCode, resp.Body)
	}
	body, _ := sample["body"].(string)
	want := []byte(body)
	if sample["isBase64Encoded"] == true {
		if want, err = base64.StdEncoding.DecodeString(body); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got.Body, want) {
		t.Errorf("body %q, want %q", got.Body, want)
	}
	headers, _ := sample["headers"].(map[string]any)
	for name, value := range headers {
		if got.Headers[strings.ToLower(name)] != value {
			t.Errorf("header %s is %q, want %q", name, got.Headers[strings.ToLower(name)], value)
		}
	}
	if len(got.Headers) != len(headers) {
		t.Errorf("%d headers, want %d", len(got.Headers), len(headers))
	}
	if got.RequestID != rc["requestId"] || got.Tenant != "demo" || got.Endpoint != "form" {
		t.Errorf("request %q of %s/%s", got.RequestID, got.Tenant, got.Endpoint)
	}
}

// handled gives what reaches the use case, nil if nothing does.
func handled(t *testing.T, e events.APIGatewayV2HTTPRequest) (*ingest.Request, events.APIGatewayV2HTTPResponse) {
	t.Helper()
	var got *ingest.Request
	resp, err := lambdaio.Ingest(func(_ context.Context, r ingest.Request) ingest.Response {
		got = &r
		return ingest.Response{Status: 200, Answer: "recorded"}
	})(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return got, resp
}

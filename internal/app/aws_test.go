package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"onefold/internal/app"
	"onefold/internal/lambdaio"
	"onefold/internal/schema"
)

// cloud answers what functions ask of AWS, on the wire and without a network:
// secrets of one stage, and a ledger that keeps one item. It notes each call.
type cloud struct {
	mu      sync.Mutex
	secrets map[string]string // whole name → value
	item    json.RawMessage   // of the ledger: the deployment's row
	calls   []string          // "GetItem onefold-test-ledger", "GetSecretValue onefold/test/…"
}

const keyText = "a secret of this test with 48 letters, or nearly"

func newCloud() *cloud {
	return &cloud{secrets: map[string]string{"onefold/test/identifier-key": keyText}}
}

// Do implements the SDK's HTTP client.
func (c *cloud) Do(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var in struct {
		SecretID                string `json:"SecretId"`
		VersionStage, TableName string
		TransactItems           []struct {
			Put struct {
				TableName string
				Item      json.RawMessage
			}
		}
	}
	_ = json.Unmarshal(body, &in)
	switch operation {
	case "GetSecretValue":
		c.note(operation, in.SecretID)
		value, ok := c.secrets[in.SecretID]
		if !ok || in.VersionStage == "AWSPREVIOUS" {
			return answer(400, `{"__type":"ResourceNotFoundException","Message":"no such version"}`)
		}
		return answer(200, fmt.Sprintf(`{"Name":%q,"SecretString":%q}`, in.SecretID, value))
	case "GetItem":
		c.note(operation, in.TableName)
		if c.item == nil {
			return answer(200, `{}`)
		}
		return answer(200, `{"Item":`+string(c.item)+`}`)
	case "TransactWriteItems":
		c.note(operation, in.TransactItems[0].Put.TableName)
		c.item = in.TransactItems[0].Put.Item
		return answer(200, `{}`)
	case "Query":
		c.note(operation, in.TableName)
		return answer(200, `{"Items":[],"Count":0}`)
	}
	c.note(r.Method+" "+operation, r.URL.Host)
	return answer(400, `{"__type":"ValidationException"}`)
}

func (c *cloud) note(operation, what string) {
	if call := operation + " " + what; !slices.Contains(c.calls, call) {
		c.calls = append(c.calls, call)
	}
}

// made are the calls so far, each once, sorted.
func (c *cloud) made() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(slices.Values(c.calls))
}

func answer(status int, body string) (*http.Response, error) {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// variables are all that a function may be given; what is not listed for it
// says so, and would be seen.
func variables(f schema.Function) map[string]string {
	all := map[string]string{
		schema.EnvStage: "test", schema.EnvLogLevel: "warn", schema.EnvRawBucket: "onefold-test-raw", schema.EnvMailBucket: "onefold-test-mail",
		schema.EnvMailRegion: "eu-west-1", schema.EnvSESRegion: "eu-west-1", schema.EnvConfigurationSet: "onefold-test", schema.EnvProbeFrom: "probe@example.com",
		schema.EnvHubSpotURL: "http://127.0.0.1:1", schema.EnvPublicURL: "https://api.example.com", schema.EnvOIDCIssuer: "https://issuer.example.com", schema.EnvOIDCClient: "client",
	}
	for _, e := range schema.Environment() {
		if !slices.Contains(e.For, f) {
			delete(all, e.Name)
		}
	}
	return all
}

// host is a host with these variables on this cloud.
func host(c *cloud, vars map[string]string, out io.Writer) app.Host {
	return app.Host{
		Variable: func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
		AWS: aws.Config{
			Region: "us-east-1", HTTPClient: c, Retryer: func() aws.Retryer { return aws.NopRetryer{} },
			Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "not-a-secret"}, nil
			}),
		},
		Out: out, Now: time.Now,
	}
}

// started is a function that has started.
func started(t *testing.T, f schema.Function, c *cloud, vars map[string]string) (*lambdaio.Function, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	fn, err := app.Assemble(t.Context(), f, host(c, vars, &out))
	if err != nil {
		t.Fatal(err)
	}
	return fn, &out
}

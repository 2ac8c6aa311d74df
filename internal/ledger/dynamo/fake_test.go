package dynamo_test

// Real: this package, the SDK with its retries, HTTP on loopback. Written by
// hand: DynamoDB's answers, one after the other. So what may be asserted is
// what a call says of each course of answers, and what it puts on the wire.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"onefold/internal/ledger"
	"onefold/internal/ledger/dynamo"
)

// answer is what the server does with one request.
type answer func(w http.ResponseWriter)

// written is success.
func written(w http.ResponseWriter) { reply(w, http.StatusOK, `{}`) }

// lost drops the connection once the request is there.
func lost(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// fails is an error of DynamoDB's.
func fails(status int, code string) answer {
	return func(w http.ResponseWriter) {
		reply(w, status, fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"about ann@example.com"}`, code))
	}
}

// cancelled is a cancelled transaction with reasons as JSON.
func cancelled(reasons string) answer {
	return func(w http.ResponseWriter) {
		reply(w, http.StatusBadRequest, `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",`+
			`"Message":"Transaction cancelled about ann@example.com","CancellationReasons":`+reasons+`}`)
	}
}

func reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// request is what the server saw of one request.
type request struct {
	Token string `json:"ClientRequestToken"`
	body  string
}

// fake is a server that gives its answers in turn, the last one for good.
type fake struct {
	url string

	mu       sync.Mutex
	answers  []answer
	requests []request
	counted  []string // what CountRequests saw
}

func newFake(t *testing.T, answers ...answer) *fake {
	t.Helper()
	f := &fake{answers: answers}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		req := request{body: string(b)}
		if err == nil {
			err = json.Unmarshal(b, &req)
		}
		if err != nil {
			t.Errorf("read a request: %v", err)
		}
		f.mu.Lock()
		a := f.answers[min(len(f.requests), len(f.answers)-1)]
		f.requests = append(f.requests, req)
		f.mu.Unlock()
		a(w)
	}))
	t.Cleanup(srv.Close)
	f.url = srv.URL
	return f
}

// store is a store on the server. The SDK tries three times without waiting.
func (f *fake) store(options ...func(*dynamodb.Options)) *dynamo.Store {
	cfg := aws.Config{
		Region: "us-east-1", BaseEndpoint: &f.url,
		Credentials: credentials.NewStaticCredentialsProvider("key", "local", ""),
		HTTPClient:  &http.Client{Transport: &http.Transport{}},
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) {
				o.MaxAttempts, o.RateLimiter = 3, ratelimit.None
				o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
			})
		},
	}
	count := dynamo.CountRequests(func(operation string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.counted = append(f.counted, operation)
	})
	client := dynamodb.NewFromConfig(cfg, append(options, count)...)
	return dynamo.New(client, dynamo.Options{Prefix: "p-", Tries: 3, Wait: time.Millisecond})
}

// seen is the requests so far.
func (f *fake) seen() []request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]request(nil), f.requests...)
}

var (
	annKey = ledger.Key{Entity: ledger.ContactKey, Tenant: "acme", ID: "email:ann@example.com"}
	annID  = ledger.Key{Entity: ledger.Contact, Tenant: "acme", ID: "ann"}
)

// twoWrites is a commit whose words are personal.
func twoWrites(t *testing.T) ledger.Commit {
	t.Helper()
	var c ledger.Commit
	if err := c.Create("contact_key", annKey, ledger.Item{"contact": "ann"}); err != nil {
		t.Fatal(err)
	}
	if err := c.Update("contact", annID, ledger.AtVersion(3), ledger.Item{"name": "Ann"}); err != nil {
		t.Fatal(err)
	}
	return c
}

// deadEndpoint is an address on which nobody listens any more.
func deadEndpoint(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	return srv.URL
}

// buffered reads an answer to its end.
func buffered(resp *http.Response) (*http.Response, error) {
	b, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(b))
	return resp, err
}

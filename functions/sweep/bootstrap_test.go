package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Real: the binary as it is deployed, the Lambda library, the SDK. Fake, on the
// loopback: Lambda's runtime API (Lambda Developer Guide, "Using the Lambda
// runtime API for custom runtimes", read 2026-11), and a DynamoDB of empty
// indexes. It shows that what is built starts, works and answers.

// bootstrap is the binary, built as for a deployment.
func bootstrap(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bootstrap")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-tags", "lambda.norpc", "-o", file, "onefold/functions/sweep")
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return file
}

// runtime is Lambda's side: it hands out payloads and takes the answers.
type runtime struct {
	payloads chan string
	answers  chan string // "response {…}" or "error {…}"
}

func (rt *runtime) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const root = "/2018-06-01/runtime/invocation/"
	switch rest := strings.TrimPrefix(r.URL.Path, root); {
	case rest == "next":
		select {
		case payload := <-rt.payloads:
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", "8476a536-e9f4-11e8-9739-2dfe598c3fcd")
			w.Header().Set("Lambda-Runtime-Deadline-Ms", fmt.Sprint(time.Now().Add(50*time.Second).UnixMilli()))
			w.Header().Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:123456789012:function:onefold-test-sweep")
			w.Header().Set("Lambda-Runtime-Trace-Id", "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1")
			_, _ = io.WriteString(w, payload)
		case <-r.Context().Done():
		}
	case strings.HasPrefix(rest, "8476a536-e9f4-11e8-9739-2dfe598c3fcd/"):
		body, _ := io.ReadAll(r.Body)
		rt.answers <- rest[strings.LastIndexByte(rest, '/')+1:] + " " + string(body)
		w.WriteHeader(http.StatusAccepted)
	default:
		http.NotFound(w, r)
	}
}

// emptyTables answers each query with nothing and notes what is asked.
type emptyTables struct {
	mu    sync.Mutex
	asked map[string]int
}

func (e *emptyTables) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ TableName string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked[r.Header.Get("X-Amz-Target")+" "+in.TableName]++
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	_, _ = io.WriteString(w, `{"Items":[],"Count":0,"ScannedCount":0}`)
}

func TestTheBinary(t *testing.T) {
	t.Parallel()
	file := bootstrap(t)
	t.Run("starts, works and answers", func(t *testing.T) { t.Parallel(); answers(t, file) })
	t.Run("without its variables says so and ends", func(t *testing.T) { t.Parallel(); ends(t, file) })
}

func answers(t *testing.T, file string) {
	rt := &runtime{payloads: make(chan string, 2), answers: make(chan string, 2)}
	tables := &emptyTables{asked: map[string]int{}}
	api, dynamo := httptest.NewServer(rt), httptest.NewServer(tables)
	defer dynamo.Close()
	defer api.Close()

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, file)
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.Env = []string{
		"AWS_LAMBDA_RUNTIME_API=" + strings.TrimPrefix(api.URL, "http://"), "AWS_LAMBDA_FUNCTION_NAME=onefold-test-sweep",
		"AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=not-a-secret", "AWS_ENDPOINT_URL_DYNAMODB=" + dynamo.URL,
		"ONEFOLD_STAGE=test",
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Both before the log is read: the process must have ended by then.
	rt.payloads <- `{"onefold":"sweep"}`
	first := answered(t, rt)
	rt.payloads <- `{"novelty":"ann@example.org"}`
	second := answered(t, rt)
	cancel()
	_ = cmd.Wait() // killed

	if first != "response null" {
		t.Errorf("a sweep is answered %s", first)
	}
	if !strings.HasPrefix(second, "error ") || !strings.Contains(second, "keys novelty") {
		t.Errorf("an unknown payload is answered %s", second)
	}
	for _, table := range []string{"events", "outbox"} {
		if n := tables.asked["DynamoDB_20120810.Query onefold-test-"+table]; n < 1 {
			t.Errorf("the table %s was not looked at: %v", table, tables.asked)
		}
	}
	if len(tables.asked) != 2 {
		t.Errorf("asked %v", tables.asked)
	}
	for _, want := range []string{
		`"level":"ERROR"`, `"service":"sweep"`, `"function_request_id":"8476a536-e9f4-11e8-9739-2dfe598c3fcd"`,
		`"cold_start":false`, `"xray_trace_id":"1-5bef4de7-ad49b0e87f6ef6c87fc2e700"`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in the log:\n%s", want, &log)
		}
	}
	if strings.Contains(log.String()+second, "ann@example.org") {
		t.Errorf("the payload is shown: %s\n%s", second, &log)
	}
}

// answered waits for an answer; the bound is for a binary that gives none.
func answered(t *testing.T, rt *runtime) string {
	t.Helper()
	select {
	case a := <-rt.answers:
		return a
	case <-time.After(time.Minute):
		t.Fatal("no answer")
		return ""
	}
}

func ends(t *testing.T, file string) {
	cmd := exec.CommandContext(t.Context(), file)
	cmd.Env = []string{"AWS_LAMBDA_RUNTIME_API=127.0.0.1:1", "AWS_LAMBDA_FUNCTION_NAME=onefold-test-sweep", "AWS_REGION=us-east-1"}
	out, err := cmd.Output()
	var line struct{ Level, Alarm, Error string }
	if jsonErr := json.Unmarshal(out, &line); err == nil || jsonErr != nil {
		t.Fatalf("%v, %v: %s", err, jsonErr, out)
	}
	if line.Level != "ERROR" || line.Alarm != "not_started" || !strings.Contains(line.Error, "ONEFOLD_STAGE") {
		t.Errorf("said %s", out)
	}
}

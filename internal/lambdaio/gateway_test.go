package lambdaio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"onefold/internal/ingest"
	"onefold/internal/lambdaio"
)

func timeOf(t *testing.T, seconds string) time.Time {
	t.Helper()
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Unix(n, 0)
}

// sent is what reaches the use case of an HTTP request by way of the gateway.
func sent(t *testing.T, r *http.Request) (*ingest.Request, *httptest.ResponseRecorder) {
	t.Helper()
	var got *ingest.Request
	w := httptest.NewRecorder()
	lambdaio.Gateway(lambdaio.Ingest(func(_ context.Context, r ingest.Request) ingest.Response {
		got = &r
		return ingest.Response{Status: 503, Error: "not_recorded"}
	})).ServeHTTP(w, r)
	return got, w
}

func TestGatewayHandsOverWhatWasSent(t *testing.T) {
	t.Parallel()
	body := []byte("\x00\xff\r\n{}")
	r := httptest.NewRequest("POST", "/v1/demo/form?a=b", bytes.NewReader(body))
	r.Header.Add("Webhook-Signature", "v1,AAAA")
	r.Header.Add("Webhook-Signature", "v1,BBBB")
	r.Header.Set("Webhook-Id", "msg_1")
	got, w := sent(t, r)
	if got == nil || got.Tenant != "demo" || got.Endpoint != "form" || !bytes.Equal(got.Body, body) || got.RequestID == "" {
		t.Fatalf("handled %+v", got)
	}
	if got.Headers["webhook-signature"] != "v1,AAAA,v1,BBBB" || got.Headers["webhook-id"] != "msg_1" {
		t.Errorf("headers %v", got.Headers)
	}
	if w.Code != 503 || w.Header().Get("Retry-After") != "10" || !strings.Contains(w.Body.String(), `"error":"not_recorded"`) {
		t.Errorf("answered %d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestEachRequestHasItsOwnName(t *testing.T) {
	t.Parallel()
	a, _ := sent(t, httptest.NewRequest("POST", "/v1/demo/form", nil))
	b, _ := sent(t, httptest.NewRequest("POST", "/v1/demo/form", nil))
	if a.RequestID == b.RequestID {
		t.Errorf("two requests are both %s", a.RequestID)
	}
}

// 10 MB is what an HTTP API takes (Developer Guide, "Quotas for HTTP APIs").
func TestGatewayTakesTenMegabytes(t *testing.T) {
	t.Parallel()
	if got, w := sent(t, httptest.NewRequest("POST", "/v1/demo/form", bytes.NewReader(make([]byte, 10<<20)))); got == nil || len(got.Body) != 10<<20 {
		t.Errorf("10 MB: answered %d", w.Code)
	}
	if got, w := sent(t, httptest.NewRequest("POST", "/v1/demo/form", bytes.NewReader(make([]byte, 10<<20+1)))); got != nil || w.Code != 413 {
		t.Errorf("a byte more: handled %v, answered %d", got != nil, w.Code)
	}
}

func TestBodyThatBreaksOffIsNotHandled(t *testing.T) {
	t.Parallel()
	broken := io.MultiReader(strings.NewReader("{"), failing{})
	if got, w := sent(t, httptest.NewRequest("POST", "/v1/demo/form", broken)); got != nil || w.Code != 400 {
		t.Errorf("handled %v, answered %d", got, w.Code)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the connection broke") }

// The function's work goes on when its caller has gone, within a bound.
func TestFunctionOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var inside error
	bounded := false
	h := lambdaio.Gateway(func(ctx context.Context, _ events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		inside = ctx.Err()
		_, bounded = ctx.Deadline()
		return events.APIGatewayV2HTTPResponse{StatusCode: 200}, nil
	})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/", nil).WithContext(ctx))
	if inside != nil || !bounded {
		t.Errorf("the function's context: %v, bounded %v", inside, bounded)
	}
}

func TestFunctionThatFailsTellsNothing(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	lambdaio.Gateway(func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		return events.APIGatewayV2HTTPResponse{}, errors.New("inner words")
	}).ServeHTTP(w, httptest.NewRequest("POST", "/", nil))
	if w.Code != 500 || strings.Contains(w.Body.String(), "inner words") {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
}

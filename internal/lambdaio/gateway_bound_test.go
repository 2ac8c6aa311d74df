package lambdaio_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"onefold/internal/lambdaio"
)

// postTo has a gateway answer one request.
func postTo(ctx context.Context, h http.Handler) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/demo/form", strings.NewReader("{}")).WithContext(ctx))
	return w
}

func TestAtMostSixteenBodiesAreInMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inside := 0
		release := make(chan struct{})
		entered := make(chan struct{}, 100)
		h := lambdaio.Gateway(func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
			entered <- struct{}{}
			<-release
			return events.APIGatewayV2HTTPResponse{StatusCode: 200}, nil
		})
		statuses := make(chan int, 100)
		for range 16 {
			go func() { statuses <- postTo(t.Context(), h).Code }()
		}
		synctest.Wait()
		if inside = len(entered); inside != 16 {
			t.Fatalf("%d are inside, want 16", inside)
		}

		began := time.Now()
		late := postTo(t.Context(), h)
		if late.Code != http.StatusServiceUnavailable || late.Header().Get("Retry-After") == "" || time.Since(began) != 5*time.Second {
			t.Errorf("the 17th was answered %d %v after %v", late.Code, late.Header(), time.Since(began))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if w := postTo(gone, h); w.Code != http.StatusServiceUnavailable {
			t.Errorf("who left while waiting was answered %d", w.Code)
		}

		// Who waits gets the place that becomes free.
		go func() { statuses <- postTo(t.Context(), h).Code }()
		time.Sleep(time.Second) // of the bubble's clock: the 17th waits
		close(release)
		for range 17 {
			if code := <-statuses; code != 200 {
				t.Errorf("answered %d", code)
			}
		}
	})
}

func TestTheGatewaysOwnErrorsAreJSON(t *testing.T) {
	t.Parallel()
	fails := func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		return events.APIGatewayV2HTTPResponse{}, errors.New("inner words")
	}
	for name, request := range map[string]*http.Request{
		"fault":           httptest.NewRequest("POST", "/", nil),
		"body_unreadable": httptest.NewRequest("POST", "/", failing{}),
		"body_too_large":  httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", 10<<20+1))),
	} {
		w := httptest.NewRecorder()
		lambdaio.Gateway(fails).ServeHTTP(w, request)
		var body struct{ Error, Hint string }
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Error != name || body.Hint == "" {
			t.Errorf("%s: %s (%v)", name, w.Body, err)
		}
		if ct := w.Header().Get("Content-Type"); !strings.HasPrefix(ct, "application/json") {
			t.Errorf("%s has the type %q", name, ct)
		}
	}
}

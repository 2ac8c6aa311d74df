package faultproxy_test

// Real: the proxy and HTTP on loopback. Written by hand: the target. So what
// may be asserted is what reaches the target and what the client gets.

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"onefold/internal/proof/faultproxy"
)

func token(t *testing.T, r faultproxy.Request) string {
	t.Helper()
	var in struct{ ClientRequestToken string }
	if err := json.Unmarshal(r.Body, &in); err != nil {
		t.Error(err)
	}
	return in.ClientRequestToken
}

// target counts and echoes.
func target(t *testing.T, seed uint64, rules ...faultproxy.Rule) (*faultproxy.Proxy, *atomic.Int64) {
	t.Helper()
	var reached atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		w.Header().Set("X-Amz-Crc32", "7")
		w.Header().Set("X-Path", r.URL.RequestURI())
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.Copy(w, r.Body)
	}))
	t.Cleanup(srv.Close)
	p, err := faultproxy.New(srv.URL, faultproxy.Options{Seed: seed, Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p, &reached
}

func post(t *testing.T, p *faultproxy.Proxy, operation, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL()+"/a%2Fb?c=d", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if operation != "" {
		req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = resp.Body.Close() }()
	b, _ := io.ReadAll(resp.Body)
	if resp.StatusCode == http.StatusTeapot && (resp.Header.Get("X-Amz-Crc32") != "7" || resp.Header.Get("X-Path") != "/a%2Fb?c=d") {
		t.Errorf("header or path was changed on the way: %v", resp.Header)
	}
	return resp.StatusCode, string(b)
}

func TestEachFaultIsWhatItsNameSays(t *testing.T) {
	t.Parallel()
	const body = `{"TransactItems":[{},{},{}]}`
	tests := map[faultproxy.Fault]struct {
		status  int // 0: cut
		reached int64
		says    string
	}{
		faultproxy.Pass:        {http.StatusTeapot, 1, body},
		faultproxy.DropBefore:  {0, 0, ""},
		faultproxy.DropAfter:   {0, 1, ""},
		faultproxy.Delay:       {http.StatusTeapot, 1, body},
		faultproxy.DelayAnswer: {http.StatusTeapot, 1, body},
		faultproxy.Conflict:    {http.StatusBadRequest, 0, "TransactionConflict"},
		faultproxy.Throttle:    {http.StatusBadRequest, 0, "#ThrottlingException"},
		faultproxy.Exceeded:    {http.StatusBadRequest, 0, "#ProvisionedThroughputExceededException"},
		faultproxy.FailBefore:  {http.StatusInternalServerError, 0, "#InternalServerError"},
		faultproxy.FailAfter:   {http.StatusInternalServerError, 1, "#InternalServerError"},
	}
	for fault, want := range tests {
		rule := faultproxy.Rule{Fault: fault, Operation: "Op"}
		if fault == faultproxy.Delay || fault == faultproxy.DelayAnswer {
			rule.Wait = time.Millisecond
		}
		var reachedAtHit atomic.Int64
		var reached *atomic.Int64
		rule.Hit = func(faultproxy.Request) { reachedAtHit.Store(1 + reached.Load()) }
		var p *faultproxy.Proxy
		p, reached = target(t, 1, rule)
		status, says := post(t, p, "Op", body)
		if status != want.status || !strings.Contains(says, want.says) || reached.Load() != want.reached {
			t.Errorf("%s: answered %d %q, the target reached %d times; want %+v", fault, status, says, reached.Load(), want)
		}
		if fault == faultproxy.Conflict && strings.Count(says, "TransactionConflict") != 3 {
			t.Errorf("not one reason for each item: %s", says)
		}
		after := fault == faultproxy.DropAfter || fault == faultproxy.DelayAnswer || fault == faultproxy.FailAfter
		if got := reachedAtHit.Load() - 1; got < 0 || (got == 1) != after {
			t.Errorf("%s: when it was told, the target had been reached %d times", fault, got)
		}
		if status, _ := post(t, p, "Other", body); status != http.StatusTeapot {
			t.Errorf("%s met another operation", fault)
		}
		if status, _ := post(t, p, "", body); status != http.StatusTeapot {
			t.Errorf("%s met a request without an operation", fault)
		}
		if n := p.Did(fault, "Op"); n != 1 {
			t.Errorf("%s: counted %d times: %v", fault, n, p.Counts())
		}
	}
}

func TestRulesPickByOrdinalAndWords(t *testing.T) {
	t.Parallel()
	cut := faultproxy.Rule{Fault: faultproxy.DropBefore, Skip: 2, Times: 2}
	b := faultproxy.Rule{Fault: faultproxy.FailBefore, When: func(r faultproxy.Request) bool { return string(r.Body) == "b" }}
	p, _ := target(t, 1, cut, b)
	var got []int
	for _, body := range []string{"a", "b", "b", "a", "b", "a"} {
		status, _ := post(t, p, "Op", body)
		got = append(got, status)
	}
	if want := []int{418, 500, 0, 0, 500, 418}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOnlyATransactionHasAConflict(t *testing.T) {
	t.Parallel()
	p, _ := target(t, 1, faultproxy.Rule{Fault: faultproxy.Conflict})
	for body, want := range map[string]int{`{"Item":{}}`: 418, `none`: 418, `{"TransactItems":[{}]}`: 400} {
		if got, _ := post(t, p, "Op", body); got != want {
			t.Errorf("%s answered %d, want %d", body, got, want)
		}
	}
}

// With one client the same seed gives the same course, another seed another.
func TestChanceIsOfTheSeed(t *testing.T) {
	t.Parallel()
	course := func(seed uint64) string {
		p, _ := target(t, seed, faultproxy.Rule{Fault: faultproxy.FailBefore, Chance: 0.5})
		var b strings.Builder
		for range 64 {
			if status, _ := post(t, p, "Op", ""); status == http.StatusTeapot {
				b.WriteByte('.')
			} else {
				b.WriteByte('x')
			}
		}
		return b.String()
	}
	one := course(1)
	if one != course(1) || one == course(2) || !strings.Contains(one, "x") || !strings.Contains(one, ".") {
		t.Errorf("seed 1: %s, again %s; seed 2: %s", one, course(1), course(2))
	}
}

// A client that goes away while its request is held takes it along.
func TestAHeldRequestOfAClientThatIsGoneIsNotForwarded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p, reached := target(t, 1, faultproxy.Rule{Fault: faultproxy.Delay, Wait: time.Hour, Hit: func(faultproxy.Request) { cancel() }})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL(), strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Amz-Target", "X.Op")
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Error("a held request was answered")
	}
	// Not by Close: it is to end by itself.
	for end := time.Now().Add(20 * time.Second); p.Did(faultproxy.Delay, "Op") == 0; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("the request of a client that is gone is still held")
		}
	}
	if reached.Load() != 0 {
		t.Errorf("the target was reached %d times", reached.Load())
	}
}

func TestAnUnreachedTargetIsACutConnection(t *testing.T) {
	t.Parallel()
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	p, err := faultproxy.New(dead.URL, faultproxy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if status, _ := post(t, p, "Op", ""); status != 0 || p.Did(faultproxy.Unreached, "Op") != 1 {
		t.Errorf("answered %d, did %v", status, p.Counts())
	}
}

func TestARuleThatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	p, _ := target(t, 1)
	for _, r := range []faultproxy.Rule{
		{}, {Fault: "x"}, {Fault: faultproxy.Unreached}, {Fault: faultproxy.Pass, Chance: 1}, {Fault: faultproxy.Pass, Chance: -1},
		{Fault: faultproxy.Pass, Skip: -1}, {Fault: faultproxy.Delay}, {Fault: faultproxy.Conflict, Wait: 1},
	} {
		if p.Set(r) == nil {
			t.Errorf("%+v was taken", r)
		}
	}
	for _, url := range []string{"", "/x", "::"} {
		if p, err := faultproxy.New(url, faultproxy.Options{}); err == nil {
			p.Close()
			t.Errorf("target %q was taken", url)
		}
	}
}

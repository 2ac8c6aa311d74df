package bottlecrm_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"onefold/internal/crm/crmtest"
	"onefold/internal/proof/localcrm"
)

// The faults that the proxy makes. "after writing" means that the server has
// answered, so that what it commits is committed.
const (
	cutBefore  = "cut before writing"
	cutAfter   = "cut after writing"
	failBefore = "500 before writing"
	failAfter  = "502 after writing"
	halfAnswer = "half an answer"
	throttled  = "throttled"
)

const throttleSeconds = 7

// proxy stands before the server's socket.
type proxy struct {
	web   *httptest.Server
	back  *http.Transport
	under sync.WaitGroup

	mu    sync.Mutex
	calls []crmtest.Call
	fault string // what a request meets after skip others
	skip  int
	hold  func()        // what the next write does before it is passed on
	plan  func() string // what any other request meets, "" for nothing
	met   int           // how many it had meet something
}

func newProxy(t *testing.T, socket string) *proxy {
	t.Helper()
	p := &proxy{back: &http.Transport{DialContext: localcrm.Dial(socket), DisableCompression: true, DisableKeepAlives: true}}
	p.web = httptest.NewServer(p)
	t.Cleanup(func() { p.web.Close(); p.under.Wait() })
	return p
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.under.Add(1)
	defer p.under.Done()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	fault, hold := p.meets(r)
	if hold != nil {
		hold()
	}
	switch fault {
	case cutBefore:
		panic(http.ErrAbortHandler)
	case failBefore:
		w.WriteHeader(http.StatusInternalServerError)
		return
	case throttled:
		w.Header().Set("Retry-After", strconv.Itoa(throttleSeconds))
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	status, answer := p.forward(r, body)
	switch fault {
	case cutAfter:
		panic(http.ErrAbortHandler)
	case failAfter:
		w.WriteHeader(http.StatusBadGateway)
		return
	case halfAnswer:
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		w.WriteHeader(status)
		_, _ = w.Write(answer[:len(answer)/2])
		_ = http.NewResponseController(w).Flush() // else nothing of it would leave
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
	_, _ = w.Write(answer)
}

// meets notes the request and tells what befalls it.
func (p *proxy) meets(r *http.Request) (fault string, hold func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	reads := r.Method == http.MethodGet
	if p.hold != nil && !reads {
		hold, p.hold = p.hold, nil
	}
	if p.fault != "" {
		if p.skip == 0 {
			fault, p.fault = p.fault, ""
		}
		p.skip--
	} else if p.plan != nil {
		if fault = p.plan(); fault != "" {
			p.met++
		}
	}
	p.calls = append(p.calls, crmtest.Call{Reads: reads, Answered: fault != cutBefore && fault != cutAfter})
	return fault, hold
}

// forward passes a request on, whether its sender is still there or not. One
// that does not reach the server is cut.
func (p *proxy) forward(r *http.Request, body []byte) (int, []byte) {
	out, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, "http://127.0.0.1"+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	out.Header = r.Header.Clone()
	resp, err := p.back.RoundTrip(out)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return resp.StatusCode, answer
}

func (p *proxy) URL() string { return p.web.URL }

func (p *proxy) Calls() []crmtest.Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

func (*proxy) Faults() []crmtest.Fault {
	return []crmtest.Fault{
		{Name: cutBefore}, {Name: cutAfter}, {Name: failBefore}, {Name: failAfter}, {Name: halfAnswer},
		{Name: throttled, Refusal: true},
	}
}

func (p *proxy) Meet(f crmtest.Fault, skip int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.skip = f.Name, skip
}

// intend sets what requests meet from now on, and tells how many met something.
func (p *proxy) intend(plan func() string) (met int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan = plan
	return p.met
}

func (p *proxy) Throttle() int {
	p.Meet(crmtest.Fault{Name: throttled}, 0)
	return throttleSeconds
}

func (p *proxy) Hold(until <-chan struct{}, entered func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold = func() { entered(); <-until }
}

func (p *proxy) Idle() { p.under.Wait() }

// Pass: the server has no index that lags.
func (*proxy) Pass(time.Duration) {}

func (p *proxy) Stop() {
	p.web.CloseClientConnections()
	p.web.Close()
}

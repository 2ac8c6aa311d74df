package localdeploy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// maxBody is more than any request here has: an asset of a function.
const maxBody = 128 << 20

// gate is the one way to the emulator, for functions, for the CDK and for the
// deployment itself. It opens before the emulator starts, since the emulator's
// environment names it.
type gate struct {
	target atomic.Pointer[url.URL]
	url    string
	server *http.Server
	client *http.Transport

	mu      sync.Mutex
	calls   map[recorded]int
	outside map[string]int
	traps   []trap
}

// trap is sprung once, by the first call of its kind, when that has had its
// effect and the caller does not know yet.
type trap struct {
	function, action string
	sprung           func()
}

// recorded is a call with what became of it.
type recorded struct {
	Call
	Refused bool // the emulator said that the role does not allow it
}

func openGate() (*gate, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a loopback port: %w", err)
	}
	g := &gate{
		url: "http://" + listener.Addr().String(), calls: map[recorded]int{}, outside: map[string]int{},
		client: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64, IdleConnTimeout: 2 * time.Second},
	}
	g.server = &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = g.server.Serve(listener) }() // ends with close
	return g, nil
}

// lead says where the gate leads.
func (g *gate) lead(target string) error {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return errors.New("the emulator's address is no URL with a host")
	}
	g.target.Store(u)
	return nil
}

// ServeHTTP passes a request on as it came, Host included, since that is
// signed. The header that is added says what is true on AWS: the client's side
// of this connection is TLS. Policies that refuse plain HTTP then hold.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		// Functions have the gate as their proxy: none leaves this machine.
		g.mu.Lock()
		g.outside[r.Host]++
		g.mu.Unlock()
		http.Error(w, "nothing beyond this machine is reached", http.StatusForbidden)
		return
	}
	target := g.target.Load()
	if target == nil {
		http.Error(w, "the emulator has not started", http.StatusServiceUnavailable)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the request cannot be read", http.StatusBadRequest)
		return
	}
	to := *r.URL
	to.Scheme, to.Host = target.Scheme, target.Host
	out, err := http.NewRequestWithContext(r.Context(), r.Method, to.String(), bytes.NewReader(body))
	if err != nil {
		http.Error(w, "the request cannot be made", http.StatusBadRequest)
		return
	}
	out.Header, out.Host = r.Header.Clone(), r.Host
	out.Header.Del("Connection")
	out.Header.Set("X-Forwarded-Proto", "https")
	resp, err := g.client.RoundTrip(out)
	if err != nil {
		http.Error(w, "the emulator does not answer", http.StatusBadGateway)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	// Recorded before the caller has its answer, so that whoever saw the effect
	// of a call finds the call.
	refused := false
	answer := io.Reader(resp.Body)
	if resp.StatusCode >= http.StatusBadRequest {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
		refused = bytes.Contains(said, []byte("AccessDenied"))
		answer = bytes.NewReader(said)
	}
	g.record(r, body, refused)
	if !refused {
		g.spring(r, body)
	}
	for name, values := range resp.Header {
		if name != "Connection" && name != "Transfer-Encoding" && name != "Keep-Alive" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, answer) // the caller may be gone
}

// record notes the calls of functions; what people and the CDK do is theirs.
func (g *gate) record(r *http.Request, body []byte, refused bool) {
	if !appID.MatchString(r.UserAgent()) {
		return
	}
	calls := callsOf(r, body)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range calls {
		if c.Function != "" {
			g.calls[recorded{c, refused}]++
		}
	}
}

// spring springs the first trap for a request.
func (g *gate) spring(r *http.Request, body []byte) {
	g.mu.Lock()
	armed := len(g.traps) > 0
	g.mu.Unlock()
	if !armed {
		return
	}
	for _, c := range callsOf(r, body) {
		g.springCall(c.Function, c.Action)
	}
}

func (g *gate) springCall(function, action string) {
	g.mu.Lock()
	at := slices.IndexFunc(g.traps, func(t trap) bool { return t.function == function && t.action == action })
	var sprung func()
	if at >= 0 {
		sprung = g.traps[at].sprung
		g.traps = slices.Delete(g.traps, at, at+1)
	}
	g.mu.Unlock()
	if sprung != nil {
		sprung()
	}
}

func (g *gate) close() {
	_ = g.server.Close()
	g.client.CloseIdleConnections()
}

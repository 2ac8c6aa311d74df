package localdeploy

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"
)

// front is the HTTP API's address for people: it passes requests on under the
// name by which the emulator knows the API and which no resolver knows.
type front struct {
	url    string
	server *http.Server
	proxy  atomic.Pointer[httputil.ReverseProxy]
}

func openFront() (*front, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a loopback port: %w", err)
	}
	f := &front{url: "http://" + listener.Addr().String()}
	f.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := f.proxy.Load()
		if p == nil {
			http.Error(w, "not deployed yet", http.StatusServiceUnavailable)
			return
		}
		p.ServeHTTP(w, r)
	})}
	go func() { _ = f.server.Serve(listener) }() // ends with close
	return f, nil
}

// lead says where the front leads: to an API of the emulator.
func (f *front) lead(emulator, api string) error {
	target, err := url.Parse(emulator)
	if err != nil || api == "" {
		return errNoAPI
	}
	f.proxy.Store(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = api + ".execute-api." + target.Host
			r.Out.Header.Set("X-Forwarded-Proto", "https")
		},
		Transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 2 * time.Second},
	})
	return nil
}

func (f *front) close() { _ = f.server.Close() }

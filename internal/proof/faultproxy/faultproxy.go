// Package faultproxy is a reverse proxy on the loopback that stands between an
// AWS client and an emulator of AWS, and makes happen what an emulator never
// does: answers lost after the commit, requests lost before it, conflicts,
// throttling, delays and server errors.
//
// Its invariant: a fault is what its name says and nothing else. What it says
// was not forwarded has not reached the target; what it says was, has been
// answered by the target before the client is told, or not told, anything.
// What no rule picks passes through byte for byte.
//
// It refuses to know Onefold, to repeat a request of its own accord, to listen
// beyond the loopback, and to pick by chance without a seed.
package faultproxy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Options of a proxy. The zero value passes everything through.
type Options struct {
	// Seed is of the rules' chances. The same requests in the same order have
	// the same fate; several clients at once do not come in the same order.
	Seed  uint64
	Rules []Rule
}

// Proxy is a running proxy. It is safe for concurrent use.
type Proxy struct {
	target *url.URL
	url    string
	server *http.Server
	client *http.Transport
	ctx    context.Context // ends with Close: nothing is held any longer
	cancel context.CancelFunc
	busy   sync.WaitGroup

	mu     sync.Mutex
	rules  []*standing
	random *rand.Rand
	did    map[done]int
}

// done is what was done to requests of one operation.
type done struct {
	fault     Fault
	operation string
}

// New starts a proxy in front of target, a URL such as http://127.0.0.1:4566.
// An error means that the target or a rule makes no sense, or that there is no
// port. The caller ends the proxy with Close.
func New(target string, o Options) (*Proxy, error) {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return nil, errors.New("faultproxy: the target is no URL with a host")
	}
	rules, err := stand(o.Rules)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("faultproxy: open a loopback port: %w", err)
	}
	p := &Proxy{
		target: u, url: "http://" + listener.Addr().String(), rules: rules, random: rand.New(rand.NewPCG(o.Seed, 0)), did: map[done]int{},
		// No compression of its own and no proxy of the environment.
		client: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64, IdleConnTimeout: 2 * time.Second},
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(listener) }() // ends with Close
	return p, nil
}

// URL is where clients send what is meant for the target.
func (p *Proxy) URL() string { return p.url }

// Set puts other rules in the place of those in force, with their ordinals at
// the beginning. Requests that have been picked keep their fate.
func (p *Proxy) Set(rules ...Rule) error {
	standing, err := stand(rules)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = standing
	return nil
}

// Did counts the requests to which a fault has happened; operation "" is all
// of them. Pass is what went through untouched.
func (p *Proxy) Did(f Fault, operation string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for d, count := range p.did {
		if d.fault == f && (operation == "" || d.operation == operation) {
			n += count
		}
	}
	return n
}

// Counts is all that was done, by "operation fault".
func (p *Proxy) Counts() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[string]int, len(p.did))
	for d, n := range p.did {
		out[d.operation+" "+string(d.fault)] = n
	}
	return out
}

// Close cuts every connection, lets go what is held (it is not forwarded any
// more) and waits until nothing runs. It may be called again.
func (p *Proxy) Close() {
	p.cancel()
	_ = p.server.Close()
	p.busy.Wait()
	p.client.CloseIdleConnections()
}

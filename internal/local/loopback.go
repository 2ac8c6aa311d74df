package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// ErrPort means that the address cannot be listened on.
var ErrPort = errors.New("the address is in use or not allowed")

// ErrNotLoopback means that others on the network could reach the address.
var ErrNotLoopback = errors.New("the local system has no users and serves this machine only")

// listen takes an address of this machine's loopback and no other.
func listen(ctx context.Context, address string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrPort, address)
	}
	// Asked of the listener, since a name may stand for anything. Nothing has
	// been served yet.
	if !isLoopback(l.Addr().String()) {
		_ = l.Close()
		return nil, fmt.Errorf("%s is no loopback address: %w", address, ErrNotLoopback)
	}
	return l, nil
}

// isLoopback judges an IP address with a port.
func isLoopback(address string) bool {
	a, err := netip.ParseAddrPort(address)
	return err == nil && a.Addr().Unmap().IsLoopback()
}

// loopbackOnly refuses callers that are not on this machine, and requests that
// a web page elsewhere made a browser send here under another name (DNS
// rebinding).
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLoopback(r.RemoteAddr) || !namesLoopback(r.Host) {
			http.Error(w, "this is a local system: use 127.0.0.1", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// namesLoopback judges the host of a request, with or without a port. An IPv6
// address stands in brackets (RFC 3986, section 3.2.2).
func namesLoopback(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		if name = h; strings.Contains(h, ":") {
			name = "[" + h + "]"
		}
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	bare, v6 := strings.CutPrefix(name, "[")
	bare, closed := strings.CutSuffix(bare, "]")
	a, err := netip.ParseAddr(bare)
	return err == nil && v6 == closed && v6 == a.Is6() && a.IsLoopback()
}

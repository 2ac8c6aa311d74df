package local

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]error{
		"127.0.0.1:0": nil, "localhost:0": nil,
		"0.0.0.0:0": ErrNotLoopback, ":0": ErrNotLoopback, "[::]:0": ErrNotLoopback,
		"192.0.2.1:0": ErrPort, // of nobody (RFC 5737)
	} {
		l, err := listen(t.Context(), address)
		if l != nil {
			_ = l.Close()
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
		if errors.Is(want, ErrNotLoopback) && !strings.HasPrefix(err.Error(), address+" is no loopback address: the local system") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestOnlyCallersOfThisMachineAreServed(t *testing.T) {
	t.Parallel()
	h := loopbackOnly(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, c := range []struct {
		remote, host string
		want         int
	}{
		{"127.0.0.1:4000", "127.0.0.1:8750", 200},
		{"127.0.0.1:4000", "127.0.0.1", 200},
		{"127.0.0.1:4000", "localhost:8750", 200},
		{"127.0.0.1:4000", "LOCALHOST", 200},
		{"[::1]:4000", "[::1]:8750", 200},
		{"[::1]:4000", "[::1]", 200},
		{"[::ffff:127.0.0.1]:4000", "127.0.0.1:8750", 200},
		{"192.0.2.7:4000", "127.0.0.1:8750", 403},
		{"[2001:db8::1]:4000", "[::1]:8750", 403},
		{"", "127.0.0.1:8750", 403},
		{"127.0.0.1:4000", "rebound.example:8750", 403},
		{"127.0.0.1:4000", "127.0.0.1.rebound.example", 403},
		{"127.0.0.1:4000", "[2001:db8::1]:8750", 403},
		{"127.0.0.1:4000", "::1", 403},
		{"127.0.0.1:4000", "", 403},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Host = c.remote, c.host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.remote, c.host, w.Code, c.want)
		}
	}
}

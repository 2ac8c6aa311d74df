package lambdaio

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// gatewayLimit is the most an HTTP API takes (Developer Guide, "Quotas for
// HTTP APIs", payload size 10 MB; read 2026-11).
const gatewayLimit = 10 << 20

// Bounds of what is in memory at once. A body is read before anybody knows who
// sent it.
const (
	gatewayBodies = 16
	gatewayWait   = 5 * time.Second // then 503: a sender that is told comes again
)

// Gateway makes of an HTTP request the event that an HTTP API hands to a
// function, and of the function's answer a response. At most 16 bodies are in
// memory at once; whoever waits longer than 5 s for a place is answered 503.
func Gateway(h HTTPHandler) http.Handler {
	places := make(chan struct{}, gatewayBodies)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !enter(r.Context(), places) {
			w.Header().Set("Retry-After", "10")
			refuse(w, http.StatusServiceUnavailable, "busy", "send it again")
			return
		}
		defer func() { <-places }()
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, gatewayLimit))
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			refuse(w, http.StatusRequestEntityTooLarge, "body_too_large", "at most 4194304 bytes")
			return
		}
		if err != nil {
			refuse(w, http.StatusBadRequest, "body_unreadable", "send it again")
			return
		}
		// The function works on when its caller has gone, as in Lambda.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 29*time.Second)
		defer cancel()
		resp, err := h(ctx, gatewayEvent(r, body))
		if err != nil {
			refuse(w, http.StatusInternalServerError, "fault", "send it again")
			return
		}
		pass(w, resp)
	})
}

// pass gives a function's answer to the caller.
func pass(w http.ResponseWriter, resp events.APIGatewayV2HTTPResponse) {
	body := []byte(resp.Body)
	if resp.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(resp.Body); err != nil {
			refuse(w, http.StatusInternalServerError, "fault", "send it again")
			return
		}
	}
	for name, v := range resp.Headers {
		w.Header().Set(name, v)
	}
	for _, c := range resp.Cookies {
		w.Header().Add("Set-Cookie", c)
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(body)
}

// enter waits for a place.
func enter(ctx context.Context, places chan<- struct{}) bool {
	// A place that is free is taken even for a caller that has gone.
	select {
	case places <- struct{}{}:
		return true
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, gatewayWait)
	defer cancel()
	select {
	case places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func gatewayEvent(r *http.Request, body []byte) events.APIGatewayV2HTTPRequest {
	e := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RawPath: r.URL.EscapedPath(), RawQueryString: r.URL.RawQuery, Headers: map[string]string{},
		Body: base64.StdEncoding.EncodeToString(body), IsBase64Encoded: true,
	}
	for name, values := range r.Header {
		e.Headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	e.Headers["host"] = r.Host
	// The gateway gives cookies as a list, and not among the headers.
	delete(e.Headers, "cookie")
	for _, line := range r.Header["Cookie"] {
		for c := range strings.SplitSeq(line, ";") {
			e.Cookies = append(e.Cookies, strings.TrimSpace(c))
		}
	}
	e.RequestContext.RequestID = requestID()
	e.RequestContext.HTTP.Method, e.RequestContext.HTTP.Path = r.Method, r.URL.Path
	e.RequestContext.HTTP.SourceIP, _, _ = net.SplitHostPort(r.RemoteAddr)
	e.RequestContext.Stage, e.RequestContext.DomainName = "$default", r.Host
	return e
}

// refuse answers in the form of ingest.Response.
func refuse(w http.ResponseWriter, status int, word, hint string) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"error":"`+word+`","hint":"`+hint+`"}`+"\n")
}

func requestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand, Go 1.24)
	return hex.EncodeToString(b[:])
}

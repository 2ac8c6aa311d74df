package local

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"onefold/internal/idempotency"
	"onefold/internal/lambdaio"

	"github.com/aws/aws-lambda-go/events"
)

// gatewayLimit is the most an HTTP API takes (Developer Guide, "Quotas for
// HTTP APIs", payload size 10 MB; read 2026-11).
const gatewayLimit = 10 << 20

func (s *System) routes(cfg Config, token string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/v1/", gateway(lambdaio.Ingest(s.Ingest.Handle)))
	mux.Handle("/review/", http.StripPrefix("/review", s.Console.Pages(s.Tenant)))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/review/", http.StatusSeeOther) })
	mux.HandleFunc("GET /-/health", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	if cfg.Commands != nil {
		mux.Handle("POST /-/command", commands(cfg.Commands(s.Opened), token))
	}
	return loopbackOnly(mux)
}

// gateway makes of an HTTP request the event that an HTTP API hands to a
// function, and of the function's answer a response.
func gateway(h lambdaio.HTTPHandler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, gatewayLimit))
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			http.Error(w, `{"error":"body_too_large","hint":"at most 4194304 bytes"}`, http.StatusRequestEntityTooLarge)
			return
		}
		if err != nil {
			http.Error(w, `{"error":"body_unreadable","hint":"send it again"}`, http.StatusBadRequest)
			return
		}
		e := events.APIGatewayV2HTTPRequest{
			Version: "2.0", RawPath: r.URL.EscapedPath(), RawQueryString: r.URL.RawQuery, Headers: map[string]string{},
			Body: base64.StdEncoding.EncodeToString(body), IsBase64Encoded: true,
		}
		for name, values := range r.Header {
			e.Headers[strings.ToLower(name)] = strings.Join(values, ",")
		}
		e.RequestContext.RequestID = idempotency.NewOwner()
		e.RequestContext.HTTP.Method, e.RequestContext.HTTP.Path = r.Method, r.URL.Path
		// The function works on when its caller has gone, as in Lambda.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 29*time.Second)
		defer cancel()
		resp, err := h(ctx, e)
		if err != nil {
			http.Error(w, `{"error":"fault","hint":"send it again"}`, http.StatusInternalServerError)
			return
		}
		for name, v := range resp.Headers {
			w.Header().Set(name, v)
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.WriteString(w, resp.Body)
	})
}

// commands carries out operators' commands for those who can read the data
// folder, and so the token.
func commands(run func(context.Context, Command) CommandResult, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			http.Error(w, "the token in running.json is needed", http.StatusUnauthorized)
			return
		}
		var c Command
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, gatewayLimit)).Decode(&c); err != nil {
			http.Error(w, "not a command", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(run(r.Context(), c))
	})
}

// loopbackOnly refuses requests that a web page elsewhere made a browser send
// here under another name (DNS rebinding).
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if i := strings.LastIndexByte(host, ':'); i >= 0 {
			host = host[:i]
		}
		switch host {
		case "127.0.0.1", "localhost", "[::1]":
			next.ServeHTTP(w, r)
		default:
			http.Error(w, "this is a local system: use 127.0.0.1", http.StatusForbidden)
		}
	})
}

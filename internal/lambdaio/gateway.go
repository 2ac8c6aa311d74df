package lambdaio

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// gatewayLimit is the most an HTTP API takes (Developer Guide, "Quotas for
// HTTP APIs", payload size 10 MB; read 2026-11).
const gatewayLimit = 10 << 20

// Gateway makes of an HTTP request the event that an HTTP API hands to a
// function, and of the function's answer a response.
func Gateway(h HTTPHandler) http.Handler {
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
		e.RequestContext.RequestID = requestID()
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

func requestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand, Go 1.24)
	return hex.EncodeToString(b[:])
}

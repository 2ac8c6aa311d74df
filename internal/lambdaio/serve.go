package lambdaio

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// Serve has an http.Handler answer the requests of an HTTP API, payload version
// 2.0 (API Gateway Developer Guide, "Working with AWS Lambda proxy integrations
// for HTTP APIs", read 2026-11).
//
// A header that was sent several times comes joined by commas and stays so;
// cookies come as a list and become one header again. The path is the one that
// was asked for, without the name of an API stage before it. Nothing that a
// caller sends is an error of the function.
func Serve(h http.Handler) HTTPHandler {
	return func(ctx context.Context, r events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		if r.RequestContext.HTTP.Method == http.MethodConnect {
			// http.ServeMux gives it to handlers whose path it has not matched.
			return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusMethodNotAllowed}, nil
		}
		body, err := rawBody(r)
		if err != nil {
			return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusBadRequest}, nil
		}
		w := &recorder{header: http.Header{}}
		h.ServeHTTP(w, request(ctx, r, body))
		return w.response(r.RequestContext.HTTP.Method), nil
	}
}

// request makes the request as a server would have read it.
func request(ctx context.Context, r events.APIGatewayV2HTTPRequest, body []byte) *http.Request {
	header := http.Header{}
	for name, v := range r.Headers {
		header.Set(name, v)
	}
	if len(r.Cookies) > 0 {
		header.Set("Cookie", strings.Join(r.Cookies, "; "))
	}
	u := &url.URL{Path: pathOf(r), RawQuery: r.RawQueryString}
	// Whether the gateway leaves escapes in the path differs between its
	// kinds. What cannot be unescaped has been.
	if plain, err := url.PathUnescape(u.Path); err == nil {
		u.Path, u.RawPath = plain, u.Path
	}
	host := cmp.Or(header.Get("Host"), r.RequestContext.DomainName)
	header.Del("Host") // as net/http does
	req := &http.Request{
		Method: cmp.Or(r.RequestContext.HTTP.Method, http.MethodGet), URL: u, RequestURI: u.RequestURI(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header, Host: host,
		Body: http.NoBody, ContentLength: int64(len(body)), RemoteAddr: net.JoinHostPort(r.RequestContext.HTTP.SourceIP, "0"),
	}
	if len(body) > 0 {
		req.Body = noClose{bytes.NewReader(body)}
	}
	return req.WithContext(ctx)
}

// pathOf is the path without the name of the API's stage, which stands before
// it unless the stage is the default one.
func pathOf(r events.APIGatewayV2HTTPRequest) string {
	path := r.RawPath
	if stage := r.RequestContext.Stage; stage != "" && stage != "$default" {
		if rest, ok := strings.CutPrefix(path, "/"+stage); ok && (rest == "" || rest[0] == '/') {
			path = rest
		}
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path
}

type noClose struct{ *bytes.Reader }

func (noClose) Close() error { return nil }

// recorder is a http.ResponseWriter: the first status counts, and headers set
// after it do not.
type recorder struct {
	header http.Header
	sent   http.Header // nil before the status
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	// 1xx are announcements, for which there is no way here.
	if w.sent == nil && status >= 200 {
		w.status, w.sent = status, w.header.Clone()
	}
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.sent == nil {
		if w.header.Get("Content-Type") == "" {
			w.header.Set("Content-Type", http.DetectContentType(b))
		}
		w.WriteHeader(http.StatusOK)
	}
	return w.body.Write(b)
}

// response is what net/http would have sent: no line break in a header, which
// would begin another, and no body where there is none.
func (w *recorder) response(method string) events.APIGatewayV2HTTPResponse {
	w.WriteHeader(http.StatusOK)
	out := events.APIGatewayV2HTTPResponse{StatusCode: w.status, Headers: map[string]string{}}
	oneLine := strings.NewReplacer("\r", " ", "\n", " ")
	for name, values := range w.sent {
		// The one header that may not be joined (RFC 9110 section 5.3).
		if name == "Set-Cookie" {
			for _, c := range values {
				out.Cookies = append(out.Cookies, oneLine.Replace(c))
			}
			continue
		}
		out.Headers[strings.ToLower(name)] = oneLine.Replace(strings.Join(values, ","))
	}
	if method == http.MethodHead || w.status == http.StatusNoContent || w.status == http.StatusNotModified {
		return out
	}
	if b := w.body.Bytes(); utf8.Valid(b) {
		out.Body = string(b)
	} else {
		out.Body, out.IsBase64Encoded = base64.StdEncoding.EncodeToString(b), true
	}
	return out
}

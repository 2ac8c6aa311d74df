package lambdaio_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"onefold/internal/lambdaio"
)

// served is what a handler sees of an event.
func served(t *testing.T, e events.APIGatewayV2HTTPRequest, h http.HandlerFunc) events.APIGatewayV2HTTPResponse {
	t.Helper()
	resp, err := lambdaio.Serve(h)(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func event(path string) events.APIGatewayV2HTTPRequest {
	e := events.APIGatewayV2HTTPRequest{Version: "2.0", RawPath: path}
	e.RequestContext.HTTP.Method, e.RequestContext.HTTP.SourceIP = "GET", "192.0.2.1"
	e.RequestContext.Stage, e.RequestContext.DomainName = "$default", "api.example.com"
	return e
}

// Whichever way a path comes, and whatever stands in it, it is the handler's
// to answer: a caller must not be able to make the function fail.
func TestAPathArrivesAsItWasAskedFor(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ raw, stage, path, escaped string }{
		{"/console/demo/", "$default", "/console/demo/", "/console/demo/"},
		{"/prod/console/", "prod", "/console/", "/console/"},
		{"/production/", "prod", "/production/", "/production/"},
		{"/prod", "prod", "/", "/"},
		{"", "$default", "/", "/"},
		{"/a%2Fb", "$default", "/a/b", "/a%2Fb"},
		{"/a b?c#d", "$default", "/a b?c#d", "/a%20b%3Fc%23d"},
		{"/100%", "$default", "/100%", "/100%25"},
		{"/%zz", "$default", "/%zz", "/%25zz"},
		{"//evil.example/", "$default", "//evil.example/", "//evil.example/"},
		{"/é", "$default", "/é", "/%C3%A9"},
	} {
		e := event(x.raw)
		e.RequestContext.Stage = x.stage
		called := false
		served(t, e, func(_ http.ResponseWriter, r *http.Request) {
			called = true
			if r.URL.Path != x.path || r.URL.EscapedPath() != x.escaped || r.Host != "api.example.com" {
				t.Errorf("%q: path %q, escaped %q, host %q", x.raw, r.URL.Path, r.URL.EscapedPath(), r.Host)
			}
		})
		if !called {
			t.Errorf("%q did not arrive", x.raw)
		}
	}
}

func TestHeadersAndCookiesArriveWhole(t *testing.T) {
	t.Parallel()
	e := event("/")
	e.Headers = map[string]string{
		"host": "console.example.com", "sec-ch-ua": `"A, B";v="1", "C"`, "if-none-match": `"a", "b"`, "origin": "https://console.example.com",
	}
	e.Cookies = []string{"a=1", "b=x=y"}
	e.RawQueryString = "code=a%20b&code=c"
	served(t, e, func(_ http.ResponseWriter, r *http.Request) {
		a, _ := r.Cookie("a")
		b, _ := r.Cookie("b")
		if a == nil || b == nil || a.Value != "1" || b.Value != "x=y" {
			t.Errorf("cookies %v", r.Header["Cookie"])
		}
		if r.Host != "console.example.com" || r.Header.Get("Sec-Ch-Ua") != `"A, B";v="1", "C"` || r.Header.Get("If-None-Match") != `"a", "b"` {
			t.Errorf("host %q, headers %v", r.Host, r.Header)
		}
		if q := r.URL.Query()["code"]; len(q) != 2 || q[0] != "a b" || q[1] != "c" {
			t.Errorf("query %v", q)
		}
		if r.RemoteAddr != "192.0.2.1:0" || r.RequestURI != "/?code=a%20b&code=c" {
			t.Errorf("remote address %q, URI %q", r.RemoteAddr, r.RequestURI)
		}
	})
}

func TestABodyArrivesWhicheverWayItIsEncoded(t *testing.T) {
	t.Parallel()
	for _, encoded := range []bool{false, true} {
		e := event("/")
		e.RequestContext.HTTP.Method, e.Body, e.IsBase64Encoded = "POST", "action=approve&by=Ann", encoded
		e.Headers = map[string]string{"content-type": "application/x-www-form-urlencoded"}
		if encoded {
			e.Body = base64.StdEncoding.EncodeToString([]byte(e.Body))
		}
		served(t, e, func(_ http.ResponseWriter, r *http.Request) {
			if r.PostFormValue("by") != "Ann" || r.ContentLength != 21 || r.Method != "POST" {
				t.Errorf("form %v, %d bytes", r.PostForm, r.ContentLength)
			}
		})
	}
	e := event("/")
	e.Body, e.IsBase64Encoded = "?", true
	resp := served(t, e, func(http.ResponseWriter, *http.Request) { t.Error("handled") })
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("answered %d", resp.StatusCode)
	}
}

// As net/http does: no status is 200, the first one counts, and what is set
// after it does not.
func TestAnAnswerIsWhatNetHTTPWouldHaveSent(t *testing.T) {
	t.Parallel()
	resp := served(t, event("/"), func(http.ResponseWriter, *http.Request) {})
	if resp.StatusCode != 200 || resp.Body != "" {
		t.Errorf("of nothing: %+v", resp)
	}
	resp = served(t, event("/"), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("Set-Cookie", "a=1; Path=/")
		w.Header().Add("Set-Cookie", "b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT")
		w.Header().Add("Vary", "Cookie")
		w.Header().Add("Vary", "Accept")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusSeeOther)
		w.WriteHeader(http.StatusOK)
		w.Header().Set("Location", "/too/late")
	})
	if resp.StatusCode != 303 || len(resp.Cookies) != 2 || resp.Headers["vary"] != "Cookie,Accept" || resp.Headers["location"] != "" || resp.Headers["set-cookie"] != "" {
		t.Errorf("answered %+v", resp)
	}
	resp = served(t, event("/"), func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("\xff\x00")) })
	if !resp.IsBase64Encoded || resp.Body != "/wA=" || resp.Headers["content-type"] == "" {
		t.Errorf("of bytes: %+v", resp)
	}
	resp = served(t, event("/"), func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<!DOCTYPE html>") })
	if resp.IsBase64Encoded || resp.Headers["content-type"] != "text/html; charset=utf-8" {
		t.Errorf("of a page: %+v", resp)
	}
}

// Gateway and Serve are inverse: through both, a handler sees the request and
// its caller sees the answer.
func TestGatewayAndServeUndoEachOther(t *testing.T) {
	t.Parallel()
	var saw string
	inner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		saw = strings.Join([]string{r.Method, r.RequestURI, r.Host, r.Header.Get("X-Test"), r.Header.Get("Cookie"), string(body)}, " ")
		w.Header().Add("Set-Cookie", "a=1")
		w.Header().Add("Set-Cookie", "b=2")
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte("\x00answer\xff"))
	})
	r := httptest.NewRequest("POST", "/console/a%2Fb?x=%20", strings.NewReader("\x00body\xff"))
	r.Host = "console.example.com"
	r.Header.Set("X-Test", "a, b")
	r.Header.Set("Cookie", "a=1; b=2")
	w := httptest.NewRecorder()
	lambdaio.Gateway(lambdaio.Serve(inner)).ServeHTTP(w, r)
	if want := "POST /console/a%2Fb?x=%20 console.example.com a, b a=1; b=2 \x00body\xff"; saw != want {
		t.Errorf("saw  %q\nwant %q", saw, want)
	}
	if w.Code != http.StatusTeapot || w.Body.String() != "\x00answer\xff" || len(w.Result().Cookies()) != 2 {
		t.Errorf("answered %d %q %v", w.Code, w.Body, w.Header())
	}
}

// net/http makes spaces of the line breaks in a header (RFC 9110 section 5.5
// forbids them) and sends no body with HEAD, 204 and 304 (section 6.4.1).
func TestAnAnswerCannotBeSplitAndHasABodyOnlyWhereOneMayBe(t *testing.T) {
	t.Parallel()
	resp := served(t, event("/"), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "./a\r\nSet-Cookie: session=stolen")
		w.Header().Add("Set-Cookie", "a=1\r\nLocation: https://evil.example/")
		w.WriteHeader(http.StatusSeeOther)
	})
	if resp.Headers["location"] != "./a  Set-Cookie: session=stolen" || len(resp.Cookies) != 1 || strings.ContainsAny(resp.Cookies[0], "\r\n") {
		t.Errorf("answered %+v", resp)
	}
	for method, status := range map[string]int{"HEAD": 200, "GET": 304, "DELETE": 204} {
		e := event("/")
		e.RequestContext.HTTP.Method = method
		resp := served(t, e, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<!DOCTYPE html>")
		})
		if resp.StatusCode != status || resp.Body != "" {
			t.Errorf("%s: answered %+v", method, resp)
		}
	}
}

// With CONNECT, http.ServeMux leaves a path as it is and panics in a handler
// that asks for a part of one that does not match as it stands (Go 1.26.8). An
// HTTP API has no use for it.
func TestConnectIsNoRequestOfASite(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/{tenant}/", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.PathValue("tenant")) })
	for _, path := range []string{"//", "//demo", "/demo/"} {
		e := event(path)
		e.RequestContext.HTTP.Method = http.MethodConnect
		if resp := served(t, e, mux.ServeHTTP); resp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: answered %d", path, resp.StatusCode)
		}
	}
}

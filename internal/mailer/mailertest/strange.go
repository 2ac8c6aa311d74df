package mailertest

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"onefold/internal/mailer"
	"onefold/internal/mailer/sestest"
)

// answer writes one HTTP answer.
func answer(status int, header, value, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if header != "" {
			w.Header().Set(header, value)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// cut answers with less than it announced; net/http then ends the connection.
func cut(status int, header, value string) http.HandlerFunc {
	whole := answer(status, header, value, `{"MessageId":"`)
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		whole(w, r)
	}
}

func suiteStrange(t *testing.T, newMailer func(t *testing.T, endpoint string) mailer.Mailer) {
	const kind = "X-Amzn-ErrorType"
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
	}{
		{"200WithoutMessageID", answer(200, "", "", `{}`)},
		{"200WithEmptyMessageID", answer(200, "", "", `{"MessageId":""}`)},
		{"200WithoutBody", answer(200, "", "", ``)},
		{"200Garbage", answer(200, "", "", `<html>welcome to the portal</html>`)},
		{"200CutOff", cut(200, "", "")},
		{"307", answer(307, "Location", sestest.SendPath, ``)},
		{"308", answer(308, "Location", sestest.SendPath, ``)},
		{"400Garbage", answer(400, "", "", `<html>bad</html>`)},
		{"400Empty", answer(400, "", "", ``)},
		{"400CodeUnknown", answer(400, kind, "SomethingNewException", `{"message":"?"}`)},
		{"400NoCode", answer(400, "", "", `{"message":"Message rejected"}`)},
		{"400KnownCodeCutOff", cut(400, kind, "MessageRejected")},
		{"403OfProxy", answer(403, "", "", `{"error":"forbidden"}`)},
		{"408", answer(408, kind, "RequestTimeoutException", `{"message":"?"}`)},
		{"500", answer(500, kind, "InternalServiceErrorException", `{"message":"?"}`)},
		{"500WithCodeOfRefusal", answer(500, kind, "MessageRejected", `{"message":"?"}`)},
		{"503Throttling", answer(503, kind, "ThrottlingException", `{"message":"?"}`)},
		{"502OfProxy", answer(502, "", "", `bad gateway`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				c.handler(w, r)
			}))
			defer web.Close()
			r := submit(t, newMailer(t, web.URL), Mail("somebody"))
			if r.Outcome != mailer.Unknown || r.Halt || requests.Load() != 1 {
				t.Errorf("got %s halt %v (%s) after %d requests, want unknown after 1", r.Outcome, r.Halt, r.Reason, requests.Load())
			}
		})
	}
	t.Run("ConnectionCutBeforeAnAnswer", func(t *testing.T) {
		t.Parallel()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		var connections atomic.Int32
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				connections.Add(1)
				_, _ = conn.Read(make([]byte, 1)) // the request has begun to arrive
				_ = conn.Close()
			}
		}()
		r := submit(t, newMailer(t, "http://"+l.Addr().String()), Mail("somebody"))
		_ = l.Close()
		<-ended
		if r.Outcome != mailer.Unknown || connections.Load() != 1 {
			t.Errorf("got %s (%s) after %d connections, want unknown after 1", r.Outcome, r.Reason, connections.Load())
		}
	})
}

func suiteContext(t *testing.T, newMailer func(t *testing.T, endpoint string) mailer.Mailer) {
	// silent tells of each request and answers none.
	silent := func(t *testing.T) (string, chan struct{}) {
		arrived := make(chan struct{}, 8)
		web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			// net/http notices that the caller is gone only after the body.
			_, _ = io.Copy(io.Discard, r.Body)
			arrived <- struct{}{}
			<-r.Context().Done()
		}))
		t.Cleanup(web.Close)
		return web.URL, arrived
	}
	t.Run("TooLittleTimeIsNotBegun", func(t *testing.T) {
		t.Parallel()
		server, url := suiteServer(t)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		r := newMailer(t, url).Submit(ctx, Mail("somebody"))
		if r.Outcome != mailer.NotBegun || server.Requests() != 0 {
			t.Errorf("got %s (%s) and %d requests, want not begun and none", r.Outcome, r.Reason, server.Requests())
		}
	})
	t.Run("CanceledBeforeIsNotBegun", func(t *testing.T) {
		t.Parallel()
		server, url := suiteServer(t)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		r := newMailer(t, url).Submit(ctx, Mail("somebody"))
		if r.Outcome != mailer.NotBegun || server.Requests() != 0 {
			t.Errorf("got %s (%s) and %d requests, want not begun and none", r.Outcome, r.Reason, server.Requests())
		}
	})
	t.Run("CanceledDuringTheCallIsUnknown", func(t *testing.T) {
		t.Parallel()
		url, arrived := silent(t)
		ctx, cancel := context.WithTimeout(context.Background(), enough)
		defer cancel()
		go func() {
			<-arrived
			cancel()
		}()
		r := newMailer(t, url).Submit(ctx, Mail("somebody"))
		if r.Outcome != mailer.Unknown || len(arrived) != 0 {
			t.Errorf("got %s (%s), %d further requests, want unknown and none", r.Outcome, r.Reason, len(arrived))
		}
	})
	t.Run("NoAnswerIsUnknownWithinTheDeadline", func(t *testing.T) {
		t.Parallel()
		url, arrived := silent(t)
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		r := newMailer(t, url).Submit(ctx, Mail("somebody"))
		if r.Outcome != mailer.Unknown || len(arrived) != 1 {
			t.Errorf("got %s (%s) after %d requests, want unknown after 1", r.Outcome, r.Reason, len(arrived))
		}
		if ctx.Err() != nil {
			t.Error("returned after the context's deadline")
		}
	})
}

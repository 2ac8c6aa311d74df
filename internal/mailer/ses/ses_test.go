package ses_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"onefold/internal/mailer"
	"onefold/internal/mailer/mailertest"
	"onefold/internal/mailer/ses"
	"onefold/internal/mailer/sestest"
)

func credentials() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "not-a-secret"}, nil
	})
}

func config(endpoint string) ses.Config {
	return ses.Config{Region: "eu-central-1", Credentials: credentials(), Now: time.Now, Endpoint: endpoint}
}

func newMailer(t *testing.T, cfg ses.Config) *ses.Mailer {
	t.Helper()
	m, err := ses.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestConformance(t *testing.T) {
	t.Parallel()
	mailertest.Suite(t, func(t *testing.T, endpoint string) mailer.Mailer { return newMailer(t, config(endpoint)) })
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*ses.Config){
		"no region":        func(c *ses.Config) { c.Region = "" },
		"no credentials":   func(c *ses.Config) { c.Credentials = nil },
		"no clock":         func(c *ses.Config) { c.Now = nil },
		"negative timeout": func(c *ses.Config) { c.Timeout = -1 },
		"margin too large": func(c *ses.Config) { c.Margin = 2 * time.Second },
	} {
		cfg := config("")
		change(&cfg)
		if _, err := ses.New(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// answering counts requests and the connections they came on.
type answering struct {
	mu          sync.Mutex
	connections map[string]int
	headers     []http.Header
}

func (a *answering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.connections[r.RemoteAddr]++
	a.headers = append(a.headers, r.Header.Clone())
	a.mu.Unlock()
	w.Header().Set("X-Amzn-Requestid", "req-1")
	_, _ = w.Write([]byte(`{"MessageId":"id-1"}`))
}

func TestEachSubmitHasAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	handler := &answering{connections: map[string]int{}}
	web := httptest.NewServer(handler)
	defer web.Close()
	cfg := config(web.URL)
	// The caller's transport would reuse connections, and so replay.
	cfg.Transport = &http.Transport{MaxIdleConns: 10, ForceAttemptHTTP2: true}
	m := newMailer(t, cfg)
	const submits = 5
	for range submits {
		if r := m.Submit(t.Context(), mailertest.Mail("somebody")); r.Outcome != mailer.Accepted || r.RequestID != "req-1" {
			t.Fatalf("got %+v", r)
		}
	}
	if len(handler.connections) != submits {
		t.Errorf("%d connections for %d submits", len(handler.connections), submits)
	}
	for _, h := range handler.headers {
		for name := range h {
			if strings.Contains(strings.ToLower(name), "idempotency") {
				t.Errorf("header %s makes net/http repeat a POST", name)
			}
		}
	}
	if cfg.Transport.DisableKeepAlives {
		t.Error("the caller's transport was changed")
	}
}

func TestNameThatDoesNotResolveIsNotBegun(t *testing.T) {
	t.Parallel()
	cfg := config("https://email.example.invalid")
	cfg.Transport = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
	}}
	r := newMailer(t, cfg).Submit(t.Context(), mailertest.Mail("somebody"))
	if r.Outcome != mailer.NotBegun || r.Reason != "no_connection" {
		t.Errorf("got %+v", r)
	}
}

func TestDialThatOutlivesTheCallIsNotBegun(t *testing.T) {
	t.Parallel()
	cfg := config("https://email.example.invalid")
	cfg.Timeout = 20 * time.Millisecond
	cfg.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	r := newMailer(t, cfg).Submit(t.Context(), mailertest.Mail("somebody"))
	if r.Outcome != mailer.NotBegun || r.Reason != "timeout" {
		t.Errorf("got %+v", r)
	}
}

func TestWithoutCredentialsNothingIsBegun(t *testing.T) {
	t.Parallel()
	handler := &answering{connections: map[string]int{}}
	web := httptest.NewServer(handler)
	defer web.Close()
	cfg := config(web.URL)
	cfg.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, context.DeadlineExceeded
	})
	r := newMailer(t, cfg).Submit(t.Context(), mailertest.Mail("somebody"))
	if r.Outcome != mailer.NotBegun || r.Reason != "no_request" || len(handler.headers) != 0 {
		t.Errorf("got %+v, %d requests", r, len(handler.headers))
	}
}

func TestTimeIsReadFromTheClockGiven(t *testing.T) {
	t.Parallel()
	handler := &answering{connections: map[string]int{}}
	web := httptest.NewServer(handler)
	defer web.Close()
	start := time.Now()
	ctx, cancel := context.WithDeadline(t.Context(), start.Add(time.Hour))
	defer cancel()
	for left, want := range map[time.Duration]mailer.Outcome{
		ses.MinLeft:     mailer.Accepted,
		ses.MinLeft - 1: mailer.NotBegun,
		-time.Second:    mailer.NotBegun,
	} {
		cfg := config(web.URL)
		cfg.Now = func() time.Time { return start.Add(time.Hour - left) }
		if r := newMailer(t, cfg).Submit(ctx, mailertest.Mail("somebody")); r.Outcome != want {
			t.Errorf("with %v left: got %s (%s), want %s", left, r.Outcome, r.Reason, want)
		}
	}
	if len(handler.headers) != 1 {
		t.Errorf("%d requests, want 1", len(handler.headers))
	}
}

func TestOneRecipientIsOneRecipient(t *testing.T) {
	t.Parallel()
	handler := &answering{connections: map[string]int{}}
	web := httptest.NewServer(handler)
	defer web.Close()
	m := newMailer(t, config(web.URL))
	for _, to := range []string{"", "a@example.net, b@example.net", "a@example.net\r\nBcc: b@example.net", "grün@example.net", "nobody"} {
		mail := mailertest.Mail("x")
		mail.To = to
		if r := m.Submit(t.Context(), mail); r.Outcome != mailer.Rejected || r.Reason != "invalid_recipient" {
			t.Errorf("%q: got %+v", to, r)
		}
	}
	if len(handler.headers) != 0 {
		t.Errorf("%d requests for recipients that are not one", len(handler.headers))
	}
}

func TestAddressesGoOutInASCII(t *testing.T) {
	t.Parallel()
	server, err := sestest.NewServer(sestest.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close(context.Background()) }()
	web := httptest.NewServer(server)
	defer web.Close()
	mail := mailertest.Mail("x")
	mail.ConfigurationSet = ""
	mail.From, mail.To = "Büro <desk@example.com>", "kunde@bücher.example"
	if r := newMailer(t, config(web.URL)).Submit(t.Context(), mail); r.Outcome != mailer.Accepted {
		t.Fatalf("got %+v", r)
	}
	got := server.Sent()[0]
	// RFC 2047 section 4.2 and RFC 3492.
	if got.From != "=?utf-8?q?B=C3=BCro?= <desk@example.com>" || got.To[0] != "kunde@xn--bcher-kva.example" {
		t.Errorf("from %q to %q", got.From, got.To[0])
	}
}

// Mail without a set would leave no trace in SES's events.
func TestMailThatNamesNoConfigurationSetGetsTheDefaultOne(t *testing.T) {
	t.Parallel()
	s, err := sestest.NewServer(sestest.Options{
		Now: time.Now, ConfigurationSets: []sestest.ConfigurationSet{{Name: "default"}, {Name: "own"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	defer web.Close()
	cfg := config(web.URL)
	cfg.ConfigurationSet = "default"
	for i, named := range []string{"", "own"} {
		mail := mailer.Mail{From: "us@example.com", To: "them@example.org", Subject: "Re", Text: "Hello", ConfigurationSet: named}
		if res := newMailer(t, cfg).Submit(t.Context(), mail); res.Outcome != mailer.Accepted {
			t.Fatalf("%q: %+v", named, res)
		}
		if got, want := s.Sent()[i].ConfigurationSet, []string{"default", "own"}[i]; got != want {
			t.Errorf("mail that names %q went with %q, want %q", named, got, want)
		}
	}
}

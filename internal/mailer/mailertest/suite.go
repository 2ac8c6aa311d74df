// Package mailertest is what every mailer on the wire of SES must pass: the
// contract of mailer.Mailer as tests, against the server of mailertest and
// against answers that no server should give.
//
// It owns the meaning of "conforms", and asserts nothing about events: what
// reads those is tested with the feed of mailertest.
package mailertest

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"sync/atomic"
	"testing"
	"time"

	"onefold/internal/mailer"
	"onefold/internal/mailer/sestest"
)

// enough is the time a call of the suite has when time is not its subject.
const enough = time.Minute

// suiteSet is the configuration set of the suite's mail.
const suiteSet = "suite"

// Suite checks a mailer of the SES wire against the contract of mailer.Mailer.
// newMailer makes one that calls the endpoint, a URL without a path; its own
// timeout for a call should be above 3 s.
//
// Real: the mailer, its client, loopback TCP. Fake: the provider. What may be
// asserted: outcomes, what was accepted, how many requests went out.
func Suite(t *testing.T, newMailer func(t *testing.T, endpoint string) mailer.Mailer) {
	t.Run("MagicRecipients", func(t *testing.T) { t.Parallel(); suiteMagic(t, newMailer) })
	t.Run("StrangeAnswersAreUnknown", func(t *testing.T) { t.Parallel(); suiteStrange(t, newMailer) })
	t.Run("NoConnectionIsNotBegun", func(t *testing.T) { t.Parallel(); suiteNoConnection(t, newMailer) })
	t.Run("ContextBoundsTheCall", func(t *testing.T) { t.Parallel(); suiteContext(t, newMailer) })
	t.Run("MailArrivesAsGiven", func(t *testing.T) { t.Parallel(); suiteContent(t, newMailer) })
}

// Mail is a mail that SES takes, to a magic local part.
func Mail(local string) mailer.Mail {
	return mailer.Mail{
		From: "Onefold Desk <desk@example.com>", ReplyTo: "replies@example.com", To: local + "@example.net",
		Subject: "Grüße, your question", Text: "Thank you for writing.\n",
		Headers: []mailer.Header{
			{Name: "In-Reply-To", Value: "<question@example.net>"},
			{Name: "Auto-Submitted", Value: "auto-replied"},
		},
		ConfigurationSet: suiteSet,
		Tags:             []mailer.Tag{{Name: mailer.TagIntent, Value: "int_1"}, {Name: mailer.TagAttempt, Value: "1"}},
	}
}

// bare is the address without its display name.
func bare(s string) string {
	a, err := mail.ParseAddress(s)
	if err != nil {
		return s
	}
	return a.Address
}

func suiteServer(t *testing.T) (*sestest.Server, string) {
	t.Helper()
	s, err := sestest.NewServer(sestest.Options{
		Now:               func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) },
		VerifiedDomains:   []string{"example.com"},
		ConfigurationSets: []sestest.ConfigurationSet{{Name: suiteSet}},
		HoldFor:           20 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.Close()
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s, web.URL
}

func submit(t *testing.T, m mailer.Mailer, mail mailer.Mail) mailer.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), enough)
	defer cancel()
	r := m.Submit(ctx, mail)
	if (r.Outcome == mailer.Accepted) != (r.MessageID != "") {
		t.Errorf("outcome %s with message ID %q: only accepted mail has one, and always", r.Outcome, r.MessageID)
	}
	if r.Outcome != mailer.Accepted && r.Reason == "" {
		t.Errorf("outcome %s without a reason", r.Outcome)
	}
	for _, c := range []byte(r.Reason) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_') {
			t.Errorf("reason %q is no machine word", r.Reason)
			break
		}
	}
	return r
}

func suiteMagic(t *testing.T, newMailer func(t *testing.T, endpoint string) mailer.Mailer) {
	for _, c := range []struct {
		local    string
		outcomes []mailer.Outcome // of one Submit after the other
		halt     bool
		sent     int
	}{
		{local: "somebody", outcomes: []mailer.Outcome{mailer.Accepted, mailer.Accepted}, sent: 2},
		{local: sestest.Accept + "+label", outcomes: []mailer.Outcome{mailer.Accepted}, sent: 1},
		{local: sestest.Bounce, outcomes: []mailer.Outcome{mailer.Accepted}, sent: 1},
		{local: sestest.Complain, outcomes: []mailer.Outcome{mailer.Accepted}, sent: 1},
		{local: sestest.Reject, outcomes: []mailer.Outcome{mailer.Rejected}},
		{local: sestest.Throttle, outcomes: []mailer.Outcome{mailer.Throttled, mailer.Throttled}},
		{local: sestest.ThrottleOnce, outcomes: []mailer.Outcome{mailer.Throttled, mailer.Accepted}, sent: 1},
		{local: sestest.Paused, outcomes: []mailer.Outcome{mailer.Throttled}, halt: true},
		{local: sestest.TimeoutSent, outcomes: []mailer.Outcome{mailer.Unknown}, sent: 1},
		{local: sestest.TimeoutUnsent, outcomes: []mailer.Outcome{mailer.Unknown}},
		{local: sestest.TimeoutSentOnce, outcomes: []mailer.Outcome{mailer.Unknown, mailer.Accepted}, sent: 2},
		{local: sestest.TimeoutUnsentOnce, outcomes: []mailer.Outcome{mailer.Unknown, mailer.Accepted}, sent: 1},
	} {
		t.Run(c.local, func(t *testing.T) {
			t.Parallel()
			server, url := suiteServer(t)
			m := newMailer(t, url)
			for i, want := range c.outcomes {
				r := submit(t, m, Mail(c.local))
				if r.Outcome != want || r.Halt != c.halt {
					t.Errorf("submit %d: got %s halt %v (%s), want %s halt %v", i+1, r.Outcome, r.Halt, r.Reason, want, c.halt)
				}
			}
			if got := len(server.Sent()); got != c.sent {
				t.Errorf("%d mails accepted, want %d", got, c.sent)
			}
			if got := server.Requests(); got != len(c.outcomes) {
				t.Errorf("%d requests for %d submits", got, len(c.outcomes))
			}
		})
	}
}

func suiteContent(t *testing.T, newMailer func(t *testing.T, endpoint string) mailer.Mailer) {
	server, url := suiteServer(t)
	mail := Mail("somebody")
	r := submit(t, newMailer(t, url), mail)
	sent := server.Sent()
	if len(sent) != 1 {
		t.Fatalf("%d mails accepted (%s), want 1", len(sent), r.Reason)
	}
	got := sent[0]
	if got.MessageID != r.MessageID {
		t.Errorf("message ID %q, accepted as %q", r.MessageID, got.MessageID)
	}
	if got.Subject != mail.Subject || got.Text != mail.Text || got.ConfigurationSet != mail.ConfigurationSet {
		t.Errorf("subject, text or configuration set changed: %+v", got)
	}
	if len(got.To) != 1 || bare(got.To[0]) != mail.To || bare(got.From) != "desk@example.com" {
		t.Errorf("to %v from %q", got.To, got.From)
	}
	if len(got.Headers) != len(mail.Headers) || got.Headers[0] != mail.Headers[0] || got.Headers[1] != mail.Headers[1] {
		t.Errorf("headers %v, want %v", got.Headers, mail.Headers)
	}
	if got.Tag(mailer.TagIntent) != "int_1" || got.Tag(mailer.TagAttempt) != "1" {
		t.Errorf("tags %v", got.Tags)
	}
}

func suiteNoConnection(t *testing.T, newMailer func(t *testing.T, endpoint string) mailer.Mailer) {
	t.Run("ClosedPort", func(t *testing.T) {
		t.Parallel()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		url := "http://" + l.Addr().String()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if r := submit(t, newMailer(t, url), Mail("somebody")); r.Outcome != mailer.NotBegun {
			t.Errorf("got %s (%s), want not begun", r.Outcome, r.Reason)
		}
	})
	t.Run("CertificateNotTrusted", func(t *testing.T) {
		t.Parallel()
		var requests atomic.Int32
		web := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
		web.Config.ErrorLog = log.New(io.Discard, "", 0) // the failed handshake is what is wanted
		web.StartTLS()
		defer web.Close()
		r := submit(t, newMailer(t, web.URL), Mail("somebody"))
		if r.Outcome != mailer.NotBegun || requests.Load() != 0 {
			t.Errorf("got %s (%s) and %d requests, want not begun and none", r.Outcome, r.Reason, requests.Load())
		}
	})
}

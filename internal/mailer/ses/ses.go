// Package ses is the mailer on Amazon SES, API version 2.
//
// It owns one invariant: one Submit writes at most one request. SES has no
// idempotency key, so whatever repeats a request repeats the mail. Everything
// that could is off: the SDK's retries, connection reuse (net/http repeats a
// request on a reused connection it finds dead), HTTP/2 and its replays,
// redirects, and rewinding of bodies; and a second round trip of one call is
// refused before it reaches the transport. The price is one TCP and TLS
// handshake per mail.
//
// It also reads the events that SES publishes of a mail (ParseEvent).
//
// It refuses to retry, to guess (what is not proven unsent is Unknown), and to
// pass on any text of the provider.
package ses

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"onefold/internal/mailer"
)

// MinLeft is the least time before the context's deadline with which a call is
// begun. With less, Submit answers NotBegun: a call that is bound to be cut
// off would only make an Unknown.
const MinLeft = 2 * time.Second

const (
	defaultTimeout = 10 * time.Second
	defaultMargin  = 500 * time.Millisecond
	maxMargin      = time.Second
)

// Config is what a Mailer needs. Nothing is read from the environment.
type Config struct {
	Region      string                  // required
	Credentials aws.CredentialsProvider // required
	Now         func() time.Time        // required; compared with the context's deadline

	// ConfigurationSet is that of mail which names none; empty: none. Without
	// one, SES reports nothing of a mail, and its outcome may stay unknown.
	ConfigurationSet string

	// Endpoint is a URL such as http://127.0.0.1:4579; empty: SES itself, in
	// the region.
	Endpoint string
	// AppID is said in the user agent, so that logs of AWS tell whose call it
	// was; empty: nothing is.
	AppID string
	// Timeout bounds one call, connection included; 0 means 10 s.
	Timeout time.Duration
	// Margin is kept between the end of the call and the context's deadline,
	// so that the outcome can still be returned; 0 means 500 ms, at most 1 s.
	Margin time.Duration
	// Transport carries root certificates, a proxy or a dialer. It is cloned,
	// and what could repeat a request is switched off in the clone. Nil means
	// a plain one that uses no proxy.
	Transport *http.Transport
}

// Mailer submits mail to SES. It is safe for concurrent use.
type Mailer struct {
	client  *sesv2.Client
	set     string
	now     func() time.Time
	timeout time.Duration
	margin  time.Duration
}

var _ mailer.Mailer = (*Mailer)(nil)

// New makes a Mailer. It fails when a required field is missing or a duration
// is out of range, and makes no call.
func New(cfg Config) (*Mailer, error) {
	switch {
	case cfg.Region == "":
		return nil, errors.New("ses: no region")
	case cfg.Credentials == nil:
		return nil, errors.New("ses: no credentials provider")
	case cfg.Now == nil:
		return nil, errors.New("ses: no clock")
	case cfg.Timeout < 0:
		return nil, fmt.Errorf("ses: timeout %v is negative", cfg.Timeout)
	case cfg.Margin < 0 || cfg.Margin > maxMargin:
		return nil, fmt.Errorf("ses: margin %v is not within 0 and %v", cfg.Margin, maxMargin)
	}
	m := &Mailer{set: cfg.ConfigurationSet, now: cfg.Now, timeout: cfg.Timeout, margin: cfg.Margin}
	if m.timeout == 0 {
		m.timeout = defaultTimeout
	}
	if m.margin == 0 {
		m.margin = defaultMargin
	}
	opts := sesv2.Options{
		Region:      cfg.Region,
		Credentials: cfg.Credentials,
		HTTPClient:  newClient(cfg.Transport),
		// Either alone would do; both, so that a change of what one of them
		// means cannot bring the second mail back.
		Retryer:          aws.NopRetryer{},
		RetryMaxAttempts: 1,
		AppID:            cfg.AppID,
	}
	if cfg.Endpoint != "" {
		opts.BaseEndpoint = aws.String(cfg.Endpoint)
	}
	m.client = sesv2.New(opts)
	return m, nil
}

// Provider is the name under which evidence of SES is kept.
const Provider = "ses"

// Provider is "ses".
func (*Mailer) Provider() string { return Provider }

// Submit makes one call of SendEmail, or none. See mailer.Mailer for what is
// promised and outcome.go for how outcomes are told apart.
func (m *Mailer) Submit(ctx context.Context, mail mailer.Mail) mailer.Result {
	mail.ConfigurationSet = cmp.Or(mail.ConfigurationSet, m.set)
	in, bad := input(mail)
	if bad != "" {
		return mailer.Result{Outcome: mailer.Rejected, Reason: bad}
	}
	if err := ctx.Err(); err != nil {
		return mailer.Result{Outcome: mailer.NotBegun, Reason: ended(err)}
	}
	timeout := m.timeout
	if deadline, ok := ctx.Deadline(); ok {
		left := deadline.Sub(m.now())
		if left < MinLeft {
			return mailer.Result{Outcome: mailer.NotBegun, Reason: reasonTooLate}
		}
		timeout = min(timeout, left-m.margin)
	}
	call, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	var f flight
	out, err := m.client.SendEmail(withFlight(call, &f), in)
	if err != nil {
		return failed(err, &f, call.Err())
	}
	requestID, _ := awsmiddleware.GetRequestIDMetadata(out.ResultMetadata)
	return answered(aws.ToString(out.MessageId), requestID)
}

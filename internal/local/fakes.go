package local

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"onefold/internal/app"
	"onefold/internal/crm/hubspot"
	"onefold/internal/crm/hubspottest"
	"onefold/internal/mailer/ses"
	"onefold/internal/mailer/sestest"

	"github.com/aws/aws-sdk-go-v2/credentials"
)

// crmToken is what the local CRM accepts. It guards nothing: both ends are
// this process.
const crmToken = "local-crm"

// ConfigurationSet is the one that the local provider knows and reports on.
const ConfigurationSet = "onefold"

// fakes are the stand-ins of SES and HubSpot, on the wire and on ports of
// their own. What they have taken is on disk before they say so, as it would
// be with the real ones.
type fakes struct {
	ses      *sestest.Server
	crm      *hubspottest.Server
	sesURL   string
	crmURL   string
	servers  []*http.Server
	journals []*journal
	closers  []func() error
}

// startFakes brings both up. sink takes the provider's events; d is nil to
// keep nothing. With an error, what is up already is returned to be closed.
func startFakes(d *Data, holdFor time.Duration, sink func(context.Context, []byte)) (*fakes, error) {
	f := &fakes{}
	sesOptions := sestest.Options{
		Now: app.Clock, HoldFor: holdFor, Sink: sink,
		ConfigurationSets: []sestest.ConfigurationSet{{Name: ConfigurationSet, Events: true}},
	}
	crmOptions := hubspottest.Options{Now: app.Clock, Token: crmToken}
	var mails []sestest.SentMail
	var records [][]byte
	if d != nil {
		mailLog, kept, err := openMailLog(d.path("mail.jsonl"))
		if err != nil {
			return f, err
		}
		f.keep(mailLog.journal)
		path := d.path("crm.jsonl")
		good, err := readJournal(path, func(line []byte) error {
			records = append(records, append([]byte(nil), line...))
			return nil
		})
		if err != nil {
			return f, err
		}
		crmLog, err := openJournal(path, good)
		if err != nil {
			return f, err
		}
		f.keep(crmLog)
		mails, sesOptions.Persist, crmOptions.Persist = kept, mailLog.persist, crmLog.append
	}
	var err error
	if f.ses, err = sestest.NewServer(sesOptions); err != nil {
		return f, err
	}
	f.crm = hubspottest.New(crmOptions)
	for _, line := range records {
		if err := f.crm.Restore(line); err != nil {
			return f, errors.Join(errors.New("crm.jsonl is damaged: move it away, or start with a new -data folder"), err)
		}
	}
	if f.sesURL, err = f.serve(f.ses); err != nil {
		return f, err
	}
	if f.crmURL, err = f.serve(f.crm); err != nil {
		return f, err
	}
	// Events that were not handed out before the process died come again now.
	f.ses.Restore(mails)
	return f, nil
}

// keep has a journal closed with the fakes, and watched meanwhile.
func (f *fakes) keep(j *journal) {
	f.journals = append(f.journals, j)
	f.closers = append(f.closers, j.close)
}

// err is what keeps a journal from being written, or nil.
func (f *fakes) err() error {
	for _, j := range f.journals {
		if err := j.err(); err != nil {
			return err
		}
	}
	return nil
}

// serve puts a handler on a free port of the loopback.
func (f *fakes) serve(h http.Handler) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	f.servers = append(f.servers, s)
	go func() { _ = s.Serve(l) }()
	return "http://" + l.Addr().String(), nil
}

func (f *fakes) mailer() (*ses.Mailer, error) {
	return ses.New(ses.Config{
		Region: "us-east-1", Endpoint: f.sesURL, Now: app.Clock,
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
}

func (f *fakes) hubspot(ctx context.Context) (*hubspot.Client, error) {
	c, err := hubspot.New(hubspot.Config{
		BaseURL: f.crmURL, Token: func(context.Context) (string, error) { return crmToken, nil },
	})
	if err != nil {
		return nil, err
	}
	return c, c.SetUp(ctx)
}

func (f *fakes) close(ctx context.Context) {
	if f.ses != nil {
		_ = f.ses.Close(ctx)
	}
	for _, s := range f.servers {
		_ = s.Close()
	}
	for _, c := range f.closers {
		_ = c()
	}
}

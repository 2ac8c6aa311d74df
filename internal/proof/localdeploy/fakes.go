package localdeploy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"onefold/internal/app"
	"onefold/internal/crm/hubspottest"
	"onefold/internal/mailer/sestest"
	"onefold/internal/schema"
)

// CRMCall is before the HTTP method of a call of the CRM, in the words of Call.
const CRMCall = "crm:"

// crmToken is what the CRM's stand-in accepts. It guards nothing.
const crmToken = "token-of-the-stand-in"

// fakes stand in for SES and HubSpot on ports of their own.
type fakes struct {
	ses            *sestest.Server
	crm            *hubspottest.Server
	sesURL, crmURL string
	servers        []*http.Server
}

// startFakes brings both up. g records who calls SES; sink takes the
// provider's events.
func startFakes(stage string, holdFor time.Duration, g *gate, sink func(context.Context, []byte)) (*fakes, error) {
	f := &fakes{}
	var err error
	f.ses, err = sestest.NewServer(sestest.Options{
		Now: app.Clock, HoldFor: holdFor, Sink: sink,
		ConfigurationSets: []sestest.ConfigurationSet{{Name: configurationSet(stage), Events: true}},
	})
	if err != nil {
		return f, fmt.Errorf("start the stand-in of SES: %w", err)
	}
	f.crm = hubspottest.New(hubspottest.Options{Now: app.Clock, Token: crmToken})
	recording := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			return // the caller is gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if r.Method == http.MethodPost {
			g.record(r, body, false)
		}
		f.ses.ServeHTTP(w, r)
		// A short answer is sent when this returns, not before.
		g.spring(r, body)
	})
	if f.sesURL, err = f.serve(recording); err != nil {
		return f, err
	}
	f.crmURL, err = f.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.crm.ServeHTTP(w, r)
		g.springCall(string(schema.CRMSync), CRMCall+r.Method)
	}))
	return f, err
}

// configurationSet is the stage's.
func configurationSet(stage string) string { return "onefold-" + stage }

// serve puts a handler on a free port of the loopback.
func (f *fakes) serve(h http.Handler) (string, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("open a loopback port: %w", err)
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	f.servers = append(f.servers, s)
	go func() { _ = s.Serve(l) }()
	return "http://" + l.Addr().String(), nil
}

func (f *fakes) close(ctx context.Context) {
	if f.ses != nil {
		_ = f.ses.Close(ctx)
	}
	for _, s := range f.servers {
		_ = s.Close()
	}
}

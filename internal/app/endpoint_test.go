package app_test

import (
	"io"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"

	"onefold/internal/app"
	"onefold/internal/mailer/sestest"
	"onefold/internal/schema"
	"onefold/internal/send"
)

// The SDK's own variables lead each service elsewhere, as a local deployment
// needs it; SES with them, although its client is made by hand.
func TestAProbeGoesWhereTheVariablesSay(t *testing.T) {
	inbox, err := sestest.NewServer(sestest.Options{
		Now: time.Now, ConfigurationSets: []sestest.ConfigurationSet{{Name: "onefold-test"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(inbox)
	defer web.Close()
	t.Setenv("AWS_ENDPOINT_URL_SESV2", web.URL)
	t.Setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")
	h := host(newCloud(), variables(schema.Send), io.Discard)
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithRegion("us-east-1"), config.WithCredentialsProvider(h.AWS.Credentials))
	if err != nil {
		t.Fatal(err)
	}
	cfg.HTTPClient = h.AWS.HTTPClient
	h.AWS = cfg
	fn, err := app.Assemble(t.Context(), schema.Send, h)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fn.Invoke(t.Context(), []byte(`{"onefold":"probe"}`)); err != nil {
		t.Fatal(err)
	}
	sent := inbox.Sent()
	if len(sent) != 1 || sent[0].To[0] != send.SimulatorSuccess || sent[0].From != "probe@example.com" || sent[0].ConfigurationSet != "onefold-test" {
		t.Errorf("sent %+v", sent)
	}
	if !app.PathStyle(h) {
		t.Error("buckets are asked for by host names that an emulator has not")
	}
	h.AWS = host(newCloud(), nil, io.Discard).AWS
	t.Setenv("AWS_ENDPOINT_URL_S3", "")
	if app.PathStyle(h) {
		t.Error("S3 itself is asked in the style of emulators")
	}
}

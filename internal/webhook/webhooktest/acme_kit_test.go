package webhooktest_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/webhooktest"
)

// acmeKit signs as the provider's page describes, and not by the source.
func acmeKit() webhooktest.Kit {
	return webhooktest.Kit{
		Source: Acme{}, Content: webhook.ContentForm, Now: time.Unix(1_772_600_767, 0),
		Secrets: [3]string{"acme sample secret 1", "acme sample secret 2", "another's secret"},
		Needs:   []string{"x-acme-time", "x-acme-signature"}, Batch: true,
		Request: func(_ testing.TB, secret string, at time.Time, events ...string) webhook.Request {
			var list []string
			for _, e := range events {
				list = append(list, `{"form":"`+e+`","number":7,"saved_at":"2026-03-04T05:06:07Z","attempt":`+strconv.Itoa(at.Minute())+`}`)
			}
			body := `{"submissions":[` + strings.Join(list, ",") + `]}`
			sum, stamp := sha256.Sum256([]byte(body)), strconv.FormatInt(at.Unix(), 10)
			m := hmac.New(sha256.New, []byte(secret))
			m.Write([]byte(stamp + "\n" + hex.EncodeToString(sum[:])))
			return webhook.Request{Method: "POST", URL: "https://hooks.demo.example/v1/demo/acme", Body: []byte(body), Headers: webhook.Header{
				"x-acme-time": stamp, "x-acme-signature": hex.EncodeToString(m.Sum(nil)),
			}}
		},
	}
}

func TestAcmeKeepsTheRules(t *testing.T) {
	t.Parallel()
	webhooktest.Run(t, acmeKit())
}

func FuzzAcme(f *testing.F) { webhooktest.Fuzz(f, acmeKit()) }

// The signature was made with openssl dgst -sha256 -hmac.
func TestAcmeTakesTheVector(t *testing.T) {
	t.Parallel()
	k := acmeKit()
	s, err := webhook.TextSecret(k.Secrets[0])
	if err != nil {
		t.Fatal(err)
	}
	got, err := Acme{}.Open(webhook.Request{
		Method: "POST", Body: []byte(`{"submissions":[{"form":"f1","number":7,"saved_at":"2026-03-04T05:06:07Z"}]}`),
		Headers: webhook.Header{"x-acme-time": "1772600767", "x-acme-signature": "d61abb1f60dbd600a081a26769af836a587f524cdd7251e115b59687d0116e52"},
	}, webhook.Setting{Content: webhook.ContentForm, Secrets: []webhook.Secret{s}, Now: k.Now})
	if err != nil || len(got.Deliveries) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// TestTheGuideShowsTheSourceThatRuns: every Go block of the page stands, letter
// for letter, in the files above, which run.
func TestTheGuideShowsTheSourceThatRuns(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, name := range []string{"acme_test.go", "acme_kit_test.go"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(b)
	}
	page, err := os.ReadFile("../../../docs/add-a-source.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := goBlock.FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 5 {
		t.Fatalf("%d Go blocks", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(source.String(), b[1]) {
			t.Errorf("the page shows what does not run:\n%s", b[1])
		}
	}
}

package sns_test

import (
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/sns"
)

// TestTheVectorsAreAuthentic: signed by openssl over the string that the
// documentation shows.
func TestTheVectorsAreAuthentic(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Source, Origin, Signed, Certificate string
		Messages                            []map[string]string
	}
	if err := json.Unmarshal(raw, &v); err != nil || v.Origin == "" || len(v.Messages) != 8 {
		t.Fatalf("%d messages, %v", len(v.Messages), err)
	}
	s, err := sns.New([]string{v.Messages[0]["TopicArn"]})
	if err != nil {
		t.Fatal(err)
	}
	set := webhook.Setting{Content: webhook.ContentMail, Document: []byte(v.Certificate), Now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	for _, m := range v.Messages {
		name := m["Type"] + " by version " + m["SignatureVersion"]
		body, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Open(webhook.Request{Method: "POST", Body: body}, set)
		switch m["Type"] {
		case "Notification": // authentic, and of no mail
			if !errors.Is(err, webhook.ErrMalformed) {
				t.Errorf("%s: %v, want ErrMalformed", name, err)
			}
		default:
			if err != nil || (got.Visit != "") != strings.HasPrefix(m["Type"], "Sub") {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
		for field := range m {
			if strings.HasPrefix(field, "Signing") {
				continue
			}
			changed := strings.Replace(string(body), `"`+field+`":"`, `"`+field+`":"1`, 1)
			if _, err := s.Open(webhook.Request{Method: "POST", Body: []byte(changed)}, set); !webhook.Unproven(err) {
				t.Errorf("%s with another %s: %v", name, field, err)
			}
		}
	}
}

func TestTheCertificateLiesWithSNS(t *testing.T) {
	t.Parallel()
	by := newSigner(t, 2048)
	for address, want := range map[string]bool{
		cert: true, "https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-1.pem": true, "https://sns.us-gov-west-1.amazonaws.com/x.pem": true,
		"http://sns.eu-west-1.amazonaws.com/x.pem": false, "https://sns.eu-west-1.amazonaws.com.evil.example/x.pem": false,
		"https://evil.example/sns.eu-west-1.amazonaws.com/x.pem": false, "https://sns.eu-west-1.amazonaws.com@evil.example/x.pem": false,
		"https://sns.eu-west-1.amazonaws.com/x.pem?y": false, "https://sns.eu-west-1.amazonaws.com/x.pem#y": false, "https://sns.eu-west-1.amazonaws.com:443/x.pem": false,
		"https://sns.eu-west-1.amazonaws.com/x": false, "https://sns.eu-west-1.amazonaws.com/../x.pem": false, "https://s3.amazonaws.com/x.pem": false,
		"https://sns.amazonaws.com/x.pem": false, "https://sns.a.b.amazonaws.com/x.pem": false, "": false, "sns.eu-west-1.amazonaws.com/x.pem": false, "file:///x.pem": false,
		// A bucket of S3 has a name of this form, and anybody may have made the one that is called sns.
		"https://sns.s3-us-west-2.amazonaws.com/x.pem": false, "https://sns.s3-accelerate.amazonaws.com/x.pem": false, "https://sns.s3-external-1.amazonaws.com/x.pem": false,
		"https://sns.evil.amazonaws.com/x.pem": false, "https://sns.cn-north-1.amazonaws.com/x.pem": false, "https://sns.eu-west-1.amazonaws.com.cn/x.pem": false,
		"https://sns.us-iso-east-1.amazonaws.com/x.pem": true, "https://sns.ap-southeast-10.amazonaws.com/x.pem": true,
		"https://SNS.eu-west-1.amazonaws.com/x.pem": false, "https://sns.evil.example%2f.amazonaws.com/x.pem": false, "https://sns-eu-west-1.amazonaws.com/x.pem": false,
	} {
		r := by.sign(t, "2", notice(received("a")))
		r.Body = []byte(strings.Replace(string(r.Body), cert, address, 1))
		got, err := source(t).Document(r)
		if (err == nil) != want || want && got != address || err != nil && !webhook.Unproven(err) {
			t.Errorf("%q: %q, %v, want taken %t", address, got, err, want)
		}
	}
	other := notice(received("a"))
	other["TopicArn"] = topic + "x"
	if _, err := source(t).Document(by.sign(t, "2", other)); !errors.Is(err, webhook.ErrBadSignature) {
		t.Errorf("a topic that is not in the list: %v", err)
	}
}

func TestOnlyAStrongKeyInDateCounts(t *testing.T) {
	t.Parallel()
	strong, weak := newSigner(t, 2048), newSigner(t, 1024)
	for name, c := range map[string]struct {
		by       signer
		document []byte
		now      time.Time
		want     error
	}{
		"good":       {strong, strong.cert, now(), nil},
		"expired":    {strong, strong.cert, now().Add(2 * time.Hour), webhook.ErrBadSignature},
		"not yet":    {strong, strong.cert, now().Add(-2 * time.Hour), webhook.ErrBadSignature},
		"weak":       {weak, weak.cert, now(), webhook.ErrBadSignature},
		"another's":  {strong, weak.cert, now(), webhook.ErrBadSignature},
		"no PEM":     {strong, []byte("x"), now(), webhook.ErrBadSignature},
		"none":       {strong, nil, now(), webhook.ErrBadSignature},
		"other PEM":  {strong, []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), now(), webhook.ErrBadSignature},
		"a bad page": {strong, []byte("<html>not found</html>"), now(), webhook.ErrBadSignature},
	} {
		_, err := source(t).Open(c.by.sign(t, "2", notice(received("a"))), webhook.Setting{Document: c.document, Now: c.now})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// A value with a line feed could be read as the end of one value and the
// beginning of the next.
func TestNoValueButTheMessageHasLines(t *testing.T) {
	t.Parallel()
	m := notice(received("a"))
	m["Subject"] = "x\nTimestamp\n2026"
	if _, err := opened(t, m); !errors.Is(err, webhook.ErrBadSignature) {
		t.Errorf("%v, want ErrBadSignature", err)
	}
}

func TestATopicIsAnARN(t *testing.T) {
	t.Parallel()
	for arn, want := range map[string]bool{
		topic: true, "arn:aws-cn:sns:cn-north-1:123456789012:m": true, topic + ".fifo": true, "mail": false, "arn:aws:sqs:eu-west-1:123456789012:mail": false,
		topic + ":8a21d249": false, "arn:aws:sns:eu-west-1:12345678901:mail": false, "": false, topic + "\n": false,
	} {
		if _, err := sns.New([]string{arn}); (err == nil) != want {
			t.Errorf("%q: %v, want taken %t", arn, err, want)
		}
	}
	if _, err := sns.New(nil); err == nil {
		t.Error("a source without topics")
	}
}

// Nobody knows yet who sent it, so a body costs about what it holds, and one of
// more members than SNS writes is none of SNS's. Not parallel: it measures memory.
func TestABodyOfAStrangerTakesLittleMemory(t *testing.T) {
	const size = 2 << 20
	for name, body := range map[string]string{
		"a list of numbers": `{"a":[` + strings.Repeat("0,", size/2) + `0]}`, "a list of lists": `{"a":[` + strings.Repeat("[],", size/3) + `0]}`,
		"many members": `{` + strings.Repeat(`"a":0,`, size/6) + `"b":0}`, "depth": strings.Repeat(`{"a":`, size/5), "brackets": `{"a":` + strings.Repeat("[", size),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := source(t).Open(webhook.Request{Method: "POST", Body: []byte(body)}, webhook.Setting{Now: now()})
		runtime.ReadMemStats(&after)
		if !errors.Is(err, webhook.ErrBadSignature) {
			t.Errorf("%s: %v", name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 8*size {
			t.Errorf("%s: %d bytes for %d", name, took, len(body))
		}
	}
	m := notice(received("a"))
	if _, err := opened(t, m); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		m["X"+strings.Repeat("x", i)] = "more"
	}
	if _, err := opened(t, m); !errors.Is(err, webhook.ErrBadSignature) {
		t.Errorf("more members than SNS writes: %v", err)
	}
}

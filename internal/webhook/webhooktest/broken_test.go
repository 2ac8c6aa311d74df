package webhooktest_test

// The suite against sources that break one rule each. Each runs in a process of
// its own, which has to fail by that rule.

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/webhooktest"
)

const envBroken = "WEBHOOKTEST_BROKEN"

// source is a small scheme of its own: x-sig is the hex HMAC-SHA256 of x-time,
// a full stop and the body; a body is {"events":[{"id":…},…]}.
type source struct{ broken string }

func (s source) About() webhook.About {
	a := webhook.About{
		Scheme: "toy", Name: "Toy", Contents: []string{webhook.ContentForm}, ID: "`id`", Auth: "HMAC", Past: time.Minute, Future: time.Minute,
		Answers: webhook.StandardWebhooks(), Final: []int{410}, MaxBody: 1 << 16,
	}
	switch s.broken {
	case "fault is final":
		a.Answers.Fault = 410
	case "unauthenticated is a success":
		a.Answers.Unauthenticated = 202
	}
	return a
}

func (s source) Open(r webhook.Request, set webhook.Setting) (webhook.Opened, error) {
	stamp, offered := r.Headers["x-time"], r.Headers["x-sig"]
	if s.broken == "case of headers" {
		stamp, offered = r.Headers["X-Time"], r.Headers["X-Sig"]
	}
	if stamp == "" || offered == "" {
		if s.broken == "missing is fine" {
			return s.split(r, set)
		}
		return webhook.Opened{}, webhook.ErrMissingHeader
	}
	known, fits := false, false
	for i, secret := range set.Secrets {
		if secret.IsZero() || i > 0 && s.broken == "no previous" {
			continue
		}
		known = true
		m := hmac.New(sha256.New, []byte(secret.Text()))
		m.Write([]byte(stamp + "."))
		if s.broken == "half of the body" {
			m.Write(r.Body[:len(r.Body)/2])
		} else {
			m.Write(r.Body)
		}
		if got, err := hex.DecodeString(offered); err == nil && hmac.Equal(got, m.Sum(nil)) {
			fits = true
		}
	}
	n, err := strconv.ParseInt(stamp, 10, 64)
	switch {
	case !known && s.broken != "no secret is fine":
		return webhook.Opened{}, webhook.ErrNoSecret
	case known && !fits && s.broken == "talks":
		return webhook.Opened{}, fmt.Errorf("%w: %s", webhook.ErrBadSignature, r.Body)
	case known && !fits && s.broken != "any signature":
		return webhook.Opened{}, webhook.ErrBadSignature
	case err != nil:
		return webhook.Opened{}, webhook.ErrBadTimestamp
	case s.broken != "no window" && set.Now.Sub(time.Unix(n, 0)) > time.Minute:
		return webhook.Opened{}, webhook.ErrTooOld
	case time.Unix(n, 0).Sub(set.Now) > time.Minute:
		return webhook.Opened{}, webhook.ErrTooNew
	}
	return s.split(r, set)
}

func (s source) split(r webhook.Request, set webhook.Setting) (webhook.Opened, error) {
	var body struct{ Events []map[string]any }
	if json.Unmarshal(r.Body, &body) != nil {
		return webhook.Opened{}, webhook.ErrMalformed
	}
	var out webhook.Opened
	for _, e := range body.Events {
		raw, _ := json.Marshal(e)
		d := webhook.Delivery{ID: fmt.Sprint(e["id"]), Content: webhook.ContentForm, Raw: raw, Fingerprint: webhook.Fingerprint(raw)}
		switch s.broken {
		case "ID of the body":
			d.ID = webhook.Fingerprint(r.Body)
		case "ID of the time":
			d.ID = set.Now.Format("150405")
		case "fingerprint of the request":
			d.Fingerprint = webhook.Fingerprint(append(r.Body, r.Headers["x-time"]...))
		case "first only":
			if len(out.Deliveries) == 1 {
				continue
			}
		}
		out.Deliveries = append(out.Deliveries, d)
	}
	if s.broken == "changes the request" && len(r.Body) > 0 {
		r.Body[0] = '['
	}
	return out, nil
}

func kit(broken string) webhooktest.Kit {
	return webhooktest.Kit{
		Source: source{broken}, Content: webhook.ContentForm, Secrets: [3]string{"current secret 1", "previous secret 2", "a stranger's one"},
		Now: time.Unix(1_772_600_000, 0), Batch: true, Needs: []string{"x-time", "x-sig"},
		Request: func(_ testing.TB, secret string, at time.Time, events ...string) webhook.Request {
			body := `{"events":[{"id":"` + strings.Join(events, `"},{"id":"`) + `"}]}`
			stamp := strconv.FormatInt(at.Unix(), 10)
			m := hmac.New(sha256.New, []byte(secret))
			m.Write([]byte(stamp + "." + body))
			return webhook.Request{Method: "POST", Body: []byte(body), Headers: webhook.Header{"x-time": stamp, "x-sig": hex.EncodeToString(m.Sum(nil))}}
		},
	}
}

func TestRun(t *testing.T) {
	webhooktest.Run(t, kit(os.Getenv(envBroken)))
}

func TestABrokenSourceFailsByTheRuleItBreaks(t *testing.T) {
	t.Parallel()
	for broken, rule := range map[string]string{
		"fault is final":               "NoAnswerDisconnectsTheSender",
		"unauthenticated is a success": "NoAnswerDisconnectsTheSender",
		"case of headers":              "WhatTheSenderSendsIsTaken",
		"missing is fine":              "WithoutAHeaderThereIsNoProof",
		"no previous":                  "CurrentAndPreviousSecretAreTakenAndNoOther",
		"half of the body":             "WhatTheSenderSendsIsTaken",
		"no secret is fine":            "WithoutASecretNothingIsTaken",
		"any signature":                "WhatWasChangedIsRefused",
		"talks":                        "NoErrorHoldsASecretOrTheContent",
		"no window":                    "OldAndFutureAreRefusedByTheWindow",
		"ID of the body":               "SeveralEventsAreSplitInOrder",
		"ID of the time":               "ARepeatIsTheSameEvent",
		"fingerprint of the request":   "ARepeatIsTheSameEvent",
		"first only":                   "SeveralEventsAreSplitInOrder",
		"changes the request":          "TheRequestIsLeftAsItWas",
	} {
		t.Run(broken, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRun$")
			cmd.Env = append(os.Environ(), envBroken+"="+broken)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || !strings.Contains(string(out), "--- FAIL: TestRun/"+rule) {
				t.Errorf("the suite did not fail by %s (%v):\n%s", rule, err, out)
			}
		})
	}
}

func FuzzToy(f *testing.F) { webhooktest.Fuzz(f, kit("")) }

package ownform_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/ownform"
	"onefold/internal/webhook/webhooktest"
)

const page = "https://www.demo.example"

func form(t testing.TB) ownform.Source {
	t.Helper()
	s, err := ownform.New([]string{page, "http://localhost:8080"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func post(media, body string) webhook.Request {
	return webhook.Request{
		Method: "POST", URL: "https://hooks.demo.example/v1/demo/contact", Body: []byte(body),
		Headers: webhook.Header{"content-type": media, "origin": page},
	}
}

const id = "0b9f6c1e-6f3a-4d0e-9a3b-7d1f5b0c2a11"

func kits(t testing.TB) map[string]webhooktest.Kit {
	now := time.Unix(1_772_600_000, 0)
	return map[string]webhooktest.Kit{
		"JSON": {Source: form(t), Content: webhook.ContentForm, Now: now, Request: func(_ testing.TB, _ string, _ time.Time, e ...string) webhook.Request {
			return post("application/json", `{"submission_id":"`+id+e[0]+`","email":"ann@example.org"}`)
		}},
		"fields": {Source: form(t), Content: webhook.ContentForm, Now: now, Request: func(_ testing.TB, _ string, _ time.Time, e ...string) webhook.Request {
			return post("application/x-www-form-urlencoded; charset=UTF-8", "submission_id="+id+e[0]+"&email=ann%40example.org&message=Gr%C3%BC%C3%9Fe+aus+Wien")
		}},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, k := range kits(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			webhooktest.Run(t, k)
		})
	}
}

func FuzzJSON(f *testing.F)   { webhooktest.Fuzz(f, kits(f)["JSON"]) }
func FuzzFields(f *testing.F) { webhooktest.Fuzz(f, kits(f)["fields"]) }

func opened(t *testing.T, r webhook.Request) webhook.Delivery {
	t.Helper()
	got, err := form(t).Open(r, webhook.Setting{Content: webhook.ContentForm})
	if err != nil || len(got.Deliveries) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	return got.Deliveries[0]
}

func TestOnlyPagesOfTheListMayPost(t *testing.T) {
	t.Parallel()
	for origin, want := range map[string]bool{
		page: true, "http://localhost:8080": true, "": false, "null": false, "https://demo.example": false, page + ".evil.example": false,
		"http://www.demo.example": false, page + ":443": false, page + "," + page: false, "HTTPS://WWW.DEMO.EXAMPLE": false,
	} {
		for _, method := range []string{"POST", "OPTIONS"} {
			r := post("application/json", `{"submission_id":"`+id+`"}`)
			r.Method, r.Headers["origin"] = method, origin
			_, err := form(t).Open(r, webhook.Setting{})
			if want != (err == nil) || err != nil && !errors.Is(err, webhook.ErrBadSignature) {
				t.Errorf("%s from %q: %v, want taken %t", method, origin, err, want)
			}
			allowed, ok := form(t).AnswerHeaders(r)["access-control-allow-origin"]
			if ok != want || want && allowed != origin {
				t.Errorf("%q is allowed as %q", origin, allowed)
			}
		}
	}
}

func TestAPreflightIsAnsweredAndNothingIsTaken(t *testing.T) {
	t.Parallel()
	r := webhook.Request{Method: "OPTIONS", Headers: webhook.Header{"origin": page, "access-control-request-method": "POST", "access-control-request-headers": "content-type"}}
	got, err := form(t).Open(r, webhook.Setting{})
	if err != nil || got.Reply == nil || len(got.Deliveries) != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	h := got.Reply.Headers
	if got.Reply.Status != 204 || h["access-control-allow-methods"] != "POST" || h["access-control-allow-headers"] != "content-type" {
		t.Errorf("%+v", got.Reply)
	}
	if _, ok := h["access-control-allow-credentials"]; ok {
		t.Error("cookies are allowed, and none are used")
	}
}

func TestABodyThatNeedsNoPreflightIsTakenAsFieldsOnly(t *testing.T) {
	t.Parallel()
	// "Simple" media types of the fetch standard but one.
	for _, media := range []string{"text/plain", "multipart/form-data; boundary=x", ""} {
		if _, err := form(t).Open(post(media, `{"submission_id":"`+id+`"}`), webhook.Setting{}); !errors.Is(err, webhook.ErrKind) {
			t.Errorf("%q: %v, want ErrKind", media, err)
		}
	}
}

func TestFieldsAndJSONOfTheSameValuesAreOneSubmission(t *testing.T) {
	t.Parallel()
	a := opened(t, post("application/json", `{ "email":"ann@example.org", "submission_id":"`+id+`", "message":"Grüße" }`))
	b := opened(t, post("application/json", `{"message":"Gr\u00fc\u00dfe","submission_id":"`+id+`","email":"ann@example.org"}`))
	c := opened(t, post("application/x-www-form-urlencoded", "email=ann%40example.org&message=Gr%C3%BC%C3%9Fe&submission_id="+id))
	if a.ID != id || b.ID != id || c.ID != id || a.Fingerprint != b.Fingerprint || a.Fingerprint != c.Fingerprint {
		t.Errorf("%q %q %q", a.Fingerprint, b.Fingerprint, c.Fingerprint)
	}
	if string(c.Raw) != `{"email":"ann@example.org","message":"Grüße","submission_id":"`+id+`"}` {
		t.Errorf("fields became %s", c.Raw)
	}
	d := opened(t, post("application/json", `{"message":"Grüsse","submission_id":"`+id+`","email":"ann@example.org"}`))
	if d.ID != id || d.Fingerprint == a.Fingerprint {
		t.Error("other content has the same fingerprint")
	}
}

func TestASubmissionNeedsAnIDOfThePage(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"none": `{"email":"ann@example.org"}`, "short": `{"submission_id":"1"}`, "number": `{"submission_id":12345678901234567890}`,
		"long": `{"submission_id":"` + strings.Repeat("a", 129) + `"}`, "space": `{"submission_id":"0b9f6c1e 6f3a-4d0e"}`, "list": `{"submission_id":["` + id + `"]}`,
	} {
		if _, err := form(t).Open(post("application/json", body), webhook.Setting{}); !errors.Is(err, webhook.ErrBadID) {
			t.Errorf("%s: %v, want ErrBadID", name, err)
		}
	}
	for name, body := range map[string]string{
		"twice": "submission_id=" + id + "&submission_id=" + id, "too many fields": "submission_id=" + id + strings.Repeat("&a=1", 100),
		"no escape": "submission_id=%zz", "not UTF-8": "submission_id=" + id + "&message=%ff", "semicolon": "submission_id=" + id + ";a=1",
	} {
		if got, err := form(t).Open(post("application/x-www-form-urlencoded", body), webhook.Setting{}); err == nil {
			t.Errorf("%s: taken: %+v", name, got)
		}
	}
}

func TestAnOriginIsWrittenAsBrowsersDo(t *testing.T) {
	t.Parallel()
	for origin, want := range map[string]bool{
		page: true, "https://demo.example:8443": true, "http://localhost": true, "http://127.0.0.1:3000": true,
		"http://demo.example": false, "https://Demo.example": false, "https://demo.example/": false, "https://demo.example/form": false,
		"demo.example": false, "*": false, "null": false, "": false, "https://": false, "https://u@demo.example": false,
	} {
		if _, err := ownform.New([]string{origin}); (err == nil) != want {
			t.Errorf("%q: %v, want taken %t", origin, err, want)
		}
	}
	if _, err := ownform.New(nil); err == nil {
		t.Error("a form without origins")
	}
}

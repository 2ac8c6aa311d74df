package sestest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/mailer"
	"onefold/internal/mailer/sestest"
)

func now() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC) }

// newServer makes one with the configuration sets "events" and "silent".
func newServer(t *testing.T, opts sestest.Options) *sestest.Server {
	t.Helper()
	if opts.Now == nil {
		opts.Now = now
	}
	opts.ConfigurationSets = []sestest.ConfigurationSet{{Name: "events", Events: true}, {Name: "silent"}}
	s, err := sestest.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

// body is a request that SES takes, after change.
func body(t *testing.T, to string, change func(request map[string]any)) string {
	t.Helper()
	request := map[string]any{
		"FromEmailAddress": "Desk <desk@example.com>",
		"Destination":      map[string]any{"ToAddresses": []string{to}},
		"Content": map[string]any{"Simple": map[string]any{
			"Subject": map[string]any{"Data": "Grüße", "Charset": "UTF-8"},
			"Body":    map[string]any{"Text": map[string]any{"Data": "Hello", "Charset": "UTF-8"}},
			"Headers": []any{pair("Message-ID", "<ours@example.com>"), pair("In-Reply-To", "<q@example.net>")},
		}},
		"EmailTags":            []any{pair("onefold_intent", "int_1")},
		"ConfigurationSetName": "events",
	}
	if change != nil {
		change(request)
	}
	data, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func pair(name, value string) map[string]any { return map[string]any{"Name": name, "Value": value} }

func post(s http.Handler, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, sestest.SendPath, strings.NewReader(body))
	r.Header.Set("X-Amz-Date", "20260304T050607Z")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260304/us-east-1/ses/aws4_request, SignedHeaders=host, Signature=00")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func send(t *testing.T, s http.Handler, to string) string {
	t.Helper()
	w := post(s, body(t, to, nil))
	var answer struct {
		MessageID string `json:"MessageId"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 200 || answer.MessageID == "" {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	return answer.MessageID
}

func TestAcceptedMailIsKeptAsSESTakesIt(t *testing.T) {
	t.Parallel()
	s := newServer(t, sestest.Options{Region: "eu-central-1"})
	id := send(t, s, "somebody@example.net")
	sent := s.Sent()
	if len(sent) != 1 {
		t.Fatalf("%d mails", len(sent))
	}
	m := sent[0]
	if m.MessageID != id || m.WireMessageID != "<"+id+"@eu-central-1.amazonses.com>" {
		t.Errorf("IDs %q, %q for the answer %q", m.MessageID, m.WireMessageID, id)
	}
	if want := []mailer.Header{{Name: "In-Reply-To", Value: "<q@example.net>"}}; !reflect.DeepEqual(m.Headers, want) {
		t.Errorf("headers %v, want %v: SES overrides Message-ID", m.Headers, want)
	}
	if m.Tag("onefold_intent") != "int_1" || m.At.Std() != now() || m.Subject != "Grüße" {
		t.Errorf("got %+v", m)
	}
	m.Tags[0].Value = "changed"
	if s.Sent()[0].Tag("onefold_intent") != "int_1" {
		t.Error("Sent gave away its own memory")
	}
}

func TestPersistedBeforeItCounts(t *testing.T) {
	t.Parallel()
	s := newServer(t, sestest.Options{Persist: func(sestest.SentMail) error { return errors.New("disk full") }})
	w := post(s, body(t, "somebody@example.net", nil))
	if w.Code != 500 || len(s.Sent()) != 0 {
		t.Errorf("got %d with %d mails sent, want 500 and none", w.Code, len(s.Sent()))
	}
}

func TestNothingAcceptedIsForgottenByARestart(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	disk := map[string]sestest.SentMail{}
	persist := func(m sestest.SentMail) error {
		mu.Lock()
		defer mu.Unlock()
		disk[m.MessageID] = m
		return nil
	}
	var first, second []string
	sink := func(to *[]string) func(context.Context, []byte) {
		return func(_ context.Context, e []byte) { *to = append(*to, string(e)) }
	}
	one := newServer(t, sestest.Options{Persist: persist, Sink: sink(&first)})
	send(t, one, "reported@example.net")
	if err := one.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	one.SetFeed(sestest.FeedHeld)
	lateID := send(t, one, "bounce@example.net")
	if err := one.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(first) != 2 {
		t.Fatalf("%d events before the restart, want Send and Delivery of the first mail", len(first))
	}

	two := newServer(t, sestest.Options{Persist: persist, Sink: sink(&second)})
	var mails []sestest.SentMail
	for _, m := range disk {
		// As a process would that keeps JSON.
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back sestest.SentMail
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		mails = append(mails, back)
	}
	two.Restore(mails)
	two.Restore(mails)
	if err := two.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(two.Sent()) != 2 {
		t.Errorf("%d mails after the restart, want 2", len(two.Sent()))
	}
	if len(second) != 2 || !strings.Contains(second[1], `"Bounce"`) || !strings.Contains(second[1], lateID) {
		t.Errorf("events after the restart: %v", second)
	}
	if !disk[lateID].EventsDone {
		t.Error("not persisted that the events were handed out")
	}
	if send(t, two, "more@example.net") == lateID {
		t.Error("a message ID came twice")
	}
}

func TestOnceIsOnceForEachAddressEvenAfterARestart(t *testing.T) {
	t.Parallel()
	s := newServer(t, sestest.Options{HoldFor: time.Millisecond})
	for i, want := range []int{429, 200, 200} {
		if w := post(s, body(t, "throttle-once+a@example.net", nil)); w.Code != want {
			t.Errorf("request %d: %d, want %d", i+1, w.Code, want)
		}
	}
	if w := post(s, body(t, "throttle-once+b@example.net", nil)); w.Code != 429 {
		t.Errorf("another address: %d, want 429", w.Code)
	}
	post(s, body(t, "timeout-sent-once@example.net", nil))
	restarted := newServer(t, sestest.Options{HoldFor: time.Millisecond})
	restarted.Restore(s.Sent())
	send(t, restarted, "timeout-sent-once@example.net") // answered now
}

func TestHeldConnectionIsCutByClose(t *testing.T) {
	t.Parallel()
	accepted := make(chan struct{}, 1)
	s := newServer(t, sestest.Options{HoldFor: time.Hour, Persist: func(sestest.SentMail) error {
		accepted <- struct{}{}
		return nil
	}})
	web := httptest.NewServer(s)
	defer web.Close()
	go func() {
		<-accepted
		_ = s.Close(context.Background())
	}()
	r, err := http.NewRequest(http.MethodPost, web.URL+sestest.SendPath, strings.NewReader(body(t, "timeout-sent@example.net", nil)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Amz-Date", "20260304T050607Z")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=A/20260304/us-east-1/ses/aws4_request, SignedHeaders=host, Signature=00")
	resp, err := web.Client().Do(r)
	if err == nil {
		_ = resp.Body.Close()
		t.Errorf("an answer: %d, want a cut connection", resp.StatusCode)
	}
	if len(s.Sent()) != 1 {
		t.Errorf("%d mails accepted, want 1", len(s.Sent()))
	}
	if w := post(s, body(t, "somebody@example.net", nil)); w.Code != 503 {
		t.Errorf("after Close: %d, want 503", w.Code)
	}
}

func TestManyAtOnceAreEachAcceptedOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t, sestest.Options{Sink: func(context.Context, []byte) {}})
	const mails = 50
	var wg sync.WaitGroup
	for i := range mails {
		wg.Go(func() { send(t, s, fmt.Sprintf("p%d@example.net", i)) })
	}
	wg.Wait()
	ids := map[string]bool{}
	for _, m := range s.Sent() {
		ids[m.MessageID] = true
	}
	if len(ids) != mails || s.Requests() != mails {
		t.Errorf("%d IDs for %d requests, want %d", len(ids), s.Requests(), mails)
	}
}

func TestPageEscapesMail(t *testing.T) {
	t.Parallel()
	s := newServer(t, sestest.Options{})
	post(s, body(t, "somebody@example.net", func(r map[string]any) {
		simple := r["Content"].(map[string]any)["Simple"].(map[string]any)
		simple["Body"] = map[string]any{"Text": map[string]any{"Data": `</pre><script>alert(1)</script>`, "Charset": "UTF-8"}}
	}))
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	page := get("/").Body.String()
	if strings.Contains(page, "<script") || !strings.Contains(page, "&lt;script&gt;") || !strings.Contains(page, "somebody@example.net") {
		t.Errorf("page: %s", page)
	}
	var mails []sestest.SentMail
	if err := json.Unmarshal(get("/sent.json").Body.Bytes(), &mails); err != nil || !reflect.DeepEqual(mails, s.Sent()) {
		t.Errorf("sent.json: %+v, %v", mails, err)
	}
	if w := get("/v2/email/account"); w.Code != 404 || w.Header().Get("X-Amzn-Errortype") != "UnknownOperationException" {
		t.Errorf("another operation: %d", w.Code)
	}
}

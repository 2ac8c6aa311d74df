package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"onefold/internal/crm"
	"onefold/internal/crm/hook"
)

// heard is one request as it came.
type heard struct {
	id, body string
	header   http.Header
}

// listener answers with a status and keeps what it hears.
func listener(t *testing.T, status int, answer string, secrets ...string) (*hook.Client, *[]heard) {
	t.Helper()
	var all []heard
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		all = append(all, heard{r.Header.Get("webhook-id"), string(b), r.Header})
		if status/100 == 3 {
			w.Header().Set("Location", "/elsewhere")
		}
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "9")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(web.Close)
	if len(secrets) == 0 {
		secrets = []string{secret}
	}
	doc, _ := json.Marshal(map[string]any{"url": "https://crm.example.com/onefold?tenant=demo", "secrets": secrets})
	c, err := hook.New(hook.Config{
		BaseURL: web.URL, HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Secret: func(context.Context) (string, error) { return string(doc), nil },
		Now:    func() time.Time { return time.Unix(1_772_600_000, 0) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, &all
}

// ada is a contact whose company was written as "Example Ltd" before.
func ada(company string, revision int64) crm.Contact {
	digest := func(f crm.Field, normal string) string { return string(f) + normal }
	return crm.Contact{Ref: "c1", Revision: revision, Email: "ada@example.com", Company: company, Last: crm.Last{
		Record: "7", Digest: digest, Wrote: map[crm.Field]string{crm.FieldEmail: "emailada@example.com", crm.FieldCompany: "companyexample ltd"},
	}}
}

func TestOnlyWhatDiffersIsSaid(t *testing.T) {
	t.Parallel()
	c, all := listener(t, 200, `{"id":"7"}`)
	if r := c.UpsertContact(t.Context(), ada("Example Ltd", 1), "7"); r.Outcome != crm.Done || r.ID != "7" || len(*all) != 0 {
		t.Errorf("nothing to say: %+v after %d messages", r, len(*all))
	}
	c.UpsertContact(t.Context(), ada("Sample Ltd", 2), "7")
	const want = `{"type":"contact.upsert","timestamp":"2026-03-04T04:53:20Z","data":{"ref":"c1","revision":2,"id":"7","fields":{"company":"Sample Ltd"}}}`
	if got := (*all)[0].body; got != want {
		t.Errorf("said:\n%s, want\n%s", got, want)
	}
	// What may have been written without an answer is said again.
	lost := ada("Example Ltd", 3)
	lost.Last.Tried = map[crm.Field][]string{crm.FieldCompany: {"companysample ltd"}}
	c.UpsertContact(t.Context(), lost, "7")
	if got := (*all)[1].body; !strings.Contains(got, `"fields":{"company":"Example Ltd"}`) {
		t.Errorf("after an unknown outcome: %s", got)
	}
}

// A value that comes back is another message than the one that first said it, or
// the receiver would take it for a repeat.
func TestAnIDIsThatOfARevisionAndItsValues(t *testing.T) {
	t.Parallel()
	c, all := listener(t, 200, `{"id":"7"}`)
	for _, ct := range []crm.Contact{ada("B", 2), ada("B", 2), ada("C", 2), ada("B", 4)} {
		c.UpsertContact(t.Context(), ct, "7")
	}
	id := func(n int) string { return (*all)[n].id }
	if id(0) != id(1) || id(0) == id(2) || id(0) == id(3) || !regexp.MustCompile(`^msg_[0-9a-f]{64}$`).MatchString(id(0)) {
		t.Errorf("IDs %q %q %q %q", id(0), id(1), id(2), id(3))
	}
	note := crm.Note{Ref: "n1", ContactID: "7", At: time.Unix(1_772_000_000, 0), Body: "Hello"}
	c.UpsertNote(t.Context(), note)
	c.UpsertNote(t.Context(), note)
	if id(4) != id(5) || id(4) == id(0) {
		t.Errorf("IDs of a note: %q %q", id(4), id(5))
	}
}

// While a secret is replaced a message has a signature of each, and whoever has
// one of the two takes it (the scheme's own library says so).
func TestAMessageIsSignedByEachSecret(t *testing.T) {
	t.Parallel()
	c, all := listener(t, 200, `{"id":"7"}`, secret, other)
	c.UpsertTask(t.Context(), crm.Task{Ref: "t1", ContactID: "7", Due: time.Unix(1_772_000_000, 0), Title: "Answer"})
	for _, s := range []string{secret, other} {
		w, err := standardwebhooks.NewWebhook(s)
		if err == nil {
			err = w.VerifyIgnoringTimestamp([]byte((*all)[0].body), (*all)[0].header)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

func TestWhatEachAnswerSays(t *testing.T) {
	t.Parallel()
	account := func(o crm.Outcome, reason string) crm.Result {
		return crm.Result{Outcome: o, Reason: reason, Account: true}
	}
	plain := func(o crm.Outcome, reason string) crm.Result { return crm.Result{Outcome: o, Reason: reason} }
	busy := account(crm.Busy, crm.ReasonRateLimit)
	busy.RetryAfter = 9 * time.Second
	for _, c := range []struct {
		status int
		body   string
		want   crm.Result
	}{
		{200, `{"id":"7","created":true}`, crm.Result{Outcome: crm.Done, ID: "7", Created: true}},
		{201, `{"id":"7","adopted":true}`, crm.Result{Outcome: crm.Done, ID: "7", Adopted: true}},
		{200, `{}`, plain(crm.Unknown, crm.ReasonNoAnswer)},
		{204, ``, plain(crm.Unknown, crm.ReasonNoAnswer)},
		{301, ``, account(crm.Refused, crm.ReasonSetup)},
		{400, ``, plain(crm.Refused, crm.ReasonInvalid)},
		{401, ``, account(crm.Refused, crm.ReasonAuth)},
		{403, ``, plain(crm.Refused, crm.ReasonAuth)},
		{404, ``, plain(crm.Refused, crm.ReasonSetup)},
		{404, `{"reason":"contact_missing"}`, plain(crm.Refused, crm.ReasonContactMissing)},
		{409, `{"reason":"two_records"}`, plain(crm.Conflict, crm.ReasonTwoRecords)},
		{409, `{"reason":"ada@example.com"}`, plain(crm.Conflict, crm.ReasonOtherReference)},
		{410, ``, account(crm.Refused, crm.ReasonGone)},
		{422, ``, plain(crm.Refused, crm.ReasonInvalid)},
		{429, ``, busy},
		{500, ``, plain(crm.Unknown, crm.ReasonServerError)},
		{502, ``, plain(crm.Unknown, crm.ReasonServerError)},
		{503, ``, plain(crm.Unknown, crm.ReasonServerError)},
	} {
		client, all := listener(t, c.status, c.body)
		if got := client.UpsertContact(t.Context(), ada("B", 2), "7"); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d %s: %+v, want %+v", c.status, c.body, got, c.want)
		}
		if len(*all) != 1 {
			t.Errorf("%d: %d calls", c.status, len(*all))
		}
	}
}

// Whoever sets a secret that is none is told which member, and no value.
func TestASecretThatIsNoneIsRefusedInWords(t *testing.T) {
	t.Parallel()
	const url = `"url":"https://crm.example.com/x"`
	for doc, word := range map[string]string{
		`whsec_abc`: "JSON document", `{` + url + `}`: "secrets", `{"url":"http://crm.example.com","secrets":["` + secret + `"]}`: "https",
		`{"url":"https://user:pw@crm.example.com","secrets":["` + secret + `"]}`: "url", `{` + url + `,"secrets":["short"]}`: "whsec_",
		`{` + url + `,"secrets":["` + secret + `","` + secret + `","` + secret + `"]}`: "two", `{` + url + `,"token":"x","secrets":["` + secret + `"]}`: "JSON document",
	} {
		err := hook.Check(doc)
		if !errors.Is(err, hook.ErrAccount) || !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "crm.example.com") || strings.Contains(err.Error(), "MfKQ9") {
			t.Errorf("%s: %v", doc, err)
		}
		c, err := hook.New(hook.Config{Now: time.Now, Secret: func(context.Context) (string, error) { return doc, nil }})
		if err != nil {
			t.Fatal(err)
		}
		if r := c.Look(t.Context()); r.Outcome != crm.Refused || r.Reason != crm.ReasonSetup || !r.Account {
			t.Errorf("%s: %+v", doc, r)
		}
	}
	if err := hook.Check(`{` + url + `,"secrets":["` + secret + `"]}`); err != nil {
		t.Error(err)
	}
}

// TestThePageShowsTheReceiverThatRuns: every Go block of the page is, letter for
// letter, in receiver_test.go, which the suite runs; every JSON block is a message.
func TestThePageShowsTheReceiverThatRuns(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("receiver_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/crm-webhook.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 2 {
		t.Fatalf("%d Go blocks", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(string(source), b[1]) {
			t.Errorf("the page shows what does not run:\n%s", b[1])
		}
	}
	c, all := listener(t, 200, `{"id":"7"}`)
	c.Look(t.Context())
	c.UpsertContact(t.Context(), crm.Contact{Ref: "c1", Revision: 3, Email: "ada@example.com", Name: "Ada King", Former: []string{"c0"}}, "7")
	c.UpsertNote(t.Context(), crm.Note{Ref: "n1", ContactID: "7", At: time.Unix(1_772_600_000, 0), Body: "Please send two crates."})
	c.UpsertTask(t.Context(), crm.Task{Ref: "t1", ContactID: "7", Due: time.Unix(1_772_686_400, 0), Title: "Answer enquiry: crates", Body: "Please send two crates."})
	for _, h := range *all {
		if !strings.Contains(string(page), h.body) {
			t.Errorf("the page lacks the message\n%s", h.body)
		}
	}
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err == nil {
		err = verifier.VerifyIgnoringTimestamp([]byte((*all)[0].body), (*all)[0].header)
	}
	if err != nil {
		t.Error(err)
	}
	if signed := (*all)[0].header; !strings.Contains(string(page), signed.Get("webhook-signature")) || !strings.Contains(string(page), signed.Get("webhook-id")) {
		t.Errorf("the page lacks the signature %s of %s", signed.Get("webhook-signature"), signed.Get("webhook-id"))
	}
}

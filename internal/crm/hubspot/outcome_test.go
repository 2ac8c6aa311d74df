package hubspot_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/hubspot"
	"onefold/internal/crm/hubspottest"
)

// scripted answers each call with the next answer, and counts calls.
type answer struct {
	status int
	header string // Retry-After
	body   string
}

func scripted(t *testing.T, answers ...answer) (*hubspot.Client, *int) {
	t.Helper()
	calls := new(int)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a := answers[min(*calls, len(answers)-1)]
		*calls++
		if a.header != "" {
			w.Header().Set("Retry-After", a.header)
		}
		if a.status/100 == 3 {
			w.Header().Set("Location", "/elsewhere") // this server too, so it would be counted
		}
		w.WriteHeader(a.status)
		_, _ = w.Write([]byte(a.body))
	}))
	t.Cleanup(srv.Close)
	return newClient(t, srv.URL), calls
}

func notFound() answer { return answer{status: 404, body: `{"category":"OBJECT_NOT_FOUND"}`} }

// secret stands for what a vendor may quote back in its text.
const secret = "ann@example.com"

func TestAnswerOfFirstReadDecidesOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   string
		answer answer
		want   crm.Result
	}{
		{"401 is a wrong token", answer{status: 401}, crm.Result{Outcome: crm.Refused, Reason: crm.ReasonAuth, Account: true}},
		{"403 is a missing scope", answer{status: 403, body: `{"category":"MISSING_SCOPES"}`},
			crm.Result{Outcome: crm.Refused, Reason: crm.ReasonAuth}},
		{"400 is the content", answer{status: 400, body: `{"message":"` + secret + `"}`},
			crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}},
		{"undefined property is setup", answer{status: 400, body: `{"errors":[{"code":"PROPERTY_DOESNT_EXIST"}]}`},
			crm.Result{Outcome: crm.Refused, Reason: crm.ReasonSetup}},
		{"non-unique idProperty is setup", answer{status: 400, body: `{"message":"Unable to perform update/upsert by non-unique 0-1 property x"}`},
			crm.Result{Outcome: crm.Refused, Reason: crm.ReasonSetup}},
		{"429 with a time", answer{status: 429, header: "3"},
			crm.Result{Outcome: crm.Busy, Reason: crm.ReasonRateLimit, RetryAfter: 3 * time.Second, Account: true}},
		{"429 without a time waits for the rolling window", answer{status: 429},
			crm.Result{Outcome: crm.Busy, Reason: crm.ReasonRateLimit, RetryAfter: 10 * time.Second, Account: true}},
		{"429 of the day waits longer", answer{status: 429, body: `{"policyName":"DAILY"}`},
			crm.Result{Outcome: crm.Busy, Reason: crm.ReasonRateLimit, RetryAfter: 15 * time.Minute, Account: true}},
		{"a wait is at most a day", answer{status: 429, header: "99999999999"},
			crm.Result{Outcome: crm.Busy, Reason: crm.ReasonRateLimit, RetryAfter: 24 * time.Hour, Account: true}},
		{"a wait is at least a second", answer{status: 429, header: "0"},
			crm.Result{Outcome: crm.Busy, Reason: crm.ReasonRateLimit, RetryAfter: time.Second, Account: true}},
		{"423 is a lock", answer{status: 423, header: "2"},
			crm.Result{Outcome: crm.Busy, Reason: crm.ReasonLocked, RetryAfter: 2 * time.Second}},
		{"477 is a migration", answer{status: 477, header: "60"},
			crm.Result{Outcome: crm.Busy, Reason: crm.ReasonLocked, RetryAfter: time.Minute}},
		{"500 is unknown", answer{status: 500, body: secret}, crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonServerError}},
		{"503 is unknown", answer{status: 503}, crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonServerError}},
		{"504 is unknown", answer{status: 504}, crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonServerError}},
		{"408 is unknown", answer{status: 408}, crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonServerError}},
		{"a redirect is not followed", answer{status: 307}, crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonServerError}},
		{"an unreadable success is unknown", answer{status: 200, body: "<html>"},
			crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}},
		{"a success without a record is unknown", answer{status: 200, body: "{}"},
			crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			client, calls := scripted(t, c.answer)
			if got := client.UpsertContact(t.Context(), crm.Contact{Ref: "r", Email: secret}, ""); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if *calls != 1 {
				t.Errorf("%d calls, want 1", *calls)
			}
		})
	}
}

func TestItemOfBatchDecidesOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		body string
		want crm.Result
	}{
		{"validation", `{"errors":[{"category":"VALIDATION_ERROR","message":"` + secret + `"}],"numErrors":1}`,
			crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}},
		{"scope", `{"errors":[{"category":"MISSING_SCOPES"}]}`, crm.Result{Outcome: crm.Refused, Reason: crm.ReasonAuth}},
		{"rate", `{"errors":[{"category":"RATE_LIMITS"}]}`,
			crm.Result{Outcome: crm.Busy, Reason: crm.ReasonRateLimit, RetryAfter: 10 * time.Second, Account: true}},
		{"unheard of", `{"errors":[{"category":"NEWLY_INVENTED","message":"` + secret + `"}]}`,
			crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonServerError}},
		{"neither result nor error", `{"results":[]}`, crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}},
		{"result and error", `{"results":[{"id":"5","new":true}],"errors":[{"category":"CONFLICT"}]}`,
			crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}},
		{"result", `{"results":[{"id":"5","new":true}]}`, crm.Result{Outcome: crm.Done, ID: "5", Created: true}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			client, _ := scripted(t, notFound(), answer{status: 207, body: c.body})
			if got := client.UpsertContact(t.Context(), crm.Contact{Ref: "r", Email: secret}, ""); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestCollisionWithSecondaryAddressIsAdoptedByTheNamedRecord(t *testing.T) {
	t.Parallel()
	conflict := answer{status: 409, body: `{"category":"CONFLICT","message":"Contact already exists. Existing ID: 51"}`}
	named := answer{status: 200, body: `{"id":"51","properties":{"email":"other@example.com","hs_additional_emails":"x@example.com;ann@example.com"}}`}
	client, calls := scripted(t, notFound(), conflict, notFound(), named, answer{status: 200, body: `{"id":"51"}`})
	got := client.UpsertContact(t.Context(), crm.Contact{Ref: "r", Email: "Ann@example.com"}, "")
	if want := (crm.Result{Outcome: crm.Done, ID: "51", Adopted: true}); !reflect.DeepEqual(got, want) || *calls != 5 {
		t.Errorf("got %+v after %d calls, want %+v after 5", got, *calls, want)
	}
}

func TestNamedRecordWithoutTheAddressIsNotAdopted(t *testing.T) {
	t.Parallel()
	conflict := answer{status: 409, body: `{"category":"CONFLICT","message":"Contact already exists. Existing ID: 51"}`}
	named := answer{status: 200, body: `{"id":"51","properties":{"email":"other@example.com"}}`}
	client, calls := scripted(t, notFound(), conflict, notFound(), named)
	got := client.UpsertContact(t.Context(), crm.Contact{Ref: "r", Email: "ann@example.com"}, "")
	if got.Outcome != crm.Conflict || *calls != 4 {
		t.Errorf("got %+v after %d calls, want a conflict after 4", got, *calls)
	}
}

func TestReferenceMadeMeanwhileSettlesTheCollision(t *testing.T) {
	t.Parallel()
	conflict := answer{status: 409, body: `{"category":"CONFLICT"}`}
	ours := answer{status: 200, body: `{"id":"51","properties":{"email":"ann@example.com","onefold_contact_id":"r"}}`}
	theirs := answer{status: 200, body: `{"id":"52","properties":{"email":"ann@example.org","onefold_contact_id":"r"}}`}
	bare := answer{status: 200, body: `{"id":"51","properties":{"email":"ann@example.com"}}`}
	for _, c := range []struct {
		rule    string
		answers []answer
		want    crm.Result
	}{
		{"the upsert lost against another attempt", []answer{notFound(), conflict, ours}, crm.Result{Outcome: crm.Done, ID: "51"}},
		{"the adoption lost against another attempt", []answer{notFound(), conflict, bare, conflict, ours},
			crm.Result{Outcome: crm.Done, ID: "51"}},
		{"the reference went to another record", []answer{notFound(), conflict, bare, conflict, theirs},
			crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}},
		{"nobody is found", []answer{notFound(), conflict, notFound(), notFound()},
			crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonUnseen}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			client, _ := scripted(t, c.answers...)
			if got := client.UpsertContact(t.Context(), crm.Contact{Ref: "r", Email: "ann@example.com"}, ""); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestUnconfirmedAssociationIsNeverBusy(t *testing.T) {
	t.Parallel()
	made := answer{status: 200, body: `{"results":[{"id":"7","new":true}]}`}
	client, _ := scripted(t, notFound(), made, answer{status: 429, header: "4"})
	note := crm.Note{Ref: "n", ContactID: "51", At: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	want := crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonPartial, RetryAfter: 4 * time.Second}
	if got := client.UpsertNote(t.Context(), note); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestUpsertSendsItsUniqueValueAmongTheProperties: whether HubSpot fills it in
// from the input's id is not documented.
func TestUpsertSendsItsUniqueValueAmongTheProperties(t *testing.T) {
	t.Parallel()
	var sent struct {
		Inputs []struct {
			ID         string            `json:"id"`
			IDProperty string            `json:"idProperty"`
			Properties map[string]string `json:"properties"`
		} `json:"inputs"`
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(srv.Close)
	newClient(t, srv.URL).UpsertContact(t.Context(), crm.Contact{Ref: "r"}, "")
	if len(sent.Inputs) != 1 || sent.Inputs[0].ID != "r" || sent.Inputs[0].IDProperty != hubspot.PropContactRef ||
		sent.Inputs[0].Properties[hubspot.PropContactRef] != "r" {
		t.Errorf("sent %+v", sent)
	}
}

func TestRepeatWithoutChangeWritesNothing(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	c := newReady(t, srv.URL())
	contact := crm.Contact{Ref: "r", Email: "Ann@Example.com", Name: "Ann Smith"}
	first := c.UpsertContact(t.Context(), contact, "")
	before := len(srv.Server.Calls())
	if r := c.UpsertContact(t.Context(), contact, first.ID); r.Outcome != crm.Done || r.ID != first.ID {
		t.Fatalf("repeat: %+v", r)
	}
	if calls := srv.Server.Calls()[before:]; len(calls) != 1 || calls[0].Method != http.MethodGet {
		t.Errorf("the repeat made the calls %v, want one read", calls)
	}
}

func TestTokenFailureBeginsNothing(t *testing.T) {
	t.Parallel()
	c, err := hubspot.New(hubspot.Config{Token: func(context.Context) (string, error) { return "", context.DeadlineExceeded }})
	if err != nil {
		t.Fatal(err)
	}
	want := crm.Result{Outcome: crm.NotBegun, Reason: crm.ReasonNoToken, Account: true}
	if got := c.UpsertContact(t.Context(), crm.Contact{Ref: "r"}, ""); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTokenGoesOnlyToHTTPSOrLoopback(t *testing.T) {
	t.Parallel()
	token := func(context.Context) (string, error) { return "t", nil }
	for base, ok := range map[string]bool{
		"":                           true,
		"https://api.example.com":    true,
		"http://127.0.0.1:8080":      true,
		"http://[::1]:8080":          true,
		"http://localhost:8080/":     true,
		"http://api.example.com":     false,
		"http://127.0.0.1.test":      false,
		"https://user@example.com":   false,
		"https://example.com/a?b=c":  false,
		"file:///etc/hosts":          false,
		"https://":                   false,
		"://example.com":             false,
		"https://example.com/prefix": false,
	} {
		_, err := hubspot.New(hubspot.Config{BaseURL: base, Token: token})
		if (err == nil) != ok {
			t.Errorf("base URL %q: error %v, want accepted %v", base, err, ok)
		}
		if err != nil && strings.Contains(err.Error(), "user@") {
			t.Errorf("the error shows the URL's user: %v", err)
		}
	}
	if _, err := hubspot.New(hubspot.Config{Token: token, Version: "v3"}); err == nil {
		t.Error("version v3 was accepted")
	}
	if _, err := hubspot.New(hubspot.Config{}); err == nil {
		t.Error("a client without a token source was made")
	}
}

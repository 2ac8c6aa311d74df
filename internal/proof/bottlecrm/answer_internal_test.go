package bottlecrm

import (
	"net/http"
	"reflect"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// The texts are the server's, as read there and got from it (package comment).
func TestAnAnswerIsWhatTheServerMeansByIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   verdict
	}{
		{"a token that is unknown", 403, `{"detail": "Organization context is required. Please login again."}`, account(crm.Refused, crm.ReasonAuth)},
		{"a scope that the token lacks", 403, `{"detail": "This token does not have the contacts:write scope."}`, because(crm.Refused, crm.ReasonAuth)},
		{"no credentials", 401, `{"detail":"Authentication credentials were not provided."}`, account(crm.Refused, crm.ReasonAuth)},
		{"an address that is taken", 400, `{"error":true,"errors":{"email":["Contact already exists with this email"]}}`,
			verdict{Result: crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}, taken: true}},
		{"an address that is none", 400, `{"error":true,"errors":{"email":["Enter a valid email address."]}}`, because(crm.Refused, crm.ReasonInvalid)},
		{"an ID that is none", 400, `{"contact":["'1' is not a valid id."]}`,
			verdict{Result: crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}, badID: true}},
		{"a record that is not there", 404, `{"detail":"No Contact matches the given query."}`,
			verdict{Result: crm.Result{Outcome: crm.Busy, Reason: crm.ReasonChanged}, missing: true}},
		{"a fault after the write", 500, `<h1>Server Error (500)</h1>`, because(crm.Unknown, crm.ReasonServerError)},
		{"a proxy without its server", 502, ``, because(crm.Unknown, crm.ReasonServerError)},
		{"another place", 302, ``, because(crm.Unknown, crm.ReasonServerError)},
	} {
		if got := judge(onecall.Answer{Status: c.status, Body: []byte(c.body)}); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestARateThatIsExceededIsTheAccounts(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "": time.Minute} {
		got := judge(onecall.Answer{Status: 429, Header: http.Header{"Retry-After": {header}}})
		if got.RetryAfter != want || got.Outcome != crm.Busy || !got.Account {
			t.Errorf("%q: %+v, want %v", header, got.Result, want)
		}
	}
}

func TestALaterCallThatFailsLeavesTheWholeUnknown(t *testing.T) {
	t.Parallel()
	for _, v := range []verdict{account(crm.Busy, crm.ReasonRateLimit), account(crm.NotBegun, crm.ReasonNoConnection), none(), because(crm.Conflict, crm.ReasonTwoRecords)} {
		if got := v.written(); !reflect.DeepEqual(got, crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonPartial}) {
			t.Errorf("after %+v: %+v", v, got)
		}
	}
}

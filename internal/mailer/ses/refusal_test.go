package ses_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"onefold/internal/mailer"
	"onefold/internal/mailer/mailertest"
)

// The expected values are those of the SES reference: API_SendEmail with its
// HTTP codes, CommonErrors, and manage-sending-quotas-errors.
func TestKnownRefusalsProveThatNothingWasSent(t *testing.T) {
	t.Parallel()
	const private = "Address someone@example.net is refused"
	for _, c := range []struct {
		status        int
		code, message string
		want          mailer.Outcome
		halt          bool
		reason        string
	}{
		{400, "BadRequestException", private, mailer.Rejected, false, "BadRequestException"},
		{400, "MessageRejected", private, mailer.Rejected, false, "MessageRejected"},
		{400, "MailFromDomainNotVerifiedException", private, mailer.Rejected, false, "MailFromDomainNotVerifiedException"},
		{404, "NotFoundException", private, mailer.Rejected, false, "NotFoundException"},
		{429, "TooManyRequestsException", private, mailer.Throttled, false, "TooManyRequestsException"},
		{429, "TooManyRequestsException", "Daily message quota exceeded.", mailer.Throttled, false, "DailyQuotaExceeded"},
		{400, "ThrottlingException", "Maximum sending rate exceeded.", mailer.Throttled, false, "ThrottlingException"},
		{400, "Throttling", "Daily message quota exceeded", mailer.Throttled, false, "DailyQuotaExceeded"},
		{400, "LimitExceededException", private, mailer.Throttled, false, "LimitExceededException"},
		{400, "AccountSuspendedException", private, mailer.Throttled, true, "AccountSuspendedException"},
		{400, "SendingPausedException", private, mailer.Throttled, true, "SendingPausedException"},
		{403, "UnrecognizedClientException", private, mailer.Throttled, true, "UnrecognizedClientException"},
		{403, "AccessDeniedException", private, mailer.Throttled, false, "AccessDeniedException"},
		{403, "ExpiredTokenException", private, mailer.Throttled, false, "ExpiredTokenException"},
	} {
		for _, where := range []string{"header", "header with namespace", "body"} {
			t.Run(c.code+"/"+where, func(t *testing.T) {
				t.Parallel()
				requests := 0
				web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					requests++
					body := map[string]string{"message": c.message}
					switch where {
					case "header":
						w.Header().Set("X-Amzn-ErrorType", c.code)
					case "header with namespace":
						w.Header().Set("X-Amzn-ErrorType", c.code+":http://internal.amazon.com/coral/com.amazonaws.services.email/")
					case "body":
						body["__type"] = c.code
					}
					w.WriteHeader(c.status)
					_ = json.NewEncoder(w).Encode(body)
				}))
				r := newMailer(t, config(web.URL)).Submit(t.Context(), mailertest.Mail("somebody"))
				web.Close()
				want := mailer.Result{Outcome: c.want, Halt: c.halt, Reason: c.reason}
				if r != want || requests != 1 {
					t.Errorf("got %+v after %d requests, want %+v after 1", r, requests, want)
				}
			})
		}
	}
}

func TestRequestIDThatIsTextOfTheProviderIsDropped(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"8b0f7d55-1c3e-4a57-9b7e-000000000001": "8b0f7d55-1c3e-4a57-9b7e-000000000001",
		"for someone@example.net":              "",
		strings.Repeat("x", 129):               "",
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Amzn-Requestid", id)
			w.Header().Set("X-Amzn-ErrorType", "MessageRejected")
			w.WriteHeader(400)
			_, _ = w.Write([]byte(`{}`))
		}))
		r := newMailer(t, config(web.URL)).Submit(t.Context(), mailertest.Mail("somebody"))
		web.Close()
		if r.Outcome != mailer.Rejected || r.RequestID != want {
			t.Errorf("got %+v, want request ID %q", r, want)
		}
	}
}

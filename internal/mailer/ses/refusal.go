package ses

import (
	"strings"

	"onefold/internal/mailer"
)

// refusal is one row of the table of known refusals.
type refusal struct {
	code    string // the error's name on the wire
	message string // when not empty, the message must contain it
	outcome mailer.Outcome
	halt    bool
	reason  string // what Result.Reason says; filled from code when empty
}

// refusals is every error of a 4xx answer that proves that SES did not send.
// SES: "if the call fails, Amazon SES returns an error message and does not
// send the email" (developer guide, troubleshoot-error-messages). A code that
// is not here is no proof. Sources: API_SendEmail "Errors"; CommonErrors of
// the v2 reference; manage-sending-quotas-errors for the two messages.
//
// Left out on purpose: RequestTimeoutException, RequestAbortedException and
// InternalFailure, which say that the service gave up, not that it refused.
func refusals() []refusal {
	const quota = "Daily message quota exceeded"
	return []refusal{
		// This mail, the same next time.
		{code: "BadRequestException", outcome: mailer.Rejected},
		{code: "MessageRejected", outcome: mailer.Rejected},
		{code: "MailFromDomainNotVerifiedException", outcome: mailer.Rejected},
		{code: "NotFoundException", outcome: mailer.Rejected}, // the configuration set
		{code: "ValidationError", outcome: mailer.Rejected},
		{code: "ValidationException", outcome: mailer.Rejected},

		// Rate and quota: passes with time. The daily quota first, since it
		// comes under each of these names and passes only with the next day.
		{code: "TooManyRequestsException", message: quota, outcome: mailer.Throttled, reason: "DailyQuotaExceeded"},
		{code: "ThrottlingException", message: quota, outcome: mailer.Throttled, reason: "DailyQuotaExceeded"},
		{code: "Throttling", message: quota, outcome: mailer.Throttled, reason: "DailyQuotaExceeded"},
		{code: "LimitExceededException", message: quota, outcome: mailer.Throttled, reason: "DailyQuotaExceeded"},
		{code: "TooManyRequestsException", outcome: mailer.Throttled},
		{code: "ThrottlingException", outcome: mailer.Throttled},
		{code: "Throttling", outcome: mailer.Throttled},
		{code: "LimitExceededException", outcome: mailer.Throttled},

		// The account: no mail goes until a person acts.
		{code: "AccountSuspendedException", outcome: mailer.Throttled, halt: true},
		{code: "SendingPausedException", outcome: mailer.Throttled, halt: true},

		// Who calls, refused before SES looks at the mail. Broken credentials
		// concern every mail; a missing permission may concern one sender's
		// identity only, and an expired token is renewed by itself.
		{code: "UnrecognizedClientException", outcome: mailer.Throttled, halt: true},
		{code: "InvalidClientTokenId", outcome: mailer.Throttled, halt: true},
		{code: "InvalidSignatureException", outcome: mailer.Throttled, halt: true},
		{code: "SignatureDoesNotMatch", outcome: mailer.Throttled, halt: true},
		{code: "IncompleteSignature", outcome: mailer.Throttled, halt: true},
		{code: "MissingAuthenticationTokenException", outcome: mailer.Throttled, halt: true},
		{code: "OptInRequired", outcome: mailer.Throttled, halt: true},
		{code: "AccessDeniedException", outcome: mailer.Throttled},
		{code: "NotAuthorized", outcome: mailer.Throttled},
		{code: "ExpiredTokenException", outcome: mailer.Throttled},
		{code: "RequestExpired", outcome: mailer.Throttled},
	}
}

// find is the first row that fits.
func find(code, message string) (refusal, bool) {
	for _, r := range refusals() {
		if r.code == code && strings.Contains(message, r.message) {
			if r.reason == "" {
				r.reason = r.code
			}
			return r, true
		}
	}
	return refusal{}, false
}

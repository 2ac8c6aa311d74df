package hubspot

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// verdict is what one HTTP call, or one item of a batch, came to. Done,
// missing and collision are answers the algorithms go on from; the rest ends
// the operation.
type verdict struct {
	outcome    crm.Outcome
	reason     string
	retryAfter time.Duration
	missing    bool   // no such record
	collision  bool   // a unique value belongs to another record
	existingID string // of that record, if the vendor's text names it
	account    bool   // as crm.Result
}

func (v verdict) ok() bool { return v.outcome == crm.Done }

func (v verdict) result() crm.Result {
	return crm.Result{Outcome: v.outcome, Reason: v.reason, RetryAfter: v.retryAfter, Account: v.account}
}

// Waits used when an answer names none. The daily quota is reset at midnight
// of the account's time zone, which is not known here.
const (
	tenSecondWait = 10 * time.Second // the rolling limit's own window
	dailyWait     = 15 * time.Minute
	lockWait      = 5 * time.Second
)

// wireError is HubSpot's error, whole or per item; every field is optional.
type wireError struct {
	Category   string `json:"category"`
	Message    string `json:"message"`
	PolicyName string `json:"policyName"`
	Errors     []struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"errors"`
}

// judge reads an answer that is not 2xx. Only statuses that are known to mean
// "not processed" become a refusal; all others are Unknown.
func judge(a onecall.Answer) verdict {
	var e wireError
	_ = json.Unmarshal(a.Body, &e) // an unreadable body leaves the status to decide
	switch a.Status {
	case http.StatusUnauthorized:
		return verdict{outcome: crm.Refused, reason: crm.ReasonAuth, account: true}
	case http.StatusForbidden: // perhaps a scope that this call alone needs
		return verdict{outcome: crm.Refused, reason: crm.ReasonAuth}
	case http.StatusNotFound:
		return verdict{outcome: crm.Refused, reason: crm.ReasonChanged, missing: true}
	case http.StatusConflict:
		return collision(e)
	case http.StatusTooManyRequests:
		wait := tenSecondWait
		if e.PolicyName == "DAILY" {
			wait = dailyWait
		}
		return verdict{outcome: crm.Busy, reason: crm.ReasonRateLimit, retryAfter: a.RetryAfter(wait), account: true}
	case http.StatusLocked, 477: // 477: the account is being migrated
		return verdict{outcome: crm.Busy, reason: crm.ReasonLocked, retryAfter: a.RetryAfter(lockWait)}
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return judgeInvalid(e)
	case http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge,
		http.StatusRequestURITooLong, http.StatusUnsupportedMediaType:
		return verdict{outcome: crm.Refused, reason: crm.ReasonInvalid}
	default:
		return verdict{outcome: crm.Unknown, reason: crm.ReasonServerError}
	}
}

// judgeItem reads one of a batch's errors[]. An item has no status, so its
// category decides; an unknown category is Unknown.
func judgeItem(e wireError) verdict {
	switch e.Category {
	case "CONFLICT", "OBJECT_ALREADY_EXISTS":
		return collision(e)
	case "VALIDATION_ERROR", "INVALID_EMAIL":
		return judgeInvalid(e)
	case "MISSING_SCOPES", "INVALID_AUTHENTICATION", "EXPIRED_AUTHENTICATION":
		return verdict{outcome: crm.Refused, reason: crm.ReasonAuth}
	case "RATE_LIMITS":
		return verdict{outcome: crm.Busy, reason: crm.ReasonRateLimit, retryAfter: tenSecondWait, account: true}
	case "OBJECT_NOT_FOUND":
		return verdict{outcome: crm.Refused, reason: crm.ReasonChanged, missing: true}
	default:
		return verdict{outcome: crm.Unknown, reason: crm.ReasonServerError}
	}
}

func judgeInvalid(e wireError) verdict {
	text := e.Message
	for _, d := range e.Errors {
		text += "\n" + d.Code + "\n" + d.Message
	}
	switch {
	// QUIRK: a custom unique property's collision comes as a validation
	// error, its code inside the message text.
	case strings.Contains(text, "CONFLICTING_UNIQUE_VALUE"), strings.Contains(text, "STORAGE_UNIQUE_CONFLICT"):
		return collision(e)
	// QUIRK: idProperty that is not unique, or not defined, has no code.
	case strings.Contains(text, "PROPERTY_DOESNT_EXIST"), strings.Contains(text, "by non-unique"):
		return verdict{outcome: crm.Refused, reason: crm.ReasonSetup}
	default:
		return verdict{outcome: crm.Refused, reason: crm.ReasonInvalid}
	}
}

var existingForm = regexp.MustCompile(`Existing ID: ([0-9]{1,20})\b`)

func collision(e wireError) verdict {
	v := verdict{outcome: crm.Conflict, reason: crm.ReasonUnseen, collision: true}
	if m := existingForm.FindStringSubmatch(e.Message); m != nil {
		v.existingID = m[1]
	}
	return v
}

package bottlecrm

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// verdict is all that is known of one call.
type verdict struct {
	crm.Result
	missing bool // no such record
	taken   bool // the e-mail address is another record's
	badID   bool // what was given as a contact's ID can be none
}

func (v verdict) ok() bool { return v.Outcome == crm.Done }

func because(o crm.Outcome, reason string) verdict {
	return verdict{Result: crm.Result{Outcome: o, Reason: reason}}
}

// account is a fault that every other call would meet too.
func account(o crm.Outcome, reason string) verdict {
	return verdict{Result: crm.Result{Outcome: o, Reason: reason, Account: true}}
}

// none is the verdict of a look-up that was answered and found nothing.
func none() verdict { return verdict{missing: true} }

// ofList is the verdict of a call for a list, which is there on every server:
// where it is not, this is another server or a module that was switched off.
func (v verdict) ofList() verdict {
	if v.missing {
		return because(crm.Refused, crm.ReasonSetup)
	}
	return v
}

// written is the verdict of an operation that has written already, when a later
// call of it failed: whatever that call says of itself, the whole is unknown.
func (v verdict) written() crm.Result {
	if v.ok() {
		return v.Result
	}
	return crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonPartial}
}

// usualWait is after a 429, of the intake or of a proxy before the server, that
// names no other.
const usualWait = time.Minute

// noOrganisation is what the server says of a token that it does not know, that
// was revoked, or whose owner or organisation was switched off.
const noOrganisation = "Organization context is required. Please login again."

// judge reads an answer that is not 200 or 201. The server checks everything
// before it writes, so its 4xx are refusals; a 5xx comes after writes too.
func judge(a onecall.Answer) verdict {
	var said struct {
		Detail  string          `json:"detail"`
		Contact json.RawMessage `json:"contact"`
		Lead    json.RawMessage `json:"lead"`
		Errors  json.RawMessage `json:"errors"` // by field, or a sentence
	}
	_ = json.Unmarshal(a.Body, &said) // an unreadable body leaves the status to decide
	switch a.Status {
	case http.StatusUnauthorized:
		return account(crm.Refused, crm.ReasonAuth)
	case http.StatusForbidden: // a scope of this call, or the token as such
		v := because(crm.Refused, crm.ReasonAuth)
		v.Account = said.Detail == noOrganisation
		return v
	case http.StatusNotFound:
		v := because(crm.Busy, crm.ReasonChanged) // read and gone: the next call decides anew
		v.missing = true
		return v
	case http.StatusBadRequest:
		var fields struct {
			Email []string `json:"email"`
		}
		_ = json.Unmarshal(said.Errors, &fields)
		v := because(crm.Refused, crm.ReasonInvalid)
		v.taken = strings.Contains(strings.Join(fields.Email, " "), " already ")
		v.badID = len(said.Contact)+len(said.Lead) > 0
		return v
	case http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong, http.StatusUnsupportedMediaType:
		return because(crm.Refused, crm.ReasonInvalid)
	case http.StatusTooManyRequests:
		v := account(crm.Busy, crm.ReasonRateLimit)
		v.RetryAfter = a.RetryAfter(usualWait)
		return v
	}
	return because(crm.Unknown, crm.ReasonServerError)
}

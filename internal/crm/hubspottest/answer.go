package hubspottest

import "net/http"

// apiError is HubSpot's error form, whole or for one item of a batch.
type apiError struct {
	Code       int                 `json:"-"` // HTTP status
	Status     string              `json:"status"`
	Category   string              `json:"category"`
	Message    string              `json:"message"`
	PolicyName string              `json:"policyName,omitempty"`
	Context    map[string][]string `json:"context,omitempty"`
	Errors     []apiDetail         `json:"errors,omitempty"`
	retryAfter string
}

type apiDetail struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func invalid(message, code string) *apiError {
	e := &apiError{Code: http.StatusBadRequest, Status: "error", Category: "VALIDATION_ERROR", Message: message}
	if code != "" {
		e.Errors = []apiDetail{{Code: code, Message: message}}
	}
	return e
}

func notFound() *apiError {
	return &apiError{Code: http.StatusNotFound, Status: "error", Category: "OBJECT_NOT_FOUND", Message: "resource not found"}
}

func internal() *apiError {
	return &apiError{Code: http.StatusInternalServerError, Status: "error", Category: "INTERNAL_ERROR", Message: "internal error"}
}

func unauthorized() *apiError {
	return &apiError{
		Code: http.StatusUnauthorized, Status: "error", Category: "INVALID_AUTHENTICATION",
		Message: "Authentication credentials not found.",
	}
}

func throttled() *apiError {
	return &apiError{
		Code: http.StatusTooManyRequests, Status: "error", Category: "RATE_LIMITS", PolicyName: "TEN_SECONDLY_ROLLING",
		Message: "You have reached your ten_secondly_rolling limit.", retryAfter: "7",
	}
}

func locked() *apiError {
	return &apiError{
		Code: http.StatusLocked, Status: "error", Category: "LOCKED", Message: "resource is locked", retryAfter: "2",
	}
}

// collides is the refusal of a value that belongs to the record with the ID.
func (s *Server) collides(kind, property, id string) *apiError {
	if kind == "contacts" && property == "email" || s.opts.Unique409 {
		return &apiError{
			Code: http.StatusConflict, Status: "error", Category: "CONFLICT",
			Message: "Contact already exists. Existing ID: " + id,
		}
	}
	return invalid("Property values were not valid: [{\"isValid\":false,\"error\":\"CONFLICTING_UNIQUE_VALUE\",\"name\":\""+
		property+"\"}]", "CONFLICTING_UNIQUE_VALUE")
}

package sestest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// SendPath is where SendEmail is posted (API_SendEmail, request syntax).
const SendPath = "/v2/email/outbound-emails"

// maxRequest is SES's limit of a message, 40 MB (developer guide, quotas).
const maxRequest = 40 << 20

// fault is an error answer in the form of the AWS REST-JSON protocol.
type fault struct {
	status  int
	code    string
	message string
}

func badRequest(message string) *fault {
	return &fault{http.StatusBadRequest, "BadRequestException", message}
}

// sendRequest holds the fields of SendEmail that this Server knows; others are
// ignored, as SES ignores unknown ones.
type sendRequest struct {
	FromEmailAddress string
	Destination      struct{ ToAddresses, CcAddresses, BccAddresses []string }
	ReplyToAddresses []string
	Content          struct {
		Simple        *simple
		Raw, Template json.RawMessage
	}
	EmailTags            []nameValue
	ConfigurationSetName string
}

type simple struct {
	Subject *content
	Body    *struct {
		Text *content
		HTML *content `json:"Html"`
	}
	Headers []nameValue
}

type content struct {
	Data    *string
	Charset string
}

type nameValue struct{ Name, Value string }

// ServeHTTP answers SendEmail at SendPath, a page for people at / and the same
// as JSON at /sent.json.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == SendPath && r.Method == http.MethodPost:
		s.send(w, r)
	case r.URL.Path == "/" && r.Method == http.MethodGet:
		s.page(w)
	case r.URL.Path == "/sent.json" && r.Method == http.MethodGet:
		writeJSON(w, http.StatusOK, s.Sent())
	default:
		s.refuse(w, &fault{http.StatusNotFound, "UnknownOperationException", "No such operation."})
	}
}

func (s *Server) send(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	select {
	case <-s.closed:
		s.refuse(w, &fault{http.StatusServiceUnavailable, "ServiceUnavailable", "Closed."})
		return
	default:
	}
	// All of the body first: net/http notices a caller that hangs up only
	// when there is nothing left to read.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			s.refuse(w, badRequest("Message length is more than the limit."))
		}
		return // otherwise the caller is gone
	}
	if f := signed(r); f != nil {
		s.refuse(w, f)
		return
	}
	var req sendRequest
	if err := json.Unmarshal(body, &req); err != nil {
		s.refuse(w, &fault{http.StatusBadRequest, "SerializationException", "The request is not JSON of SendEmail."})
		return
	}
	mail, f := s.check(req)
	if f != nil {
		s.refuse(w, f)
		return
	}
	b := s.behave(mail.recipient())
	if b.fault != nil {
		s.refuse(w, b.fault)
		return
	}
	if b.accept {
		mail, err = s.accept(mail)
		if err != nil {
			s.refuse(w, &fault{http.StatusInternalServerError, "InternalServiceErrorException", "Not accepted."})
			return
		}
	}
	if b.silent {
		s.hold(w, r)
		return
	}
	s.identify(w)
	writeJSON(w, http.StatusOK, struct {
		MessageID string `json:"MessageId"`
	}{mail.MessageID})
}

// signed looks loosely at Signature Version 4: it is there, for SES, dated.
func signed(r *http.Request) *fault {
	auth := r.Header.Get("Authorization")
	if auth == "" || r.Header.Get("X-Amz-Date") == "" {
		return &fault{http.StatusForbidden, "MissingAuthenticationTokenException", "Missing Authentication Token"}
	}
	if !strings.HasPrefix(auth, "AWS4-HMAC-SHA256 Credential=") ||
		!strings.Contains(auth, "/ses/aws4_request") ||
		!strings.Contains(auth, "SignedHeaders=") || !strings.Contains(auth, "Signature=") {
		return &fault{http.StatusForbidden, "IncompleteSignature", "Not a signature of version 4 for ses."}
	}
	return nil
}

// hold keeps the connection without an answer, then cuts it.
func (s *Server) hold(w http.ResponseWriter, r *http.Request) {
	timer := time.NewTimer(s.opts.HoldFor)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	case <-s.closed:
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		// HTTP/2 cannot be hijacked; a bare 504 is as much of an answer as
		// a cut connection.
		w.WriteHeader(http.StatusGatewayTimeout)
		return
	}
	_ = conn.Close() // cut: there is nobody to tell
}

func (s *Server) refuse(w http.ResponseWriter, f *fault) {
	s.identify(w)
	w.Header().Set("X-Amzn-Errortype", f.code)
	writeJSON(w, f.status, struct {
		Message string `json:"message"`
	}{f.message})
}

// identify gives the answer a request ID.
func (s *Server) identify(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, err := newUUID(s.rand); err == nil {
		w.Header().Set("X-Amzn-Requestid", id)
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the caller may be gone
}

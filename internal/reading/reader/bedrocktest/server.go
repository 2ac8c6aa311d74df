// Package bedrocktest stands in for Amazon Bedrock's Converse on the wire.
//
// Server speaks the real REST-JSON of Converse, so that the code under test is
// the one that runs in production. It owns one invariant: a request that
// Bedrock documents as refused is refused here, and what a Reply says is
// answered in the form that the request asked for, a text or the input of a
// forced tool.
//
// It is no model: what is answered is given by the caller, or by Obey, which
// does whatever the message says. It verifies no signature beyond the presence
// of one, and keeps no content but the requests that it was sent.
package bedrocktest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// Request is one call of Converse.
type Request struct {
	Model string // as in the path, unescaped
	Body  []byte // as it came

	System           string
	Message          string // the text of the user's message, guarded or not
	Guarded          bool   // it stands in guarded content
	Tool             string // the name of the forced tool; "" for structured output
	Schema           []byte // of the answer
	MaxTokens        int
	Temperature      *float64
	Guardrail        string
	GuardrailVersion string
}

// Reply is what comes back. The zero value is an empty record.
type Reply struct {
	// Code is the name of an error, such as ThrottlingException; with it comes
	// Status, and nothing else counts.
	Code   string
	Status int
	// StopReason is the service's word; empty: what belongs to the request.
	StopReason string
	// Answer is the JSON of the record; empty: EmptyRecord.
	Answer string
	// Content replaces the content blocks, as JSON.
	Content string
	// InputTokens and OutputTokens are what the service says it counted.
	InputTokens, OutputTokens int
	// Body replaces the whole body of the answer.
	Body string
	// Silent: no answer comes until the caller has gone.
	Silent bool
}

// EmptyRecord is an answer in which nothing was found.
const EmptyRecord = `{"sender_email":null,"contact_name":null,"company":null,"phone":null,"intent":"other",` +
	`"possible_opt_out":false,"needs_human_review":false,"review_reasons":[]}`

// Server is the fake. It is an http.Handler, safe for concurrent use.
type Server struct {
	// Reply answers the nth request, from 1; nil answers with the zero Reply. It
	// is set before the first request.
	Reply func(n int, r Request) Reply

	mu       sync.Mutex
	requests []Request
}

var _ http.Handler = (*Server)(nil)

// Requests is a copy of the calls so far, those refused left out.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// maxRequest is far above any request of Onefold.
const maxRequest = 1 << 20

// ServeHTTP answers POST /model/{modelId}/converse.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	escaped, ok := strings.CutPrefix(r.URL.EscapedPath(), "/model/")
	escaped, isConverse := strings.CutSuffix(escaped, "/converse")
	model, err := url.PathUnescape(escaped)
	if !ok || !isConverse || err != nil || model == "" || r.Method != http.MethodPost {
		refuse(w, http.StatusNotFound, "UnknownOperationException", "No such operation.")
		return
	}
	if auth := r.Header.Get("Authorization"); !strings.HasPrefix(auth, "AWS4-HMAC-SHA256 ") || !strings.Contains(auth, "/bedrock/aws4_request") {
		refuse(w, http.StatusForbidden, "MissingAuthenticationTokenException", "Missing Authentication Token")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		refuse(w, http.StatusBadRequest, "ValidationException", "The request cannot be read.")
		return
	}
	req, why := parse(model, body)
	if why != "" {
		refuse(w, http.StatusBadRequest, "ValidationException", why)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	n := len(s.requests)
	s.mu.Unlock()
	var reply Reply
	if s.Reply != nil {
		reply = s.Reply(n, req)
	}
	if reply.Silent {
		<-r.Context().Done()
		return
	}
	answer(w, req, reply)
}

func answer(w http.ResponseWriter, req Request, reply Reply) {
	if reply.Code != "" {
		refuse(w, reply.Status, reply.Code, "Said by the test.")
		return
	}
	if reply.Body != "" {
		write(w, http.StatusOK, []byte(reply.Body))
		return
	}
	record := cmp.Or(reply.Answer, EmptyRecord)
	stop, content := "end_turn", `[{"text":`+quote(record)+`}]`
	if req.Tool != "" {
		stop = "tool_use"
		content = `[{"toolUse":{"toolUseId":"tooluse_1","name":` + quote(req.Tool) + `,"input":` + record + `}}]`
	}
	write(w, http.StatusOK, fmt.Appendf(nil,
		`{"output":{"message":{"role":"assistant","content":%s}},"stopReason":%s,"usage":{"inputTokens":%d,"outputTokens":%d,"totalTokens":%d},"metrics":{"latencyMs":1}}`,
		cmp.Or(reply.Content, content), quote(cmp.Or(reply.StopReason, stop)),
		reply.InputTokens, reply.OutputTokens, reply.InputTokens+reply.OutputTokens))
}

func quote(text string) string {
	b, _ := json.Marshal(text) // a text always has a JSON form
	return string(b)
}

// refuse is an error in the form of the AWS REST-JSON protocol.
func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("X-Amzn-Errortype", code)
	write(w, status, []byte(`{"message":`+quote(message)+`}`))
}

func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-Requestid", "00000000-0000-4000-8000-000000000000")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller may have gone
}

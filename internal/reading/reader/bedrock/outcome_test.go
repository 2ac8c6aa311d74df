package bedrock_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/bedrock"
	"onefold/internal/reading/reader/bedrocktest"
)

func wants(t *testing.T, err error, outcome reader.Outcome, reason string) {
	t.Helper()
	var no *reader.NoAnswer
	if !errors.As(err, &no) || no.Outcome != outcome || no.Reason != reason {
		t.Errorf("got %v, want %s (%s)", err, outcome, reason)
	}
}

// Every word of API Reference, Converse, "stopReason", and one that is none.
func TestEveryStopReasonHasItsOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stop    string
		outcome reader.Outcome
		reason  string
	}{
		{"max_tokens", reader.CutShort, "reader_truncated"},
		{"model_context_window_exceeded", reader.CutShort, "reader_too_long"},
		{"guardrail_intervened", reader.Refused, "reader_guardrail"},
		{"content_filtered", reader.Refused, "reader_filtered"},
		{"malformed_model_output", reader.Garbled, "reader_garbled"},
		{"malformed_tool_use", reader.Garbled, "reader_garbled"},
		{"stop_sequence", reader.Refused, "reader_stopped"},
		{"bored", reader.Refused, "reader_stopped"},
	} {
		for _, o := range outputs() {
			t.Run(c.stop+" by "+string(o), func(t *testing.T) {
				t.Parallel()
				// With a whole record: it must not be looked at.
				r, fake := serve(t, always(bedrocktest.Reply{StopReason: c.stop, InputTokens: 900, OutputTokens: 100}), by(o))
				record, used, err := r.ExtractMetered(t.Context(), enquiry())
				wants(t, err, c.outcome, c.reason)
				if record.Intent != "" || record.ReviewReasons != nil {
					t.Errorf("a part of an answer: %+v", record)
				}
				if used.InputTokens != 900 || used.OutputTokens != 100 || used.CostUSD == 0 || used.AtMostUSD != 0 {
					t.Errorf("usage %+v", used)
				}
				if n := len(fake.Requests()); n != 1 {
					t.Errorf("%d requests", n)
				}
			})
		}
	}
}

func TestTheOtherWaysStopIsNoAnswer(t *testing.T) {
	t.Parallel()
	for o, stop := range map[bedrock.Output]string{bedrock.Schema: "tool_use", bedrock.Tool: "end_turn"} {
		r, _ := serve(t, always(bedrocktest.Reply{StopReason: stop}), by(o))
		_, err := r.Extract(t.Context(), enquiry())
		wants(t, err, reader.Garbled, "reader_garbled")
	}
}

// The errors of API Reference, Converse, "Errors", with their statuses, those
// of the signature, and some that are in no list.
func TestEveryErrorHasItsOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status  int
		code    string
		outcome reader.Outcome
		reason  string
	}{
		{429, "ThrottlingException", reader.Busy, "reader_throttled"},
		{429, "ModelNotReadyException", reader.Busy, "reader_not_ready"},
		{503, "ServiceUnavailableException", reader.Busy, "reader_not_ready"},
		{403, "AccessDeniedException", reader.Misconfigured, "reader_denied"},
		{400, "ValidationException", reader.Misconfigured, "reader_bad_request"},
		{400, "ConflictException", reader.Misconfigured, "reader_bad_request"},
		{404, "ResourceNotFoundException", reader.Misconfigured, "reader_no_model"},
		{400, "ServiceQuotaExceededException", reader.Misconfigured, "reader_quota"},
		{408, "ModelTimeoutException", reader.Unknown, "reader_silent"},
		{424, "ModelErrorException", reader.Unknown, "reader_fault"},
		{500, "InternalServerException", reader.Unknown, "reader_fault"},
		{403, "ExpiredTokenException", reader.Misconfigured, "reader_denied"},
		{403, "UnrecognizedClientException", reader.Misconfigured, "reader_denied"},
		{429, "SomethingNew", reader.Busy, "reader_throttled"},
		{503, "SomethingNew", reader.Busy, "reader_not_ready"},
		{418, "SomethingNew", reader.Misconfigured, "reader_bad_request"},
		{424, "SomethingNew", reader.Unknown, "reader_fault"},
		{502, "SomethingNew", reader.Unknown, "reader_fault"},
	} {
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			r, fake := serve(t, always(bedrocktest.Reply{Status: c.status, Code: c.code}), nil)
			_, used, err := r.ExtractMetered(t.Context(), enquiry())
			wants(t, err, c.outcome, c.reason)
			if strings.Contains(err.Error(), "Said by the test") {
				t.Error("the provider's text is passed on")
			}
			if n := len(fake.Requests()); n != 1 {
				t.Errorf("%d requests: something repeats", n)
			}
			if bounded := used.AtMostUSD > 0; bounded != (c.outcome == reader.Unknown) || used.CostUSD != 0 {
				t.Errorf("usage %+v", used)
			}
		})
	}
}

func TestACallWithoutAnAnswerIsUnknownAndItsCostBounded(t *testing.T) {
	t.Parallel()
	silent, _ := serve(t, always(bedrocktest.Reply{Silent: true}), func(c *bedrock.Config) { c.Timeout = 50 * time.Millisecond })
	gone := httptest.NewServer(nil)
	gone.Close()
	unreached, err := bedrock.New(config(gone.URL))
	if err != nil {
		t.Fatal(err)
	}
	unread, _ := serve(t, always(bedrocktest.Reply{Body: `{"output":`}), nil)
	for name, r := range map[string]*bedrock.Reader{"silent": silent, "unreached": unreached, "unread": unread} {
		_, used, err := r.ExtractMetered(t.Context(), enquiry())
		wants(t, err, reader.Unknown, "reader_silent")
		// A token of input for each byte at most, and 1,024 of output: at 1.10
		// and 5.50 USD a million it is more than the output alone, and little.
		if used.InputTokens != 0 || used.AtMostUSD <= 1024*5.50/1e6 || used.AtMostUSD > 0.05 {
			t.Errorf("%s: usage %+v", name, used)
		}
	}
}

func TestWithTooLittleTimeNoCallIsMade(t *testing.T) {
	t.Parallel()
	now := time.Now()
	r, fake := serve(t, nil, func(c *bedrock.Config) { c.Now = func() time.Time { return now } })
	ctx, cancel := context.WithDeadline(t.Context(), now.Add(bedrock.MinLeft-time.Millisecond))
	defer cancel()
	_, used, err := r.ExtractMetered(ctx, enquiry())
	wants(t, err, reader.Busy, "reader_no_time")
	if len(fake.Requests()) != 0 || used != (reader.Usage{}) {
		t.Errorf("%d requests, %+v", len(fake.Requests()), used)
	}
}

func TestACallEndsBeforeItsCaller(t *testing.T) {
	t.Parallel()
	// By the reader's clock 5.05 s are left, by the real one more: only the
	// reader's own end can come first.
	now := time.Now()
	r, _ := serve(t, always(bedrocktest.Reply{Silent: true}), func(c *bedrock.Config) {
		c.Now = func() time.Time { return now.Add(15*time.Second - bedrock.MinLeft - 50*time.Millisecond) }
		c.Timeout = 100 * time.Millisecond
	})
	ctx, cancel := context.WithDeadline(t.Context(), now.Add(15*time.Second))
	defer cancel()
	_, err := r.Extract(ctx, enquiry())
	wants(t, err, reader.Unknown, "reader_silent")
	if ctx.Err() != nil {
		t.Error("the caller's time is up")
	}
}

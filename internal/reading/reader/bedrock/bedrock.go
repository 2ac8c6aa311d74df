// Package bedrock reads with a model on Amazon Bedrock, by the Converse API.
//
// Its invariant: one Extract writes at most one request, and what comes back is
// either a record of the prompt's schema, whole, or an outcome that says why
// there is none. Every stop reason and every error has its outcome in
// outcome.go; none of them is an answer in part. The model is given no tool but
// the one that takes the answer, and of a source only what package prompts
// shows.
//
// It refuses to retry (the caller's times do), to find out by trial what a
// model can do (that is configuration), and to pass on any text of the
// provider. What the record says is a proposal: reader.Validate judges it.
package bedrock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/prompts"
)

// Output is how a model is held to the form of its answer.
type Output string

// The ways.
const (
	// Schema: native structured output. First use of a schema in an account may
	// take minutes, in which calls time out; it is then kept for 24 h.
	Schema Output = "schema"
	// Tool: a forced strict tool whose input is the answer, for models without
	// structured output.
	Tool Output = "tool"
)

// MinLeft is the least time before the context's deadline with which a call is
// begun. With less, the answer is Busy: a call that is bound to be cut off
// would cost and say nothing.
const MinLeft = 5 * time.Second

const (
	defaultTimeout   = 25 * time.Second
	margin           = time.Second // kept to write down what came of the call
	defaultMaxTokens = 1024
	maxModelID       = 200 // a part of the key under which answers are stored
)

// Config is what a Reader needs. Nothing is read from the environment.
type Config struct {
	Region      string                  // required
	Credentials aws.CredentialsProvider // required
	Now         func() time.Time        // required; compared with the context's deadline

	// Model is the ID of a model or an inference profile, or its ARN; required.
	Model  string
	Output Output // required
	// MaxTokens bounds an answer; 0 means 1,024. The account's token quota is
	// charged with it before each call.
	MaxTokens int32
	// InputUSD and OutputUSD are the prices of a million tokens. Prices change
	// and depend on region and profile; 0 is a price too.
	InputUSD, OutputUSD float64
	// Guardrail and GuardrailVersion name a guardrail; both or neither.
	Guardrail, GuardrailVersion string

	// Endpoint is a URL such as http://127.0.0.1:4566; empty: Bedrock itself, in
	// the region.
	Endpoint string
	AppID    string // said in the user agent; empty: nothing is
	// Timeout bounds one call, connection included; 0 means 25 s.
	Timeout time.Duration
	// HTTP makes the requests; nil: a client of the package's own. It must not
	// repeat a request and must not bound the wait for an answer.
	HTTP aws.HTTPClient
}

// Reader reads with one model and one version of the prompt. It is safe for
// concurrent use.
type Reader struct {
	cfg    Config
	prompt prompts.Prompt
	schema *jsonschema.Schema
	tool   any // the schema as a document
	client *bedrockruntime.Client
}

var (
	_ reader.Metered  = (*Reader)(nil)
	_ reader.Foreseen = (*Reader)(nil)
)

// New makes a Reader. It fails when a field is missing or out of range, and
// makes no call.
func New(cfg Config) (*Reader, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cfg.MaxTokens = cmp.Or(cfg.MaxTokens, defaultMaxTokens)
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	r := &Reader{cfg: cfg, prompt: prompts.Current()}
	var err error
	if r.schema, r.tool, err = compile(r.prompt.Schema); err != nil {
		return nil, err
	}
	opts := bedrockruntime.Options{
		Region:      cfg.Region,
		Credentials: cfg.Credentials,
		HTTPClient:  cfg.HTTP,
		// A repeated call costs again and may answer otherwise: the caller has
		// its own times for it.
		Retryer:          aws.NopRetryer{},
		RetryMaxAttempts: 1,
		AppID:            cfg.AppID,
	}
	if cfg.HTTP == nil {
		opts.HTTPClient = newClient()
	}
	if cfg.Endpoint != "" {
		opts.BaseEndpoint = aws.String(cfg.Endpoint)
	}
	r.client = bedrockruntime.New(opts)
	return r, nil
}

func (c Config) check() error {
	switch {
	case c.Region == "":
		return errors.New("bedrock: no region")
	case c.Credentials == nil:
		return errors.New("bedrock: no credentials provider")
	case c.Now == nil:
		return errors.New("bedrock: no clock")
	case c.Model == "" || len(c.Model) > maxModelID:
		return fmt.Errorf("bedrock: a model ID of %d bytes", len(c.Model))
	case c.Output != Schema && c.Output != Tool:
		return errors.New("bedrock: output is neither schema nor tool")
	case c.MaxTokens < 0 || c.Timeout < 0 || c.InputUSD < 0 || c.OutputUSD < 0:
		return errors.New("bedrock: a negative limit or price")
	case (c.Guardrail == "") != (c.GuardrailVersion == ""):
		return errors.New("bedrock: a guardrail needs its ID and its version")
	}
	return nil
}

// Model is the configured model ID.
func (r *Reader) Model() string { return r.cfg.Model }

// PromptVersion is the prompt's, and how the answer is had: a model may answer
// differently by a tool.
func (r *Reader) PromptVersion() string {
	if r.cfg.Output == Tool {
		return r.prompt.Version + "-tool"
	}
	return r.prompt.Version
}

// Extract is ExtractMetered without the usage.
func (r *Reader) Extract(ctx context.Context, s reader.Source) (reader.Record, error) {
	record, _, err := r.ExtractMetered(ctx, s)
	return record, err
}

// ExtractMetered makes one call of Converse, or none. An error is always an
// *reader.NoAnswer. Of a call that no answer came from the usage has a bound
// alone.
func (r *Reader) ExtractMetered(ctx context.Context, s reader.Source) (reader.Record, reader.Usage, error) {
	timeout := r.cfg.Timeout
	if deadline, ok := ctx.Deadline(); ok {
		left := deadline.Sub(r.cfg.Now())
		if left < MinLeft {
			return reader.Record{}, reader.Usage{}, &reader.NoAnswer{Outcome: reader.Busy, Reason: "reader_no_time"}
		}
		timeout = min(timeout, left-margin)
	}
	message := prompts.Show(s)
	call, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	out, err := r.client.Converse(call, r.request(message))
	if err != nil {
		no := failed(err)
		used := reader.Usage{}
		if no.Outcome == reader.Unknown {
			used.AtMostUSD = r.most(message)
		}
		return reader.Record{}, used, no
	}
	used := r.usage(out.Usage)
	record, no := r.answer(out)
	if no != nil {
		return reader.Record{}, used, no
	}
	if message.Part {
		record.ReviewReasons = append(record.ReviewReasons, reader.ReasonPart)
	}
	return record, used, nil
}

// newClient is a client that makes one request of one request: no redirects,
// no proxy, no HTTP/2 with its replays, and no more of an answer than any
// record could have.
func newClient() *http.Client {
	return &http.Client{
		Transport:     bounded{transport()},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

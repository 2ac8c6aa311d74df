package bedrock_test

import (
	"os"
	"testing"
	"time"

	"onefold/internal/proof/localaws/localawstest"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/bedrock"
)

func TestMain(m *testing.M) { os.Exit(localawstest.Main(m)) }

// TestAgainstAnotherMakersConverse: the emulator's model answers prose whatever
// it is asked, so no answer can come of it; that the request is taken, the path
// is right, and tokens and errors are read is what this shows.
func TestAgainstAnotherMakersConverse(t *testing.T) {
	t.Parallel()
	stack := localawstest.ForTest(t)
	aws := stack.Config(stack.NewAccount())
	for name, c := range map[string]struct {
		change  func(*bedrock.Config)
		outcome reader.Outcome
		reason  string
		tokens  bool
	}{
		"structured output":   {func(*bedrock.Config) {}, reader.Garbled, "reader_garbled", true},
		"forced tool":         {by(bedrock.Tool), reader.Garbled, "reader_garbled", true},
		"an ARN that is none": {func(c *bedrock.Config) { c.Model = "arn:aws:bedrock:nowhere-1::x/y" }, reader.Misconfigured, "reader_bad_request", false},
		"no such guardrail":   {func(c *bedrock.Config) { c.Guardrail, c.GuardrailVersion = "gr1", "1" }, reader.Misconfigured, "reader_no_model", false},
		"a model's ARN in path": {func(c *bedrock.Config) {
			c.Model = "arn:aws:bedrock:" + aws.Region + "::foundation-model/anthropic.x-v1:0"
		}, reader.Garbled, "reader_garbled", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config(*aws.BaseEndpoint)
			cfg.Region, cfg.Credentials, cfg.Timeout = aws.Region, aws.Credentials, time.Minute
			c.change(&cfg)
			r, err := bedrock.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			_, used, err := r.ExtractMetered(t.Context(), enquiry())
			wants(t, err, c.outcome, c.reason)
			if counted := used.InputTokens > 0 && used.OutputTokens > 0; counted != c.tokens {
				t.Errorf("usage %+v", used)
			}
		})
	}
}

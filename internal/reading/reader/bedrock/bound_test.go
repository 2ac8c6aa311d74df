package bedrock_test

import (
	"testing"

	"onefold/internal/reading/reader/bedrock"
	"onefold/internal/reading/reader/bedrocktest"
	"onefold/internal/reading/reader/prompts"
)

func TestABoundIsOfEveryByteAndTheLongestAnswer(t *testing.T) {
	t.Parallel()
	r, fake := serve(t, always(bedrocktest.Reply{}), func(c *bedrock.Config) { c.MaxTokens = 2000 })
	got := r.AtMost(enquiry())
	p := prompts.Current()
	bytes := int64(len(p.System) + len(p.Schema) + len(prompts.Show(enquiry()).Text))
	// At 1.10 and 5.50 dollars for a million tokens.
	usd := (float64(bytes)*1.10 + 2000*5.50) / 1e6
	if got.InputTokens != bytes || got.OutputTokens != 2000 || got.AtMostUSD < usd*0.999999 || got.AtMostUSD > usd*1.000001 || got.CostUSD != 0 {
		t.Errorf("%+v, want %d bytes, USD %v", got, bytes, usd)
	}
	if len(fake.Requests()) != 0 {
		t.Error("a call was made")
	}
}

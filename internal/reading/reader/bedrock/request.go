package bedrock

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/prompts"
)

// request is all that leaves: instructions, the framed message, and the form of
// the answer. It names no tenant and carries no metadata, since invocation logs
// would keep them.
func (r *Reader) request(m prompts.Message) *bedrockruntime.ConverseInput {
	in := &bedrockruntime.ConverseInput{
		ModelId:  aws.String(r.cfg.Model),
		System:   []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: r.prompt.System}},
		Messages: []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{r.content(m)}}},
		InferenceConfig: &types.InferenceConfiguration{
			MaxTokens:   aws.Int32(r.cfg.MaxTokens),
			Temperature: aws.Float32(0),
		},
	}
	if r.cfg.Guardrail != "" {
		in.GuardrailConfig = &types.GuardrailConfiguration{
			GuardrailIdentifier: aws.String(r.cfg.Guardrail), GuardrailVersion: aws.String(r.cfg.GuardrailVersion),
			Trace: types.GuardrailTraceDisabled, // a trace repeats what it found
		}
	}
	if r.cfg.Output == Tool {
		in.ToolConfig = r.forced()
		return in
	}
	in.OutputConfig = &types.OutputConfig{TextFormat: &types.OutputFormat{
		Type: types.OutputFormatTypeJsonSchema,
		Structure: &types.OutputFormatStructureMemberJsonSchema{Value: types.JsonSchemaDefinition{
			Name: aws.String(r.prompt.Name), Schema: aws.String(r.prompt.Schema),
		}},
	}}
	return in
}

// content is the message. A guardrail looks at guarded content alone, and so
// not at the instructions, which speak of attacks.
func (r *Reader) content(m prompts.Message) types.ContentBlock {
	text := m.Text
	if text == "" {
		text = "(an empty message)" // Bedrock refuses a blank block
	}
	if r.cfg.Guardrail == "" {
		return &types.ContentBlockMemberText{Value: text}
	}
	return &types.ContentBlockMemberGuardContent{Value: &types.GuardrailConverseContentBlockMemberText{
		Value: types.GuardrailConverseTextBlock{Text: aws.String(text)},
	}}
}

// forced is one tool that must be used and does nothing: its input is the
// answer.
func (r *Reader) forced() *types.ToolConfiguration {
	return &types.ToolConfiguration{
		Tools: []types.Tool{&types.ToolMemberToolSpec{Value: types.ToolSpecification{
			Name: aws.String(r.prompt.Name), Strict: aws.Bool(true),
			InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(r.tool)},
		}}},
		ToolChoice: &types.ToolChoiceMemberTool{Value: types.SpecificToolChoice{Name: aws.String(r.prompt.Name)}},
	}
}

// usage is what a call used up; what the service does not say is not guessed.
func (r *Reader) usage(u *types.TokenUsage) reader.Usage {
	if u == nil {
		return reader.Usage{}
	}
	n := func(v *int32) int64 { return int64(aws.ToInt32(v)) }
	// Cached tokens are counted at the full price: more than they cost, and this
	// prompt is too short to be cached.
	used := reader.Usage{
		InputTokens:  n(u.InputTokens) + n(u.CacheReadInputTokens) + n(u.CacheWriteInputTokens),
		OutputTokens: n(u.OutputTokens),
	}
	used.CostUSD = r.price(used.InputTokens, used.OutputTokens)
	return used
}

// AtMost bounds what a call can use up: no tokenizer makes more tokens of a
// text than it has bytes, and of an answer there are MaxTokens at most.
func (r *Reader) AtMost(s reader.Source) reader.Usage { return r.bound(prompts.Show(s)) }

func (r *Reader) bound(m prompts.Message) reader.Usage {
	used := reader.Usage{
		InputTokens:  int64(len(r.prompt.System) + len(r.prompt.Schema) + len(m.Text)),
		OutputTokens: int64(r.cfg.MaxTokens),
	}
	used.AtMostUSD = r.price(used.InputTokens, used.OutputTokens)
	return used
}

// most is what a call can have cost.
func (r *Reader) most(m prompts.Message) float64 { return r.bound(m).AtMostUSD }

func (r *Reader) price(in, out int64) float64 {
	return (float64(in)*r.cfg.InputUSD + float64(out)*r.cfg.OutputUSD) / 1e6
}

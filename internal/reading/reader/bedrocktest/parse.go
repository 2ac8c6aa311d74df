package bedrocktest

import (
	"encoding/json"
	"slices"
	"strings"
)

// wire holds the fields of Converse that this Server knows (API Reference,
// Converse, "Request Syntax", read 2026-11).
type wire struct {
	Messages []struct {
		Role    string
		Content []block
	}
	System          []block
	InferenceConfig struct {
		MaxTokens   *int
		Temperature *float64
	}
	OutputConfig *struct {
		TextFormat struct {
			Type      string
			Structure struct {
				JSONSchema *struct{ Name, Schema string }
			}
		}
	}
	ToolConfig *struct {
		Tools []struct {
			ToolSpec *struct {
				Name        string
				Strict      bool
				InputSchema struct{ JSON json.RawMessage }
			}
		}
		ToolChoice struct{ Tool *struct{ Name string } }
	}
	GuardrailConfig *struct{ GuardrailIdentifier, GuardrailVersion, Trace string }
}

type block struct {
	Text         *string
	GuardContent *struct {
		Text *struct{ Text string }
	}
}

// parse reads a request, or says why Bedrock would refuse it.
func parse(model string, body []byte) (Request, string) {
	var in wire
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, "The request is not JSON of Converse."
	}
	r := Request{Model: model, Body: body, Temperature: in.InferenceConfig.Temperature}
	for _, b := range in.System {
		if b.Text == nil || strings.TrimSpace(*b.Text) == "" {
			return r, "A system block without text."
		}
		r.System += *b.Text
	}
	if len(in.Messages) != 1 || in.Messages[0].Role != "user" || len(in.Messages[0].Content) != 1 {
		return r, "One message of the user with one block is served here."
	}
	switch b := in.Messages[0].Content[0]; {
	case b.Text != nil:
		r.Message = *b.Text
	case b.GuardContent != nil && b.GuardContent.Text != nil:
		r.Message, r.Guarded = b.GuardContent.Text.Text, true
	}
	if strings.TrimSpace(r.Message) == "" {
		return r, "The text field in the ContentBlock object is blank."
	}
	if m := in.InferenceConfig.MaxTokens; m != nil {
		if *m < 1 {
			return r, "maxTokens is below 1."
		}
		r.MaxTokens = *m
	}
	if g := in.GuardrailConfig; g != nil {
		if g.GuardrailIdentifier == "" || g.GuardrailVersion == "" {
			return r, "A guardrail needs an identifier and a version."
		}
		r.Guardrail, r.GuardrailVersion = g.GuardrailIdentifier, g.GuardrailVersion
	}
	why := r.form(in)
	return r, why
}

// form reads how the answer is to be given: exactly one way is served here.
func (r *Request) form(in wire) string {
	if (in.OutputConfig == nil) == (in.ToolConfig == nil) {
		return "Either outputConfig or toolConfig is served here."
	}
	if o := in.OutputConfig; o != nil {
		s := o.TextFormat.Structure.JSONSchema
		if o.TextFormat.Type != "json_schema" || s == nil {
			return "textFormat is not of type json_schema."
		}
		r.Schema = []byte(s.Schema)
		return Unsupported(r.Schema)
	}
	c := in.ToolConfig
	if len(c.Tools) != 1 || c.Tools[0].ToolSpec == nil || c.ToolChoice.Tool == nil {
		return "One forced tool is served here."
	}
	spec := c.Tools[0].ToolSpec
	if spec.Name == "" || spec.Name != c.ToolChoice.Tool.Name {
		return "toolChoice names no tool."
	}
	r.Tool, r.Schema = spec.Name, spec.InputSchema.JSON
	if !spec.Strict {
		return ""
	}
	return Unsupported(r.Schema)
}

// Unsupported says why structured output would refuse a schema, or "": any
// keyword outside the subset, and objects that are open or have optional
// properties (Amazon Bedrock User Guide, "Structured output", read 2026-11).
func Unsupported(schema []byte) string {
	var tree map[string]any
	if err := json.Unmarshal(schema, &tree); err != nil {
		return "The schema is not JSON."
	}
	return walk(tree)
}

func walk(s map[string]any) string {
	known := []string{
		"type", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "definitions", "properties", "required",
		"additionalProperties", "items", "description", "title", "format", "default",
	}
	for keyword := range s {
		if !slices.Contains(known, keyword) {
			return "The schema uses " + keyword + ", which is not supported."
		}
	}
	if s["type"] == "object" {
		properties, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		if s["additionalProperties"] != false || len(required) != len(properties) {
			return "An object of the schema is open, or has optional properties."
		}
	}
	for _, keyword := range []string{"properties", "$defs", "definitions"} {
		named, _ := s[keyword].(map[string]any)
		for _, sub := range named {
			if why := walkAny(sub); why != "" {
				return why
			}
		}
	}
	for _, keyword := range []string{"anyOf", "allOf"} {
		list, _ := s[keyword].([]any)
		for _, sub := range list {
			if why := walkAny(sub); why != "" {
				return why
			}
		}
	}
	return walkAny(s["items"])
}

func walkAny(sub any) string {
	if s, ok := sub.(map[string]any); ok {
		return walk(s)
	}
	return ""
}

package app_test

import (
	"io"
	"strings"
	"testing"

	"onefold/internal/app"
	"onefold/internal/schema"
)

// withModel are the variables of an extract function that reads with a model.
func withModel(change map[string]string) map[string]string {
	vars := variables(schema.Extract)
	for name, value := range map[string]string{
		schema.EnvExtractor: "bedrock", schema.EnvModelID: "eu.anthropic.claude-haiku-4-5-20251001-v1:0", schema.EnvModelPrice: "1.10/5.50",
	} {
		vars[name] = value
	}
	for name, value := range change {
		vars[name] = value
	}
	return vars
}

func TestExtractStartsWithAModelAndAsksItNothing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]map[string]string{
		"what it needs": nil,
		"everything": {
			schema.EnvModelRegion: "eu-west-1", schema.EnvModelOutput: "tool", schema.EnvModelMaxTokens: "2048", schema.EnvModelBudget: "0.5", schema.EnvGuardrail: "gr1abc:3",
		},
		"ARNs": {
			schema.EnvModelID:   "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc",
			schema.EnvGuardrail: "arn:aws:bedrock:eu-west-1:123456789012:guardrail/abc:DRAFT",
		},
	} {
		c := newCloud()
		started(t, schema.Extract, c, withModel(change))
		for _, call := range c.made() {
			if strings.Contains(call, "Converse") {
				t.Errorf("%s: %v", name, call)
			}
		}
	}
}

func TestAModelWithoutWhatItNeedsDoesNotStart(t *testing.T) {
	t.Parallel()
	for _, name := range []string{schema.EnvModelID, schema.EnvModelPrice} {
		_, err := app.Assemble(t.Context(), schema.Extract, host(newCloud(), withModel(map[string]string{name: ""}), io.Discard))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestAModelsSettingOfAnotherFormIsRefusedUnseen(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]string{
		schema.EnvExtractor:      {"Bedrock", "openly"},
		schema.EnvModelID:        {"a model", "?x", strings.Repeat("m", 201)},
		schema.EnvModelOutput:    {"xml", "Schema"},
		schema.EnvModelMaxTokens: {"255", "8193", "-1", "many", "1e3"},
		schema.EnvModelPrice:     {"1.10", "1.10/", "a/b", "-1/5", "NaN/1", "1/2/3", "Inf/1"},
		schema.EnvModelBudget:    {"-0.01", "lots", "NaN", "1e9"},
		schema.EnvGuardrail:      {"gr1abc", "gr1abc:", ":1", "gr1abc:latest", "gr 1:1"},
	} {
		for _, value := range values {
			_, err := app.Assemble(t.Context(), schema.Extract, host(newCloud(), withModel(map[string]string{name: value}), io.Discard))
			if err == nil || !strings.Contains(err.Error(), name) || len(value) > 3 && strings.Contains(err.Error(), value+" ") {
				t.Errorf("%s of %q: %v", name, value, err)
			}
		}
	}
}

// Whoever may not call a model is not told of one.
func TestNobodyButExtractIsToldOfTheModel(t *testing.T) {
	t.Parallel()
	for _, e := range schema.Environment() {
		if !strings.Contains(e.Name, "_MODEL_") && e.Name != schema.EnvExtractor && e.Name != schema.EnvGuardrail {
			continue
		}
		if len(e.For) != 1 || e.For[0] != schema.Extract || e.Needed {
			t.Errorf("%s is for %v, needed %v", e.Name, e.For, e.Needed)
		}
	}
}

func TestReadersByName(t *testing.T) {
	t.Parallel()
	if r, err := app.Reader("rules"); err != nil || r.Model() != "rules" {
		t.Errorf("%v", err)
	}
	if _, err := app.Reader("oracle"); err == nil {
		t.Error("a reader that is none")
	}
}

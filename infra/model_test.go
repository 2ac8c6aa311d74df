package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"onefold/internal/schema"
)

const (
	haiku     = "anthropic.claude-haiku-4-5-20251001-v1:0"
	partition = "arn:<AWS::Partition>:bedrock:"
)

// byRules is a change that takes the model away.
func byRules() map[string]any {
	change := map[string]any{}
	for _, key := range modelKeys() {
		change[key] = ""
	}
	return change
}

func modelKeys() []string {
	return []string{"modelId", "modelRegion", "modelRegions", "modelOutput", "modelMaxTokens", "modelPrice", "modelBudget", "guardrail"}
}

// asking are the permissions on Bedrock: who, what, on what, on what condition.
func asking(t *testing.T, change map[string]any) []string {
	t.Helper()
	unescaped := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">")
	var out []string
	for _, g := range grants(t, change) {
		if strings.HasPrefix(g.action, "bedrock") {
			out = append(out, strings.Join([]string{g.role, g.action, g.resource, unescaped.Replace(g.condition)}, " "))
		}
	}
	slices.Sort(out)
	return out
}

func through(profile string) string {
	return ` {"StringEquals":{"bedrock:InferenceProfileArn":"` + profile + `"}}`
}

// The policies are those of AWS's guide ("Geographic cross-Region inference",
// "Global cross-Region inference"), less what Onefold does not call.
func TestOnlyExtractMayAskAModelAndNoOtherThanItsOwn(t *testing.T) {
	const ask = "ExtractRole bedrock:InvokeModel " + partition
	geographic := partition + "eu-central-1:<AWS::AccountId>:inference-profile/eu." + haiku
	everywhere := partition + "eu-central-1:<AWS::AccountId>:inference-profile/global." + haiku
	for name, c := range map[string]struct {
		change map[string]any
		want   []string
	}{
		"a model": {
			map[string]any{"modelId": haiku, "modelRegions": "", "guardrail": ""},
			[]string{ask + "eu-central-1::foundation-model/" + haiku + " null"},
		},
		"a model in the stage's region": {
			map[string]any{"modelId": haiku, "modelRegion": "", "modelRegions": "", "guardrail": ""},
			[]string{ask + "<AWS::Region>::foundation-model/" + haiku + " null"},
		},
		"a profile and a guardrail": {nil, []string{
			"ExtractRole bedrock:ApplyGuardrail " + partition + "eu-central-1:<AWS::AccountId>:guardrail/gr1abc2def3g null",
			"ExtractRole bedrock:InvokeModel " + geographic + " null",
			ask + "eu-central-1::foundation-model/" + haiku + through(geographic),
			ask + "eu-west-1::foundation-model/" + haiku + through(geographic),
		}},
		"a profile asked where it does not lead": {
			map[string]any{"modelRegion": "eu-central-2", "guardrail": "", "modelRegions": "eu-west-1"},
			[]string{
				ask + "eu-central-2:<AWS::AccountId>:inference-profile/eu." + haiku + " null",
				ask + "eu-central-2::foundation-model/" + haiku + through(strings.Replace(geographic, "eu-central-1", "eu-central-2", 1)),
				ask + "eu-west-1::foundation-model/" + haiku + through(strings.Replace(geographic, "eu-central-1", "eu-central-2", 1)),
			},
		},
		"a global profile": {
			map[string]any{"modelId": "global." + haiku, "modelRegions": "", "guardrail": ""},
			[]string{
				ask + "::foundation-model/" + haiku + through(everywhere),
				"ExtractRole bedrock:InvokeModel " + everywhere + " null",
				ask + "eu-central-1::foundation-model/" + haiku + through(everywhere),
			},
		},
		"a geography that is not known here": {
			map[string]any{"modelId": "za." + haiku, "modelRegions": "af-south-1", "modelRegion": "af-south-1", "guardrail": ""},
			[]string{
				ask + "af-south-1:<AWS::AccountId>:inference-profile/za." + haiku + " null",
				ask + "af-south-1::foundation-model/" + haiku + through(partition+"af-south-1:<AWS::AccountId>:inference-profile/za."+haiku),
			},
		},
		"rules": {byRules(), nil},
	} {
		slices.Sort(c.want)
		if got := asking(t, c.change); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nnot\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestExtractAloneIsToldOfTheModel(t *testing.T) {
	want := map[string]string{
		schema.EnvExtractor: "bedrock", schema.EnvModelID: "eu." + haiku, schema.EnvModelRegion: "eu-central-1", schema.EnvModelOutput: "tool",
		schema.EnvModelMaxTokens: "2048", schema.EnvModelPrice: "1.10/5.50", schema.EnvModelBudget: "2.50", schema.EnvGuardrail: "gr1abc2def3g:4",
	}
	for name, change := range map[string]map[string]any{"with": nil, "without": byRules()} {
		for id, r := range core(t, change).each(t, "AWS::Lambda::Function") {
			vars, _ := at(any(r.Properties), "Environment", "Variables").(map[string]any)
			for key, value := range want {
				told, is := vars[key]
				if should := name == "with" && id == "ExtractFunction"; is != should || is && told != value {
					t.Errorf("%s a model, %s has %s: %v", name, id, key, told)
				}
			}
		}
	}
}

func TestWhatMayBeAskedIsAnOutput(t *testing.T) {
	if got := written(core(t, nil).Outputs[schema.ModelOutput].Value); got != partition+"eu-central-1:<AWS::AccountId>:inference-profile/eu."+haiku {
		t.Error(got)
	}
	if o, there := core(t, byRules()).Outputs[schema.ModelOutput]; there {
		t.Errorf("by rules: %v", o)
	}
}

func TestSettingsOfAModelThatAreRefused(t *testing.T) {
	with := func(key string, value any) map[string]any {
		c := map[string]any{"stage": "prod", "modelId": haiku, "modelPrice": "1/5"}
		c[key] = value
		return c
	}
	for name, c := range map[string]struct {
		context map[string]any
		says    []string
	}{
		"no price": {map[string]any{"stage": "prod", "modelId": haiku}, []string{"modelId needs modelPrice"}},
		"no model": {
			map[string]any{
				"stage": "prod", "modelRegion": "eu-west-1", "modelRegions": "eu-west-1", "modelOutput": "tool", "modelMaxTokens": "512",
				"modelPrice": "1/5", "modelBudget": "5", "guardrail": "gr1abc:1",
			},
			[]string{
				"modelRegion is of a modelId", "modelRegions is of", "modelOutput is of", "modelMaxTokens is of", "modelPrice is of", "modelBudget is of", "guardrail is of",
			},
		},
		"everything at once": {
			map[string]any{"stage": "prod", "modelId": "eu." + haiku, "modelOutput": "xml", "modelMaxTokens": 100.0, "modelBudget": "lots", "guardrail": "gr1"},
			[]string{"needs modelPrice", "needs modelRegions", "modelOutput is to be", "modelMaxTokens is to be", "modelBudget is to be", "guardrail is to be"},
		},
		"an ARN":                        {with("modelId", "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc"), []string{"modelId is to be"}},
		"a wildcard":                    {with("modelId", "anthropic.*"), []string{"modelId is to be"}},
		"no provider":                   {with("modelId", "haiku"), []string{"modelId is to be"}},
		"a region that is none":         {with("modelRegion", "Frankfurt"), []string{"modelRegion is to be"}},
		"regions of everywhere":         {with("modelRegions", "*"), []string{"modelRegions is to be"}},
		"regions of a model":            {with("modelRegions", "eu-west-1"), []string{"modelId is none"}},
		"a profile without its regions": {with("modelId", "us."+haiku), []string{"needs modelRegions", "get-inference-profile"}},
		"half a price":                  {with("modelPrice", "1.10"), []string{"modelPrice is to be"}},
		"a price below nothing":         {with("modelPrice", "-1/5"), []string{"modelPrice is to be"}},
		"no number as a price":          {with("modelPrice", "NaN/5"), []string{"modelPrice is to be"}},
		"a budget in words of science":  {with("modelBudget", "1e3"), []string{"modelBudget is to be"}},
		"a budget without end":          {with("modelBudget", 10001.0), []string{"modelBudget is to be"}},
		"a guardrail without version":   {with("guardrail", "gr1abc:"), []string{"guardrail is to be"}},
		"a guardrail of another name":   {with("guardrail", "arn:aws:bedrock:eu-west-1:123456789012:guardrail/abc:1"), []string{"guardrail is to be"}},
		"fewer tokens than a record":    {with("modelMaxTokens", "255"), []string{"modelMaxTokens is to be"}},
	} {
		_, err := ReadConfig(c.context)
		if !errors.Is(err, errConfig) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, words := range c.says {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("%s: nothing of %q in\n%v", name, words, err)
			}
		}
	}
}

// Values of cdk.json have types; those of the command line are texts.
func TestNumbersOfAModelMayBeNumbers(t *testing.T) {
	c, err := ReadConfig(map[string]any{
		"stage": "prod", "modelId": "openai.gpt-5.6-terra", "modelPrice": "0/0", "modelBudget": 0.5, "modelMaxTokens": 8192.0, "guardrail": "gr1abc:DRAFT",
	})
	if err != nil || c.Model.Budget != "0.5" || c.Model.MaxTokens != 8192 || c.Model.profile() || c.Model.foundation() != "openai.gpt-5.6-terra" {
		t.Errorf("%+v, %v", c.Model, err)
	}
}

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"onefold/internal/schema"
)

// Model is what reads the text of mail and forms; without an ID the rules do.
type Model struct {
	ID     string // of a foundation model or a system-defined inference profile
	Region string // where it is asked; empty: the region of the core stack
	// Regions are those that a profile may lead to, besides where it is asked.
	// Given, they say that ID is a profile.
	Regions   []string
	Output    string // schema or tool; empty: the reader's own
	MaxTokens int    // of an answer; 0: the reader's own
	Price     string // US dollars of a million tokens, IN/OUT
	Budget    string // US dollars of a tenant and day; empty: the reader's own
	Guardrail string // ID:VERSION, in the region of the model; empty: none
}

// extractorBedrock is the value of schema.EnvExtractor with a model.
const extractorBedrock = "bedrock"

// maxUSD bounds a price and a budget; extract refuses more at its start.
const maxUSD = 10_000

var (
	// API Reference, GetFoundationModelAvailability, "modelId", without custom
	// models. A profile's ID has its geography before the model's.
	modelForm     = regexp.MustCompile(`^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,4}(:[a-z0-9-]{1,63}){0,2}$`)
	usdForm       = regexp.MustCompile(`^[0-9]{1,5}(\.[0-9]{1,6})?$`)
	guardrailForm = regexp.MustCompile(`^[a-z0-9]{1,64}:([1-9][0-9]{0,7}|DRAFT)$`)
)

// geographies begin the IDs of profiles that lead to several regions (User
// Guide, "Supported Regions and models for inference profiles", read 2026-11).
// A geography that comes later is known by its modelRegions.
func geographies() []string {
	return []string{"us.", "us-gov.", "eu.", "apac.", "jp.", "au.", "ca."}
}

// global begins the ID of a profile that may lead anywhere.
const global = "global."

// model reads the settings of the model.
func (r *reader) model() Model {
	return Model{
		ID: r.text("modelId", "", "the ID, and no ARN, of a model or a system-defined inference profile, such as eu.anthropic.claude-haiku-4-5-20251001-v1:0",
			func(s string) bool { return len(s) <= 140 && modelForm.MatchString(s) }),
		Region:    r.text("modelRegion", "", "a region such as eu-central-1", regionForm.MatchString),
		Regions:   r.list("modelRegions", "regions parted by commas, such as eu-central-1,eu-west-1", regionForm.MatchString),
		Output:    r.word("modelOutput", "", "schema", "tool"),
		MaxTokens: r.number("modelMaxTokens", 0, 256, 8192),
		Price:     r.text("modelPrice", "", "US dollars for a million tokens in and out, such as 1.10/5.50", isPrice),
		Budget:    r.decimal("modelBudget", "US dollars for a tenant and day, such as 5 or 0.50", isUSD),
		Guardrail: r.text("guardrail", "", "a guardrail's ID, and no ARN, with its version, such as gr1abc2def3g:1", guardrailForm.MatchString),
	}
}

// decimal reads what may be a number in cdk.json.
func (r *reader) decimal(key, want string, fits func(string) bool) string {
	if f, ok := r.value(key).(float64); ok {
		if s := strconv.FormatFloat(f, 'f', -1, 64); fits(s) {
			return s
		}
		r.fail(key, want)
		return ""
	}
	return r.text(key, "", want, fits)
}

// modelTogether judges what no key of the model shows alone.
func (r *reader) modelTogether(m Model) {
	if r.failed["modelId"] {
		return
	}
	if m.ID == "" {
		for _, key := range []string{"modelRegion", "modelRegions", "modelOutput", "modelMaxTokens", "modelPrice", "modelBudget", "guardrail"} {
			r.unless(r.value(key) == nil, "%s is of a modelId, and none is given", key)
		}
		return
	}
	r.unless(m.Price != "" || r.failed["modelPrice"], "modelId needs modelPrice, else nobody knows what its answers cost")
	r.unless(len(m.Regions) > 0 || r.failed["modelRegions"] || !m.ofSeveralRegions(),
		"modelId is an inference profile and needs modelRegions, those of its models: `aws bedrock get-inference-profile --inference-profile-identifier %s`", m.ID)
	r.unless(len(m.Regions) == 0 || strings.Contains(m.foundation(), "."),
		"modelRegions are of an inference profile such as eu.anthropic.…, and modelId is none")
}

func (m Model) ofSeveralRegions() bool {
	return slices.ContainsFunc(geographies(), func(g string) bool { return strings.HasPrefix(m.ID, g) })
}

// profile tells whether the ID is that of an inference profile.
func (m Model) profile() bool { return len(m.Regions) > 0 || strings.HasPrefix(m.ID, global) }

// foundation is the ID of the model that answers.
func (m Model) foundation() string {
	if !m.profile() {
		return m.ID
	}
	_, id, _ := strings.Cut(m.ID, ".")
	return id
}

func (m Model) region(own string) string { return first(m.Region, own) }

// variables are what extract is told of the model; nothing without one.
func (m Model) variables() map[string]string {
	if m.ID == "" {
		return nil
	}
	v := map[string]string{
		schema.EnvExtractor:   extractorBedrock,
		schema.EnvModelID:     m.ID,
		schema.EnvModelRegion: m.Region,
		schema.EnvModelOutput: m.Output,
		schema.EnvModelPrice:  m.Price,
		schema.EnvModelBudget: m.Budget,
		schema.EnvGuardrail:   m.Guardrail,
	}
	if m.MaxTokens > 0 {
		v[schema.EnvModelMaxTokens] = strconv.Itoa(m.MaxTokens)
	}
	return v
}

// askModel lets extract, and nobody else, ask the one model, by its profile
// alone where it has one (User Guide, "Geographic cross-Region inference" and
// "Global cross-Region inference", their IAM policies, read 2026-11). Converse
// is asked for as InvokeModel.
func (c *Core) askModel(d schema.Duty) []statement {
	m := c.Cfg.Model
	if !d.Asks || m.ID == "" {
		return nil
	}
	ask := func(sid string, resource any) statement {
		return statement{"Sid": sid, "Effect": "Allow", "Action": "bedrock:InvokeModel", "Resource": resource}
	}
	out := []statement{ask("AskModel", c.modelArn())}
	if m.profile() {
		through := ask("AskModelThroughProfile", c.leadsTo())
		through["Condition"] = map[string]any{"StringEquals": map[string]any{"bedrock:InferenceProfileArn": c.modelArn()}}
		out = append(out, through)
	}
	if id, _, given := strings.Cut(m.Guardrail, ":"); given {
		out = append(out, statement{
			"Sid": "Guardrail", "Effect": "Allow", "Action": "bedrock:ApplyGuardrail",
			"Resource": arn(c.Stack, "bedrock", m.region(c.region()), "guardrail/"+id),
		})
	}
	return out
}

// modelArn is what extract asks.
func (c *Core) modelArn() string {
	m := c.Cfg.Model
	if m.profile() {
		return arn(c.Stack, "bedrock", m.region(c.region()), "inference-profile/"+m.ID)
	}
	return c.foundationArn(m.region(c.region()))
}

// leadsTo are the models that a profile may lead to: where it is asked, which
// AWS wants besides the rest, and where it says. A global one has a model
// without a region.
func (c *Core) leadsTo() []string {
	m := c.Cfg.Model
	regions := append([]string{m.region(c.region())}, m.Regions...)
	if strings.HasPrefix(m.ID, global) {
		regions = append(regions, "")
	}
	var out []string
	for _, region := range regions {
		if a := c.foundationArn(region); !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// tellModel writes into the outputs what extract may ask, for whoever verifies
// it.
func (c *Core) tellModel() {
	if c.Cfg.Model.ID != "" {
		c.output(schema.ModelOutput, c.modelArn(), "The model or inference profile that extract asks")
	}
}

// foundationArn is of no account: models are AWS's.
func (c *Core) foundationArn(region string) string {
	return fmt.Sprintf("arn:%s:bedrock:%s::foundation-model/%s", *c.Stack.Partition(), region, c.Cfg.Model.foundation())
}

func isUSD(s string) bool {
	f, err := strconv.ParseFloat(s, 64)
	return usdForm.MatchString(s) && err == nil && f <= maxUSD
}

func isPrice(s string) bool {
	in, out, ok := strings.Cut(s, "/")
	return ok && isUSD(in) && isUSD(out)
}

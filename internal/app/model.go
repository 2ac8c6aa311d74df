package app

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"onefold/internal/reading/reader/bedrock"
	"onefold/internal/schema"
)

// model is what the environment says of the model that reads.
type model struct {
	id, region                  string
	output                      bedrock.Output
	maxTokens                   int32
	inputUSD, outputUSD         float64 // of a million tokens
	budget                      float64 // of a tenant and day
	guardrail, guardrailVersion string
}

// Limits of the settings. Fewer tokens than minTokens hold no record with four
// values and their evidence.
const (
	minTokens     = 256
	maxTokens     = 8192
	defaultBudget = "5"
	maxUSD        = 10_000
)

// readModel reads the settings of a model; an error names those that bedrock
// needs and that are missing. Their forms have been checked with the others, or
// are checked here where nobody did.
func readModel(get func(name string) string) (model, error) {
	m := model{
		id: get(schema.EnvModelID), region: get(schema.EnvModelRegion),
		output: bedrock.Output(cmp.Or(get(schema.EnvModelOutput), string(bedrock.Schema))),
	}
	var faults []error
	for _, name := range []string{schema.EnvModelID, schema.EnvModelPrice} {
		if get(name) == "" {
			faults = append(faults, fmt.Errorf("%s is missing: the reader bedrock needs it", name))
		}
	}
	for _, name := range []string{
		schema.EnvModelID, schema.EnvModelOutput, schema.EnvModelMaxTokens, schema.EnvModelPrice, schema.EnvModelBudget, schema.EnvGuardrail,
	} {
		if v := get(name); v != "" && !fitsModel(name, v) {
			faults = append(faults, fmt.Errorf("%s is not of its form", name))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return m, err
	}
	m.maxTokens, _ = tokensOf(get(schema.EnvModelMaxTokens))
	m.inputUSD, m.outputUSD, _ = priceOf(get(schema.EnvModelPrice))
	m.budget, _ = usdOf(cmp.Or(get(schema.EnvModelBudget), defaultBudget))
	m.guardrail, m.guardrailVersion, _ = guardrailOf(get(schema.EnvGuardrail))
	return m, nil
}

// fitsModel tells whether a value of a model's setting can be right.
func fitsModel(name, value string) bool {
	ok := true
	switch name {
	case schema.EnvExtractor:
		ok = value == readByRules || value == readByBedrock
	case schema.EnvModelID:
		// API Reference, Converse, "modelId", within what a key can hold.
		ok = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,199}$`).MatchString(value)
	case schema.EnvModelOutput:
		ok = value == string(bedrock.Schema) || value == string(bedrock.Tool)
	case schema.EnvModelMaxTokens:
		_, ok = tokensOf(value)
	case schema.EnvModelPrice:
		_, _, ok = priceOf(value)
	case schema.EnvModelBudget:
		_, ok = usdOf(value)
	case schema.EnvGuardrail:
		_, _, ok = guardrailOf(value)
	}
	return ok
}

// tokensOf reads a limit; "" is 0, which is the reader's own.
func tokensOf(value string) (int32, bool) {
	if value == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(value, 10, 32)
	return int32(n), err == nil && n >= minTokens && n <= maxTokens
}

// priceOf reads "IN/OUT".
func priceOf(value string) (in, out float64, ok bool) {
	a, b, found := strings.Cut(value, "/")
	in, okIn := usdOf(a)
	out, okOut := usdOf(b)
	return in, out, found && okIn && okOut
}

func usdOf(value string) (float64, bool) {
	usd, err := strconv.ParseFloat(value, 64)
	return usd, err == nil && usd >= 0 && usd <= maxUSD && !math.IsNaN(usd)
}

// guardrailOf reads "ID:VERSION"; an ID that is an ARN has colons itself.
func guardrailOf(value string) (id, version string, ok bool) {
	if value == "" {
		return "", "", true
	}
	m := regexp.MustCompile(`^([a-zA-Z0-9:/._-]+):([1-9][0-9]{0,7}|DRAFT)$`).FindStringSubmatch(value)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

package preflight_test

import (
	"maps"
	"strings"
	"testing"

	"onefold/internal/operate/stage/preflight"
)

const (
	haiku = "anthropic.claude-haiku-4-5-20251001-v1:0"
	none  = `404!{"__type":"ResourceNotFoundException","message":"no"}`
	open  = `{"modelId":"m","agreementAvailability":{"status":"AVAILABLE"},"authorizationStatus":"AUTHORIZED","entitlementAvailability":"AVAILABLE","regionAvailability":"AVAILABLE"}`
)

func profile(id, kind string, regions ...string) string {
	var models []string
	for _, r := range regions {
		models = append(models, `{"modelArn":"arn:aws:bedrock:`+r+`::foundation-model/`+haiku+`"}`)
	}
	return `{"inferenceProfileId":"` + id + `","inferenceProfileName":"n","inferenceProfileArn":"a","status":"ACTIVE","type":"` + kind + `","models":[` + strings.Join(models, ",") + `]}`
}

func model(inference, lifecycle string) string {
	return `{"modelDetails":{"modelArn":"a","modelId":"` + haiku + `","inferenceTypesSupported":["` + inference + `"],"modelLifecycle":{"status":"` + lifecycle + `"}}}`
}

func TestWhetherAModelMayBeAskedIsLookedAtAndNotTried(t *testing.T) {
	t.Parallel()
	const (
		profiles, models, access, guardrails = "/inference-profiles/", "/foundation-models/", "/foundation-model-availability/", "/guardrails/"
	)
	geographic := preflight.Settings{"modelId": "eu." + haiku, "modelRegions": "eu-central-1,eu-west-1", "modelPrice": "1.10/5.50"}
	global := preflight.Settings{"modelId": "global." + haiku}
	plain := preflight.Settings{"modelId": haiku}
	onItsOwn := map[string]string{profiles: none, models: model("ON_DEMAND", "ACTIVE")}
	with := func(s preflight.Settings, key, value string) preflight.Settings {
		s = maps.Clone(s)
		s[key] = value
		return s
	}
	changed := func(answers map[string]string, word, answer string) map[string]string {
		answers = maps.Clone(answers)
		answers[word] = answer
		return answers
	}
	only := func(word, answer string) map[string]string { return map[string]string{word: answer} }
	closed := func(from, to string) string { return strings.Replace(open, from, to, 1) }
	for _, c := range []struct {
		name     string
		answers  map[string]string // that differ; "": refused
		settings preflight.Settings
		id       string
		result   preflight.Result
		words    string
	}{
		{"rules", only(profiles, ""), nil, "model", preflight.OK, "not needed"},
		{"a profile", nil, geographic, "model", preflight.OK, "eu." + haiku + " may be asked in eu-west-1"},
		{"a global profile", only(profiles, profile("global."+haiku, "SYSTEM_DEFINED", "", "eu-west-1")), global, "model", preflight.OK, "may be asked"},
		{"a model", onItsOwn, plain, "model", preflight.OK, haiku + " may be asked in eu-west-1"},
		{"a model elsewhere", onItsOwn, with(plain, "modelRegion", "us-east-1"), "model", preflight.OK, "in us-east-1"},
		{"neither", map[string]string{profiles: none, models: none}, plain, "model", preflight.Stop, "neither a model nor an inference profile"},
		{"a form that is none", map[string]string{profiles: strings.Replace(none, "404!", "400!", 1), models: `400!{"__type":"ValidationException"}`}, plain, "model", preflight.Stop, "list-inference-profiles"},
		{"a profile without regions", nil, preflight.Settings{"modelId": "eu." + haiku}, "model", preflight.Stop, "give modelRegions=eu-central-1,eu-west-1"},
		{"a region that is missing", only(profiles, profile("eu."+haiku, "SYSTEM_DEFINED", "eu-central-1", "eu-north-1")), geographic, "model", preflight.Stop, "give modelRegions=eu-central-1,eu-north-1"},
		{"a region too many", only(profiles, profile("eu."+haiku, "SYSTEM_DEFINED", "eu-west-1")), geographic, "model", preflight.Attention, "does not lead to eu-central-1"},
		{"a profile of one's own", only(profiles, profile("abc", "APPLICATION", "eu-west-1")), with(plain, "modelRegions", "eu-west-1"), "model", preflight.Stop, "application inference profile"},
		{"a model by profile alone", only(profiles, none), plain, "model", preflight.Stop, "not answered by its own ID"},
		{"regions of a model", onItsOwn, with(plain, "modelRegions", "eu-west-1"), "model", preflight.Stop, "no inference profile"},
		{"not in the region", changed(onItsOwn, access, closed(`"regionAvailability":"AVAILABLE"`, `"regionAvailability":"NOT_AVAILABLE"`)), plain, "model", preflight.Stop, "not available in eu-west-1"},
		{"not agreed", only(access, closed(`"status":"AVAILABLE"`, `"status":"NOT_AVAILABLE"`)), geographic, "model", preflight.Attention, "agreement NOT_AVAILABLE"},
		{"not authorized", only(access, closed(`"AUTHORIZED"`, `"NOT_AUTHORIZED"`)), geographic, "model", preflight.Attention, "model catalog"},
		{"an answer that says nothing", only(access, `{}`), geographic, "model", preflight.Attention, "no access"},
		{"withdrawn", only(models, model("INFERENCE_PROFILE", "LEGACY")), geographic, "model", preflight.Attention, "being withdrawn"},
		{"profiles unreadable", only(profiles, ""), geographic, "model", preflight.Attention, "bedrock:GetInferenceProfile"},
		{"models unreadable", only(models, ""), geographic, "model", preflight.Attention, "bedrock:GetFoundationModel"},
		{"access unreadable", only(access, ""), geographic, "model", preflight.Attention, "bedrock:GetFoundationModelAvailability"},
		{"a guardrail", nil, with(geographic, "guardrail", "gr1abc:4"), "guardrail", preflight.OK, "gr1abc, version 4"},
		{"no such guardrail", only(guardrails, none), with(geographic, "guardrail", "gr1abc:4"), "guardrail", preflight.Stop, "list-guardrails"},
		{"a guardrail being made", only(guardrails, `{"status":"CREATING"}`), with(geographic, "guardrail", "gr1abc:4"), "guardrail", preflight.Attention, "READY"},
		{"a guardrail that leads elsewhere", only(guardrails, `{"status":"READY","crossRegionDetails":{"guardrailProfileId":"eu.g"}}`), with(geographic, "guardrail", "gr1abc:4"), "guardrail", preflight.Stop, "cross-region"},
		{"guardrails unreadable", only(guardrails, ""), with(geographic, "guardrail", "gr1abc:4"), "guardrail", preflight.Attention, "bedrock:GetGuardrail"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := good()
			a[profiles] = profile("eu."+haiku, "SYSTEM_DEFINED", "eu-central-1", "eu-west-1")
			a[models], a[access] = model("INFERENCE_PROFILE", "ACTIVE"), open
			a[guardrails] = `{"status":"READY","guardrailId":"gr1abc","version":"4"}`
			for word, answer := range c.answers {
				if delete(a, word); answer != "" {
					a[word] = answer
				}
			}
			r := run(t, a, c.settings)
			if err := find(r, c.id, c.result, c.words); err != nil {
				t.Error(err)
			}
			if r.Stopped() != (c.result == preflight.Stop) {
				t.Errorf("stopped: %v", r.Stopped())
			}
			asks := strings.Contains(strings.Join(r.Plan, "; "), "have model ")
			if asks != (c.settings["modelId"] != "") {
				t.Errorf("the plan: %q", r.Plan)
			}
		})
	}
}

package main

import (
	"maps"
	"strings"
	"testing"
)

// cdk-nag's AwsSolutions on both stacks, in every shape.
func TestNothingIsFoundByCDKNag(t *testing.T) {
	for name, change := range map[string]map[string]any{
		"everything": nil,
		"domain":     {"domain": "api.example.com", "hostedZoneId": "Z0123456789ABCDEFGHIJ", "hostedZoneName": "example.com"},
		"traced":     {"tracing": "true"},
		"elsewhere":  {"region": "eu-central-1", "mailRegion": "eu-west-1", "sesRegion": "eu-west-1"},
		"dormant":    {"dormant": "true"},
		"by rules":   byRules(),
		"global":     {"modelId": "global." + haiku, "modelRegions": ""},
	} {
		a, err := assemble(change)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.findings {
			t.Errorf("%s: %s", name, f)
		}
	}
}

// Suppressions stand in the templates with their reasons; a rule that is
// suppressed for nothing, or without saying why, is worse than a finding.
func TestASuppressionWithoutReason(t *testing.T) {
	a, err := assemble(nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for stack, tpl := range a.templates {
		for id, r := range tpl.Resources {
			for _, s := range words(at(any(r.Metadata), "cdk_nag", "rules_to_suppress")) {
				n++
				if len(written(at(s, "reason"))) < 40 {
					t.Errorf("%s/%s: %s", stack, id, written(s))
				}
				if written(at(s, "id")) == "AwsSolutions-IAM5" && at(s, "applies_to") == nil {
					t.Errorf("%s/%s: every star is let through", stack, id)
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d suppressions were found", n)
	}
}

// The emulator's templates differ from AWS's by what LeftOut says, no more.
func TestOnTheEmulatorOnlyWhatIsListedDiffers(t *testing.T) {
	if got := len(LeftOut()); got > 8 {
		t.Errorf("%d differences; the emulator is to be as AWS", got)
	}
	for _, d := range LeftOut() {
		if d.What == "" || len(d.Why) < 20 {
			t.Errorf("%+v", d)
		}
	}
	real := core(t, nil)
	local := core(t, map[string]any{"target": "ministack"})
	for id, r := range real.Resources {
		l, ok := local.Resources[id]
		if r.Type == "AWS::CloudWatch::Alarm" {
			r.Properties = maps.Clone(r.Properties)
			delete(r.Properties, "WarmUpConfiguration")
		}
		switch {
		case ok && !same(l, r):
			t.Errorf("%s is another one there", id)
		case !ok && !strings.HasSuffix(id, "Alarm"):
			t.Errorf("%s is missing there", id)
		}
	}
	if len(local.Resources) > len(real.Resources) {
		t.Errorf("%d resources there, %d on AWS", len(local.Resources), len(real.Resources))
	}
	fronted := core(t, map[string]any{"target": "ministack", "endpoints": `{"public":"http://127.0.0.1:1"}`})
	must(t, "send", fronted.Resources["SendFunction"], "http://127.0.0.1:1", "Environment", "Variables", "ONEFOLD_PUBLIC_URL")
}

package main

import (
	"errors"
	"strings"
	"testing"
)

func TestAContextIsReadWithItsTypes(t *testing.T) {
	c, err := ReadConfig(map[string]any{
		"stage": "prod", "rawRetentionDays": "30", "logRetentionDays": 14.0, "sendDomains": "b.example, a.example",
		"tracing": true, "dormant": "false", "alarmEmail": "", "aws:cdk:enable-path-metadata": true, "@aws-cdk/core:flag": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.RawRetentionDays != 30 || c.LogRetentionDays != 14 || !c.Tracing || c.Dormant || c.Architecture != "arm64" || c.Target != AWS ||
		strings.Join(c.SendDomains, " ") != "a.example b.example" || c.Functions != "bin/functions/arm64" {
		t.Errorf("%+v", c)
	}
}

func TestMailIsSentFromTheMailDomainWhereNothingIsSaid(t *testing.T) {
	c, err := ReadConfig(map[string]any{"stage": "prod", "mailDomain": "in.example.com", "receiptRuleSet": "set"})
	if err != nil || len(c.SendDomains) != 1 || c.SendDomains[0] != "in.example.com" {
		t.Errorf("%v, %v", c.SendDomains, err)
	}
}

// One that misses a mistake sends its operator through a deployment for each.
func TestAnErrorOfTheContextListsEveryProblem(t *testing.T) {
	_, err := ReadConfig(map[string]any{
		"domian": "api.example.com", "onefold:stage": "prod", "logLevel": "loud", "rawRetentionDays": "many", "alarmEmail": "Ops <ops@example.com>",
		"dormant": "perhaps", "sendDomains": []any{"no domain"},
	})
	if !errors.Is(err, errConfig) {
		t.Fatal(err)
	}
	for _, word := range []string{"stage is needed", `"domian"`, `"onefold:stage"`, "logLevel", "rawRetentionDays", "alarmEmail", "dormant", "sendDomains"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("nothing of %s in\n%v", word, err)
		}
	}
}

func TestContextsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change map[string]any
		says   string
	}{
		"a stage that buckets cannot be named with": {map[string]any{"stage": "Prod_1"}, "stage is to be"},
		// Stack, key alias and alarm topics of prod's inbound mail have this name.
		"a stage with the names of another's mail stack": {map[string]any{"stage": "prod-mail"}, "-mail"},
		"a stage with the names of another's SES stack":  {map[string]any{"stage": "prod-ses"}, "-ses"},
		// Cognito User Pools API Reference, CreateUserPoolDomain, "Domain".
		"a stage that Cognito's domains refuse": {map[string]any{"stage": "aws-test"}, "aws"},
		"a stage of one letter":                 {map[string]any{"stage": "p"}, "stage is to be"},
		"a domain without a certificate":        {map[string]any{"domain": "api.example.com"}, "certificateArn, or hostedZoneId"},
		"a certificate without a domain":        {map[string]any{"hostedZoneId": "Z0123456789", "hostedZoneName": "example.com"}, "none is given"},
		"a zone without its name":               {map[string]any{"domain": "api.example.com", "hostedZoneId": "Z0123456789"}, "go together"},
		"a domain outside its zone": {
			map[string]any{"domain": "api.example.com", "hostedZoneId": "Z0123456789", "hostedZoneName": "ple.com"}, "does not lie in",
		},
		"mail without a rule set":        {map[string]any{"mailDomain": "in.example.com"}, "receiptRuleSet"},
		"a region of no mail":            {map[string]any{"region": "eu-west-1", "mailRegion": "eu-west-1"}, "none is given"},
		"another region without our own": {map[string]any{"sesRegion": "eu-west-1"}, "need region too"},
		"mail of a region whose messages do not arrive": {
			map[string]any{"region": "eu-central-1", "mailDomain": "in.example.com", "receiptRuleSet": "s", "mailRegion": "eu-south-1"}, "opts into",
		},
		"an envelope sender elsewhere":        {map[string]any{"mailDomain": "in.example.com", "receiptRuleSet": "s", "mailFrom": "b.example.org"}, "mailFrom"},
		"a probe that send could not send":    {map[string]any{"probeFrom": "probe@example.com"}, "probeFrom"},
		"deleting data of what works":         {map[string]any{"deleteData": "true"}, "dormant=true"},
		"fakes on AWS":                        {map[string]any{"endpoints": `{"public":"http://127.0.0.1:1"}`}, "target=ministack"},
		"a fake that is none":                 {map[string]any{"target": "ministack", "endpoints": `{"sqs":"http://127.0.0.1:1"}`}, "endpoints is to be"},
		"endpoints that are no object":        {map[string]any{"target": "ministack", "endpoints": "http://127.0.0.1:1"}, "endpoints is to be"},
		"a domain on the emulator":            {map[string]any{"target": "ministack", "domain": "api.example.com", "certificateArn": ""}, "emulator"},
		"days that CloudWatch Logs has not":   {map[string]any{"logRetentionDays": "31"}, "logRetentionDays"},
		"an architecture that Lambda has not": {map[string]any{"architecture": "riscv64"}, "architecture is to be"},
		"a target that is none":               {map[string]any{"target": "moon"}, "target is to be"},
		"a fraction of a day":                 {map[string]any{"rawRetentionDays": 1.5}, "rawRetentionDays"},
		"a wildcard to send from":             {map[string]any{"sendDomains": "*"}, "sendDomains is to be"},
	} {
		t.Run(name, func(t *testing.T) {
			context := map[string]any{"stage": "prod"}
			for k, v := range c.change {
				context[k] = v
			}
			if _, err := ReadConfig(context); !errors.Is(err, errConfig) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

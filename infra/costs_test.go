package main

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onefold/internal/schema"
)

func TestTheIdleBillIsReckonedFromTheTemplates(t *testing.T) {
	raw, err := os.ReadFile("../docs/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	ts := synth(t)
	count := func(what string) int {
		if m := regexp.MustCompile("^`(AWS::[A-Za-z0-9:]+)`$").FindStringSubmatch(what); m != nil {
			return len(ts.of(m[1]))
		}
		return len(writtenWhenIdle())
	}
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|`).FindAllStringSubmatch(string(raw), -1)
	if len(rows) < 6 {
		t.Fatalf("the table has %d rows", len(rows))
	}
	var sum float64
	for _, r := range rows {
		n, each, month := atoi(t, r[3]), atof(t, r[4]), atof(t, r[5])
		if got := count(r[2]); got != n {
			t.Errorf("%s: %d are there, and the page says %d", r[1], got, n)
		}
		if math.Abs(float64(n)*each-month) > 0.001 {
			t.Errorf("%s: %d × %.2f is not %.2f", r[1], n, each, month)
		}
		sum += float64(n) * each
	}
	if want := fmt.Sprintf("**%.2f**", sum); !strings.Contains(string(raw), want) {
		t.Errorf("together it is %s", want)
	}
	for _, kind := range []string{"AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm", "AWS::CloudWatch::Dashboard", "AWS::KMS::Key", "AWS::SecretsManager::Secret"} {
		if !strings.Contains(string(raw), "`"+kind+"`") {
			t.Errorf("%s costs by the month and is not on the page", kind)
		}
	}
}

// writtenWhenIdle are the metrics that come in every run of a schedule.
func writtenWhenIdle() []string {
	var out []string
	for _, m := range schema.Metrics() {
		if m.Gauge && slices.Contains(m.By, schema.Sweep) || m.Name == schema.FeedAge {
			out = append(out, m.Name)
		}
	}
	return out
}

// Whatever is paid for by the month without being used belongs on the page.
func TestNothingElseIsPaidForByTheMonth(t *testing.T) {
	dear := []string{
		"AWS::EC2::NatGateway", "AWS::EC2::VPCEndpoint", "AWS::WAFv2::WebACL", "AWS::Route53::HostedZone", "AWS::Kinesis::Stream",
		"AWS::ElasticLoadBalancingV2::LoadBalancer", "AWS::RDS::DBInstance", "AWS::Synthetics::Canary",
	}
	for _, kind := range dear {
		if n := len(synth(t).of(kind)); n > 0 {
			t.Errorf("%d of %s", n, kind)
		}
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func atof(t *testing.T, s string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

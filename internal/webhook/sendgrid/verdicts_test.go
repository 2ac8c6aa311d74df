package sendgrid_test

import (
	"slices"
	"testing"

	"onefold/internal/record/inbound"
)

// The fields and their form are those that Inbound Parse posts ("Default
// parameters"); names and results are invented.
func TestReading10WhatSendGridSaysOfASender(t *testing.T) {
	t.Parallel()
	const envelope = `{"to":["sales@demo.example"],"from":"bounce@mail.example.org"}`
	for name, c := range map[string]struct {
		fields []string
		want   inbound.Verdicts
	}{
		"both pass":               {[]string{"dkim", "{@example.org : pass}", "SPF", "pass"}, inbound.Verdicts{SPF: "PASS", DKIM: "PASS"}},
		"another's domain signed": {[]string{"dkim", "{@example-org.20251104.gappssmtp.com : pass}", "SPF", "softfail"}, inbound.Verdicts{SPF: "SOFTFAIL"}},
		"both fail":               {[]string{"dkim", "{@example.org : fail}", "SPF", "fail"}, inbound.Verdicts{SPF: "FAIL", DKIM: "FAIL"}},
		"nothing signed":          {[]string{"dkim", "none", "SPF", "none"}, inbound.Verdicts{SPF: "NONE"}},
		"two signatures":          {[]string{"dkim", "{@example.org : pass, @evil.example : pass}"}, inbound.Verdicts{}},
		"a signature in disguise": {[]string{"dkim", `{"@example.org : pass, x"@evil.example : pass}`}, inbound.Verdicts{}},
		"twice":                   {[]string{"dkim", "{@example.org : pass}", "SPF", "pass", "SPF", "fail", "dkim", "{@evil.example : fail}"}, inbound.Verdicts{}},
		"words of nobody":         {[]string{"SPF", "pass; dmarc=pass"}, inbound.Verdicts{}},
		"none":                    {nil, inbound.Verdicts{}},
	} {
		for kind, of := range map[string][]string{
			"raw":   {"email", "Received-SPF: pass\r\n" + mail("Hut")},
			"parts": {"headers", "From: Ann <ann@example.org>\nSPF: pass\ndkim: {@example.org : pass}\nSubject: Hut\n", "text", "Hello"},
		} {
			got, err := open(t, form("xYzZY", slices.Concat([]string{"envelope", envelope}, of, c.fields)...))
			if err != nil || len(got.Deliveries) != 1 || got.Deliveries[0].Verdicts != c.want {
				t.Errorf("%s, %s: %+v, %v, want %+v", name, kind, got, err, c.want)
			}
		}
	}
	other, err := open(t, form("xYzZY", "envelope", `{"to":["sales@demo.example"],"from":"x@evil.example"}`, "email", mail("Hut"), "SPF", "pass"))
	if err != nil || other.Deliveries[0].Verdicts != (inbound.Verdicts{}) {
		t.Errorf("a pass of another domain: %+v, %v", other, err)
	}
	inside, err := open(t, form("xYzZY", "envelope", envelope, "SPF", "fail", "email", mail("Hut")+"\r\n--xYzZY\r\nContent-Disposition: form-data; name=\"SPF\"\r\n\r\npass"))
	if err != nil || inside.Deliveries[0].Verdicts != (inbound.Verdicts{}) {
		t.Errorf("a field that came with the mail: %+v, %v", inside, err)
	}
}

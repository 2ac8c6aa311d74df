package postmark_test

import (
	"encoding/json"
	"testing"

	"onefold/internal/record/inbound"
)

// The names, the words and their order are those of Postmark's page "Inbound
// webhook"; the content is invented.
func TestReading10WhatPostmarkSaysOfASender(t *testing.T) {
	t.Parallel()
	type h struct{ Name, Value string }
	tests := func(v string) h { return h{"X-Spam-Tests", v} }
	spf := func(domain string) h {
		return h{"Received-SPF", "Pass (sender SPF authorized) identity=mailfrom; client-ip=192.0.2.1; helo=mail.example.org; envelope-from=" + domain + "; receiver=x@inbound.postmarkapp.com"}
	}
	received := h{"Received", "from mail.example.org by inbound.postmarkapp.com (Postfix) with ESMTPS id 1; Tue, 4 Apr 2026 10:52:00 -0400 (EDT)"}
	all := tests("DKIM_SIGNED,DKIM_VALID,DKIM_VALID_AU,SPF_PASS")
	none, both := inbound.Verdicts{}, inbound.Verdicts{SPF: "PASS", DKIM: "PASS"}
	for name, c := range map[string]struct {
		headers []h
		want    inbound.Verdicts
	}{
		"both pass":                 {[]h{{"X-Spam-Score", "-0.1"}, all, spf("bounce@mail.example.org"), received}, both},
		"another domain passes":     {[]h{tests("DKIM_SIGNED,DKIM_VALID,SPF_PASS"), spf("x@evil.example"), received}, none},
		"both fail":                 {[]h{tests("DKIM_SIGNED,DKIM_INVALID,SPF_FAIL"), received}, inbound.Verdicts{SPF: "FAIL", DKIM: "FAIL"}},
		"SPF of the HELO name":      {[]h{tests("SPF_HELO_PASS,SPF_NEUTRAL"), received}, inbound.Verdicts{SPF: "NEUTRAL"}},
		"tests twice":               {[]h{all, spf("ann@example.org"), received, all}, none},
		"SPF further below":         {[]h{all, received, spf("ann@example.org")}, inbound.Verdicts{DKIM: "PASS"}},
		"SPF twice":                 {[]h{all, spf("ann@example.org"), received, spf("ann@example.org")}, inbound.Verdicts{DKIM: "PASS"}},
		"two envelope senders":      {[]h{all, spf(`"a; envelope-from=ann@example.org; "@evil.example`), received}, inbound.Verdicts{DKIM: "PASS"}},
		"a header of another's":     {[]h{{"Authentication-Results", "inbound.postmarkapp.com; dmarc=pass header.from=example.org"}, received}, none},
		"a word that looks like it": {[]h{tests("X_DKIM_VALID_AU,SPF_PASSED"), received}, none},
		"nothing":                   {nil, none},
	} {
		for form, raw := range map[string]string{"parts": "", "raw": raw("Hut")} {
			body, err := json.Marshal(map[string]any{
				"MessageID": "id-1", "OriginalRecipient": "sales@demo.example", "FromFull": map[string]string{"Email": "ann@example.org"},
				"TextBody": "Hello", "RawEmail": raw, "Headers": c.headers,
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := one(t, string(body)).Verdicts; got != c.want {
				t.Errorf("%s, %s: %+v, want %+v", name, form, got, c.want)
			}
		}
	}
}

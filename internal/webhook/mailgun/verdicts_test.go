package mailgun_test

import (
	"encoding/json"
	"strings"
	"testing"

	"onefold/internal/record/inbound"
)

// The names, the words and their place are those of Mailgun's page "Spam Filter"
// and of mail that was published; the content is invented.
func TestReading10WhatMailgunSaysOfASender(t *testing.T) {
	t.Parallel()
	const (
		found    = "X-Mailgun-Dkim-Check-Result: Pass\r\nX-Mailgun-Spf: Pass\r\nX-Mailgun-Incoming: Yes\r\n"
		received = "Received: from mail.example.org (mail.example.org [192.0.2.1]) by mxa.mailgun.org with ESMTP id 1.2-in1; Wed, 11 Oct 2026 18:31:04 -0000 (UTC)\r\n"
		signed   = "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org; s=a; h=from:to; bh=x; b=y\r\n"
		rest     = "From: Ann <ann@example.org>\r\nSubject: Hut\r\n"
	)
	none, both := inbound.Verdicts{}, inbound.Verdicts{SPF: "PASS", DKIM: "PASS"}
	for name, c := range map[string]struct {
		header, sender string
		want           inbound.Verdicts
	}{
		"both pass":                {found + received + signed + rest, "bounce@mail.example.org", both},
		"both fail":                {strings.ReplaceAll(found, "Pass", "Fail") + received + signed + rest, "ann@example.org", inbound.Verdicts{SPF: "FAIL", DKIM: "FAIL"}},
		"neutral":                  {strings.ReplaceAll(found, "Pass", "Neutral") + received + rest, "ann@example.org", inbound.Verdicts{SPF: "NEUTRAL", DKIM: "NEUTRAL"}},
		"of another domain":        {found + received + strings.Replace(signed, "d=example.org", "d=evil.example", 1) + rest, "x@evil.example", none},
		"two signatures":           {found + received + signed + signed + rest, "ann@example.org", inbound.Verdicts{SPF: "PASS"}},
		"two domains in one":       {found + received + strings.Replace(signed, "d=", "d=evil.example; d=", 1) + rest, "", none},
		"a null sender":            {found + received + rest, "", none},
		"only what the mail holds": {received + found + signed + rest, "ann@example.org", none},
		"one more in the mail":     {found + received + found + signed + rest, "ann@example.org", none},
		"the filter is off":        {received + signed + rest, "ann@example.org", none},
		"no Received of Mailgun":   {found + signed + rest, "ann@example.org", none},
		"two senders":              {found + received + signed + "From: ann@example.org, bob@example.org\r\n", "ann@example.org", none},
	} {
		var list [][2]string
		for _, line := range strings.Split(strings.TrimSuffix(c.header, "\r\n"), "\r\n") {
			name, value, _ := strings.Cut(line, ": ")
			list = append(list, [2]string{name, value})
		}
		headers, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		for form, more := range map[string]map[string]string{
			"raw":    {"body-mime": c.header + "\r\nHello.\r\n"},
			"parts":  {"message-headers": string(headers), "body-plain": "Hello."},
			"stored": {"message-headers": string(headers), "body-plain": "Hello.", "message-url": "https://storage.api.mailgun.net/v3/domains/demo.example/messages/Key="},
		} {
			to := map[string]string{"recipient": "sales@demo.example", "sender": c.sender}
			if got := taken(t, fields(to, more, proof(key, now(), token("one")))); got.Verdicts != c.want {
				t.Errorf("%s, %s: %+v, want %+v", name, form, got.Verdicts, c.want)
			}
		}
	}
}

package postmark

import (
	"slices"
	"strings"

	"onefold/internal/reading/rawmail"
	event "onefold/internal/record/inbound"
	"onefold/internal/webhook/authres"
	"onefold/internal/webhook/parsedmail"
)

// verdicts are what Postmark found out (developer documentation, "Inbound
// webhook", read 2026-12): see About.Checks.
func verdicts(m parsedmail.Mail) event.Verdicts {
	top := rawmail.TopOf(parsedmail.Mail{Fields: m.Fields}.Bytes())
	tests := strings.FieldsFunc(authres.Only(top, "x-spam-tests"), func(r rune) bool { return r == ',' || r == ' ' })
	from, checks := authres.Sender(top), authres.Checks{}
	for test, word := range map[string]string{"SPF_PASS": "pass", "SPF_FAIL": "fail", "SPF_SOFTFAIL": "softfail", "SPF_NEUTRAL": "neutral"} {
		if slices.Contains(tests, test) {
			checks.SPF = authres.Check{Word: word, Domain: envelopeFrom(top)}
		}
	}
	switch {
	case slices.Contains(tests, "DKIM_VALID_AU"):
		checks.DKIM = []authres.Check{{Word: "pass", Domain: from}}
	case slices.Contains(tests, "DKIM_INVALID"):
		checks.DKIM = []authres.Check{{Word: "fail"}}
	}
	return checks.Verdicts(from)
}

// envelopeFrom is the sender that Postmark checked (RFC 7208 section 9.1).
func envelopeFrom(top rawmail.Top) string {
	for n, f := range top.Fields[:max(0, len(top.Fields)-1)] {
		if f.Name != "x-spam-tests" || top.Fields[n+1].Name != "received-spf" {
			continue
		}
		return authres.Tag(authres.Only(top, "received-spf"), "envelope-from")
	}
	return ""
}

package authres_test

import (
	"strings"
	"testing"

	"onefold/internal/record/inbound"
	"onefold/internal/webhook/authres"
)

const id = "mx.demo.example"

// verdicts is what a field says, above the Received of its host.
func verdicts(field string) inbound.Verdicts {
	return authres.Of([]byte("Authentication-Results: "+field+"\r\n"+received+from), id)
}

const (
	received = "Received: from mail.example.org (mail.example.org [192.0.2.1])\r\n\tby mx.demo.example (Postfix) with ESMTPS id 4a01\r\n\tfor <hello@demo.example>; Tue, 1 Dec 2026 08:58:12 +0000\r\n"
	from     = "From: Ada <ada@example.org>\r\nSubject: Huts\r\n\r\nHello.\r\n"
	failed   = "Authentication-Results: mx.demo.example; dmarc=fail header.from=example.org\r\n"
	passed   = "Authentication-Results: mx.demo.example; dmarc=pass header.from=example.org\r\n"
)

var (
	none = inbound.Verdicts{}
	fail = inbound.Verdicts{DMARC: "FAIL"}
	pass = inbound.Verdicts{DMARC: "PASS"}
)

// RFC 8601 section 2.2, and its examples in appendix B with this ID.
func TestReading10TheFieldIsReadByItsGrammar(t *testing.T) {
	t.Parallel()
	all := inbound.Verdicts{SPF: "PASS", DKIM: "PASS", DMARC: "PASS"}
	for field, want := range map[string]inbound.Verdicts{
		// Appendix B.
		"mx.demo.example 1; none":                                 none,
		"mx.demo.example;\r\n spf=pass smtp.mailfrom=example.org": {SPF: "PASS"},
		"mx.demo.example;\r\n auth=pass (cram-md5) smtp.auth=sender@example.net;\r\n spf=pass smtp.mailfrom=example.org":                                                   {SPF: "PASS"},
		"mx.demo.example; dkim=pass reason=\"good signature\"\r\n header.i=@mail-router.example.net; dkim=fail reason=\"bad signature\"\r\n header.i=@newyork.example.org": {DKIM: "FAIL"},
		"mx.demo.example 1 (Foobar) 1 2": none,
		"foo.example.net (foobar) 1 (baz); dkim (Because I like it) / 1 (One yay) = (wait for it) fail policy (A dot can go here) . (like that) expired (this surprised me) = (as I wasn't expecting it) 1362471462": none,
		"mx.demo.example (foobar) 1 (baz); dkim (Because I like it) / 1 (One yay) = (wait for it) fail policy (A dot can go here) . (like that) expired (this surprised me) = (as I wasn't expecting it) 1362471462": {DKIM: "FAIL"},
		// Case, folds, quotes, a dot at the end, an ID in quotes.
		"MX.Demo.Example; DMARC=Pass HEADER.FROM=Example.ORG":                   pass,
		"\"mx.demo.example\"; dmarc=pass header.from=\"example.org\"":           pass,
		"mx.demo.example;\r\n\tdmarc=fail\r\n\t\theader.from=example.org;":      fail,
		"mx.demo.example;dmarc=fail(p=reject dis=none)header.from=example.org.": fail,
		// Comments and quoted strings hold what a sender chose.
		"mx.demo.example; dkim=pass (2048-bit key; unprotected) header.d=example.org header.i=@example.org; spf=pass (x) smtp.mailfrom=a@bounce.example.org; dmarc=pass header.from=example.org": all,
		"mx.demo.example; dmarc=fail (of a;dmarc=pass) header.from=example.org":                 fail,
		"mx.demo.example; dmarc=fail (of (a); \\) dmarc=pass) header.from=example.org":          fail,
		"mx.demo.example; spf=fail smtp.mailfrom=\"x; dmarc=pass \"@evil.example; dmarc=fail":   {SPF: "FAIL", DMARC: "FAIL"},
		"mx.demo.example; spf=pass smtp.mailfrom=\"a\\\"; dmarc=pass\"@example.org; dmarc=fail": {SPF: "PASS", DMARC: "FAIL"},
		"mx.demo.example; spf=pass smtp.mailfrom=prvs=1+tag=x@example.org":                      {SPF: "PASS"},
		// Not of the form, or of another version: nothing is believed.
		"mx.demo.example 2; dmarc=fail header.from=example.org":                       none,
		"mx.demo.example; dmarc=fail (header.from=example.org":                        none,
		"mx.demo.example; dmarc=fail header.from=\"example.org":                       none,
		"mx.demo.example; dmarc=fail header.from":                                     none,
		"mx.demo.example; dmarc":                                                      none,
		"mx.demo.example dmarc=fail":                                                  none,
		"mx.demo.example; dmarc= ; spf=fail":                                          none,
		"mx.demo.example; \"dmarc\"=fail":                                             none,
		"mx.demo.example; dmarc=\"fail\"":                                             none,
		"mx.demo.example; dmarc=fail header.from=example.org header.from=example.net": none,
		"mx.demo.example":                                                             none,
		"":                                                                            none,
		// Of another server: a name below it, above it, or that only looks so.
		"a.mx.demo.example; dmarc=fail":              none,
		"demo.example; dmarc=fail":                   none,
		"mx.demo.example.evil.example; dmarc=fail":   none,
		"evil.example (mx.demo.example); dmarc=fail": none,
	} {
		if got := verdicts(field); got != want {
			t.Errorf("%s\n%+v, want %+v", field, got, want)
		}
	}
}

// A pass says something of From's domain alone (RFC 7489 section 3.1): aligned,
// relaxed, by organisational domain.
func TestReading10APassOfAnotherDomainSaysNothing(t *testing.T) {
	t.Parallel()
	for results, want := range map[string]inbound.Verdicts{
		"dkim=pass header.d=example.org":                                                  {DKIM: "PASS"},
		"dkim=pass header.i=someone@news.example.org":                                     {DKIM: "PASS"},
		"dkim=pass header.d=evil.example":                                                 none,
		"dkim=pass header.d=org":                                                          none,
		"dkim=pass header.d=notexample.org":                                               none,
		"dkim=pass":                                                                       none,
		"dkim=pass header.d=evil.example; dkim=pass header.d=example.org":                 {DKIM: "PASS"},
		"dkim=fail header.d=example.org; dkim=pass header.d=example.org":                  {DKIM: "PASS"},
		"dkim=pass header.d=example.org; dkim=fail header.d=example.org":                  {DKIM: "PASS"},
		"spf=pass smtp.mailfrom=evil.example":                                             none,
		"spf=pass smtp.helo=example.org":                                                  none,
		"spf=none smtp.helo=x.example.org; spf=pass smtp.mailfrom=a@example.org":          {SPF: "PASS"},
		"spf=softfail smtp.mailfrom=evil.example":                                         {SPF: "SOFTFAIL"},
		"spf=pass smtp.mailfrom=a@example.org; spf=fail smtp.mailfrom=a@example.org":      none,
		"spf=pass smtp.mailfrom=a@example.org; spf=pass smtp.mailfrom=victim@example.org": none,
		"dmarc=fail header.from=example.net":                                              none,
		"dmarc=fail":                                                                      fail,
		"dmarc=fail header.from=example.org; dmarc=pass header.from=example.org":          none,
		"dmarc=pass; dmarc=fail; dmarc=fail":                                              none,
		"dmarc=bestguesspass header.from=example.org":                                     none,
		"dmarc=none header.from=example.org":                                              {DMARC: "NONE"},
		"arc=pass; x-dmarc=fail; compauth=fail reason=001":                                none,
	} {
		if got := verdicts("mx.demo.example; " + results); got != want {
			t.Errorf("%s: %+v, want %+v", results, got, want)
		}
	}
	shared := strings.Replace(from, "example.org", "a.co.uk", 1) // of no one organisation
	got := authres.Of([]byte("Authentication-Results: mx.demo.example; dkim=pass header.d=b.co.uk; spf=pass smtp.mailfrom=co.uk\r\n"+received+shared), id)
	if got != none {
		t.Errorf("a neighbour below a public suffix: %+v", got)
	}
	abroad := "From: Ada <ada@b\xc3\xbccher.example>\r\n\r\nx"
	if got := authres.Of([]byte("Authentication-Results: mx.demo.example; dmarc=fail header.from=xn--bcher-kva.example\r\n"+received+abroad), id); got != fail {
		t.Errorf("a domain in other letters: %+v", got)
	}
}

// RFC 8601 section 5: what came with the mail is not the server's word.
func TestReading10OnlyTheOneFieldAboveTheServersReceivedCounts(t *testing.T) {
	t.Parallel()
	const (
		ofAnother = "Authentication-Results: mx.evil.example; dmarc=pass header.from=example.org\r\n"
		sealed    = "ARC-Authentication-Results: i=1; mx.demo.example; dmarc=pass header.from=example.org\r\n"
		inside    = "Received: from mx.demo.example by store.internal.example; Tue, 1 Dec 2026 08:58:13 +0000\r\n"
		before    = "Received: from laptop by mail.example.org; Tue, 1 Dec 2026 08:58:11 +0000\r\n"
		renamed   = "Received: from mail.example.org by in-1.provider.example; Tue, 1 Dec 2026 08:58:12 +0000\r\n"
	)
	for name, c := range map[string]struct {
		mail string
		want inbound.Verdicts
	}{
		"above":                          {failed + received + before + from, fail},
		"above, and handed on inside":    {inside + failed + received + from, fail},
		"a pass above":                   {passed + received + from, pass},
		"below":                          {received + failed + from, none},
		"a pass below":                   {received + passed + from, none},
		"below, with a Received to it":   {received + passed + received + from, none},
		"two":                            {failed + passed + received + from, none},
		"two alike":                      {failed + failed + received + from, none},
		"one more from the sender":       {failed + received + passed + from, none},
		"one more that cannot be read":   {failed + received + "Authentication-Results: mx.demo.example; (\r\n" + from, none},
		"one more behind From":           {failed + received + "From: ada@example.org\r\n" + passed + "\r\nx", none},
		"of another beside it":           {ofAnother + failed + received + ofAnother + from, fail},
		"of another alone":               {ofAnother + received + from, none},
		"sealed":                         {sealed + received + from, none},
		"none":                           {received + from, none},
		"in the body":                    {received + "From: ada@example.org\r\n\r\n" + failed, none},
		"the host's name is elsewhere":   {renamed + failed + before + from, fail},
		"so a pass does not count":       {renamed + passed + before + from, none},
		"nor above it":                   {passed + renamed + from, none},
		"a comment without a space":      {strings.Replace(received, " (Postfix)", "(Postfix)", 1) + passed + from, none},
		"an ID with a dot at its end":    {strings.Replace(passed, "example;", "example.;", 1) + received + from, none},
		"a host with a dot at its end":   {passed + strings.Replace(received, "by mx.demo.example", "by mx.demo.example.", 1) + from, pass},
		"no Received":                    {failed + from, fail},
		"no Received, a pass":            {passed + from, none},
		"two senders":                    {failed + received + "From: a@example.org, b@example.org\r\n\r\nx", none},
		"two From fields":                {failed + received + "From: a@example.org\r\nFrom: b@example.org\r\n\r\nx", none},
		"no sender":                      {failed + received + "Subject: x\r\n\r\nx", none},
		"a header that is cut":           {failed + received + "From: ada@example.org\r\n" + strings.Repeat("X-Pad: "+strings.Repeat("x", 900)+"\r\n", 400) + "\r\nx", none},
		"an address that names the host": {failed + strings.Replace(received, "(mail.example.org", "(by mx.demo.example", 1) + from, fail},
	} {
		if got := authres.Of([]byte(c.mail), id); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	// The domain of several hosts may be the ID.
	if got := authres.Of([]byte(strings.Replace(failed, "mx.demo", "demo", 1)+received+from), "DEMO.example"); got != fail {
		t.Errorf("a host below the ID: %+v", got)
	}
}

// What Cloudflare Email Routing, Amazon SES, Google, Fastmail and Postfix with
// OpenDKIM wrote, as their mail was published; with names of ours.
func TestReading10FieldsOfWellKnownServers(t *testing.T) {
	t.Parallel()
	cloudflare := "Received: from mail.example.org (2001:db8::1)\r\n        by cloudflare-email.net (cloudflare) id GY1KdjWjOU9O\r\n        for <info@demo.example>; Sun, 14 Jun 2026 21:02:54 +0000\r\n" +
		"ARC-Authentication-Results: i=2; mx.cloudflare.net;\r\n\tdkim=pass header.d=example.org; dmarc=pass header.from=example.org policy.dmarc=none\r\n" +
		"Received-SPF: pass (mx.cloudflare.net: domain of ada@example.org designates 2001:db8::1 as permitted sender)\r\n\treceiver=mx.cloudflare.net; client-ip=2001:db8::1; envelope-from=\"ada@example.org\"; helo=mail.example.org;\r\n" +
		"Authentication-Results: mx.cloudflare.net;\r\n\tdkim=WORD header.d=example.org header.s=20251104 header.b=L6CZ3OJ0;\r\n\tdmarc=WORD header.from=example.org policy.dmarc=none;\r\n" +
		"\tspf=none (mx.cloudflare.net: no SPF records found for postmaster@mail.example.org) smtp.helo=mail.example.org;\r\n" +
		"\tspf=WORD (mx.cloudflare.net: domain of ada@example.org designates 2001:db8::1 as permitted sender) smtp.mailfrom=ada@example.org;\r\n\tarc=pass smtp.remote-ip=\"2001:db8::1\"\r\n"
	ses := "Return-Path: <ada@example.org>\r\nReceived: from mail.example.org (mail.example.org [192.0.2.1])\r\n by inbound-smtp.us-east-1.amazonaws.com with SMTP id 8i6cr4aeu\r\n for info@demo.example;\r\n Sat, 26 Apr 2025 16:24:59 +0000 (UTC)\r\n" +
		"X-SES-Spam-Verdict: PASS\r\nX-SES-Virus-Verdict: PASS\r\nAuthentication-Results: amazonses.com;\r\n spf=WORD (spfCheck: domain of _spf.example.org designates 192.0.2.1 as permitted sender) client-ip=192.0.2.1; envelope-from=ada@example.org; helo=mail.example.org;\r\n" +
		" dkim=WORD header.i=@example.org;\r\n dmarc=WORD header.from=example.org;\r\n"
	google := "Delivered-To: info@demo.example\r\nReceived: from mail.example.org (mail.example.org. [192.0.2.1])\r\n        by mx.google.com with ESMTPS id a\r\n        for <info@demo.example>;\r\n        Tue, 18 Mar 2025 09:10:02 -0700 (PDT)\r\n" +
		"Authentication-Results: mx.google.com;\r\n       dkim=WORD header.i=@example.org header.s=a header.b=\"R/ATP5Q2\";\r\n       spf=WORD (google.com: domain of ada@example.org designates 192.0.2.1 as permitted sender) smtp.mailfrom=ada@example.org;\r\n       dmarc=WORD (p=NONE sp=NONE dis=NONE) header.from=example.org\r\n"
	fastmail := "Return-Path: <ada@example.org>\r\nAuthentication-Results: mx1.messagingengine.com;\r\n    arc=none (no signatures found);\r\n    bimi=skipped (DMARC Policy is not at enforcement);\r\n    dkim=WORD (2048-bit rsa key sha256) header.d=example.org\r\n      header.i=@example.org header.b=abc header.a=rsa-sha256 header.s=a\r\n      x-bits=2048;\r\n    dmarc=WORD policy.published-domain-policy=none\r\n      policy.applied-disposition=none policy.evaluated-disposition=none\r\n      (p=none,d=none,d.eval=none) policy.policy-from=p\r\n      header.from=example.org;\r\n    iprev=pass smtp.remote-ip=192.0.2.1 (mail.example.org);\r\n    spf=WORD smtp.mailfrom=ada@example.org smtp.helo=mail.example.org\r\n" +
		"Received: from mail.example.org (mail.example.org [192.0.2.1])\r\n\tby mx1.messagingengine.com (Postfix) with ESMTPS id 4\r\n\tfor <info@demo.example>; Fri, 12 Dec 2025 05:14:49 -0500 (EST)\r\n"
	whole := func(word string) inbound.Verdicts { return inbound.Verdicts{SPF: word, DKIM: word, DMARC: word} }
	for _, c := range []struct {
		id, head   string
		pass, fail inbound.Verdicts
	}{
		{"mx.cloudflare.net", cloudflare, none, fail},
		{"amazonses.com", ses, none, fail},
		{"mx.google.com", google, none, none}, // below its own Received
		{"mx1.messagingengine.com", fastmail, whole("PASS"), whole("FAIL")},
	} {
		for word, want := range map[string]inbound.Verdicts{"pass": c.pass, "fail": c.fail} {
			if got := authres.Of([]byte(strings.ReplaceAll(c.head, "WORD", word)+from), c.id); got != want {
				t.Errorf("%s, %s: %+v, want %+v", c.id, word, got, want)
			}
		}
	}
}

// Any mail is read without a panic, and of a mail whose only field of the ID
// is below the server's Received nothing is believed.
func FuzzAuthenticationResults(f *testing.F) {
	f.Add("mx.demo.example; dmarc=fail (a;b) header.from=example.org", "mx.demo.example; dmarc=pass")
	f.Add("\"mx.demo.example\" 1; dkim (x) / 1 = (y) pass header . d = \"example.org\"", "a \\")
	f.Add("mx.demo.example; spf=pass smtp.mailfrom=\"a\\\";\"@example.org", "((\\)")
	f.Fuzz(func(t *testing.T, field, sent string) {
		line := strings.NewReplacer("\r", " ", "\n", " ").Replace
		above := authres.Of([]byte("Authentication-Results: "+line(field)+"\r\n"+received+from), id)
		below := authres.Of([]byte(received+"Authentication-Results: "+line(sent)+"\r\n"+from), id)
		if below != none {
			t.Errorf("what the sender wrote counts: %+v", below)
		}
		for _, word := range []string{above.SPF, above.DKIM, above.DMARC} {
			if strings.ToUpper(word) != word || len(word) > 9 {
				t.Errorf("verdict %q", word)
			}
		}
		if both := authres.Of([]byte(failed+received+"Authentication-Results: mx.demo.example;"+line(sent)+"\r\n"+from), id); both != none {
			t.Errorf("of two fields one counts: %+v", both)
		}
	})
}

package ingest_test

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/inbound"
)

const checkedEndpoints = `"endpoints": [
	{"name":"mail","content":"mail","secret":"mail","authserv_id":"mx.demo.example"},
	{"name":"mailgun","content":"mail","scheme":"mailgun","secret":"mailgun","authserv_id":"mx.demo.example"},
	{"name":"resend","content":"mail","scheme":"resend","secret":"resend","mailbox":"hello@demo.example","authserv_id":"mx.demo.example"},`

func newChecked(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, onMem(t))
	doc := strings.Replace(string(tenant.Example()), `{ "name": "mail", "content": "mail", "scheme": "standard-webhooks", "secret": "mail" }`, `{ "name": "plain", "content": "mail", "secret": "plain" }`, 1)
	doc = strings.Replace(doc, `"endpoints": [`, checkedEndpoints, 1)
	doc = strings.Replace(doc, `"version": 1,`, `"version": 2,`, 1)
	if _, err := (&versions.Book{Store: b.store.Store, Now: b.clock}).Apply(t.Context(), []byte(doc), "test"); err != nil {
		t.Fatal(err)
	}
	b.restart()
	return b
}

// checkedBy is a mail that a server handed on with what it had found out.
func checkedBy(id, dmarc, more string) string {
	return "Authentication-Results: " + id + "; dmarc=" + dmarc + " header.from=example.org\r\n" +
		"Received: from mail.example.org by mx.demo.example; Tue, 1 Dec 2026 08:58:12 +0000\r\n" + more +
		"From: Ann <ann@example.org>\r\nSubject: Hut\r\n\r\nHello.\r\n"
}

// posts is what Mailgun's routes post of a mail.
func posts(raw string) ingest.Request {
	stamp, token := strconv.FormatInt(start.Unix(), 10), strings.Repeat("t", 50)
	body := url.Values{
		"timestamp": {stamp}, "token": {token}, "signature": {sha(stamp + token)},
		"recipient": {"hello@demo.example"}, "sender": {"ann@example.org"}, "body-mime": {raw},
	}
	return ingest.Request{
		Tenant: demo, Endpoint: "mailgun", Body: []byte(body.Encode()), RequestID: "r",
		Headers: map[string]string{"content-type": "application/x-www-form-urlencoded"},
	}
}

func TestReading10WhatTheNamedServerFoundOutIsOnTheEvent(t *testing.T) {
	t.Parallel()
	const mailgun = "X-Mailgun-Spf: Pass\r\nReceived: by mxa.mailgun.org; x\r\n"
	to := func(endpoint, raw string) ingest.Request {
		r := mailTo("ann@example.org", "hello@demo.example", raw)
		r.Endpoint = endpoint
		return r
	}
	for name, c := range map[string]struct {
		request    ingest.Request
		spf, dmarc string
	}{
		"failed":                    {to("mail", checkedBy("mx.demo.example", "fail", "")), "", "FAIL"},
		"passed":                    {to("mail", checkedBy("MX.demo.example", "pass", "")), "", "PASS"},
		"another server's":          {to("mail", checkedBy("mx.evil.example", "fail", "")), "", ""},
		"no server is named":        {to("plain", checkedBy("mx.demo.example", "fail", "")), "", ""},
		"Mailgun's, and ours":       {posts(mailgun + checkedBy("mx.demo.example", "fail", "")), "", "FAIL"},
		"Mailgun's, and nothing":    {posts(mailgun + checkedBy("mx.evil.example", "fail", "")), "PASS", ""},
		"of a mail that is fetched": {resent("e1", start), "", "FAIL"},
	} {
		b := newChecked(t)
		b.service.Content = func(context.Context, string, tenant.Endpoint, string) ([]byte, error) {
			return []byte(checkedBy("mx.demo.example", "fail", "")), nil
		}
		b.answers(c.request, 200, "recorded")
		e := b.of(ledger.Event)[0]
		if e.Text("spf_verdict") != c.spf || e.Text("dkim_verdict") != "" || e.Text("dmarc_verdict") != c.dmarc {
			t.Errorf("%s: SPF %q, DKIM %q, DMARC %q, want %q and %q", name, e.Text("spf_verdict"), e.Text("dkim_verdict"), e.Text("dmarc_verdict"), c.spf, c.dmarc)
		}
		var read inbound.Event
		if err := e.Decode(&read); err != nil || (read.Sender() == inbound.SenderContradicted) != (c.dmarc == inbound.VerdictFail) {
			t.Errorf("%s: the sender is %s, %v", name, read.Sender(), err)
		}
		before := b.everything()
		b.answers(c.request, 200, "duplicate")
		b.onlyAdds(before, ledger.Delivery)
	}
}

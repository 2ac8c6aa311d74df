package rawmail_test

import (
	"strings"
	"testing"
)

const hashed = "From: Ann <ann@example.com>\nTo: sales@example.net\nSubject: Chairs\nDate: Tue, 3 Mar 2026 10:00:00 +0100\nMessage-ID: <a1@example.com>\nContent-Type: text/plain; charset=utf-8\n\nTen chairs, café.\n"

func TestTraceHeadersAndTransportDoNotChangeTheContentHash(t *testing.T) {
	t.Parallel()
	want := parse(hashed).ContentHash
	for name, mail := range map[string]string{
		"received":        "Received: from mx2.example.net by mx.example.net; Tue, 3 Mar 2026 10:00:09 +0100\nReturn-Path: <ann@example.com>\nDelivered-To: info@example.net\nX-Original-To: info@example.net\nDKIM-Signature: v=1; d=example.com\nAuthentication-Results: x\n" + hashed,
		"CRLF":            strings.ReplaceAll(hashed, "\n", "\r\n"),
		"folded":          strings.Replace(hashed, "Ann <ann", "Ann\n <ann", 1),
		"encoded subject": strings.Replace(hashed, "Chairs", "=?utf-8?Q?Chairs?=", 1),
		"trailing space":  strings.Replace(hashed, "café.", "café.  \n\n", 1),
		"base64 body":     strings.Replace(strings.Replace(hashed, "Content-Type", "Content-Transfer-Encoding: base64\nContent-Type", 1), "Ten chairs, café.", "VGVuIGNoYWlycywgY2Fmw6kuCg==", 1),
		"other recipient": strings.Replace(hashed, "sales@", "info@", 1),
		"other id":        strings.Replace(hashed, "a1@", "b1@", 1),
		"mbox line":       "From ann@example.com Tue Mar  3 10:00:00 2026\n" + hashed,
	} {
		if got := parse(mail).ContentHash; got != want {
			t.Errorf("%s: another hash", name)
		}
	}
}

func TestOtherContentHasAnotherContentHash(t *testing.T) {
	t.Parallel()
	seen := map[string]string{parse(hashed).ContentHash: "the mail itself"}
	attach := func(content string) string {
		return strings.Replace(hashed, "Content-Type: text/plain; charset=utf-8\n\nTen chairs, café.", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\n\nTen chairs, café.\n--b\nContent-Type: application/pdf; name=a.pdf\n\n"+content+"\n--b--", 1)
	}
	for name, mail := range map[string]string{
		"from":             strings.Replace(hashed, "Ann <", "Anne <", 1),
		"date":             strings.Replace(hashed, "10:00:00", "10:00:01", 1),
		"subject":          strings.Replace(hashed, "Chairs", "Chair", 1),
		"body":             strings.Replace(hashed, "Ten", "Two", 1),
		"attachment":       attach("one"),
		"other attachment": attach("two"),
		"quoted part":      strings.Replace(hashed, "café.", "café.\n> x", 1),
		"empty":            "",
		"beyond the bound": hashed + strings.Repeat("x ", 200_000) + "a",
		"beyond, other":    hashed + strings.Repeat("x ", 200_000) + "b",
	} {
		h := parse(mail).ContentHash
		if other, ok := seen[h]; ok || len(h) != 64 {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[h] = name
	}
}

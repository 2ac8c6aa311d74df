package tenant_test

import (
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
)

// Reading 12: a delivery that differs in what is volatile alone is a repeat, so
// nothing that says which event it is, or what it asks, may be volatile.
func TestReading12WhatIsVolatileHoldsNeitherTheIDNorAFieldThatIsRead(t *testing.T) {
	t.Parallel()
	const form = `"name": "e", "content": "form", "mailbox": "w", "secret": "x", `
	hmac := func(id, volatile string) string {
		return `"hmac": {"header": "x-sig", "id": {"pointers": ["` + id + `"]}` + volatile + `}`
	}
	for _, c := range []struct{ endpoint, want string }{
		{form + `"volatile": ["/attempt", "/data/sent_at"]`, ""},
		{form + `"volatile": ["/data/emails"]`, ""}, // no parent of /data/email
		{form + `"volatile": ["/email"], "fields": {"email": "/from"}`, ""},
		{form + `"scheme": "stripe", "volatile": ["/pending"]`, ""},
		{form + `"scheme": "hubspot", "public_url": "https://hooks.demo.example/h", "volatile": ["/changeSource"]`, ""},
		{form + `"scheme": "hmac", "volatile": ["/try"], ` + hmac("/a/id", `, "volatile": ["/sent_at"]`), ""},
		{`"name": "e", "content": "form", "mailbox": "w", "scheme": "own-form", "origins": ["https://www.demo.example"], "volatile": ["/tab"]`, ""},

		{form + `"volatile": ["/data"]`, `/endpoints/0/volatile/0 holds email, which is read`},
		{form + `"volatile": ["/try", "/data/email"]`, `/endpoints/0/volatile/1 holds email, which is read`},
		{form + `"volatile": ["/from"], "fields": {"email": "/from/address"}`, `/endpoints/0/volatile/0 holds email, which is read`},
		{form + `"volatile": ["/message"]`, `/endpoints/0/volatile/0 holds message, which is read`},
		{form + `"volatile": [""]`, `/endpoints/0/volatile/0 `},
		{form + `"volatile": ["attempt"]`, `/endpoints/0/volatile/0 `},
		{form + `"scheme": "stripe", "volatile": ["/id"]`, `/endpoints/0/volatile/0 holds what the event is identified by`},
		{form + `"scheme": "calendly", "volatile": ["/payload"]`, `/endpoints/0/volatile/0 holds what the event is identified by`},
		{form + `"scheme": "hubspot", "public_url": "https://hooks.demo.example/h", "volatile": ["/occurredAt"]`, `/endpoints/0/volatile/0 holds what the event is identified by`},
		{form + `"scheme": "hmac", ` + hmac("/a/id", `, "volatile": ["/a"]`), `/endpoints/0/hmac/volatile/0 holds what the event is identified by`},
		{form + `"scheme": "hmac", ` + hmac("/a/id", `, "volatile": ["/phone"]`), `/endpoints/0/hmac/volatile/0 holds phone, which is read`},
		{
			`"name": "e", "content": "form", "mailbox": "w", "scheme": "own-form", "origins": ["https://www.demo.example"], "volatile": ["/submission_id"]`,
			`/endpoints/0/volatile/0 holds what the event is identified by`,
		},
		{`"name": "e", "content": "mail", "secret": "x", "volatile": ["/try"]`, `/endpoints/0/volatile has an effect on forms that are sent as JSON alone`},
	} {
		_, err := tenant.Parse([]byte(with(t, "{"+c.endpoint+"}")))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.endpoint, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", c.endpoint, err, c.want)
		}
	}
}

// A rule that was made later does not stop a tenant whose policy was in force
// before.
func TestADocumentInForceMayNameWhatIsForbiddenSince(t *testing.T) {
	t.Parallel()
	doc := []byte(with(t, `{"name": "e", "content": "form", "mailbox": "w", "secret": "x", "scheme": "hmac",
		"hmac": {"header": "x-sig", "id": {"pointers": ["/a/id"]}, "volatile": ["/a"]}}`))
	if _, err := tenant.Parse(doc); err == nil {
		t.Fatal("a new document may name it")
	}
	p, err := tenant.Stored(doc)
	if err != nil || p.Endpoints[0].HMAC.Volatile[0] != "/a" {
		t.Errorf("%v, %+v", err, p.Endpoints)
	}
	if _, err := tenant.Stored([]byte(with(t, `{"name": "e", "content": "form"}`))); err == nil {
		t.Error("what was never allowed was taken from the store")
	}
}

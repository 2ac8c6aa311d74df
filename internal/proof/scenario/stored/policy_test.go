package stored_test

import (
	"bytes"
	"encoding/json"

	"onefold/internal/policy/tenant"
)

// policyOf is the example policy of a tenant, with a rule for each mode and a
// way in of each kind whose traces are kept.
func policyOf(tenantID string, version int, change func(doc map[string]any)) []byte {
	var doc map[string]any
	domain := tenantID + ".example"
	_ = json.Unmarshal(bytes.ReplaceAll(tenant.Example(), []byte("demo.example"), []byte(domain)), &doc)
	doc["tenant"], doc["version"] = tenantID, version
	doc["own_addresses"], doc["shared_addresses"] = []any{"@" + domain, "@in." + domain}, []any{"office@"}
	doc["limits"] = map[string]any{"per_thread": 3, "per_domain_day": 500}
	doc["customer_ids"] = map[string]any{"use": tenant.CustomersReview}
	ways := doc["endpoints"].([]any)
	ways[0].(map[string]any)["fields"].(map[string]any)["customer_id"] = "/data/customer"
	ways = append(ways,
		map[string]any{"name": "ses", "content": "mail", "scheme": "ses", "mailboxes": []any{"@in." + domain}},
		map[string]any{"name": "shop", "content": "form", "scheme": "hmac", "secret": "shop", "mailbox": "shop",
			"hmac": map[string]any{"header": "x-signature", "id": map[string]any{"header": "x-id"}}})
	doc["endpoints"] = ways
	first := doc["rules"].([]any)[0].(map[string]any)
	rule := func(id, mode string, intents ...any) map[string]any {
		r := map[string]any{}
		for k, v := range first {
			r[k] = v
		}
		r["id"], r["mode"], r["intents"] = id, mode, append([]any{}, intents...)
		r["template"] = map[string]any{"version": 1, "subject": "Your enquiry", "text": "Hello {{.Name}},\n\nwe have your message.\n\n-- \n{{.Business}}\n{{.PostalAddress}}\n"}
		return r
	}
	again := rule("again", tenant.ModeAuto, "meeting")
	again["on_unknown"] = tenant.UnknownResend
	doc["rules"] = []any{
		rule("watch", tenant.ModeObserve, "pricing"), rule("draft", tenant.ModeDraft, "support"), rule("product", tenant.ModeAuto, "product_question"),
		again, rule("welcome", tenant.ModeAuto),
	}
	if change != nil {
		change(doc)
	}
	text, _ := json.Marshal(doc)
	return text
}

// draftProduct has people approve what the rule product sends.
func draftProduct(doc map[string]any) {
	doc["rules"].([]any)[2].(map[string]any)["mode"] = tenant.ModeDraft
}

// identityRules are the rule in force and the one that comes next, if any.
func identityRules(now, next map[string]any) func(map[string]any) {
	return func(doc map[string]any) {
		doc["identity"] = now
		if next != nil {
			doc["identity_next"] = next
		}
	}
}

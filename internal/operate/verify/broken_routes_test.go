package verify_test

import (
	"testing"

	"onefold/internal/ledger"
)

func routesBreaches() []breach {
	route := func(id string) ledger.Key {
		return ledger.MailRoute.At(ledger.NoTenant, id)
	}
	return []breach{
		{"mailbox of nobody", "mail_routes", func(w *world) { w.set(route("sales@demo.example"), ledger.Item{"of_tenant": ""}) }},
		{"mailbox of another", "mail_routes", func(w *world) { w.set(route("sales@demo.example"), ledger.Item{"of_tenant": "acme"}) }},
		{"mailbox of another endpoint", "mail_routes", func(w *world) { w.set(route("sales@demo.example"), ledger.Item{"endpoint": "form"}) }},
		{"route that no policy names", "mail_routes", func(w *world) {
			w.put(route("@demo.example"), ledger.Item{"of_tenant": "demo", "endpoint": "inbox"})
		}},
		{"route of no tenant's", "mail_routes", func(w *world) {
			w.put(route("@example.org"), ledger.Item{"of_tenant": "ghost", "endpoint": "inbox"})
		}},
	}
}

func TestBrokenMailRoutesAreFound(t *testing.T) {
	t.Parallel()
	try(t, routesBreaches())
}

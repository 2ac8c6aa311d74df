package ingest

import (
	"time"

	"onefold/internal/blob"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
	"onefold/internal/webhook"
)

// newMail is the event of a mail for a mailbox, without its identity and
// content.
func newMail(now time.Time, route versions.Route) inbound.Event {
	at := utc.At(now)
	return inbound.Event{
		Tenant: route.Tenant, Source: route.Endpoint, Content: tenant.ContentMail, Mailbox: route.Mailbox,
		ReceivedAt: at, State: inbound.Recorded, Transition: 1, NotBefore: at, DueAt: at.Add(FirstDue),
	}
}

func withContent(e inbound.Event, raw []byte) inbound.Event {
	e.Fingerprint, e.Raw = webhook.Fingerprint(raw), string(blob.RefOf(e.Tenant, e.ID, raw))
	return e
}

func eventKey(e inbound.Event) ledger.Key {
	return ledger.Event.At(e.Tenant, e.ID)
}

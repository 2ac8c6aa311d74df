package verify

import (
	"strings"

	"onefold/internal/address"
	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/record/followup"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
)

func (v *view) takeInbound(k ledger.Key, it ledger.Item) {
	if k.Entity == ledger.Event {
		v.events[refOf(k)] = &eventRow{
			key: k, state: v.word(it.Text("state")), outcome: v.word(it.Text("outcome")), intent: it.Text("intent"),
			review: it.Text("review"), raw: it.Text("raw"), dueAt: it.Text(schema.DueAt), dueShard: it.Text(schema.DueShard),
		}
		return
	}
	d := v.deliveries[refOf(k)]
	if d == nil {
		d = &deliveries{first: k}
		v.deliveries[refOf(k)] = d
	}
	if it.Text("answer") == "recorded" {
		d.recorded = append(d.recorded, k)
	}
}

func (v *view) takePerson(k ledger.Key, it ledger.Item) {
	switch k.Entity {
	case ledger.ContactKey:
		shared, _ := it["shared"].(bool)
		v.keys[refOf(k)] = &keyRow{key: k, contact: it.Text("contact"), shared: shared}
	case ledger.Contact:
		v.contacts[refOf(k)] = &contactRow{
			key: k, status: v.word(it.Text("status")), mergedInto: it.Text("merged_into"), email: it.Text("email"), keys: texts(it["keys"]),
			absorbed: texts(it["absorbed"]),
		}
	case ledger.Enquiry:
		v.enquiries = append(v.enquiries, &linkRow{key: k, event: it.Text("event"), intent: it.Text("intent")})
	case ledger.Cadence:
		v.cadences = append(v.cadences, &linkRow{key: k, intent: it.Text("intent")})
	case ledger.CRMMapping:
		v.mappings = append(v.mappings, &linkRow{key: k, crmID: it.Text("crm_id")})
	default:
		v.decisions[refOf(k)] = &decisionRow{key: k, model: v.word(it.Text("model")), prompt: v.word(it.Text("prompt_version"))}
	}
}

func (v *view) takeSending(k ledger.Key, it ledger.Item) {
	switch k.Entity {
	case ledger.Intent:
		v.intents[refOf(k)] = v.intentOf(k, it)
	case ledger.Attempt:
		v.attempts[refOf(k)] = append(v.attempts[refOf(k)], &attemptRow{
			key: k, number: it.Int("attempt"), state: v.word(it.Text("state")), owner: it.Text("owner"), resend: v.word(it.Text("resend_accepted")),
			reason: v.word(it.Text("reason")), messageID: it.Text("message_id"), claimedAt: it.Text("claimed_at"),
			reported: it.Text("sent_at")+it.Text("delivered_at")+it.Text("bounced_at")+it.Text("complained_at") != "",
		})
	case ledger.ProviderMessage:
		provider, id, _ := strings.Cut(k.ID, ":")
		v.providers[provider] = true
		v.messages = append(v.messages, &messageRow{
			key: k, messageID: id, attempt: ledger.AttemptKey(it.Text("of_tenant"), it.Text("intent"), it.Int("attempt")),
		})
	default:
		op := &operationRow{
			key: k, kind: v.word(it.Text("kind")), state: v.word(it.Text("state")), contact: it.Text("contact"), intent: it.Text("intent"),
			dueAt: it.Text(schema.DueAt), dueShard: it.Text(schema.DueShard),
		}
		v.operations[refOf(k)] = op
		if op.kind == outbox.SendIntent {
			r := ref{k.Tenant, op.intent}
			v.timers[r] = append(v.timers[r], op)
		}
	}
}

func (v *view) intentOf(k ledger.Key, it ledger.Item) *intentRow {
	i := &intentRow{
		key: k, state: v.word(it.Text("state")), cause: it.Text("cause"), rule: v.word(it.Text("rule")), scope: v.word(it.Text("scope")),
		contact: it.Text("contact"), guard: it.Text("guard"), review: it.Text("review"), owner: it.Text("owner"),
		ruleVersion: it.Int("rule_version"), attempt: it.Int("attempt"), resends: it.Int("resends"), consent: it.Int("consent_version"),
		approved: it.Text("approved_hash"), stored: it.Text("content_hash"), createdAt: it.Text("created_at"),
	}
	if it.Text("recipient") != "" {
		i.made = followup.Intent{
			From: it.Text("mail_from"), ReplyTo: it.Text("mail_reply_to"), Recipient: it.Text("recipient"), Subject: it.Text("subject"),
			Text: it.Text("text"), InReplyTo: it.Text("in_reply_to"), References: it.Text("references"),
		}.HashContent()
	}
	if v.ids != nil {
		i.idMade = followup.IntentID(*v.ids, k.Tenant, i.cause, i.rule, i.ruleVersion)
		i.guardMade = v.guardID(k.Tenant, it.Text("recipient"))
	}
	return i
}

func (v *view) takeGuard(k ledger.Key, it ledger.Item) {
	g := &guardRow{key: k, erased: it.Text("erased_at"), stops: map[string]string{}}
	if v.ids != nil {
		g.idMade = v.guardID(k.Tenant, it.Text("address"))
	}
	for attr, value := range it {
		if scope, ok := strings.CutPrefix(attr, "stop_"); ok {
			g.stops[scope], _ = value.(string)
		}
	}
	if at := it.Text("hold"); at != "" {
		g.stops["hold"] = at
	}
	v.guards[refOf(k)] = g
}

// guardID makes a guard's identifier from a readable address; "" where there is
// none that can be read.
func (v *view) guardID(tenant, written string) string {
	a, err := address.Parse(written)
	if err != nil {
		return ""
	}
	return decide.GuardID(*v.ids, tenant, a)
}

func texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

package decide_test

import (
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
)

// A mail that bears the Message-ID of one that we sent is that one, through
// whatever it came; the words in it, such as how to leave, are ours.
func TestReading06AMailInOurMessageIndexIsOurs(t *testing.T) {
	t.Parallel()
	ledgerOf := func(tenantID string) rows {
		r := rows{}
		r.put(t, ledger.ProviderMessage, "ses:sent-9", "", followup.ProviderMessage{Tenant: tenantID, Intent: "intent-9"})
		return r
	}
	for name, c := range map[string]struct {
		text, id, tenant string
		kind             rawmail.Kind
		ours             bool
	}{
		"as it was":               {question, "sent-9@eu-west-1.amazonses.com", "demo", rawmail.Human, true},
		"in the first region":     {question, "sent-9@email.amazonses.com", "demo", rawmail.Human, true},
		"with how to leave":       {"Unsubscribe", "sent-9@eu-west-1.amazonses.com", "demo", rawmail.Human, true},
		"perhaps how to leave":    {"Thanks for removing me", "sent-9@eu-west-1.amazonses.com", "demo", rawmail.Human, true},
		"through a list":          {"Please unsubscribe me.", "sent-9@eu-west-1.amazonses.com", "demo", rawmail.List, true},
		"another tenant's":        {question, "sent-9@eu-west-1.amazonses.com", "other", rawmail.Human, false},
		"another mail by SES":     {question, "sent-8@eu-west-1.amazonses.com", "demo", rawmail.Human, false},
		"another server's number": {question, "sent-9@mx.example.org", "demo", rawmail.Human, false},
	} {
		m := mail(ada, c.text)
		m.MessageID, m.Kind = c.id, c.kind
		in, at := ground(t, m, tenant.ModeAuto).Input, ledgerOf(c.tenant)
		read := func(keys []ledger.Key) ([]ledger.Item, error) {
			items := make([]ledger.Item, len(keys))
			for n, k := range keys {
				items[n] = at[k]
			}
			return items, nil
		}
		res, err := decide.Read(in, key(t), decide.Decide, read)
		if err != nil {
			t.Fatal(err)
		}
		if ours := res.Outcome == inbound.Ignored && len(res.Reasons) == 1 && res.Reasons[0] == "own"; ours != c.ours {
			t.Errorf("%s: %s %v", name, res.Outcome, res.Reasons)
		}
		hold, err := decide.Read(in, key(t), decide.HoldFirst, read)
		if err != nil || c.ours && len(hold.Writes) > 0 {
			t.Errorf("%s: it holds an address: %+v, %v", name, hold.Writes, err)
		}
	}
}

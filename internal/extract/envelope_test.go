package extract_test

import (
	"testing"

	"onefold/internal/digest"
	"onefold/internal/extract"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/inbound"
)

// The headers of an acknowledgement may read like a person's; its envelope tells.
func TestWhatHasNoEnvelopeSenderIsNobodysRequest(t *testing.T) {
	t.Parallel()
	policy, err := tenant.Parse(tenant.Example())
	if err != nil {
		t.Fatal(err)
	}
	raw := rawMail("m1", "Ada <ada@example.org>", "Huts", "Do you rent huts?")
	for from, want := range map[string]rawmail.Kind{"": rawmail.Human, "ada@example.org": rawmail.Human, "<>": rawmail.AutoReply} {
		e := inbound.Event{Tenant: "demo", ID: "mail/hello/m1", Content: tenant.ContentMail, EnvelopeFrom: from}
		if f := extract.FactsOf(digest.Key{}, e, raw, policy); f.Kind != want || f.Human() != (want == rawmail.Human) {
			t.Errorf("envelope sender %q: %s", from, f.Kind)
		}
	}
}

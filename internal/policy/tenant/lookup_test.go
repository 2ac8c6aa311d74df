package tenant_test

import (
	"slices"
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
)

func TestOwnAddressesAreRecognisedHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	p := tenant.Policy{OwnAddresses: []string{"@demo.example", "Robin.Sample@example.org", "@bücher.example"}}
	for addr, want := range map[string]bool{
		"hello@demo.example":                true,
		"HELLO@Demo.Example":                true,
		"hello@demo.example.":               true,
		`"odd local"@demo.example`:          true,
		"robin.sample@example.org":          true,
		"x@xn--bcher-kva.example":           true,
		"x@BÜCHER.example":                  true,
		"x@bu\u0308cher.example":            true,
		"hello@mail.demo.example":           false,
		"hello@notdemo.example":             false,
		"hello@demo.example.test":           false,
		"other@example.org":                 false,
		"robinsample@example.org":           false,
		"robin.sample+x@example.org":        false,
		"hello@demo.example@example.net":    false,
		"@demo.example":                     false,
		"demo.example":                      false,
		"":                                  false,
		"hello@":                            false,
		"Demo <hello@demo.example>":         false,
		"hello@demo.example, x@x.example":   false,
		"hello@demo\u3002example":           true, // UTS 46: an ideographic full stop is a dot
		"hello@" + strings.Repeat("a", 300): false,
	} {
		if got := p.IsOwn(addr); got != want {
			t.Errorf("IsOwn(%q) = %v, want %v", addr, got, want)
		}
	}
}

func TestSharedAddressesAreRecognisedAtAnyDomain(t *testing.T) {
	t.Parallel()
	p := tenant.Policy{SharedAddresses: []string{"info@", "front-desk@example.org", "kontakt+web@"}}
	for addr, want := range map[string]bool{
		"info@example.org":         true,
		"INFO@example.net":         true,
		"info+web@example.net":     true,
		"front-desk@EXAMPLE.org":   true,
		"front-desk+a@example.org": true,
		"kontakt+web@example.org":  true,
		"kontakt@example.org":      false,
		"front-desk@example.net":   false,
		"information@example.org":  false,
		"my.info@example.org":      false,
		"info":                     false,
		"info@":                    false,
		"":                         false,
		"robin@info.example":       false,
		"i.nfo@example.org":        false,
		"in\u200bfo@example.org":   false,
	} {
		if got := p.IsShared(addr); got != want {
			t.Errorf("IsShared(%q) = %v, want %v", addr, got, want)
		}
	}
}

func TestTheFirstRuleThatFitsAnswers(t *testing.T) {
	t.Parallel()
	p := tenant.Policy{Rules: []tenant.Rule{
		{ID: "prices", Intents: []string{"pricing", "product_question"}},
		{ID: "rest"},
		{ID: "never", Intents: []string{"meeting"}},
	}}
	for intent, want := range map[string]string{
		"pricing": "prices", "product_question": "prices", "meeting": "rest", "": "rest", "opt_out": "",
	} {
		r, ok := p.RuleFor(intent)
		if r.ID != want || ok != (want != "") {
			t.Errorf("RuleFor(%q) = %q, %v, want %q", intent, r.ID, ok, want)
		}
	}
	if _, ok := (tenant.Policy{Rules: p.Rules[:1]}).RuleFor("meeting"); ok {
		t.Error("a rule answers an intent that it does not list")
	}
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	t.Parallel()
	p := parse(t, minimal)
	if e, ok := p.Endpoint("mail"); ok || e.Name != "" {
		t.Errorf("Endpoint = %+v, %v", e, ok)
	}
	if r, ok := p.Rule("Welcome"); ok || r.ID != "" {
		t.Errorf("Rule = %+v, %v", r, ok)
	}
}

func TestDiffNamesEveryChangeOnOneLine(t *testing.T) {
	t.Parallel()
	before := parse(t, string(tenant.Example()))
	after := parse(t, strings.NewReplacer(
		`"version": 1,
  "name"`, `"version": 2,
  "name"`,
		`"mode": "draft"`, `"mode": "auto"`,
		`"quiet_period": "24h"`, `"quiet_period": "48h"`,
		`["@demo.example"]`, `["@demo.example", "@shop.example"]`,
		`"info@", `, ``,
		`"task": true`, `"task": false`,
		`"intents": []`, `"intents": ["pricing"]`,
		`{ "name": "mail", "content": "mail", "scheme": "standard-webhooks", "secret": "mail" }`, `{ "name": "post", "content": "mail", "secret": "mail" }`,
	).Replace(string(tenant.Example())))
	want := []string{
		"crm task: true is now false",
		"endpoints mail: removed",
		"endpoints post: added",
		"own_addresses @shop.example: added",
		"rules welcome intents pricing: added",
		`rules welcome mode: "draft" is now "auto"`,
		`rules welcome quiet_period: "24h" is now "48h"`,
		"shared_addresses info@: removed",
		"version: 1 is now 2",
	}
	if got := tenant.Diff(before, after); !slices.Equal(got, want) {
		t.Errorf("Diff =\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := tenant.Diff(before, before); len(got) != 0 {
		t.Errorf("a policy differs from itself: %q", got)
	}
}

func TestDiffWarnsOfVersionsNotRaised(t *testing.T) {
	t.Parallel()
	before := parse(t, string(tenant.Example()))
	after := parse(t, strings.NewReplacer(
		`thank you for writing`, `thanks for writing`,
		`"fold_plus": false`, `"fold_plus": true`,
	).Replace(string(tenant.Example())))
	got := tenant.Diff(before, after)
	for i, want := range []string{"warning: the policy changes", "warning: the identity rule", "warning: the template of rule welcome", "identity fold_plus: false is now true", "rules welcome template text: a text of"} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Fatalf("Diff =\n%s\nwant line %d to begin with %q", strings.Join(got, "\n"), i, want)
		}
	}
	older := before
	older.Rules = []tenant.Rule{before.Rules[0]}
	older.Rules[0].Version = 0
	if got := tenant.Diff(before, older); !slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, "warning: rule welcome goes back") }) {
		t.Errorf("Diff = %q, want a warning that the rule goes back", got)
	}
}

// The keys in the ledger were made under the rule in force: raising the number
// does not make them again.
func TestDiffSaysThatAnotherIdentityRuleNeedsAMigration(t *testing.T) {
	t.Parallel()
	before := parse(t, string(tenant.Example()))
	for _, identity := range []tenant.Identity{{Version: 2}, {Version: 2, FoldPlus: true}, {Version: 1, FoldDots: true}, {Version: 2, KeepLocalCase: true}} {
		after := before
		after.Version, after.Identity = 2, identity
		got := tenant.Diff(before, after)
		if len(got) == 0 || !strings.HasPrefix(got[0], "warning: the identity rule changes") || !strings.Contains(got[0], "cannot be applied: keep identity as it is") {
			t.Errorf("%+v: Diff = %q, want a warning that it cannot be applied", identity, got)
		}
	}
}

func TestDiffTellsThatRulesAreTriedInAnotherOrder(t *testing.T) {
	t.Parallel()
	a, b := tenant.Rule{ID: "a", Intents: []string{"pricing"}}, tenant.Rule{ID: "b", Intents: []string{"meeting"}}
	got := tenant.Diff(tenant.Policy{Version: 1, Rules: []tenant.Rule{a, b}}, tenant.Policy{Version: 2, Rules: []tenant.Rule{b, a}})
	if want := "rules are now tried in the order b, a, before a, b"; !slices.Contains(got, want) {
		t.Errorf("Diff = %q, want %q among it", got, want)
	}
}

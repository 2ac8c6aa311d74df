package tenant_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
)

const ruleOne = `"identity": { "version": 1, "keep_local_case": false, "fold_dots": false, "fold_plus": false },`

func withRule(t *testing.T, version, rule string) (tenant.Policy, error) {
	t.Helper()
	doc := strings.Replace(string(tenant.Example()), ruleOne, rule, 1)
	if doc == string(tenant.Example()) && rule != ruleOne {
		t.Fatal("the example's rule is written otherwise")
	}
	return tenant.Parse([]byte(strings.Replace(doc, `"version": 1,`, `"version": `+version+`,`, 1)))
}

func TestANextRuleIsAnotherOfAHigherVersion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ rule, path, message string }{
		"none":             {ruleOne, "", ""},
		"folds tags":       {ruleOne + `"identity_next": { "version": 2, "fold_plus": true },`, "", ""},
		"far above":        {ruleOne + `"identity_next": { "version": 40, "keep_local_case": true },`, "", ""},
		"rule by default":  {`"identity_next": { "version": 2, "fold_dots": true },`, "", ""},
		"without version":  {ruleOne + `"identity_next": { "fold_plus": true },`, "/identity_next/version", "is missing"},
		"the same version": {ruleOne + `"identity_next": { "version": 1, "fold_plus": true },`, "/identity_next/version", "must be above the version of identity, which is 1"},
		"below":            {`"identity": { "version": 7 }, "identity_next": { "version": 6, "fold_plus": true },`, "/identity_next/version", "which is 7"},
		"the same rule":    {ruleOne + `"identity_next": { "version": 2 },`, "/identity_next", "has the settings of identity"},
		"an unknown word":  {ruleOne + `"identity_next": { "version": 2, "fold_case": true },`, "/identity_next/fold_case", ""},
		"version in words": {ruleOne + `"identity_next": { "version": "2", "fold_plus": true },`, "/identity_next/version", "a whole number from 1"},
	} {
		p, err := withRule(t, "1", c.rule)
		var invalid *tenant.InvalidError
		switch {
		case c.path == "":
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			again, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			if q, err := tenant.Parse(again); err != nil || q.NextVersion() != p.NextVersion() {
				t.Errorf("%s: written and read again: %v", name, err)
			}
		case !errors.As(err, &invalid):
			t.Errorf("%s: %v, want a problem at %s", name, err, c.path)
		case !slices.ContainsFunc(invalid.Problems, func(p tenant.Problem) bool {
			return p.Path == c.path && strings.Contains(p.Message, c.message)
		}):
			t.Errorf("%s: %v, want %s %q", name, invalid.Problems, c.path, c.message)
		}
	}
}

func TestTheDiffSaysWhatAChangedRuleLeadsTo(t *testing.T) {
	t.Parallel()
	const migrating = ruleOne + `"identity_next": { "version": 2, "fold_plus": true },`
	const activated = `"identity": { "version": 2, "fold_plus": true },`
	for name, c := range map[string]struct {
		before, after string
		words         []string
	}{
		"begins":    {ruleOne, migrating, []string{"a migration to identity rule 2 begins", "identity_next: added"}},
		"ends":      {migrating, ruleOne, []string{"the migration to identity rule 2 ends without it", "identity_next: removed"}},
		"another":   {migrating, ruleOne + `"identity_next": { "version": 3, "fold_dots": true },`, []string{"rule 2 ends", "rule 3 begins", "identity_next version: 2 is now 3"}},
		"activates": {migrating, activated, []string{"identity rule 2 comes into force", "identity fold_plus: false is now true"}},
		"changed":   {ruleOne, activated, []string{"cannot be applied", "with a version above 1"}},
		"goes on":   {migrating, migrating, []string{"!identity"}},
	} {
		before, err := withRule(t, "1", c.before)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		after, err := withRule(t, "2", c.after)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lines := strings.Join(tenant.Diff(before, after), "\n")
		for _, w := range c.words {
			unwanted, isUnwanted := strings.CutPrefix(w, "!")
			if isUnwanted == strings.Contains(lines, unwanted) {
				t.Errorf("%s: %q in\n%s", name, w, lines)
			}
		}
	}
}

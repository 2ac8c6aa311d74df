package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
)

// otherIdentity writes the example policy with another identity rule.
func otherIdentity(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "policy.json")
	doc := strings.NewReplacer(`"version": 1,
  "name"`, `"version": 2,
  "name"`, `"identity": { "version": 1`, `"identity": { "version": 2`, `"fold_plus": false`, `"fold_plus": true`).Replace(string(tenant.Example()))
	if err := os.WriteFile(name, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAnotherIdentityRuleIsNotApplied(t *testing.T) {
	t.Parallel()
	const why = "keep identity as it is and put the new rule into identity_next, with a"
	s, folder := system(t)
	next := otherIdentity(t)
	try := func() {
		onefold(t, "", "policy", "diff", next, "-data", folder).want(t, exitDone, why, "")
		for _, args := range [][]string{{}, {"-yes"}, {"-yes", "-json"}} {
			got := onefold(t, "y\n", append([]string{"policy", "apply", next, "-data", folder}, args...)...)
			got.want(t, exitFailed, "", "error: the document changes the identity rule of tenant demo: not applied\nonefold: hint: "+why)
			if strings.Contains(got.stderr, "[y/N]") {
				t.Error("it asks about what cannot be done")
			}
		}
		if got := onefold(t, "", "policy", "show", "-json", "-data", folder); inForce(t, got) != 1 {
			t.Errorf("in force: %s", got.stdout)
		}
		// Alone there is nothing wrong with the document.
		onefold(t, "", "policy", "validate", next).want(t, exitDone, "valid: ", "")
	}
	try()
	s.Stop(context.Background())
	try()
}

func TestApplyingPrintsOneJSONObject(t *testing.T) {
	t.Parallel()
	s, folder := system(t)
	read := func(got said) (out struct {
		Applied *bool
		Version int
		Changes []string
	}) {
		t.Helper()
		if err := json.Unmarshal([]byte(got.stdout), &out); err != nil || out.Applied == nil || out.Changes == nil {
			t.Fatalf("%v: %+v", err, got)
		}
		return out
	}
	steps := func(first int, mode string) {
		next := policyFile(t, string(rune('0'+first+1)), mode)
		apply := func(stdin string, args ...string) said {
			return onefold(t, stdin, append([]string{"policy", "apply", "-json", next, "-data", folder}, args...)...)
		}
		over := apply("y\n", "-over", "9")
		over.want(t, exitFailed, "", "not version 9: not applied")
		if strings.Contains(over.stderr, "[y/N]") {
			t.Error("it asks about what will not be done")
		}
		// Nothing is data before it is done: who is asked reads stderr.
		for _, stdin := range []string{"", "n\n"} {
			got := apply(stdin)
			got.want(t, exitFailed, "", "rules welcome mode: ")
			if got.code != exitFailed || got.stdout != "" {
				t.Errorf("not applied: %+v", got)
			}
		}
		got := apply("y\n")
		got.want(t, exitDone, "", "[y/N]")
		if out := read(got); !*out.Applied || out.Version != first+1 || len(out.Changes) != 2 || !strings.HasPrefix(out.Changes[0], "rules welcome mode: ") {
			t.Errorf("applied: %s", got.stdout)
		}
		for _, args := range [][]string{{}, {"-yes"}} {
			got := apply("", args...)
			got.want(t, exitDone, "", "")
			if out := read(got); *out.Applied || out.Version != first+1 || len(out.Changes) != 0 {
				t.Errorf("in force already: %s", got.stdout)
			}
		}
		bad := onefold(t, "y\n", "policy", "apply", "-json", policyFile(t, "9", "always"), "-data", folder)
		bad.want(t, exitFailed, "", "/rules/0/mode: ")
		if bad.stdout != "" {
			t.Errorf("a faulty document: %+v", bad)
		}
	}
	steps(1, "auto")
	s.Stop(context.Background())
	steps(2, "observe")
	yes := onefold(t, "", "policy", "apply", "-json", "-yes", policyFile(t, "4", "draft"), "-data", folder)
	if out := read(yes); !*out.Applied || out.Version != 4 || yes.stderr != "" {
		t.Errorf("with -yes: %+v", yes)
	}
}

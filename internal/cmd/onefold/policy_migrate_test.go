package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/operate/stage"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/proof/localaws/localawstest"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/utc"
)

const ruleOne = `"identity": { "version": 1, "keep_local_case": false, "fold_dots": false, "fold_plus": false },`

// ruleFile writes the example policy with another version and identity part.
func ruleFile(t *testing.T, version int, rule string) string {
	t.Helper()
	doc := strings.NewReplacer(`"version": 1,
  "name"`, fmt.Sprintf(`"version": %d,
  "name"`, version), ruleOne, rule).Replace(string(tenant.Example()))
	name := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(name, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// keyed puts a contact with one key into a ledger.
func keyed(t *testing.T, o *stage.Opened, id, address string) {
	t.Helper()
	k := contact.Key{Tenant: "demo", ID: "email:" + address, Contact: id, RuleVersion: 1, InboundEvent: "form/website/" + id}
	who := contact.Contact{Tenant: "demo", ID: id, Status: contact.Active, Email: address, Keys: []string{k.ID}, ConsentVersion: 1, Revision: 1, Transition: 1}
	var c ledger.Commit
	err := c.Create("key", ledger.ContactKey.At("demo", k.ID), k)
	if err == nil {
		err = c.Insert(ledger.Step{Key: ledger.Contact.At("demo", id), Event: "create", Audit: audit.Record{At: utc.At(time.Unix(1, 0)), By: "test"}}, who, "")
	}
	if err == nil {
		err = o.Store.Commit(t.Context(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// longAgo lets the migration to a rule have begun an hour ago.
func longAgo(t *testing.T, o *stage.Opened, rule int64) {
	t.Helper()
	var c ledger.Commit
	err := c.Update("test", versions.MigrationKey("demo", rule), ledger.Cond{}, ledger.Item{"started_at": utc.At(time.Now().Add(-time.Hour))})
	if err == nil {
		err = o.Store.Commit(t.Context(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const (
	withNext = ruleOne + `"identity_next": { "version": 2, "fold_plus": true },`
	ruleTwo  = `"identity": { "version": 2, "fold_plus": true },`
)

func TestAnIdentityRuleIsMigratedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s, folder := system(t)
	keyed(t, s.Opened, "c1", "ada+shop@customer.example")
	at := func(stdin string, args ...string) said {
		t.Helper()
		return onefold(t, stdin, append(args, "-data", folder)...)
	}
	at("", "policy", "migrate").want(t, exitDone, "identity rule 1 is in force and none is migrated to", "")
	at("", "policy", "migrate", "-tenant", "nobody").want(t, exitFailed, "", `tenant "nobody" has no policy`)

	at("y\n", "policy", "apply", ruleFile(t, 2, withNext)).want(t, exitDone, "a migration to identity rule 2 begins", "apply version 2")
	for _, args := range [][]string{{}, {"-yes"}, {"-yes", "-json"}} {
		got := at("y\n", append([]string{"policy", "migrate"}, args...)...)
		got.want(t, exitFailed, "", "may still work under the policy before: wait until 2")
		if strings.Contains(got.stderr, "[y/N]") {
			t.Error("it asks about what may not be done yet")
		}
	}
	at("y\n", "policy", "apply", ruleFile(t, 3, ruleTwo)).want(t, exitFailed, "", "the migration to identity rule 2 is started, not ready: not applied\nonefold: hint: run `onefold policy migrate`")
	longAgo(t, s.Opened, 2)

	at("", "policy", "migrate").want(t, exitFailed, "started", "add the keys that are missing under identity rule 2 to "+folder+"? [y/N]")
	at("n\n", "policy", "migrate").want(t, exitFailed, "0 of rule 2 added", "error: not done")
	done := at("y\n", "policy", "migrate")
	done.want(t, exitDone, "1 of rule 2 added", "pass 1: part 8 of 8")
	if strings.Count(done.stdout, "  state      started") != 1 || !strings.Contains(done.stdout, "  state      ready") {
		t.Errorf("how far it was is not shown once:\n%s", done.stdout)
	}
	at("", "verify").want(t, exitDone, "holds    next_forms", "")
	s.Stop(context.Background())

	var m migration
	got := at("", "policy", "migrate", "-json")
	if err := json.Unmarshal([]byte(got.stdout), &m); err != nil || got.code != exitDone || !m.Ready || m.Keys != 1 || m.Added != 1 || m.Folder != folder || m.Collisions == nil {
		t.Errorf("%d %+v, %v", got.code, m, err)
	}
	at("", "policy", "migrate", "-yes").want(t, exitDone, "in pass 3", "")
	at("", "policy", "diff", ruleFile(t, 3, ruleTwo)).want(t, exitDone, "identity rule 2 comes into force", "")
	at("", "policy", "apply", "-yes", ruleFile(t, 3, ruleTwo)).want(t, exitDone, "applied: version 3", "")
	at("", "policy", "migrate").want(t, exitDone, "identity rule 2 is in force and none is migrated to", "")
	at("", "verify").want(t, exitDone, "holds    keys_in_force", "")
	// A rule that was in force has its number for ever.
	at("", "policy", "apply", "-yes", ruleFile(t, 4, ruleOne)).want(t, exitFailed, "", "hint: keep identity as it is")
}

func TestAQuestionAboutTwoPeopleKeepsARuleFromBeingReady(t *testing.T) {
	t.Parallel()
	s, folder := system(t)
	keyed(t, s.Opened, "c1", "ada+shop@customer.example")
	keyed(t, s.Opened, "c2", "ada@customer.example")
	at := func(args ...string) said { t.Helper(); return onefold(t, "", append(args, "-data", folder)...) }
	at("policy", "apply", "-yes", ruleFile(t, 2, withNext)).want(t, exitDone, "", "")
	longAgo(t, s.Opened, 2)
	at("policy", "migrate", "-yes").want(t, exitFailed, "questions  1 open", "identity rule 2 is not ready: questions that wait for a person: 1")
	got := at("policy", "migrate", "-yes", "-json")
	var m migration
	if err := json.Unmarshal([]byte(got.stdout), &m); err != nil || got.code != exitFailed || m.Ready || len(m.Collisions) != 1 {
		t.Errorf("%d %+v, %v", got.code, m, err)
	}
	// Under a narrower rule it says what is lost.
	at("policy", "apply", "-yes", ruleFile(t, 3, ruleOne+`"identity_next": { "version": 3, "keep_local_case": true },`)).want(t, exitDone, "the migration to identity rule 2 ends", "")
	at("policy", "migrate", "-state").want(t, exitDone, "warning: rule 3 keeps apart what rule 1 takes for one person", "")
	// Broken off, it leaves a question that nobody has to answer any more.
	at("policy", "apply", "-yes", ruleFile(t, 4, ruleOne)).want(t, exitDone, "the migration to identity rule 3 ends", "")
	at("policy", "migrate").want(t, exitDone, "questions of a migration that was broken off: 1", "")
	at("policy", "migrate", "-yes").want(t, exitDone, "now\ndata folder: ", "")
	if got := at("policy", "migrate", "-state"); strings.Contains(got.stdout, "questions") {
		t.Errorf("the question is open still: %s", got.stdout)
	}
	at("policy", "apply", "-yes", ruleFile(t, 5, ruleOne+`"identity_next": { "version": 2, "fold_dots": true },`)).
		want(t, exitFailed, "", "hint: give the rule a version that none has had")
}

func TestAnIdentityRuleIsMigratedOnAStage(t *testing.T) {
	t.Parallel()
	run := onStageOf(t, "migrates")
	c, err := stage.Connect(t.Context(), stage.Place{Stage: "migrates", Endpoint: localawstest.ForTest(t).Endpoint()})
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run("", "policy", "apply", "-yes", ruleFile(t, 1, ruleOne)).want(t, exitDone, "applied: version 1", "")
	keyed(t, o, "c1", "ada+shop@customer.example")
	run("", "policy", "apply", "-yes", ruleFile(t, 2, withNext)).want(t, exitDone, "applied: version 2", "")
	run("", "policy", "migrate", "-yes").want(t, exitFailed, "stage migrates in account", "wait until 2")
	longAgo(t, o, 2)
	run("", "policy", "migrate").want(t, exitFailed, "", "add the keys that are missing under identity rule 2 to stage migrates in account")
	run("y\n", "policy", "migrate").want(t, exitDone, "1 of rule 2 added", "")
	run("", "policy", "apply", "-yes", ruleFile(t, 3, ruleTwo)).want(t, exitDone, "applied: version 3", "")
	run("", "verify").want(t, exitDone, "holds    keys_in_force", "")
}

package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onefold/internal/crm/hubspottest"
	"onefold/internal/policy/tenant"
)

// Real: the command, the secrets of MiniStack, HubSpot's wire. Not shown: the
// scopes of a token.
func TestATenantsCRMAccountIsSetUpFromACommand(t *testing.T) {
	t.Parallel()
	run := onStageOf(t, "crmsetup")
	fake := hubspottest.New(hubspottest.Options{Token: "a token of this test"})
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	run("", "crm", "setup", "-url", server.URL, "-yes", "demo").want(t, exitFailed, "", "no policy names a CRM for tenant demo")
	run("", "policy", "apply", "-yes", withCRM(t, "1", "")).want(t, exitDone, "applied: version 1", "")
	run("", "crm", "setup", "-url", server.URL, "-yes", "demo").want(t, exitFailed, "", "set crm.kind in the tenant's policy")
	run("", "policy", "validate", withCRM(t, "2", "rolodex")).want(t, exitFailed, `/crm/kind: must be one of "hubspot"`, "")
	run("", "policy", "apply", "-yes", withCRM(t, "2", "hubspot")).want(t, exitDone, "applied: version 2", "")
	run("", "crm", "setup", "-url", server.URL, "-yes", "demo").want(t, exitFailed, "", "secret set -stage crmsetup crm/demo")
	run("a token of this test\n", "secret", "set", "crm/demo").want(t, exitDone, "set: crm/demo", "")
	run("", "crm", "setup", "-url", server.URL, "demo").want(t, exitFailed, "", "nobody answered: not done")
	run("y\n", "crm", "setup", "-url", server.URL, "demo").want(t, exitDone, "the CRM account of tenant demo is ready", "make properties in the CRM account of tenant demo")
	run("", "crm", "setup", "-url", server.URL, "-yes", "-json", "demo").want(t, exitDone, `"ready": true`, "")
	run("a token of this test\n", "crm", "setup", "-url", server.URL, "-token", "-yes", "demo").want(t, exitDone, "is ready", "")
	run("another\n", "crm", "setup", "-url", server.URL, "-token", "-yes", "demo").want(t, exitFailed, "", "schema scopes")
	run("x\n", "crm", "setup", "-token", "demo").want(t, exitFailed, "", "use -yes")
	run("", "crm", "setup", "-token", "-yes", "demo").want(t, exitUsage, "", "no token on standard input")
	run("", "crm", "setup", "-yes", "No Tenant").want(t, exitUsage, "", "a tenant's name is")
	onefold(t, "", "crm", "setup", "demo").want(t, exitUsage, "", "name the stage with -stage")
}

// withCRM is the example policy with another kind of CRM.
func withCRM(t *testing.T, version, kind string) string {
	t.Helper()
	doc := strings.NewReplacer(`"version": 1,
  "name"`, `"version": `+version+`,
  "name"`, `"crm": { "kind": "hubspot", "task": true }`, `"crm": { "kind": "`+kind+`" }`).Replace(string(tenant.Example()))
	name := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(name, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

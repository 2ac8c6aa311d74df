package main

import (
	"net/http/httptest"
	"testing"

	"onefold/internal/crm/hubspottest"
)

// Real: the command, the secrets of MiniStack, HubSpot's wire. Not shown: the
// scopes of a token.
func TestATenantsCRMAccountIsSetUpFromACommand(t *testing.T) {
	t.Parallel()
	run := onStageOf(t, "crmsetup")
	fake := hubspottest.New(hubspottest.Options{Token: "a token of this test"})
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
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

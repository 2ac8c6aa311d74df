package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onefold/internal/ledger/dynamo"
	"onefold/internal/local"
	"onefold/internal/operate/stage"
	"onefold/internal/proof/localaws/localawstest"
	"onefold/internal/schema"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	sm "github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// Real: the commands, the SDK, MiniStack. Not shown: credentials, permissions.

// onStageOf runs commands against a stage of its own, which has the tables and
// the identifier key.
func onStageOf(t *testing.T, name string) func(stdin string, args ...string) said {
	t.Helper()
	endpoint := localawstest.ForTest(t).Endpoint()
	c, err := stage.Connect(t.Context(), stage.Place{Stage: name, Endpoint: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	if err := dynamo.Create(t.Context(), dynamodb.NewFromConfig(c.Config), schema.Prefix(name)); err != nil {
		t.Fatal(err)
	}
	_, err = sm.NewFromConfig(c.Config).CreateSecret(t.Context(), &sm.CreateSecretInput{
		Name: aws.String(schema.SecretPrefix(name) + schema.SecretIdentifierKey), SecretString: aws.String(strings.Repeat("k", 64)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return func(stdin string, args ...string) said {
		t.Helper()
		return onefold(t, stdin, append([]string{"-stage", name, "-endpoint", endpoint, "-data", filepath.Join(t.TempDir(), "none")}, args...)...)
	}
}

func TestCommandsWorkOnADeployedStageAndSayWhich(t *testing.T) {
	t.Parallel()
	run := onStageOf(t, "commands")
	const says = "onefold: on: stage commands in account 000000000000, region us-east-1"
	first := policyFile(t, "1", "draft")
	run("", "policy", "apply", first).want(t, exitFailed, "stage commands in account", "nobody answered: not done")
	run("", "policy", "show").want(t, exitFailed, "", `tenant "demo" has no policy`)
	run("y\n", "policy", "apply", first).want(t, exitDone, "applied: version 1", "apply version 1 to stage commands in account")
	run("", "policy", "show").want(t, exitDone, `"version": 1,`, says)
	run("", "policy", "apply", "-yes", policyFile(t, "2", "auto")).want(t, exitDone, "applied: version 2", says)
	got := run("", "policy", "diff", "-json", policyFile(t, "3", "auto"))
	got.want(t, exitDone, "", says)
	var p plan
	if err := json.Unmarshal([]byte(got.stdout), &p); err != nil || p.InForce != 2 || p.Folder != "" || !strings.HasPrefix(p.Stage, "stage commands in account") {
		t.Errorf("plan %+v, %v", p, err)
	}
	run("", "verify").want(t, exitDone, "ledger of stage commands", says)
	run("", "explain", "-email", "ann@customer.example").want(t, exitDone, "", says)
	run("", "policy", "validate", first).want(t, exitDone, "valid: tenant demo", "")
}

func TestABrokenPromiseOnAStageSaysHowToHaltIt(t *testing.T) {
	t.Parallel()
	run := onStageOf(t, "broken")
	c, err := stage.Connect(t.Context(), stage.Place{Stage: "broken", Endpoint: localawstest.ForTest(t).Endpoint()})
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	astray(t, o)
	run("", "verify").want(t, exitViolated, "BROKEN", "--function-name onefold-broken-send --reserved-concurrent-executions 0")
}

func TestAStageThatDoesNotOpenIsExplained(t *testing.T) {
	t.Parallel()
	endpoint := localawstest.ForTest(t).Endpoint()
	onefold(t, "", "verify", "-stage", "nowhere", "-endpoint", endpoint).want(t, exitFailed, "", "the stage is not deployed there\nonefold: hint: ")
	onefold(t, "", "verify", "-stage", "No", "-endpoint", endpoint).want(t, exitUsage, "", "a stage's name is")
	onefold(t, "", "verify", "-stage", "prod", "-endpoint", "https://aws.example").want(t, exitUsage, "", "an emulator on this machine")
	onefold(t, "", "verify", "-region", "eu-west-1").want(t, exitUsage, "", "-stage is missing")
	for _, args := range [][]string{{"dev"}, {"demo"}, {"inspect", "x.eml"}, {"match", "-policy", "p", "r"}} {
		onefold(t, "", append(args, "-stage", "prod")...).want(t, exitUsage, "", "does not work on a deployed stage")
	}
	if got := Serve(held(t))(t.Context(), local.Command{Args: []string{"verify", "-stage", "prod"}}); got.Exit != exitUsage {
		t.Errorf("served: %+v", got)
	}
	down := onefold(t, "", "verify", "-stage", "prod", "-endpoint", "http://127.0.0.1:1")
	down.want(t, exitFailed, "", "hint: is the emulator there?")
}

func TestSecretsOfAStageAndOfADataFolderAreSetAlike(t *testing.T) {
	t.Parallel()
	_, folder := system(t)
	closed := closedFolder(t)
	for name, run := range map[string]func(string, ...string) said{
		"stage": onStageOf(t, "secrets"),
		"served": func(stdin string, args ...string) said {
			return onefold(t, stdin, append([]string{"-data", folder}, args...)...)
		},
		"folder": func(stdin string, args ...string) said {
			return onefold(t, stdin, append([]string{"-data", closed}, args...)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := func() map[string]bool {
				t.Helper()
				got := run("", "secret", "list", "-json")
				var have []secretListed
				if err := json.Unmarshal([]byte(got.stdout), &have); err != nil {
					t.Fatalf("%v: %+v", err, got)
				}
				previous := map[string]bool{}
				for _, l := range have {
					previous[l.Name] = l.Previous
				}
				return previous
			}
			run("token-1\n", "secret", "set", "crm/acme").want(t, exitDone, "set: crm/acme\n", "")
			if have := list(); have["crm/acme"] {
				t.Errorf("%v", have)
			}
			run("token-1\n", "secret", "set", "-yes", "crm/acme").want(t, exitDone, "is this one already", "")
			// A replaced secret is replaced by somebody who knows it.
			run("token-2\n", "secret", "set", "crm/acme").want(t, exitFailed, "", "use -yes to replace it")
			run("token-2\n", "secret", "set", "-yes", "crm/acme").want(t, exitDone, "valid until the next set", "")
			if have := list(); !have["crm/acme"] {
				t.Errorf("%v", have)
			}
			run("", "secret", "revoke", "crm/acme").want(t, exitFailed, "", "nobody answered")
			run("y\n", "secret", "revoke", "crm/acme").want(t, exitDone, "revoked", "end the replaced secret crm/acme of ")
			run("", "secret", "revoke", "crm/acme").want(t, exitDone, "nothing to revoke", "")
			run("", "secret", "revoke", "crm/nobody").want(t, exitFailed, "", "there is no such secret")

			made := run("", "secret", "set", "-generate", "-json", "webhook/acme/form")
			var out secretPut
			if err := json.Unmarshal([]byte(made.stdout), &out); err != nil || made.code != exitDone || !strings.HasPrefix(out.Value, "whsec_") || out.Replaced {
				t.Fatalf("%+v", made)
			}
			run("n\n", "secret", "set", "-generate", "webhook/acme/form").want(t, exitFailed, "", "replace secret webhook/acme/form of ")
			run("y\n", "secret", "set", "-generate", "webhook/acme/form").want(t, exitDone, "whsec_", "[y/N]")
			if got := run("", "secret", "list"); strings.Contains(got.stdout+got.stderr, out.Value) || strings.Contains(got.stdout, "token") {
				t.Error("list shows a secret")
			}
			bad := run("hunter2\n", "secret", "set", "-yes", "webhook/acme/form")
			bad.want(t, exitFailed, "", "a webhook secret has at least 16 bytes")
			if strings.Contains(bad.stderr, "hunter2") {
				t.Error("an error shows the value")
			}
			for _, name := range []string{"identifier-key", "console-session", "acme/form", "webhook/acme", "crm/acme/x", "crm/../x"} {
				run("x\n", "secret", "set", "-yes", name).want(t, exitUsage, "", "webhook/TENANT/NAME or crm/TENANT")
			}
			run("", "secret", "set", "-generate", "crm/acme").want(t, exitUsage, "", "made in the CRM")
		})
	}
}

func TestDoctorStopsWhereADeploymentWouldFail(t *testing.T) {
	t.Parallel()
	endpoint := localawstest.ForTest(t).Endpoint()
	// Nobody has bootstrapped the emulator.
	got := onefold(t, "", "doctor", "-stage", "doctor", "-endpoint", endpoint, "-context", "alarmEmail=ops@example.com")
	got.want(t, exitFailed, "stop       bootstrap", "something stands in the way")
	if !strings.Contains(got.stdout, "deploy stack onefold-doctor to account 000000000000") || strings.Contains(got.stdout, "tell nobody of alarms") {
		t.Errorf("the plan: %s", got.stdout)
	}
	asJSON := onefold(t, "", "doctor", "-stage", "doctor", "-endpoint", endpoint, "-json")
	var r struct {
		Checks []struct{ ID, Result, Found, Do string }
	}
	if err := json.Unmarshal([]byte(asJSON.stdout), &r); err != nil || asJSON.code != exitFailed || len(r.Checks) < 7 {
		t.Errorf("%v: %+v", err, asJSON)
	}
	onefold(t, "", "doctor").want(t, exitUsage, "", "-stage is missing")
	onefold(t, "", "doctor", "-stage", "prod", "-context", "mailDomain").want(t, exitUsage, "", "KEY=VALUE")
}

// closedFolder is a data folder that nobody has open.
func closedFolder(t *testing.T) string {
	t.Helper()
	s, folder := system(t)
	s.Stop(context.Background())
	if _, err := os.Stat(filepath.Join(folder, "secrets.json")); err != nil {
		t.Fatal(err)
	}
	return folder
}

package main

// Real: infra/scripts/deploy, infra/scripts/destroy, infra/scripts/delete-data, bash, node. Missing: the
// CDK, AWS's command line and onefold, in whose place stand scripts that note
// how they are called.

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shop is a checkout with the tools alone, and what was called in it.
type shop struct {
	t   *testing.T
	dir string
}

func newShop(t *testing.T, programs map[string]string) shop {
	t.Helper()
	s := shop{t, t.TempDir()}
	for _, name := range []string{"deploy", "destroy", "delete-data"} {
		raw, err := os.ReadFile(filepath.Join("scripts", name))
		if err != nil {
			t.Fatal(err)
		}
		s.write("infra/scripts/"+name, string(raw))
	}
	for name, body := range programs {
		s.write("bin/"+name, "#!/usr/bin/env bash\nset -eu\necho \""+name+" $*\" >>\"$SHOP/calls\"\n"+body)
	}
	return s
}

func (s shop) write(name, body string) {
	s.t.Helper()
	file := filepath.Join(s.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(body), 0o755)); err != nil {
		s.t.Fatal(err)
	}
}

// run calls a tool and gives what was said and the calls that begin with a word.
func (s shop) run(tool, word string, vars []string, args ...string) (said string, calls []string, err error) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), filepath.Join(s.dir, "infra", "scripts", tool), args...)
	cmd.Env = append([]string{
		"PATH=" + filepath.Join(s.dir, "bin") + ":" + os.Getenv("PATH"), "SHOP=" + s.dir, "STAGE=prod", "ARCH=arm64",
		"CDK=" + filepath.Join(s.dir, "bin", "cdk"), "TMPDIR=" + s.dir,
	}, vars...)
	out, err := cmd.CombinedOutput()
	raw, _ := os.ReadFile(filepath.Join(s.dir, "calls"))
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, word) {
			calls = append(calls, strings.TrimSpace(line))
		}
	}
	return string(out), calls, err
}

const twoStacks = `case $1 in list) printf 'onefold-prod-mail\nonefold-prod\n' ;; deploy) [ "$2" != "${FAILS:-}" ] ;; esac`

func doctor(report string) string {
	return `case "$*" in *-json*) echo '` + report + `' ;; esac`
}

// CloudFormation keeps tables, bucket and secrets when it rolls a first
// deployment back, and the next one fails since their names are taken.
func TestAFirstDeploymentThatFailsIsNotRolledBack(t *testing.T) {
	s := newShop(t, map[string]string{
		"onefold": doctor(`{"region":"eu-west-1","receipt_rule_set":"inbound","unfinished":["onefold-prod-mail"]}`), "cdk": twoStacks,
	})
	said, calls, err := s.run("deploy", "cdk deploy ", []string{"FAILS=onefold-prod-mail"}, "-c", "mailDomain=in.example.com")
	if err == nil || len(calls) != 2 {
		t.Fatalf("%v, calls %v\n%s", err, calls, said)
	}
	for i, stack := range []string{"onefold-prod", "onefold-prod-mail"} {
		if !strings.HasPrefix(calls[i], "cdk deploy "+stack+" --exclusively ") || strings.Contains(calls[i], "--no-rollback") != (i == 1) ||
			!strings.Contains(calls[i], "-c mailDomain=in.example.com") || !strings.Contains(calls[i], "-c receiptRuleSet=inbound") {
			t.Errorf("call %d: %s", i, calls[i])
		}
	}
	if !strings.Contains(said, "goes on from there") {
		t.Errorf("nobody is told that it goes on: %s", said)
	}
}

// Mail must be refused before the queue of its announcements is gone.
func TestAStageFallsAsleepMailFirst(t *testing.T) {
	s := newShop(t, map[string]string{"onefold": "", "cdk": twoStacks})
	said, calls, err := s.run("destroy", "cdk deploy ", []string{"YES=1", "AWS_REGION=eu-west-1"}, "-c", "mailDomain=in.example.com")
	if err != nil || len(calls) != 2 || !strings.Contains(calls[0], "onefold-prod-mail --exclusively") || !strings.Contains(calls[1], "--all") {
		t.Fatalf("%v, calls %v\n%s", err, calls, said)
	}
	for _, call := range calls {
		if !strings.Contains(call, "-c dormant=true") || strings.Contains(call, "deleteData") || !strings.Contains(call, "-c region=eu-west-1") {
			t.Error(call)
		}
	}
}

func TestNothingIsTakenDownWhereTheDoctorSaysStop(t *testing.T) {
	s := newShop(t, map[string]string{"onefold": "exit 1", "cdk": twoStacks})
	if said, calls, err := s.run("destroy", "cdk ", []string{"YES=1"}); err == nil || len(calls) > 0 {
		t.Errorf("%v, calls %v\n%s", err, calls, said)
	}
	_, calls, _ := s.run("destroy", "onefold ", []string{"YES=1"}, "-c", "region=eu-west-1", "-c", "mailDomain=in.example.com")
	if want := "onefold doctor -stage prod -for destroy -region eu-west-1 -context region=eu-west-1 -context mailDomain=in.example.com"; !slices.Contains(calls, want) {
		t.Errorf("the doctor is asked %v", calls)
	}
}

// aws is AWS's command line over one bucket of so many pages of a thousand
// objects, with names as long as ours.
func aws(pages int, refused string) string {
	return fmt.Sprintf(`case "$1 $2" in
"sts get-caller-identity") echo 123456789012 ;;
"s3api list-buckets") printf 'onefold-prod-raw-123456789012-eu-west-1\tonefold-prod-mailbox\n' ;;
"s3api list-object-versions")
	n=$(cat "$SHOP/deleted" 2>/dev/null || echo 0)
	[ "$n" -lt %d ] || { echo '{"Objects": [], "Quiet": true}'; exit; }
	echo '{"Objects": ['
	for ((i = 0; i < 1000; i++)); do printf '{"Key": "demo/%%064d/%%064d", "VersionId": "%%032d"},\n' $i $i $i; done
	echo '], "Quiet": true}' ;;
"s3api delete-objects")
	for word in "$@"; do case $word in file://*) [ "$(grep -c '"Key"' "${word#file://}")" = 1000 ] ;; esac; done
	echo $(($(cat "$SHOP/deleted" 2>/dev/null || echo 0) + 1)) >"$SHOP/deleted"
	echo '%s' ;;
"secretsmanager list-secrets") printf 'onefold/prod/identifier-key\tonefold/prod/webhook/demo/form\tonefold/prod/crm/demo\n' ;;
esac`, pages, refused)
}

// A page of our names is more than Linux takes as one argument (128 KiB).
func TestABucketOfManyObjectsIsEmptied(t *testing.T) {
	s := newShop(t, map[string]string{"aws": aws(2, "None")})
	said, calls, err := s.run("delete-data", "aws s3api delete-objects ", []string{"REGION=eu-west-1"})
	if err != nil || len(calls) != 2 {
		t.Fatalf("%v, %d deletions\n%s", err, len(calls), said)
	}
	for _, call := range calls {
		if !strings.Contains(call, "--bucket onefold-prod-raw-123456789012-eu-west-1 ") {
			t.Errorf("another bucket: %s", call)
		}
	}
}

func TestABucketThatCannotBeEmptiedEndsTheDeletion(t *testing.T) {
	s := newShop(t, map[string]string{"aws": aws(1000, "AccessDenied")})
	if said, calls, err := s.run("delete-data", "aws s3api delete-objects ", nil); err == nil || len(calls) != 1 || !strings.Contains(said, "AccessDenied") {
		t.Errorf("%v, %d deletions\n%s", err, len(calls), said)
	}
}

// Tenants' secrets are of no stack. Left behind they hold a CRM's token under a
// key that is about to go, and the next stage of the name cannot set them.
func TestSecretsThatOperatorsSetGoWithTheStage(t *testing.T) {
	s := newShop(t, map[string]string{"aws": aws(0, "None")})
	said, calls, err := s.run("delete-data", "aws secretsmanager delete-secret ", []string{"REGION=eu-west-1"})
	want := []string{"onefold/prod/webhook/demo/form", "onefold/prod/crm/demo"}
	if err != nil || len(calls) != len(want) {
		t.Fatalf("%v, calls %v\n%s", err, calls, said)
	}
	for i, name := range want {
		if calls[i] != "aws secretsmanager delete-secret --region eu-west-1 --secret-id "+name+" --force-delete-without-recovery" {
			t.Error(calls[i])
		}
	}
}

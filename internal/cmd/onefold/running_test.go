package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onefold/internal/local"
	"onefold/internal/policy/tenant"
)

// system brings up a process of this very test that holds a data folder and
// serves the commands of others.
func system(t *testing.T) (*local.System, string) {
	t.Helper()
	folder := t.TempDir()
	s, err := local.Start(t.Context(), local.Config{
		Data: local.Data{Dir: folder}, Ledger: local.LedgerBolt, Listen: "127.0.0.1:0", Policy: tenant.Example(),
		Log: slog.New(slog.DiscardHandler), SweepAt: time.Second, Commands: Serve,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.Background()) })
	return s, folder
}

type said struct {
	code           int
	stdout, stderr string
}

func onefold(t *testing.T, stdin string, args ...string) said {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Main(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr)
	return said{code, stdout.String(), stderr.String()}
}

func (s said) want(t *testing.T, code int, inStdout, inStderr string) {
	t.Helper()
	if s.code != code || !strings.Contains(s.stdout, inStdout) || !strings.Contains(s.stderr, inStderr) {
		t.Fatalf("got code %d\nstdout: %s\nstderr: %s\nwant code %d, %q and %q", s.code, s.stdout, s.stderr, code, inStdout, inStderr)
	}
}

// policyFile writes the example policy under another version and mode.
func policyFile(t *testing.T, version, mode string) string {
	t.Helper()
	doc := strings.Replace(string(tenant.Example()), `"version": 1,`, `"version": `+version+`,`, 1)
	name := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(name, []byte(strings.Replace(doc, `"draft"`, `"`+mode+`"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAPolicyIsAppliedByWhoeverHoldsTheLedger(t *testing.T) {
	t.Parallel()
	s, folder := system(t)
	steps := func(t *testing.T, first int, mode string) {
		next := policyFile(t, string(rune('0'+first+1)), mode)
		onefold(t, "", "policy", "diff", next, "-data", folder).want(t, exitDone, "rules welcome mode: ", "")
		onefold(t, "", "policy", "apply", next, "-data", folder).want(t, exitFailed, folder, "nobody answered: not done")
		onefold(t, "n\n", "policy", "apply", next, "-data", folder).want(t, exitFailed, "", "error: not done")
		onefold(t, "", "policy", "apply", "-yes", "-over", "9", next, "-data", folder).want(t, exitFailed, "", "not version 9: not applied")
		if got := onefold(t, "", "policy", "show", "-json", "-data", folder); inForce(t, got) != first {
			t.Fatalf("after four refusals: %s", got.stdout)
		}
		done := onefold(t, "y\n", "policy", "apply", next, "-data", folder)
		done.want(t, exitDone, "applied: version ", "[y/N]")
		if strings.Count(done.stdout, "rules welcome mode: ") != 1 {
			t.Errorf("the differences are not shown once:\n%s", done.stdout)
		}
		if got := onefold(t, "", "policy", "show", "-json", "-data", folder); inForce(t, got) != first+1 {
			t.Fatalf("after applying: %s", got.stdout)
		}
		onefold(t, "", "policy", "apply", "-yes", next, "-data", folder).want(t, exitDone, "in force already, word for word", "")
		onefold(t, "", "policy", "apply", "-yes", policyFile(t, "1", "observe"), "-data", folder).
			want(t, exitFailed, "", "hint: raise its version to "+string(rune('0'+first+2)))
		onefold(t, "", "verify", "-data", folder).want(t, exitDone, "ledger of "+folder, "")
	}
	steps(t, 1, "auto")
	s.Stop(context.Background())
	steps(t, 2, "observe")
	onefold(t, "", "policy", "show", "-version", "1", "-data", folder).want(t, exitDone, string(tenant.Example()), "")
	onefold(t, "", "policy", "show", "-version", "8", "-data", folder).want(t, exitFailed, "", "no version 8")
	onefold(t, "", "policy", "show", "-tenant", "nobody", "-data", folder).want(t, exitFailed, "", `tenant "nobody" has no policy`)
}

func inForce(t *testing.T, s said) int {
	t.Helper()
	var shown struct {
		Version int            `json:"version"`
		Policy  map[string]any `json:"policy"`
	}
	if err := json.Unmarshal([]byte(s.stdout), &shown); err != nil {
		t.Fatalf("%v: %s%s", err, s.stdout, s.stderr)
	}
	if shown.Policy["version"] != float64(shown.Version) {
		t.Fatalf("version %d of a policy that says %v", shown.Version, shown.Policy["version"])
	}
	return shown.Version
}

func TestAFaultyPolicyIsNotSentOn(t *testing.T) {
	t.Parallel()
	_, folder := system(t)
	bad := policyFile(t, "2", "always")
	onefold(t, "y\n", "policy", "apply", bad, "-data", folder).want(t, exitFailed, "/rules/0/mode: ", "is not a valid policy")
	onefold(t, "", "policy", "apply", "-yes", bad, "-data", folder).want(t, exitFailed, "/rules/0/mode: ", "is not a valid policy")
	onefold(t, "", "policy", "apply", "-yes", bad+".missing", "-data", folder).want(t, exitFailed, "", "no such file")
}

func TestAFolderInUseIsNamedWithWhatToDo(t *testing.T) {
	t.Parallel()
	s, folder := system(t)
	s.Stop(context.Background())
	held, err := local.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Close() }()
	onefold(t, "", "verify", "-data", folder).
		want(t, exitFailed, "", "error: another process has the data folder "+folder+" open\nonefold: hint: end that process")

	// The file of a process that was killed names nobody who answers.
	running := `{"url":"http://127.0.0.1:1","token":"t","pid":7}`
	if err := os.WriteFile(filepath.Join(folder, "running.json"), []byte(running), 0o600); err != nil {
		t.Fatal(err)
	}
	onefold(t, "", "verify", "-data", folder).want(t, exitFailed, "", "open in process 7")
}

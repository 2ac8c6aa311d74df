package localaws_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onefold/internal/proof/localaws"
	"onefold/internal/proof/localaws/localawstest"
)

func TestMain(m *testing.M) { os.Exit(localawstest.Main(m)) }

// withoutVenv is a module root where nothing is installed.
func withoutVenv(t *testing.T) string {
	t.Helper()
	return t.TempDir()
}

// withFakePython is a root whose interpreter is the given shell script and
// which looks as if MiniStack were installed.
func withFakePython(t *testing.T, script string) string {
	t.Helper()
	root := t.TempDir()
	app := filepath.Join(root, ".venv", "lib", "python3.11", "site-packages", "ministack", "app.py")
	python := filepath.Join(root, ".venv", "bin", "python")
	for path, text := range map[string]string{app: "", python: "#!/bin/sh\n" + script + "\n"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestMissingEmulatorNamesTheCommandInOneLine(t *testing.T) {
	t.Parallel()
	_, err := localaws.Start(t.Context(), localaws.Options{Root: withoutVenv(t)})
	if !errors.Is(err, localaws.ErrNotInstalled) {
		t.Fatalf("error %v, want ErrNotInstalled", err)
	}
	if got, want := err.Error(), "MiniStack is not installed: run `make setup`"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

func TestAChildThatEndsIsReportedWithItsOutput(t *testing.T) {
	t.Parallel()
	root := withFakePython(t, "echo cannot import the thing >&2; exit 3")
	_, err := localaws.Start(t.Context(), localaws.Options{Root: root})
	if err == nil || !strings.Contains(err.Error(), "cannot import the thing") {
		t.Fatalf("error %v, want the child's output in it", err)
	}
}

func TestAChildThatNeverAnswersIsKilledAtTheDeadline(t *testing.T) {
	t.Parallel()
	root := withFakePython(t, "echo started; sleep 600 & wait")
	_, err := localaws.Start(t.Context(), localaws.Options{Root: root, Timeout: 300 * time.Millisecond})
	// Start returned, so the whole group is gone: the output pipe is closed only
	// when the last process that holds it has ended.
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "started") {
		t.Fatalf("error %v, want a deadline with the child's output", err)
	}
}

func TestTheChildSeesNothingOfThePersonsEnvironment(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "not-to-be-seen")
	root := withFakePython(t, `echo "secret=[$AWS_SECRET_ACCESS_KEY] given=[$GIVEN]"; exit 1`)
	_, err := localaws.Start(t.Context(), localaws.Options{Root: root, Env: []string{"GIVEN=yes"}})
	if err == nil || !strings.Contains(err.Error(), "secret=[] given=[yes]") {
		t.Fatalf("error %v, want an empty secret and the given value", err)
	}
}

func TestCloseFreesThePortAndRemovesTheFolder(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	stack, err := localaws.Start(t.Context(), localaws.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(tmp); len(left) != 1 {
		t.Errorf("%d entries in the temporary folder while it runs, want 1", len(left))
	}
	stack.Close()
	stack.Close() // may be called again
	address := strings.TrimPrefix(stack.Endpoint(), "http://")
	if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
		conn.Close()
		t.Errorf("%s still accepts after Close", address)
	}
	if left, _ := os.ReadDir(tmp); len(left) != 0 {
		t.Errorf("%d entries left in the temporary folder after Close, want none", len(left))
	}
}

func TestTheRunningVersionIsThePinnedOne(t *testing.T) {
	t.Parallel()
	stack := localawstest.ForTest(t)
	pins, err := os.ReadFile("requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	if want := "\nministack==" + stack.Version() + " "; !strings.Contains(string(pins), want) {
		t.Errorf("version %s runs, which internal/proof/localaws/requirements.txt does not pin: run `make setup`", stack.Version())
	}
}

func TestTheStackIsSharedAndReachableOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	stack := localawstest.ForTest(t)
	if other := localawstest.ForTest(t); other != stack {
		t.Error("a second stack was started in one test binary")
	}
	if !strings.HasPrefix(stack.Endpoint(), "http://127.0.0.1:") {
		t.Errorf("endpoint %s is not on loopback", stack.Endpoint())
	}
	resp, err := http.Get(stack.Endpoint() + "/_ministack/health")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("health status %d, want 200", resp.StatusCode)
	}
}

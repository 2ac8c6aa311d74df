package localaws_test

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"onefold/internal/proof/localaws"
)

// ownerVar turns TestTheEmulatorDiesWithAKilledOwner into the owner.
const ownerVar = "ONEFOLD_TEST_LOCALAWS_OWNER"

// TestTheEmulatorDiesWithAKilledOwner runs this test binary again as the owner
// of a stack and kills it with SIGKILL, as an out-of-memory killer would.
func TestTheEmulatorDiesWithAKilledOwner(t *testing.T) {
	if os.Getenv(ownerVar) != "" {
		stack, err := localaws.Start(t.Context(), localaws.Options{})
		if err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("endpoint " + stack.Endpoint() + "\n")
		select {} // until killed
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	owner := exec.Command(self, "-test.run=^TestTheEmulatorDiesWithAKilledOwner$")
	owner.Env = append(os.Environ(), ownerVar+"=1", "TMPDIR="+tmp)
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	address := ""
	for lines := bufio.NewScanner(out); address == "" && lines.Scan(); {
		_, address, _ = strings.Cut(lines.Text(), "endpoint http://")
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // it was killed
	if address == "" {
		t.Fatal("the owner started no stack")
	}
	if !eventually(t, func() bool { return !accepts(address) }) {
		t.Errorf("%s still accepts after its owner was killed", address)
	}
	if !eventually(t, func() bool { left, err := os.ReadDir(tmp); return err == nil && len(left) == 0 }) {
		t.Error("the emulator's folder is left behind")
	}
}

func accepts(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// eventually polls until ok holds, for at most ten seconds.
func eventually(t *testing.T, ok func() bool) bool {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for {
		if ok() {
			return true
		}
		select {
		case <-deadline:
			return false
		case <-tick.C:
		}
	}
}

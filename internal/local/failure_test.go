//go:build unix

package local_test

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"onefold/internal/local"
)

const fullFolder = "ONEFOLD_TEST_FULL_FOLDER"

// TestAFullDiskIsTold runs itself in a child, since the limit that stands for
// a full disk (EFBIG where a disk says ENOSPC) holds for a whole process.
// Real: the system, its store and the write that fails. Asserted: Failed says
// so, Stop ends, and after a new start without the limit work goes on.
func TestAFullDiskIsTold(t *testing.T) {
	if folder := os.Getenv(fullFolder); folder != "" {
		untilFull(t, folder)
		return
	}
	t.Parallel()
	folder := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestAFullDiskIsTold$", "-test.v")
	child.Env = append(os.Environ(), fullFolder+"="+folder)
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestAFullDiskIsTold") {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := local.Start(t.Context(), quietConfig(folder))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop(context.Background())
	send(t, s, local.Outgoing{Endpoint: "form", ID: "after", Body: []byte(`{"data":{"email":"sam@customer.example","message":"How much is a tent?"}}`)})
	select {
	case err := <-s.Failed():
		t.Error(err)
	default:
	}
}

func untilFull(t *testing.T, folder string) {
	s, err := local.Start(t.Context(), quietConfig(folder))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(folder, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	limitFileSize(t, uint64(info.Size()))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	sender, err := s.Sender(ctx)
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"data":{"email":"ann@customer.example","message":"` + strings.Repeat("How much is a tent? ", 150) + `"}}`)
	go func() {
		for n := 0; ctx.Err() == nil; n++ {
			_, _ = sender.Send(ctx, local.Outgoing{Endpoint: "form", ID: strings.Repeat("f", n+1), Body: body})
		}
	}()
	select {
	case cause := <-s.Failed():
		if !strings.Contains(cause.Error(), syscall.EFBIG.Error()) { // bbolt keeps the text alone
			t.Errorf("failed with %v", cause)
		}
	case <-ctx.Done():
		t.Fatal("nobody is told")
	}
	cancel()
	began := time.Now()
	s.Stop(context.Background())
	if took := time.Since(began); took > 7*time.Second {
		t.Errorf("the stop took %v", took)
	}
}

func limitFileSize(t *testing.T, bytes uint64) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	limit.Cur = bytes
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
}

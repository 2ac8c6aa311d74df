package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAnAuditThatIsInterruptedSaysSo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	in, _ := io.Pipe() // a mailbox that never comes
	var out, faults bytes.Buffer
	done := make(chan int)
	go func() { done <- Main(ctx, []string{"audit-inbox", "-own", "@shop.example", "-"}, in, &out, &faults) }()
	cancel()
	if code := <-done; code != exitFailed || out.Len() != 0 || faults.String() != "onefold: error: interrupted\n" {
		t.Errorf("code %d, stdout %q, stderr %q", code, out.String(), faults.String())
	}
}

// A short run is silent; a longer one says now and then how far it is.
func TestProgressIsToldOnLongRunsOnly(t *testing.T) {
	t.Parallel()
	var faults bytes.Buffer
	p := &progress{e: &env{stderr: &faults}, from: strings.NewReader(strings.Repeat("x", 1000)), size: 2000}
	p.start()
	p.tell(100)
	if faults.Len() != 0 {
		t.Errorf("a run that has just begun says %q", faults.String())
	}
	if _, err := io.Copy(io.Discard, p); err != nil {
		t.Fatal(err)
	}
	p.next = time.Time{}
	p.tell(200)
	p.tell(300)
	if want := "onefold: note: 200 messages read, 50 % of the file\n"; faults.String() != want {
		t.Errorf("stderr %q, want %q", faults.String(), want)
	}
}

// A page that lies there readable by others does not stay so.
func TestAPageOverAnotherIsReadableByItsOwnerAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box, page := filepath.Join(dir, "box.mbox"), filepath.Join(dir, "page.html")
	mail := "From a@example.com Mon Jan  5 10:00:00 2026\nFrom: ann@example.com\nSubject: Huts\n\nHello\n"
	for name, text := range map[string]string{box: mail, page: "old"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out, faults bytes.Buffer
	if code := Main(t.Context(), []string{"audit-inbox", "-own", "@shop.example", "-html", page, "-force", box}, nil, &out, &faults); code != exitDone {
		t.Fatalf("code %d, stderr %q", code, faults.String())
	}
	info, err := os.Stat(page)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() < 100 {
		t.Errorf("%v, %v", info, err)
	}
}

// A pipe has a name and is read once all the same: looking for the owner first
// would leave an empty mailbox.
func TestAPipeWithoutAnOwnerIsRefused(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	name := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skip("this system does not name open files: ", err)
	}
	var out, faults bytes.Buffer
	if code := Main(t.Context(), []string{"audit-inbox", name}, nil, &out, &faults); code != exitUsage || out.Len() != 0 ||
		!strings.Contains(faults.String(), "name your addresses with -own or -policy") {
		t.Errorf("code %d, stdout %q, stderr %q", code, out.String(), faults.String())
	}
}

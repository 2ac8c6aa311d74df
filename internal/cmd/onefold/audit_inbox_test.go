package main

import (
	"bytes"
	"context"
	"io"
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

package mailbox_test

import (
	"bytes"
	"syscall"
	"testing"
	"time"

	"onefold/internal/operate/mailbox/planted"
)

// Ten thousand mails take less than a minute on two cores. What is bounded is
// the processor's time, which does not depend on what else the machine does: two
// cores have 120 s of it in a minute. The wall's time is logged.
func TestTenThousandMailsTakeLessThanAMinute(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 500
	}
	var file bytes.Buffer
	if err := planted.Many(&file, n); err != nil {
		t.Fatal(err)
	}
	size := file.Len()
	used, begun := processorTime(t), time.Now()
	r := audited(t, file.Bytes(), options(t))
	used = processorTime(t) - used
	t.Logf("%d mails of %d KB on average: %.1f s, processor %.1f s", n, size/n/1000, time.Since(begun).Seconds(), used.Seconds())
	if r.Mailbox.Messages != n {
		t.Errorf("%d messages, want %d", r.Mailbox.Messages, n)
	}
	if limit := 120 * time.Second * time.Duration(n) / 10_000; used > limit {
		t.Errorf("%v of the processor, at most %v", used, limit)
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

package ingest_test

import (
	"testing"

	"onefold/internal/ledger"
)

// TestTheEventKeepsThatTheEnvelopeHasNoSender: RFC 5321 section 4.5.5 writes a
// null sender as "<>"; gateways hand it on as that or as nothing.
func TestTheEventKeepsThatTheEnvelopeHasNoSender(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{"": "<>", "<>": "<>", " ": "<>", "ann@example.org": "ann@example.org"} {
		b := newBench(t, onMem(t))
		b.answers(mailTo(from, "help@demo.example", "Subject: x\r\n\r\nHello\r\n"), 200, "recorded")
		if got := b.of(ledger.Event)[0].Text("envelope_from"); got != want {
			t.Errorf("%q is kept as %q, want %q", from, got, want)
		}
	}
}

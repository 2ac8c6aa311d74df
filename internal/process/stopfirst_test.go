package process_test

import (
	"fmt"
	"strings"
	"testing"

	"onefold/internal/flow"
	"onefold/internal/guard"
	"onefold/internal/inbound"
	"onefold/internal/ledger"
)

// longReport is a delivery report (RFC 3464) on n recipients, each of which
// does not exist.
func longReport(n int) []byte {
	var b strings.Builder
	b.WriteString("Return-Path: <>\r\nFrom: MAILER-DAEMON@example.org\r\nTo: hello@demo.example\r\nSubject: Undelivered Mail\r\nDate: Mon, 02 Mar 2026 08:00:00 +0000\r\n" +
		"Message-ID: <r@example.org>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\nSee below.\r\n" +
		"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; example.org\r\n")
	for i := range n {
		fmt.Fprintf(&b, "\r\nFinal-Recipient: rfc822; person%d@example.net\r\nAction: failed\r\nStatus: 5.1.1\r\n", i)
	}
	b.WriteString("--b--\r\n")
	return []byte(b.String())
}

// TestALongReportStopsAllItNamesHoweverItIsCutOff: more addresses than one
// commit can hold, with faults at calls of the ledger all over the run, the call not
// applied or applied.
func TestALongReportStopsAllItNamesHoweverItIsCutOff(t *testing.T) {
	t.Parallel()
	const recipients = 2*flow.MaxStops + 3
	run := func(at int, applied bool) (calls int) {
		w := newWorld(t, "auto")
		w.faults.at, w.faults.applied, w.faults.err = at, applied, ledger.ErrUnavailable
		if applied {
			w.faults.err = ledger.ErrUnknown
		}
		k := w.record("inbox", "r", longReport(recipients))
		w.settle(w.service(w.faults, w.reader), k)
		if e := w.event(k); e.Outcome != inbound.Feedback {
			t.Fatalf("fault at %d, applied %v: outcome %s", at, applied, e.Outcome)
		}
		guards := w.all(ledger.Guard)
		for _, g := range guards {
			if g.Text(guard.StopAttr(guard.ScopeAll)) == "" || g.Int("bounces") != 1 {
				t.Fatalf("fault at %d, applied %v: guard %v", at, applied, g)
			}
		}
		if len(guards) != recipients || w.count(ledger.Operation) != recipients || w.count(ledger.Contact) != 0 {
			t.Fatalf("fault at %d, applied %v: %d guards, %d operations", at, applied, len(guards), w.count(ledger.Operation))
		}
		return w.faults.calls
	}
	clean := run(0, false)
	for at := 1; at <= clean; at += 1 + clean/25 {
		run(at, false)
		run(at, true)
	}
}

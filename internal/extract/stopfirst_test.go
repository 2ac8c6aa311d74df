package extract_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
)

const reportHeader = "Return-Path: <>\r\nFrom: MAILER-DAEMON@example.org\r\nTo: hello@demo.example\r\nSubject: Undelivered Mail\r\nDate: Mon, 02 Mar 2026 08:00:00 +0000\r\n" +
	"Message-ID: <r@example.org>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=%s; boundary=b\r\n\r\n--b\r\n\r\nSee below.\r\n"

// longComplaint is a feedback report (RFC 5965) of n recipients.
func longComplaint(n int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, reportHeader, "feedback-report")
	b.WriteString("--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nVersion: 1\r\n")
	for i := range n {
		fmt.Fprintf(&b, "Original-Rcpt-To: <person%d@example.net>\r\n", i)
	}
	b.WriteString("--b--\r\n")
	return []byte(b.String())
}

// longBounce is a delivery report (RFC 3464) on n recipients, each of which
// does not exist.
func longBounce(n int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, reportHeader, "delivery-status")
	b.WriteString("--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; example.org\r\n")
	for i := range n {
		fmt.Fprintf(&b, "\r\nFinal-Recipient: rfc822; person%d@example.net\r\nAction: failed\r\nStatus: 5.1.1\r\n", i)
	}
	b.WriteString("--b--\r\n")
	return []byte(b.String())
}

// TestALongReportIsJudgedInWholeHoweverItIsCutOff: more addresses than one
// commit can hold, stop or release, with faults at calls of the ledger all over
// the run, the call not applied or applied.
func TestALongReportIsJudgedInWholeHoweverItIsCutOff(t *testing.T) {
	t.Parallel()
	const recipients = 2*decide.MaxHeld + 3
	for name, approve := range map[string]bool{"approved": true, "rejected": false} {
		run := func(at int, applied bool) (calls int) {
			w := newWorld(t, "auto")
			w.faults.at, w.faults.applied, w.faults.err = at, applied, ledger.ErrUnavailable
			if applied {
				w.faults.err = ledger.ErrUnknown
			}
			s := w.service(w.faults, w.reader)
			k := w.record("inbox", "r", longComplaint(recipients))
			w.settle(s, k)
			for _, g := range w.all(ledger.Guard) {
				if g.Text("hold") == "" || g.Text(guard.StopAttr(guard.ScopeAll)) != "" || g.Int("transition") != 1 {
					t.Fatalf("%s, fault at %d, applied %v: before the answer guard %v", name, at, applied, g)
				}
			}
			if n := w.count(ledger.Guard); n != recipients || w.event(k).State != inbound.InReview || w.count(ledger.Operation) != 0 {
				t.Fatalf("%s, fault at %d, applied %v: %d held, event %s", name, at, applied, n, w.event(k).State)
			}
			for range 3 { // who gets an error tries again
				if w.event(k).State == inbound.InReview {
					_ = w.answer(s, k, decide.Answer{Approve: approve, By: "person:grace"})
				}
			}
			if w.event(k).State != inbound.Decided || w.count(ledger.Contact) != 0 {
				t.Fatalf("%s, fault at %d, applied %v: event %s", name, at, applied, w.event(k).State)
			}
			for _, g := range w.all(ledger.Guard) {
				stopped := g.Text(guard.StopAttr(guard.ScopeAll)) != "" && g.Int("complaints") == 1
				if stopped != approve || !approve && guard.Blocks(g, "any") != "" || g.Int("transition") != 2 {
					t.Fatalf("%s, fault at %d, applied %v: guard %v", name, at, applied, g)
				}
			}
			if n := w.count(ledger.Operation); approve != (n == recipients) || !approve && n != 0 {
				t.Fatalf("%s, fault at %d, applied %v: %d operations", name, at, applied, n)
			}
			return w.faults.calls
		}
		clean := run(0, false)
		for at := 1; at <= clean; at += 1 + clean/25 {
			run(at, false)
			run(at, true)
		}
	}
}

// TestALongForgedBounceOfStrangersChangesNothing: it is on file, and that is
// all.
func TestALongForgedBounceOfStrangersChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "auto")
	k := w.record("inbox", "r", longBounce(100))
	w.settle(w.service(w.store, w.reader), k)
	if e := w.event(k); e.Outcome != inbound.Feedback || e.Reasons[len(e.Reasons)-1] != decide.ReasonUnproven {
		t.Errorf("outcome %s %v", e.Outcome, e.Reasons)
	}
	w.wants(map[ledger.Entity]int{ledger.Guard: 0, ledger.Operation: 0, ledger.ReviewTask: 0, ledger.Contact: 0})
}

// TestHoldsOfAReportAreNotPutOnAnEventThatIsDecided: a worker that is late finds
// the event moved, and commits none of them.
func TestHoldsOfAReportAreNotPutOnAnEventThatIsDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "auto")
	s := w.service(w.store, w.reader)
	k := w.record("inbox", "r", longComplaint(decide.MaxHeld+1))
	late := &beforeGuards{Store: w.store, once: func() {
		w.settle(s, k)
		if err := w.answer(s, k, decide.Answer{By: "person:grace"}); err != nil {
			t.Error(err)
		}
	}}
	_ = w.handle(w.service(late, w.reader), k)
	for _, g := range w.all(ledger.Guard) {
		if guard.Blocks(g, "any") != "" {
			t.Fatalf("held after the answer: %v", g)
		}
	}
	if e := w.event(k); e.Outcome != inbound.Dismissed {
		t.Errorf("outcome %s", e.Outcome)
	}
}

// beforeGuards runs something just before the first commit that writes a guard.
type beforeGuards struct {
	ledger.Store
	do   sync.Once
	once func()
}

func (b *beforeGuards) Commit(ctx context.Context, c ledger.Commit) error {
	if slices.ContainsFunc(c.Writes, func(w ledger.Write) bool { return w.Key.Entity == ledger.Guard }) {
		b.do.Do(b.once)
	}
	return b.Store.Commit(ctx, c)
}

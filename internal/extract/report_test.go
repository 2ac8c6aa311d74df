package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
)

const adas = "ada@example.org"

// bounceOf is a delivery report of one address that gives back the header of
// the mail that failed.
func bounceOf(id, address, returned string) []byte {
	head := strings.Replace(fmt.Sprintf(reportHeader, "delivery-status"), "<r@", "<"+id+"@", 1)
	return []byte(head + "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; example.org\r\n\r\n" +
		"Final-Recipient: rfc822; " + address + "\r\nAction: failed\r\nStatus: 5.1.1\r\n" +
		"--b\r\nContent-Type: text/rfc822-headers\r\n\r\nFrom: hello@demo.example\r\nTo: " + address + "\r\n" + returned + "\r\n--b--\r\n")
}

// complaintOf is a feedback report on a mail that it gives back.
func complaintOf(id, address, returned string) []byte {
	head := strings.Replace(fmt.Sprintf(reportHeader, "feedback-report"), "<r@", "<"+id+"@", 1)
	return []byte(head + "--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nOriginal-Rcpt-To: <" + address + ">\r\n" +
		"--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: hello@demo.example\r\nTo: " + address + "\r\n" + returned + "\r\n\r\nThank you.\r\n--b--\r\n")
}

// answeredAda is a ledger in which Ada has had an answer to her mail, and its
// intent.
func answeredAda(t *testing.T) (*world, string) {
	t.Helper()
	w := newWorld(t, "auto")
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	w.settle(w.service(w.store, w.reader), k)
	if e := w.event(k); e.Outcome != inbound.FollowUp || e.Intent == "" {
		t.Fatalf("outcome %s", e.Outcome)
	}
	return w, w.event(k).Intent
}

// guardOf is the guard of an address as it stands.
func (w *world) guardOf(address string) ledger.Item {
	w.t.Helper()
	p, err := w.book.Current(w.t.Context(), "demo")
	if err != nil {
		w.t.Fatal(err)
	}
	return w.item(ledger.Guard.At("demo", decide.Identify(w.ids, p, address).GuardID))
}

// TestAReportStopsOnlyWhomTheMarkOfTheReturnedMailProves: through the parser,
// the key and the ledger. Ada is known and nobody else is.
func TestAReportStopsOnlyWhomTheMarkOfTheReturnedMailProves(t *testing.T) {
	t.Parallel()
	const stranger = "stranger@example.net"
	const (
		stopped = "suppressed_all"
		held    = "opt_out_in_doubt"
	)
	for name, c := range map[string]struct {
		address string
		mark    func(w *world, intent string) string
		bounce  string // what the guard of the address then says
		accused string // of a complaint
	}{
		"ours":                      {adas, func(w *world, i string) string { return followup.Mark(w.ids, "demo", i) }, stopped, stopped},
		"none":                      {adas, func(*world, string) string { return "" }, held, held},
		"none, of a stranger":       {stranger, func(*world, string) string { return "" }, "", held},
		"copied for a stranger":     {stranger, func(w *world, i string) string { return followup.Mark(w.ids, "demo", i) }, "", held},
		"of another tenant":         {adas, func(w *world, i string) string { return followup.Mark(w.ids, "other", i) }, held, held},
		"of no intent":              {adas, func(w *world, _ string) string { return followup.Mark(w.ids, "demo", "i1") }, held, held},
		"made up":                   {adas, func(_ *world, i string) string { return i + ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" }, held, held},
		"the intent without a hash": {adas, func(_ *world, i string) string { return i }, held, held},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for kind, want := range map[string]string{"bounce": c.bounce, "complaint": c.accused} {
				w, intent := answeredAda(t)
				returned := "Subject: Huts"
				if m := c.mark(w, intent); m != "" {
					returned += "\r\n" + rawmail.MarkHeader + ": " + m
				}
				raw := bounceOf("r1", c.address, returned)
				if kind == "complaint" {
					raw = complaintOf("r1", c.address, returned)
				}
				k := w.record("hello@demo.example", "r1", raw)
				w.settle(w.service(w.store, w.reader), k)
				if got := guard.Blocks(w.guardOf(c.address), "follow_up"); got != want {
					t.Errorf("%s: the guard says %q, want %q", kind, got, want)
				}
				e := w.event(k)
				if inReview := e.State == inbound.InReview; inReview != (want == held) || !inReview && e.Outcome != inbound.Feedback {
					t.Errorf("%s: event %s %s %v", kind, e.State, e.Outcome, e.Reasons)
				}
				cancels := 0
				for _, op := range w.all(ledger.Operation) {
					if op.Text("kind") == outbox.CancelIntents {
						cancels++
					}
				}
				// Our mail to Ada was complained about, whatever address it names.
				forwarded := name == "copied for a stranger" && kind == "complaint"
				if (cancels == 1) != (want == stopped || forwarded) {
					t.Errorf("%s: %d cancellations", kind, cancels)
				}
				if other := w.guardOf(adas); c.address != adas && (guard.Blocks(other, "any") == stopped) != forwarded {
					t.Errorf("%s: whose mark it is: %v", kind, other)
				}
			}
		})
	}
}

// TestAPersonsAnswerToAnUnprovenReport: a yes is the stop that a proven one
// would have been, a no lets the next mail go.
func TestAPersonsAnswerToAnUnprovenReport(t *testing.T) {
	t.Parallel()
	for approve, want := range map[bool]string{true: "suppressed_all", false: ""} {
		w, _ := answeredAda(t)
		s := w.service(w.store, w.reader)
		k := w.record("hello@demo.example", "r1", bounceOf("r1", adas, "Subject: Huts"))
		w.settle(s, k)
		if task := w.task(k); task.State != review.Open || task.Reasons[len(task.Reasons)-1] != decide.ReasonUnproven {
			t.Fatalf("task %+v", task)
		}
		if err := w.answer(s, k, decide.Answer{Approve: approve, By: "person:grace"}); err != nil {
			t.Fatal(err)
		}
		if got := guard.Blocks(w.guardOf(adas), "follow_up"); got != want {
			t.Errorf("approved %t: the guard says %q, want %q", approve, got, want)
		}
		if task := w.task(k); task.OpenFor != "" {
			t.Errorf("approved %t: task %+v", approve, task)
		}
	}
}

// TestWhoBecomesKnownMeanwhileIsNotHeldByHalf: the first mail of an address and
// a forged bounce of it at one moment. Whichever is decided first, the bounce
// ends on file alone or with a hold and its task, and stops nobody.
func TestWhoBecomesKnownMeanwhileIsNotHeldByHalf(t *testing.T) {
	t.Parallel()
	for _, bounceFirst := range []bool{true, false} {
		w := newWorld(t, "auto")
		first := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
		bounce := w.record("hello@demo.example", "r1", bounceOf("r1", adas, "Subject: Huts"))
		quick, slow := first, bounce
		if bounceFirst {
			quick, slow = bounce, first
		}
		s := &before{Store: w.store, once: func() { w.settle(w.service(w.store, w.reader), quick) }}
		w.settle(w.service(s, w.reader), slow)
		e, blocks := w.event(bounce), guard.Blocks(w.guardOf(adas), "follow_up")
		switch {
		case e.State == inbound.InReview && blocks == "opt_out_in_doubt":
		case e.Outcome == inbound.Feedback && blocks == "":
		default:
			t.Errorf("bounce first %t: event %s %s, the guard says %q", bounceFirst, e.State, e.Outcome, blocks)
		}
		if w.event(first).Outcome != inbound.FollowUp || w.count(ledger.Intent) != 1 {
			t.Errorf("bounce first %t: the mail came to %s", bounceFirst, w.event(first).Outcome)
		}
	}
}

// TestAComplaintThatHidesWhomItIsOfIsOfWhoGotTheReturnedMail: providers blot out
// the address to spare the person, and our mark tells it. Without a genuine mark
// only a person can find out.
func TestAComplaintThatHidesWhomItIsOfIsOfWhoGotTheReturnedMail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mark    func(w *world, intent string) string
		blocked string
	}{
		"ours":              {func(w *world, i string) string { return followup.Mark(w.ids, "demo", i) }, "suppressed_all"},
		"of another tenant": {func(w *world, i string) string { return followup.Mark(w.ids, "other", i) }, ""},
		"of no intent":      {func(w *world, _ string) string { return followup.Mark(w.ids, "demo", "i1") }, ""},
		"made up":           {func(_ *world, i string) string { return i + ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" }, ""},
	} {
		w, intent := answeredAda(t)
		k := w.record("hello@demo.example", "r1", complaintOf("r1", "", rawmail.MarkHeader+": "+c.mark(w, intent)))
		w.settle(w.service(w.store, w.reader), k)
		if got := guard.Blocks(w.guardOf(adas), "follow_up"); got != c.blocked {
			t.Errorf("%s: the guard says %q, want %q", name, got, c.blocked)
		}
		if e := w.event(k); (e.State == inbound.InReview) != (c.blocked == "") || c.blocked != "" && e.Outcome != inbound.Feedback {
			t.Errorf("%s: event %s %s %v", name, e.State, e.Outcome, e.Reasons)
		}
	}
}

package send_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/followup"
	"onefold/internal/record/outbox"
)

// bubble runs a test with a clock of its own.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

func TestEachOutcomeHasItsStatesAndItsTimer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		verdict verdict
		intent  string
		attempt string
		reason  string
		open    bool
		wait    time.Duration // until the timer, where it stays open
	}{
		{"accepted", taken, followup.Accepted, followup.AttemptAccepted, "", false, 0},
		{"rejected", rejected, followup.Rejected, followup.AttemptRejected, "MessageRejected", false, 0},
		{"throttled", throttled, followup.Ready, followup.AttemptThrottled, "TooManyRequestsException", true, 5 * time.Second},
		{"the account is halted", halted, followup.Ready, followup.AttemptThrottled, "SendingPausedException", true, 15 * time.Minute},
		{"not begun", notBegun, followup.Ready, followup.AttemptNotBegun, "no_connection", true, 5 * time.Second},
		{"unknown", lostTaken, followup.Unknown, followup.AttemptUnknown, "timeout", true, within},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T) {
				w := newWorld(t, nil)
				w.post.verdict = func(int) verdict { return test.verdict }
				w.must(w.run())
				i, a, op := w.get(w.key("i1")), w.attempt(1), w.get(w.op)
				if i.Text("state") != test.intent || i.Text("reason") != test.reason || i.Int("attempt") != 1 {
					t.Errorf("intent %v", i)
				}
				if a.Text("state") != test.attempt || a.Text("settled_at") == "" {
					t.Errorf("attempt %v", a)
				}
				if open := op.Text("state") == outbox.Open; open != test.open {
					t.Errorf("operation %v", op)
				}
				if at := time.Now().Add(test.wait).UTC().Format("2006-01-02T15:04:05.000Z"); test.open && (op.Text("not_before") != at || op.Text("due_at") != at) {
					t.Errorf("timer at %s, due %s, want %s", op.Text("not_before"), op.Text("due_at"), at)
				}
				for _, b := range w.trails() {
					t.Error(b)
				}
				if len(w.post.got) != 1 {
					t.Errorf("%d submissions", len(w.post.got))
				}
			})
		})
	}
}

func TestWhatIsSubmittedIsTheApprovedContentWithOurTags(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, func(i *followup.Intent) {
			i.InReplyTo, i.References = "<q@example.com>", "<q@example.com>"
			i.ContentHash = i.HashContent()
			i.ApprovedHash = i.ContentHash
		})
		w.send.OptOut = func(tenantID, intentID string) string {
			return "https://api.example.com/optout/" + tenantID + "/" + intentID
		}
		w.must(w.run())
		m := w.post.got[0].mail
		if m.To != "kim@example.com" || m.Subject != "Re: huts" || m.Text != "Hello" || m.From != "hello@demo.example" {
			t.Errorf("mail %+v", m)
		}
		headers := map[string]string{}
		for _, h := range m.Headers {
			headers[h.Name] = h.Value
		}
		// RFC 3834 section 5, RFC 5322 section 3.6.4.
		if mark := headers[rawmail.MarkHeader]; !followup.IsMark(w.ids, "demo", mark) || !strings.HasPrefix(mark, "i1.") {
			t.Errorf("our own mail is marked %q", mark)
		}
		if headers["Auto-Submitted"] != "auto-replied" || headers["In-Reply-To"] != "<q@example.com>" || headers["References"] != "<q@example.com>" {
			t.Errorf("headers %v", headers)
		}
		// RFC 8058 section 3.1.
		if headers["List-Unsubscribe"] != "<https://api.example.com/optout/demo/i1>" || headers["List-Unsubscribe-Post"] != "List-Unsubscribe=One-Click" {
			t.Errorf("headers %v", headers)
		}
		want := []mailer.Tag{{Name: mailer.TagTenant, Value: "demo"}, {Name: mailer.TagIntent, Value: "i1"}, {Name: mailer.TagAttempt, Value: "1"}}
		for n, tag := range want {
			if m.Tags[n] != tag {
				t.Errorf("tag %v, want %v", m.Tags[n], tag)
			}
		}
		message := w.get(ledger.ProviderMessage.At(ledger.NoTenant, "fake:m1"))
		if message.Text("intent") != "i1" || message.Int("attempt") != 1 {
			t.Errorf("message index %v", message)
		}
	})
}

func TestAMailThrottledTwiceGoesOutOnceInItsThirdAttempt(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.post.verdict = func(n int) verdict {
			if n < 3 {
				return throttled
			}
			return taken
		}
		w.untilQuiet()
		w.keep()
		if w.state() != followup.Accepted || w.post.taken("i1") != 1 || len(w.post.got) != 3 {
			t.Errorf("state %s, submissions %v", w.state(), w.post.got)
		}
		if w.attempt(3).Text("resend_accepted") != "" {
			t.Error("nobody had to accept a duplicate")
		}
	})
}

func TestWhoAcceptedADuplicateStaysWithLaterAttempts(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, func(i *followup.Intent) { i.OnUnknown = tenant.UnknownResend })
		w.post.events = eventsLost
		w.post.verdict = func(n int) verdict { return []verdict{lostTaken, throttled, notBegun, taken}[n-1] }
		w.untilQuiet()
		w.keep()
		for n := int64(2); n <= 4; n++ {
			if got := w.attempt(n).Text("resend_accepted"); got != "policy_accepts_possible_duplicate" {
				t.Errorf("attempt %d: accepted by %q", n, got)
			}
		}
	})
}

func TestAMessageIDOfAnotherIntentDoesNotLoseTheOutcome(t *testing.T) {
	t.Parallel()
	for _, early := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, nil)
			w.set(ledger.ProviderMessage.At(ledger.NoTenant, "fake:m1"),
				ledger.Item{"of_tenant": "demo", "intent": "other", "attempt": 1})
			if early {
				w.post.events = eventsEarly
			}
			w.untilQuiet()
			w.keep()
			if w.state() != followup.Accepted || w.attempt(1).Text("message_id") != "m1" {
				t.Errorf("early %v: intent %s", early, w.state())
			}
			if w.alarms("duplicate_message_id") != 1 {
				t.Errorf("early %v: want one alarm:\n%s", early, w.logs)
			}
		})
	}
}

func TestNothingOfAnotherReaderOrInAnUnknownStateIsTouched(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.set(w.op, ledger.Item{"kind": outbox.CRMNote})
		w.must(w.run())
		w.set(w.op, ledger.Item{"kind": outbox.SendIntent, "state": "a_word_of_newer_code"})
		w.must(w.run())
		w.must(w.send.Handle(t.Context(), ledger.Change{Key: w.op}))
		w.must(w.send.Handle(t.Context(), ledger.Change{Key: ledger.Operation.At("demo", "none"), Item: ledger.Item{"kind": outbox.SendIntent}}))
		if w.state() != followup.Ready || len(w.post.got) != 0 {
			t.Errorf("state %s", w.state())
		}
	})
}

package stored_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"onefold/internal/console"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
)

// What waits in a kept store is sent once, or is not sent, for the reason that
// is stored.

// state fails where an address's latest follow-up is in another state.
func (s *system) state(address, state, reason string) {
	s.t.Helper()
	if i := s.last(address); i.State != state || i.Reason != reason {
		s.t.Errorf("the follow-up to %s is %s (%s), want %s (%s)", address, i.State, i.Reason, state, reason)
	}
}

func TestWhatWaitsInAStoreIsSentOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, _ kept) {
		from := len(s.Mails)
		draft := s.last("ola@example.com")
		s.answer(console.Approve, ofIntent(draft))
		s.rest()
		sent := map[string]int{}
		for _, m := range s.Mails[from:] {
			sent[m.To]++
		}
		want := map[string]int{
			"ola@example.com":  1,                        // approved now
			"xan@example.com":  1,                        // ready
			"gary@example.com": 1, "fred@example.com": 1, // when the quiet period is over
			"rex@example.com": 1, "ray@club.example": 1, // not read yet
			"wim@example.com": 1, "wes@example.com": 1, // claimed by workers that died
			"sid@example.com": 1, "bo@example.com": 1, // tried once
		}
		if !maps.Equal(sent, want) {
			t.Errorf("sent %v, want %v", sent, want)
		}
		if m := s.mailsTo("ola@example.com", from); len(m) == 1 && m[0].Text != draft.Text {
			t.Errorf("what was sent is not what was stored: %q", m[0].Text)
		}
		s.state("ola@example.com", followup.Accepted, "")
		verified(t, s)
	})
}

func TestAnApprovalOfOtherContentThanTheStoredSendsNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, _ kept) {
		i := s.last("olga@example.com")
		other := i
		other.Text += "."
		for _, task := range s.open(ofIntent(i)) {
			err := s.Console.Answer(t.Context(), task.Tenant, task.ID, console.Form{
				Action: console.Approve, By: "kim", Transition: task.Transition, ContentHash: other.HashContent(),
			})
			if err == nil {
				t.Error("other content was approved")
			}
		}
		from := len(s.Mails)
		s.rest()
		if m := s.mailsTo("olga@example.com", from); len(m) > 0 {
			t.Errorf("sent: %v", m)
		}
		s.state("olga@example.com", followup.Proposed, i.Reason)
	})
}

func TestASendWhoseOutcomeIsNotKnownIsNotSentAgainAndLateEvidenceSettlesIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, k kept) {
		from := len(s.Mails)
		s.state("yara@example.com", followup.Unknown, "timeout")
		s.state("zoe@example.com", followup.Sending, "")
		taken := []string{"yara@example.com", "zoe@example.com", "zia@example.com"} // by the provider
		for _, to := range taken {
			m := s.mailsTo(to, 0)
			s.reports = append(s.reports, s.report(m[len(m)-1], mailer.EventSent))
		}
		s.rest()
		for _, to := range taken {
			s.state(to, followup.Accepted, "evidence")
		}
		for _, to := range []string{"yves@example.com", "zed@example.com", "jon@example.com"} { // no evidence
			s.state(to, followup.InReview, "outcome_unknown")
		}
		for _, to := range append(taken, "yves@example.com", "zed@example.com", "jon@example.com") {
			if m := s.mailsTo(to, from); len(m) > 0 {
				t.Errorf("sent again: %v", m)
			}
		}
		verified(t, s)
	})
}

func TestAStoredStopIsHonoured(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, _ kept) {
		from := len(s.Mails)
		stopped := map[string]string{ // by what
			"dan": "words", "emil": "link", "ben": "bounce", "cora": "complaint", "ida": "words", "pia": "words", "walt": "words",
		}
		for _, who := range slices.Sorted(maps.Keys(stopped)) {
			// Another spelling of the address: a stop is wide.
			r := s.deliver(formOf("demo", "new-"+who, who+"+again@example.com", "Is the lodge free?"))
			s.work()
			if e := s.event(r.Event); e.Outcome != "suppressed" || !slices.Contains(e.Reasons, "suppressed_all") {
				t.Errorf("%s, stopped by %s: the event is %s %v", who, stopped[who], e.Outcome, e.Reasons)
			}
		}
		s.rest()
		for who := range stopped {
			for _, to := range []string{who + "@example.com", who + "+again@example.com"} {
				if m := s.mailsTo(to, from); len(m) > 0 {
					t.Errorf("sent to %s, stopped by %s: %v", to, stopped[who], m)
				}
			}
		}
		s.state("walt@example.com", followup.Suppressed, "suppressed_all")
		s.state("sally@example.com", followup.Suppressed, "suppressed_follow_up")
		s.state("erin@example.com", followup.Suppressed, "erased")
		verified(t, s)
	})
}

func TestAStoredHoldIsHonoured(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, _ kept) {
		from := len(s.Mails)
		s.state("vera@example.com", followup.Ready, "")
		s.rest()
		s.state("vera@example.com", followup.InReview, "opt_out_in_doubt")
		s.state("rob@example.com", followup.InReview, "rule_wants_approval")
		for _, to := range []string{"vera@example.com", "rob@example.com", "ivy@buyer.example"} {
			if m := s.mailsTo(to, from); len(m) > 0 {
				t.Errorf("sent: %v", m)
			}
		}
		// A person says that the mail was no opt-out: the hold that its cause put
		// there goes.
		verified(t, s)
		held := s.open(func(x review.Task) bool { return slices.Contains(x.Reasons, "possible_opt_out") })
		if len(held) != 2 {
			t.Fatalf("questions about a hold: %v", held)
		}
		for _, x := range held {
			s.answer(console.Approve, ofEvent(x.Event))
		}
		for _, g := range decoded[guard.Guard](s, ledger.Guard) {
			if !g.Hold.IsZero() {
				t.Errorf("the hold of %s is still there", g.Address)
			}
		}
	})
}

// stoppedBy fails where mail went out or what waits does not say why.
func (s *system) stoppedBy(address string, from int) {
	s.t.Helper()
	i := s.last(address)
	for _, op := range decoded[outbox.Operation](s, ledger.Operation) {
		if op.Intent == i.ID && (op.State != outbox.Open || op.Reason != "stopped") {
			s.t.Errorf("the submission is %s (%s)", op.State, op.Reason)
		}
	}
	if m := s.mailsTo(address, from); i.State != followup.Ready || len(m) > 0 {
		s.t.Errorf("the follow-up is %s, sent %v", i.State, m)
	}
}

func TestAStoredStopOfATenantIsHonoured(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, _ kept) {
		from := len(s.Mails)
		s.pass(12 * time.Hour)
		s.stoppedBy("ira@example.org", from)
		s.stop("halted", false)
		s.pass(time.Hour)
		if m := s.mailsTo("ira@example.org", from); len(m) != 1 {
			t.Errorf("after the stop was lifted: %v", m)
		}
	})
}

func TestAStoredStopOfAllTenantsIsHonoured(t *testing.T) {
	t.Parallel()
	for _, folder := range stores(t) {
		s, _ := reopen(t, folder, "stopped")
		s.rest()
		if n := len(s.Mails); n != 1 {
			t.Errorf("%d mails, want the one from before the stop", n)
		}
		s.stoppedBy("bob@example.com", 0)
		s.stop(ledger.NoTenant, false)
		s.pass(time.Hour)
		if m := s.mailsTo("bob@example.com", 0); len(m) != 1 {
			t.Errorf("after the stop was lifted: %v", m)
		}
		verified(t, s)
	}
}

func TestAnOldOptOutLinkStopsItsPerson(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system, k kept) {
		from := len(s.Mails)
		s.state("fred@example.com", followup.Ready, "")
		if code := s.optOut(s.mailsTo("fred@example.com", 0)[0].Link); code != 200 {
			t.Errorf("the link was answered %d", code)
		}
		s.rest()
		s.state("fred@example.com", followup.Suppressed, "suppressed_all")
		if m := s.mailsTo("fred@example.com", from); len(m) > 0 {
			t.Errorf("sent: %v", m)
		}
		for _, m := range k.Outside.Mails { // each link that was ever sent
			if code := s.optOut(m.Link); code != 200 {
				t.Errorf("the link in the mail to %s was answered %d", m.To, code)
			}
		}
		verified(t, s)
	})
}

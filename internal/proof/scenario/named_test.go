package scenario_test

// The schedules that must be among those run, each by its name. Each says
// what has to be seen besides the promises, so that it cannot come to nothing
// unnoticed.

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/record/followup"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/sweep"
)

// inline is a scenario of its own.
func inline(t *testing.T, policy []string, steps ...string) scenarioFile {
	t.Helper()
	f := scenarioFile{name: t.Name(), policy: policy, version: 1}
	for _, line := range steps {
		s, err := parseStep(line)
		if err != nil {
			t.Fatal(err)
		}
		f.steps = append(f.steps, s)
	}
	return f
}

// play runs a schedule and reports every broken promise.
func play(t *testing.T, f scenarioFile, s schedule, setup, then func(*world)) result {
	t.Helper()
	s.scenario = f.name
	res := runThen(t, f, s, nil, setup, then)
	for _, b := range res.broken {
		t.Errorf("%s\nin %s", b, s)
	}
	return res
}

const (
	kim = `0s form id=msg-1 email=kim@example.com name="Kim Lee" message="We are six people in May."`
	lou = `0s form id=msg-2 email=lou@example.org name="Lou Fay" message="Do you have a dog?"`
)

// intents reads every intent, and attempt every attempt of one.
func (w *world) intents() (list []followup.Intent) {
	for _, it := range w.scan(schema.Ledger) {
		if it.Text(schema.Entity) == string(ledger.Intent) {
			var i followup.Intent
			w.must(it.Decode(&i))
			list = append(list, i)
		}
	}
	return list
}

func (w *world) attempt(i followup.Intent, n int64) ledger.Item {
	return w.get(ledger.AttemptKey(tenantID, i.ID, n))
}

// moves lists the steps of a noun, as "from event to".
func (w *world) moves(k ledger.Key) (list []string) {
	for n := int64(1); ; n++ {
		it := w.get(ledger.AuditKey(k, n))
		if it == nil {
			return list
		}
		list = append(list, it.Text("from")+" "+it.Text("event")+" "+it.Text("to"))
	}
}

func intentKey(i followup.Intent) ledger.Key {
	return ledger.Intent.At(tenantID, i.ID)
}

func contains(list []string, word string) bool {
	for _, s := range list {
		if s == word {
			return true
		}
	}
	return false
}

func want(t *testing.T, what string, have, wanted any) {
	t.Helper()
	if fmt.Sprint(have) != fmt.Sprint(wanted) {
		t.Errorf("%s: %v, want %v", what, have, wanted)
	}
}

// The provider's event overtakes its answer to the call.
func TestEvidenceArrivingWhileTheIntentIsSending(t *testing.T) {
	t.Parallel()
	for _, fl := range []fault{"", lostAfter, diesAfter, late} {
		play(t, inline(t, nil, kim), schedule{events: "early", faults: plan{"send: submit #1": fl}}, nil, func(w *world) {
			i := w.intents()[0]
			want(t, "state", i.State, followup.Accepted)
			want(t, "mails", len(w.postbox.took), 1)
			if !contains(w.moves(intentKey(i)), "sending evidence accepted") {
				t.Errorf("after %q the intent went %v", fl, w.moves(intentKey(i)))
			}
		})
	}
}

// The provider's answer comes when the lease has lapsed and everybody takes
// the outcome for unknown. Its events are lost, so it is the only evidence.
func TestALateSettleAfterTheLapse(t *testing.T) {
	t.Parallel()
	play(t, inline(t, nil, kim), schedule{events: "lost", faults: plan{"send: submit #1": late}}, nil, func(w *world) {
		i := w.intents()[0]
		moves := w.moves(intentKey(i))
		if !contains(moves, "sending lose unknown") || !contains(moves, "unknown evidence accepted") {
			t.Errorf("the intent went %v", moves)
		}
		want(t, "mails", len(w.postbox.took), 1)
	})
}

// It comes when the policy has had a second attempt made.
func TestALateSettleAfterASecondAttemptWasClaimedUnderResend(t *testing.T) {
	t.Parallel()
	f := inline(t, []string{"on_unknown accept_possible_duplicate"}, kim)
	play(t, f, schedule{events: "lost", faults: plan{"send: submit #1": lateLong}}, nil, func(w *world) {
		i := w.intents()[0]
		want(t, "mails", len(w.postbox.took), 2)
		want(t, "first attempt", w.attempt(i, 1).Text("state"), followup.AttemptAccepted)
		want(t, "second attempt", w.attempt(i, 2).Text("state"), followup.AttemptAccepted)
		want(t, "who accepted that", w.attempt(i, 2).Text("resend_accepted"), "policy_accepts_possible_duplicate")
	})
	// While the second attempt is under way: its claim has been made, its call
	// not yet.
	play(t, f, schedule{events: "lost", faults: plan{"send: submit #1": lateLong, "send: submit #2": pausedLong}}, nil, func(w *world) {
		i := w.intents()[0]
		want(t, "state", i.State, followup.Accepted)
		want(t, "first attempt", w.attempt(i, 1).Text("state"), followup.AttemptAccepted)
		want(t, "attempts", i.Attempt, 2)
	})
}

// A sweeper whose clock is ahead nudges the timer while its intent is being
// sent: the settle is fenced by owner and attempt and must not mind.
func TestANudgeBetweenClaimAndSettle(t *testing.T) {
	t.Parallel()
	nudged := 0
	play(t, inline(t, nil, kim), schedule{}, func(w *world) {
		w.before = func(name string) {
			if name != "send: intent accept #1" {
				return
			}
			ahead := sweep.Service{
				Store: store{w.base, w}, Now: func() time.Time { return w.now().Add(100 * time.Second) }, PerShard: 100,
				Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			}
			rep, err := ahead.Run(context.Background())
			w.must(err)
			nudged = rep.Nudged
		}
	}, func(w *world) {
		want(t, "state", w.intents()[0].State, followup.Accepted)
		want(t, "attempts", w.intents()[0].Attempt, 1)
		want(t, "mails", len(w.postbox.took), 1)
	})
	if nudged == 0 {
		t.Error("nothing was nudged")
	}
}

// Every record is handed twice to one and the same instance, which works on
// both at once.
func TestOneInstanceHandlingTheSameRecordTwice(t *testing.T) {
	t.Parallel()
	r := rng(*seed, t.Name())
	f := inline(t, nil, kim)
	for range often(300) {
		s := schedule{workers: 2, again: 1, choices: make([]byte, 200)}
		for i := range s.choices {
			s.choices[i] = byte(r.IntN(60))
		}
		res := play(t, f, s, nil, nil)
		want(t, "came to", res.outcome, outcome{Contacts: 1, Enquiries: 1, Intents: 1, Mails: 1, Events: "follow_up 1 "})
		if t.Failed() {
			return
		}
	}
}

// The owner of a CRM operation stands still in the middle of its call, another
// takes over and calls too; then the first goes on.
func TestAPausedOwnerAndATakerOverBothCallingTheCRM(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"contact", "note", "task"} {
		play(t, inline(t, nil, kim), schedule{faults: plan{"crmsync: upsert " + what + " #1": paused}}, nil, func(w *world) {
			want(t, "calls for contact, note and task", w.cabinet.calls, 4)
			want(t, "records", len(w.cabinet.order), 3)
			want(t, "operations done", w.file.counts["operation.crm_"+what+".done"], 1)
		})
	}
}

// One mail comes to two of our mailboxes at once, and two workers decide it.
func TestTheSameMailInTwoMailboxesAtOnce(t *testing.T) {
	t.Parallel()
	f := inline(t, nil,
		"0s mail file=two-mailboxes/sales.eml from=sam.okafor@outdoorclub.example to=sales@demo.example",
		"0s mail file=two-mailboxes/info.eml from=sam.okafor@outdoorclub.example to=info@demo.example")
	weave(t, f, 300, outcome{Contacts: 1, Enquiries: 1, Intents: 1, Mails: 1, Events: "follow_up 1 folded 1 "})
}

// often is how many schedules of n are played when it is not the whole proof.
func often(n int) int {
	if *prove {
		return n
	}
	return n / 6
}

// weave plays n interleavings of three workers, all of which must come to the
// same.
func weave(t *testing.T, f scenarioFile, n int, wanted outcome) {
	t.Helper()
	r := rng(*seed, t.Name())
	for range often(n) {
		s := schedule{workers: 3, choices: make([]byte, 160)}
		for i := range s.choices {
			s.choices[i] = byte(r.IntN(60))
		}
		res := play(t, f, s, nil, nil)
		want(t, "came to", res.outcome, wanted)
		if t.Failed() {
			return
		}
	}
}

// Two causes of one contact, decided at once: one takes the slot, the other
// folds into it.
func TestTwoCausesRacingForOneCadenceSlot(t *testing.T) {
	t.Parallel()
	f := inline(t, nil, kim, `0s form id=msg-2 email=kim@example.com name="Kim Lee" message="And a dog?"`)
	weave(t, f, 300, outcome{Contacts: 1, Enquiries: 2, Intents: 1, Mails: 1, Events: "follow_up 1 folded 1 "})
}

// Two mails of one contact, past the fold window and ready at once: one is
// claimed, the other waits until the quiet period is over.
func TestTwoReadyMailsOfOneContactRacingForTheQuietPeriod(t *testing.T) {
	t.Parallel()
	f := inline(t, []string{"crm none"}, "0s stop tenant", kim,
		`1h form id=msg-2 email=kim@example.com name="Kim Lee" message="And a dog?"`, "2h resume tenant")
	r := rng(*seed, t.Name())
	for range often(100) {
		s := schedule{workers: 3, choices: make([]byte, 2000)}
		for i := range s.choices {
			s.choices[i] = byte(r.IntN(60))
		}
		play(t, f, s, nil, func(w *world) {
			if len(w.postbox.took) != 2 || w.postbox.took[1].at.Sub(w.postbox.took[0].at) < 24*time.Hour {
				t.Errorf("the provider took %v", w.postbox.took)
			}
		})
		if t.Failed() {
			return
		}
	}
}

// The provider gives the mail of one intent the message ID of another's: the
// acceptance stands without the index.
func TestAMessageIDOwnedByAnotherIntent(t *testing.T) {
	t.Parallel()
	for _, events := range []string{"", "early", "lost"} {
		play(t, inline(t, nil, "0s provider taken same-id", kim, lou), schedule{events: events}, nil, func(w *world) {
			for _, i := range w.intents() {
				want(t, "state", i.State, followup.Accepted)
				want(t, "attempt", w.attempt(i, 1).Text("state"), followup.AttemptAccepted)
			}
			want(t, "mails", len(w.postbox.took), 2)
			want(t, "index items", w.file.counts["provider_message"], 1)
		})
	}
}

// The feed is silent across the deadline, whatever the policy then says. The
// deadline waits until the feed is proven alive; the evidence comes with it.
func TestAFeedOutageAcrossADeadline(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"review", "accept_possible_duplicate"} {
		f := inline(t, []string{"on_unknown " + policy}, "0s feed off", "0s hold 12h", "0s provider lost-taken", kim, "12h feed on")
		play(t, f, schedule{}, nil, func(w *world) {
			i := w.intents()[0]
			want(t, "state", i.State, followup.Accepted)
			want(t, "attempts", i.Attempt, 1)
			want(t, "mails", len(w.postbox.took), 1)
			want(t, "tasks", w.file.counts["review_task"], 0)
		})
	}
}

// Old code, which knows fewer attributes, writes between any two writes of new
// code: it sets what it knows and raises the version.
func TestOldCodeWritingBetweenTwoWritesOfNewCode(t *testing.T) {
	t.Parallel()
	clean := play(t, inline(t, nil, kim), schedule{}, nil, nil)
	res := play(t, inline(t, nil, kim), schedule{}, func(w *world) {
		touched := map[ledger.Key]int{}
		w.onCommit = func(c ledger.Commit) {
			for _, wr := range c.Writes {
				k := wr.Key
				if k.Entity != ledger.Intent && k.Entity != ledger.Operation && k.Entity != ledger.Event && k.Entity != ledger.CRMMapping ||
					wr.Op == ledger.OpCheck || touched[k] >= 6 {
					continue
				}
				touched[k]++
				var old ledger.Commit
				w.must(old.Update("row", k, ledger.Cond{}, ledger.Item{"old_code_was_here": touched[k]}))
				w.must(w.base.Commit(context.Background(), old))
			}
		}
	}, func(w *world) {
		for _, t2 := range []schema.Table{schema.Events, schema.Outbox, schema.Ledger} {
			for _, it := range w.scan(t2) {
				switch ledger.Entity(it.Text(schema.Entity)) {
				case ledger.Intent, ledger.Operation, ledger.Event, ledger.CRMMapping:
					if it.Int("old_code_was_here") == 0 {
						t.Errorf("a write of new code erased what old code had put on a row of %s", it.Text(schema.Entity))
					}
				default:
				}
			}
		}
	})
	want(t, "came to", res.outcome, clean.outcome)
}

// Newer code puts a kind of work that this code does not know: it is left
// alone, and neither the stream nor the sweeper stands still before it.
func TestWorkOfAKindThatOnlyNewerCodeKnows(t *testing.T) {
	t.Parallel()
	play(t, inline(t, nil, kim), schedule{}, func(w *world) {
		ch := ledger.Change{Key: ledger.Operation.At(tenantID, "newer"), Item: ledger.Item{"kind": "by_fax", "state": outbox.Open}}
		for _, handle := range []func(context.Context, ledger.Change) error{w.sys.Send.Handle, w.sys.CRMSync.Handle, w.sys.Process.Handle} {
			if err := handle(context.Background(), ch); err != nil {
				t.Errorf("a record of an unknown kind is an error: %v", err)
			}
		}
	}, nil)
}

package send_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/followup"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

// alarms counts the log lines that raise an alarm.
func (w *world) alarms(word string) int { return strings.Count(w.logs.String(), "alarm="+word) }

func TestEachRefusedConditionOfTheClaimHasItsMeaning(t *testing.T) {
	t.Parallel()
	stop := func(tenantID string) func(*world) {
		return func(w *world) {
			w.set(ledger.Stop.At(tenantID, "stop"), ledger.Item{"stopped": true})
		}
	}
	guardHas := func(attr string) func(*world) {
		return func(w *world) { w.set(guardKey, ledger.Item{attr: utc.At(time.Now())}) }
	}
	contactHas := func(attr string, v any) func(*world) {
		return func(w *world) { w.set(contactKey, ledger.Item{attr: v}) }
	}
	tests := []struct {
		name   string
		intent func(*followup.Intent)
		world  func(*world)
		state  string
		reason string        // of the intent, or of the operation where it stays ready
		wait   time.Duration // of the timer where it stays ready
	}{
		{"a stop of everything", nil, guardHas("stop_all"), followup.Suppressed, "suppressed_all", 0},
		{"a stop of this scope", nil, guardHas("stop_follow_up"), followup.Suppressed, "suppressed_follow_up", 0},
		{"a stop of another scope", nil, guardHas("stop_newsletter"), followup.Accepted, "", 0},
		{"a hold", nil, guardHas("hold"), followup.InReview, "opt_out_in_doubt", 0},
		{"an erasure", nil, guardHas("erased_at"), followup.Suppressed, "erased", 0},
		{"an erasure before the intent", nil, func(w *world) { w.set(guardKey, ledger.Item{"erased_at": utc.At(time.Now().Add(-time.Hour))}) }, followup.Accepted, "", 0},
		{"an erasure and a hold", nil, func(w *world) { guardHas("hold")(w); guardHas("erased_at")(w) }, followup.Suppressed, "erased", 0},
		{"an erased contact", nil, contactHas("status", "erased"), followup.Suppressed, "contact_inactive", 0},
		{"a merged contact", nil, contactHas("status", "merged"), followup.InReview, "contact_merged", 0},
		{"a consent withdrawn", nil, contactHas("consent_version", 2), followup.Suppressed, "consent_withdrawn", 0},
		{"a content that was changed", func(i *followup.Intent) { i.Text = "other" }, nil, followup.InReview, "content_not_approved", 0},
		{"another hash approved", func(i *followup.Intent) { i.ApprovedHash = "other" }, nil, followup.InReview, "content_not_approved", 0},
		{"no approval", func(i *followup.Intent) { i.ApprovedHash = "" }, nil, followup.InReview, "content_not_approved", 0},
		{"no approval and a stop", func(i *followup.Intent) { i.ApprovedHash = "" }, guardHas("stop_all"), followup.Suppressed, "suppressed_all", 0},
		{"another intent's quiet period", nil, func(w *world) {
			w.set(cadenceKey, ledger.Item{"sending_intent": "i0", "quiet_until": utc.At(time.Now().Add(2 * time.Hour))})
		}, followup.Ready, "quiet_period", 2 * time.Hour},
		{"its own quiet period", nil, func(w *world) {
			w.set(cadenceKey, ledger.Item{"sending_intent": "i1", "quiet_until": utc.At(time.Now().Add(2 * time.Hour))})
		}, followup.Accepted, "", 0},
		{"a quiet period past the last moment", nil, func(w *world) {
			w.set(cadenceKey, ledger.Item{"sending_intent": "i0", "quiet_until": utc.At(time.Now().Add(100 * time.Hour))})
		}, followup.InReview, "quiet_period_too_late", 0},
		{"past its last moment", func(i *followup.Intent) { i.NotAfter = utc.At(time.Now().Add(-time.Second)) }, nil, followup.InReview, "too_late", 0},
		{"the tenant stopped", nil, stop("demo"), followup.Ready, "stopped", 5 * time.Minute},
		{"all stopped", nil, stop(ledger.NoTenant), followup.Ready, "stopped", 5 * time.Minute},
		{"another tenant stopped", nil, stop("other"), followup.Accepted, "", 0},
		{"the rule observes now", nil, func(w *world) { w.policy(2, tenant.ModeObserve) }, followup.InReview, "rule_off", 0},
		{"the rule wants approval now", nil, func(w *world) { w.policy(2, tenant.ModeDraft) }, followup.InReview, "rule_wants_approval", 0},
		{"the rule wants approval and has it", func(i *followup.Intent) { i.ApprovedBy = "person:kim" }, func(w *world) { w.policy(2, tenant.ModeDraft) }, followup.Accepted, "", 0},
		{"the rule is of high impact now", nil, highImpact, followup.InReview, "rule_wants_approval", 0},
		{"the rule is of high impact now and has it", func(i *followup.Intent) { i.ApprovedBy = "person:kim" }, highImpact, followup.Accepted, "", 0},
		{"the rule is gone", func(i *followup.Intent) { i.Rule = "gone" }, nil, followup.InReview, "rule_off", 0},
		{"a policy that cannot be read", nil, func(w *world) {
			w.set(ledger.PolicyCurrent.At("demo", "policy"), ledger.Item{"document": "{}"})
		}, followup.Ready, "policy_unreadable", 15 * time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T) {
				w := newWorld(t, test.intent)
				if test.world != nil {
					test.world(w)
				}
				w.must(w.run())
				i, op := w.get(w.key("i1")), w.get(w.op)
				if i.Text("state") != test.state {
					t.Fatalf("intent %v", i)
				}
				switch test.state {
				case followup.Ready:
					at := utc.At(time.Now()).Add(test.wait).String()
					if op.Text("reason") != test.reason || op.Text("not_before") != at || op.Text("due_at") != at || op.Int("nudges") != 0 {
						t.Errorf("operation %v, want %s at %s", op, test.reason, at)
					}
				case followup.InReview:
					task := w.get(taskKey(i.Text("review")))
					if task.Text("state") != review.Open || task.Text("kind") != review.HeldSend || !slices.Equal(task["reasons"].([]any), []any{test.reason}) {
						t.Errorf("task %v", task)
					}
				}
				if test.state != followup.Ready && i.Text("reason") != test.reason {
					t.Errorf("reason %q, want %q", i.Text("reason"), test.reason)
				}
				if sent := len(w.post.got); (test.state == followup.Accepted) != (sent == 1) {
					t.Errorf("%d submissions", sent)
				}
				if test.state != followup.Accepted && (i.Int("attempt") != 0 || w.attempt(1) != nil) {
					t.Error("an attempt was burnt")
				}
				for _, b := range w.trails() {
					t.Error(b)
				}
			})
		})
	}
}

func TestAQuietPeriodDelaysAndThenTheMailGoes(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		end := time.Now().Add(2 * time.Hour)
		w.set(cadenceKey, ledger.Item{"sending_intent": "i0", "quiet_until": utc.At(end)})
		w.untilQuiet()
		w.keep()
		if w.state() != followup.Accepted || time.Now().Before(end) {
			t.Errorf("%s at %s", w.state(), time.Now())
		}
	})
}

func TestATenantWithoutAPolicyHoldsUpNobody(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		now := utc.At(time.Now())
		i := w.intentOf("i9")
		i.Tenant = "other"
		op := ledger.Operation.At("other", "op9")
		w.set(ledger.Intent.At("other", "i9"), mustEncode(t, i))
		w.set(op, ledger.Item{"kind": "send_intent", "state": "open", "transition": 1, "intent": "i9", "not_before": now, "due_at": now, "due_shard": "0"})
		if err := w.send.Handle(t.Context(), w.change(op)); err != nil {
			t.Fatalf("the shard would block: %v", err)
		}
		if got := w.get(ledger.Intent.At("other", "i9")); got.Text("state") != followup.InReview {
			t.Errorf("intent %v", got)
		}
	})
}

func mustEncode(t *testing.T, noun any) ledger.Item {
	t.Helper()
	it, err := ledger.Encode(noun)
	if err != nil {
		t.Fatal(err)
	}
	for _, attr := range []string{"tenant", "id"} {
		delete(it, attr)
	}
	return it
}

func TestNoAttemptIsBurntWhileTheStopLasts(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		k := ledger.Stop.At("demo", "stop")
		w.set(k, ledger.Item{"stopped": true})
		for range 50 { // longer than ten nudges would last
			w.pump()
			time.Sleep(5 * time.Minute)
			w.sweepOnce()
		}
		if w.get(w.op).Text("state") != "open" {
			t.Fatalf("operation %v", w.get(w.op))
		}
		w.set(k, ledger.Item{"stopped": false})
		w.untilQuiet()
		w.keep()
		if w.state() != followup.Accepted || w.get(w.key("i1")).Int("attempt") != 1 {
			t.Errorf("intent %v", w.get(w.key("i1")))
		}
	})
}

// highImpact has a person approve what the policy approved when it was decided.
func highImpact(w *world) {
	w.t.Helper()
	text, err := document(2, tenant.ModeAuto)
	w.must(err)
	changed := strings.Replace(text, `"mode":"auto"`, `"mode":"auto","high_impact":true`, 1)
	if changed == text {
		w.t.Fatal("the rule is as it was")
	}
	_, err = w.send.Policies.Apply(context.Background(), []byte(changed), "test")
	w.must(err)
}

package main

import (
	"encoding/json"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/local"
	"onefold/internal/operate/stage"
	"onefold/internal/operate/verify"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/outbox"
	"onefold/internal/utc"
)

// underWay puts down an operation that no worker has taken yet.
func underWay(t *testing.T, o *stage.Opened) {
	t.Helper()
	now := utc.At(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	op := outbox.Operation{
		Tenant: "demo", ID: "op-1", Kind: outbox.CancelIntents, State: outbox.Open, Transition: 1, Guard: "g-1",
		DueAt: now, DueShard: "op#0", CreatedAt: now,
	}
	var c ledger.Commit
	step := ledger.Step{
		Key: ledger.Operation.At("demo", op.ID), Machine: outbox.Machine(), Event: "create",
		Audit: audit.Record{At: now, By: "test"},
	}
	if err := c.Insert(step, op, outbox.Open); err != nil {
		t.Fatal(err)
	}
	if err := o.Store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// astray puts down a key that leads to a contact that is not there.
func astray(t *testing.T, o *stage.Opened) {
	t.Helper()
	var c ledger.Commit
	k := contact.Key{Tenant: "demo", ID: "email:ann@example.com", Contact: "nobody", RuleVersion: 1}
	if err := c.Create("key", ledger.ContactKey.At("demo", k.ID), k); err != nil {
		t.Fatal(err)
	}
	if err := o.Store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

func verified(t *testing.T, o *stage.Opened, args ...string) said {
	t.Helper()
	got := Serve(o)(t.Context(), local.Command{Args: append([]string{"verify"}, args...)})
	return said{got.Exit, got.Stdout, got.Stderr}
}

func TestABrokenPromiseEndsWithThree(t *testing.T) {
	t.Parallel()
	o := held(t)
	verified(t, o).want(t, exitDone, "", "")
	astray(t, o)
	verified(t, o).want(t, exitViolated, "BROKEN   keys_lead_to_contacts", "error: violations found: 1\nonefold: hint: end `onefold dev` before anything else")

	got := verified(t, o, "-json")
	v := verificationIn(t, got)
	if got.code != exitViolated || v.Holds || len(v.Findings) == 0 || v.Findings[0].Check != "keys_lead_to_contacts" || v.Counts["contact_key"] != 1 {
		t.Errorf("exit %d, %+v", got.code, v)
	}
}

func verificationIn(t *testing.T, got said) verify.Summary {
	t.Helper()
	var v verify.Summary
	if err := json.Unmarshal([]byte(got.stdout), &v); err != nil {
		t.Fatalf("%v: %+v", err, got)
	}
	return v
}

func TestWorkUnderWayIsBusyAndNotBroken(t *testing.T) {
	t.Parallel()
	o := held(t)
	verified(t, o, "-quiet").want(t, exitDone, "holds    quiet", "")
	underWay(t, o)
	verified(t, o).want(t, exitDone, "", "")
	verified(t, o, "-quiet").want(t, exitFailed, "busy     quiet", "error: work is under way: 1 not ended\nonefold: hint: wait a moment and run it again")

	v := verificationIn(t, verified(t, o, "-quiet", "-json"))
	last := v.Checks[len(v.Checks)-1]
	if !v.Holds || len(v.Findings) != 1 || v.Findings[0].Severity != "busy" || last.Name != "quiet" || last.Violations != 0 || last.Busy != 1 {
		t.Errorf("%+v", v)
	}

	// A broken promise is one all the same, and work under way does not count
	// as another.
	astray(t, o)
	verified(t, o, "-quiet").want(t, exitViolated, "busy     quiet", "violations found: 1\n")
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"onefold/internal/contact"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/local"
	"onefold/internal/policybook"
	"onefold/internal/tenant"
)

// held is an open ledger in memory.
func held(t *testing.T) *local.Opened {
	t.Helper()
	ids, err := digest.NewKey(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	store := mem.New()
	return &local.Opened{Store: store, IDs: ids, Policies: &policybook.Book{Store: store, Now: time.Now}}
}

func TestTheHolderServesNothingButWorkOnItsLedger(t *testing.T) {
	t.Parallel()
	serve := Serve(held(t))
	for _, args := range [][]string{{"dev"}, {"demo"}, {"inspect", "mail.eml"}, {"match", "-policy", "p", "r"}, {"policy", "validate", "p"}, {}, {"frobnicate"}} {
		if got := serve(t.Context(), local.Command{Args: args, Files: map[string][]byte{"mail.eml": []byte("Subject: x\r\n\r\n")}}); got.Exit != exitUsage || got.Stdout != "" {
			t.Errorf("%q ended %d with %q", args, got.Exit, got.Stdout)
		}
	}
}

func TestTheHolderReadsNoFileOfItsOwn(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(name, tenant.Example(), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := Serve(held(t))
	args := []string{"policy", "apply", "-yes", name}
	if got := serve(t.Context(), local.Command{Args: args}); got.Exit != exitFailed {
		t.Errorf("without the file: %+v", got)
	}
	if got := serve(t.Context(), local.Command{Args: args, Files: map[string][]byte{name: tenant.Example()}}); got.Exit != exitDone {
		t.Errorf("with the file: %+v", got)
	}
}

func TestABrokenPromiseEndsWithThree(t *testing.T) {
	t.Parallel()
	o := held(t)
	serve := Serve(o)
	if got := serve(t.Context(), local.Command{Args: []string{"verify"}}); got.Exit != exitDone {
		t.Fatalf("an empty ledger: %+v", got)
	}
	// A key that leads to a contact that is not there.
	var c ledger.Commit
	k := contact.Key{Tenant: "demo", ID: "email:ann@example.com", Contact: "nobody", RuleVersion: 1}
	if err := c.Create("key", ledger.Key{Entity: ledger.ContactKey, Tenant: "demo", ID: k.ID}, k); err != nil {
		t.Fatal(err)
	}
	if err := o.Store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	text := serve(t.Context(), local.Command{Args: []string{"verify"}})
	said{text.Exit, text.Stdout, text.Stderr}.want(t, exitViolated, "BROKEN   keys_lead_to_contacts", "violations found")

	got := serve(t.Context(), local.Command{Args: []string{"verify", "-json"}})
	var v verification
	if err := json.Unmarshal([]byte(got.Stdout), &v); err != nil {
		t.Fatal(err)
	}
	if got.Exit != exitViolated || v.Holds || len(v.Findings) == 0 || v.Findings[0].Check != "keys_lead_to_contacts" || v.Counts["contact_key"] != 1 {
		t.Errorf("exit %d, %+v", got.Exit, v)
	}
}

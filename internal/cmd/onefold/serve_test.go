package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"onefold/internal/digest"
	"onefold/internal/ledger/mem"
	"onefold/internal/local"
	"onefold/internal/operate/stage"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
)

// held is an open ledger in memory.
func held(t *testing.T) *stage.Opened {
	t.Helper()
	ids, err := digest.NewKey(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	store := mem.New()
	return &stage.Opened{Store: store, IDs: ids, Policies: &versions.Book{Store: store, Now: time.Now}}
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

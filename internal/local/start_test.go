package local_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/local"
	"onefold/internal/policy/tenant"
)

func quietConfig(folder string) local.Config {
	return local.Config{
		Data: local.Data{Dir: folder}, Ledger: local.LedgerBolt, Listen: "127.0.0.1:0", Policy: tenant.Example(),
		Log: slog.New(slog.DiscardHandler), SweepAt: time.Minute,
	}
}

// Of first starts at once on one folder one wins, and its key is the folder's.
func TestOfFirstStartsAtOnceOneWins(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "data")
	var mu sync.Mutex
	var winners []*local.System
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := local.Start(t.Context(), quietConfig(folder))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				winners = append(winners, s)
			} else if !errors.Is(err, ledger.ErrInUse) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(winners) != 1 {
		t.Fatalf("%d of 4 run", len(winners))
	}
	defer winners[0].Stop(context.Background())
	have, err := local.Data{Dir: folder}.Prepare()
	if err != nil || have.IdentifierKey != winners[0].Secrets.IdentifierKey {
		t.Errorf("the folder has another key than the one that runs (%v)", err)
	}
}

func TestAnotherKeyIsRefused(t *testing.T) {
	t.Parallel()
	folder, other := t.TempDir(), t.TempDir()
	for _, f := range []string{folder, other} {
		s, err := local.Start(t.Context(), quietConfig(f))
		if err != nil {
			t.Fatal(err)
		}
		s.Stop(t.Context())
	}
	b, err := os.ReadFile(filepath.Join(other, "secrets.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "secrets.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := local.Start(t.Context(), quietConfig(folder)); !errors.Is(err, local.ErrOtherKey) {
		t.Errorf("a start: %v", err)
		if s != nil {
			s.Stop(t.Context())
		}
	}
	if _, err := local.Open(folder); !errors.Is(err, local.ErrOtherKey) {
		t.Errorf("a command: %v", err)
	}
	if err := os.Remove(filepath.Join(folder, "secrets.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := local.Start(t.Context(), quietConfig(folder)); err == nil || !strings.Contains(err.Error(), "has a ledger and no secrets.json") {
		t.Errorf("without secrets: %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "secrets.json")); err == nil {
		t.Error("a refused start has made secrets")
	}
}

func TestAStartSaysThatAnotherPolicyIsInForce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	auto := bytes.Replace(tenant.Example(), []byte(`"mode": "draft"`), []byte(`"mode": "auto"`), 1)
	for _, c := range []struct {
		policy []byte
		want   int64
	}{{tenant.Example(), 0}, {tenant.Example(), 0}, {auto, 1}} {
		cfg := quietConfig(folder)
		cfg.Policy = c.policy
		s, err := local.Start(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if s.PolicyKept != c.want {
			t.Errorf("version %d kept, want %d", s.PolicyKept, c.want)
		}
		s.Stop(t.Context())
	}
}

func TestAFolderOpenToOthersIsTold(t *testing.T) {
	t.Parallel()
	for mode, want := range map[os.FileMode]int{0o700: 0, 0o750: 1, 0o755: 1} {
		folder := t.TempDir()
		if err := os.Chmod(folder, mode); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		cfg := quietConfig(folder)
		cfg.Log = slog.New(local.NewPrinter(&out, slog.LevelWarn))
		s, err := local.Start(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		s.Stop(t.Context())
		if n := strings.Count(out.String(), "chmod 700 "+folder); n != want {
			t.Errorf("mode %o: told %d times in %q", mode, n, out.String())
		}
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != mode {
			t.Errorf("mode %o was changed to %v", mode, info.Mode())
		}
	}
}

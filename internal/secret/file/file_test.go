package file_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onefold/internal/schema"
	"onefold/internal/secret"
	"onefold/internal/secret/file"
	"onefold/internal/secret/secrettest"
)

func opened(t *testing.T) (*file.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secrets.json")
	s := file.Open(path)
	if err := s.First(file.New()); err != nil {
		t.Fatal(err)
	}
	return s, path
}

func TestConformance(t *testing.T) {
	t.Parallel()
	secrettest.Suite(t, func(t *testing.T) secret.Keeper {
		path := filepath.Join(t.TempDir(), "secrets.json")
		s := file.Open(path)
		// Without a key: the suite's store is empty.
		if err := s.First(file.Content{}); err != nil {
			t.Fatal(err)
		}
		return s
	})
}

func TestTheFileIsItsOwnersAloneAndLeavesNoOther(t *testing.T) {
	t.Parallel()
	s, path := opened(t)
	if err := s.Put(t.Context(), secret.CRM("demo"), "token"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 {
		t.Errorf("%d files, %v", len(all), err)
	}
}

func TestTheIdentifierKeyIsNeverReplaced(t *testing.T) {
	t.Parallel()
	s, path := opened(t)
	before, _ := os.ReadFile(path)
	if err := s.Save(file.New()); !errors.Is(err, secret.ErrRefused) {
		t.Errorf("save: %v", err)
	}
	if err := s.First(file.New()); !errors.Is(err, os.ErrExist) {
		t.Errorf("first: %v", err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("the file changed")
	}
	key, err := s.Get(t.Context(), schema.SecretIdentifierKey)
	if err != nil || !strings.Contains(string(before), key.Current) || key.Previous != "" {
		t.Errorf("the key: %v", err)
	}
}

func TestAFileThatIsMissingOrDamagedIsUnavailableAndNeverEmpty(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secrets.json")
	s := file.Open(path)
	for range 2 {
		_, err := s.Get(t.Context(), secret.CRM("demo"))
		if !errors.Is(err, secret.ErrUnavailable) || errors.Is(err, secret.ErrNone) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("get: %v", err)
		}
		if err := s.Put(t.Context(), secret.CRM("demo"), "token"); !errors.Is(err, secret.ErrUnavailable) {
			t.Errorf("put: %v", err)
		}
		if err := os.WriteFile(path, []byte(`{"crm": {"demo": s3cret}}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if b, _ := os.ReadFile(path); !strings.Contains(string(b), "s3cret") {
		t.Error("the damaged file was replaced")
	}
}

func TestAFileOfAnOlderVersionIsRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secrets.json")
	text := `{"identifier_key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","webhooks":{"demo/form":"` + secrettest.First + `"}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := file.Open(path)
	if err := s.Put(t.Context(), secret.Webhook("demo", "form"), secrettest.Second); err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(t.Context(), secret.Webhook("demo", "form"))
	if err != nil || got.Current != secrettest.Second || got.Previous != secrettest.First {
		t.Errorf("get: %v", err)
	}
	c, err := file.Read(path)
	if err != nil || c.IdentifierKey != "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" {
		t.Errorf("the key changed: %v", err)
	}
}

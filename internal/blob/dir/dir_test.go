package dir_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"onefold/internal/blob"
	"onefold/internal/blob/blobtest"
	"onefold/internal/blob/dir"
)

func open(t *testing.T, folder string) *dir.Store {
	t.Helper()
	s, err := dir.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "raw", "content") // neither exists
	s := open(t, folder)
	blobtest.Suite(t, func(*testing.T) blobtest.Opened {
		return blobtest.Opened{Store: s, Spoil: func(t *testing.T, ref blob.Ref, content []byte) {
			if err := os.WriteFile(filepath.Join(folder, string(ref)), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}}
	})
}

func TestContentOutlivesTheProcessAndLeftoversDoNot(t *testing.T) {
	t.Parallel()
	folder, content := t.TempDir(), []byte("kept")
	ref := blob.RefOf("acme", "e", content)
	if err := open(t, folder).Put(t.Context(), ref, content); err != nil {
		t.Fatal(err)
	}
	if left := names(t, filepath.Join(folder, ".new")); len(left) != 0 {
		t.Errorf("an orderly put leaves %v", left)
	}
	half := filepath.Join(folder, ".new", "half") // as a crash in the middle of a put leaves it
	if err := os.WriteFile(half, content[:2], 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, folder)
	if got, err := s.Get(t.Context(), ref); err != nil || string(got) != "kept" {
		t.Errorf("got %q, %v", got, err)
	}
	if left := names(t, filepath.Join(folder, ".new")); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestFailedPutLeavesNoHalfAndNoLeftover(t *testing.T) {
	t.Parallel()
	folder, content := t.TempDir(), []byte("x")
	s := open(t, folder)
	ref := blob.RefOf("acme", "e", content)
	target := filepath.Join(folder, string(ref))
	if err := os.MkdirAll(filepath.Join(target, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), ref, content); err == nil {
		t.Error("put over a folder: no error")
	}
	if left := names(t, filepath.Join(folder, ".new")); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
	if _, err := s.Get(t.Context(), ref); err == nil || errors.Is(err, blob.ErrMissing) {
		t.Errorf("get of a folder: %v, want an error that is not ErrMissing", err)
	}
}

func TestSymbolicLinkDoesNotLeadOut(t *testing.T) {
	t.Parallel()
	outside, folder, content := t.TempDir(), t.TempDir(), []byte("x")
	s := open(t, folder)
	if err := os.Symlink(outside, filepath.Join(folder, "acme")); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), blob.RefOf("acme", "e", content), content); err == nil {
		t.Error("put through the link: no error")
	}
	if found := names(t, outside); len(found) != 0 {
		t.Errorf("outside the folder: %v", found)
	}
}

func TestOpenOfAFileIsAnError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Open(file); err == nil {
		t.Error("no error")
	}
}

package stored_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// kept is what a manifest says of a store.
type kept struct {
	About    string         `json:"about"`
	Commit   string         `json:"commit"` // of the tree that wrote the store
	Key      string         `json:"identifier_key"`
	Secret   string         `json:"webhook_secret"`
	Public   string         `json:"public_url"`
	Now      time.Time      `json:"now"`    // the clock when it was left
	Unread   map[string]int `json:"unread"` // changes in the feeds, by consumer
	Outside  outside        `json:"outside"`
	Requests []request      `json:"requests"`

	folder string // of testdata
}

// stores names the kept stores.
func stores(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("testdata/*/store.json")
	must(t, err)
	if len(found) == 0 {
		t.Fatal("no store is kept")
	}
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	return found
}

// each runs a test on a fresh copy of each kept store.
func each(t *testing.T, test func(t *testing.T, s *system, k kept)) {
	t.Helper()
	for _, folder := range stores(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			s, k := reopen(t, folder, "store")
			test(t, s, k)
		})
	}
}

// reopen opens a copy of a kept store with the tree as it is now.
func reopen(t *testing.T, folder, name string) (*system, kept) {
	t.Helper()
	k := kept{folder: folder}
	b, err := os.ReadFile(filepath.Join(folder, name+".json"))
	must(t, err)
	must(t, json.Unmarshal(b, &k))
	copied := t.TempDir()
	must(t, unpack(filepath.Join(folder, name+".tar.gz"), copied))
	out := k.Outside
	out.Records = maps.Clone(out.Records)
	out.known = map[string]string{}
	out.post, out.cab, out.sane = map[string][]string{}, map[string][]string{}, true
	return open(t, copied, k.Now, out, maps.Clone(k.Unread)), k
}

// rest lets the system work until what it can do without a person is done: the
// longest quiet period and the longest wait for evidence are over.
func (s *system) rest() { s.pass(30 * time.Hour) }

// pack puts a folder into an archive.
func pack(folder string) ([]byte, error) {
	var b bytes.Buffer
	zip, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	out := tar.NewWriter(zip)
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		head := &tar.Header{Name: filepath.ToSlash(name), Mode: 0o600, Size: int64(len(content)), Format: tar.FormatUSTAR}
		if err := out.WriteHeader(head); err != nil {
			return err
		}
		_, err = out.Write(content)
		return err
	})
	err = errors.Join(err, out.Close(), zip.Close())
	return b.Bytes(), err
}

// unpack puts an archive back into an empty folder.
func unpack(archive, folder string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for in := tar.NewReader(zip); ; {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		content, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		if !filepath.IsLocal(head.Name) {
			return fs.ErrInvalid
		}
		path := filepath.Join(folder, filepath.FromSlash(head.Name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
			return err
		}
	}
}

// Package dir keeps raw content in a folder: TENANT/EVENT/HASH, a file each.
//
// Its invariant: a file under its final name is whole and on the disk. Content
// is written under a temporary name, fsynced, renamed, and then the folders
// are fsynced; a crash leaves either nothing under the name or everything. What
// it leaves under temporary names goes when the folder is opened next.
//
// It refuses names that are not references, and never leaves its folder, not
// through a symbolic link either. It removes no content.
package dir

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"onefold/internal/blob"
)

// temporary is where content is written first. It begins with a dot, which no
// tenant does.
const temporary = ".new"

// Store is a blob.Store in a folder.
type Store struct{ root *os.Root }

// Open opens the folder and makes it if there is none. One process has it at a
// time: opening it removes what others have not finished, so that their Put
// fails.
func Open(folder string) (*Store, error) {
	if err := makeFolder(filepath.Clean(folder)); err != nil {
		return nil, fmt.Errorf("open raw content: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open raw content: %w", err)
	}
	s := &Store{root: root}
	// Before the folders of the content, which then stand on durable ground.
	if err := errors.Join(root.RemoveAll(temporary), root.Mkdir(temporary, 0o700), s.sync(".")); err != nil {
		return nil, fmt.Errorf("open raw content: %w", errors.Join(err, root.Close()))
	}
	return s, nil
}

// Close lets go of the folder.
func (s *Store) Close() error { return s.root.Close() }

// Put implements blob.Store. Where something else has got under the name, the
// right content takes its place.
func (s *Store) Put(ctx context.Context, ref blob.Ref, content []byte) error {
	tenant, event, _, err := ref.Parts()
	if err != nil {
		return fmt.Errorf("put: %w", err)
	}
	if !ref.Fits(content) {
		return fmt.Errorf("put %s: %w: other content", ref, blob.ErrInvalid)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("put %s: %w", ref, err)
	}
	folder := path.Join(tenant, event)
	if there, err := s.root.ReadFile(string(ref)); err != nil || !ref.Fits(there) {
		if err := s.write(folder, string(ref), content); err != nil {
			return fmt.Errorf("put %s: %w", ref, err)
		}
	}
	// Also when the file was there already: whoever put it may have died, or be
	// still at work, between its rename and these.
	if err := errors.Join(s.sync(folder), s.sync(tenant), s.sync(".")); err != nil {
		return fmt.Errorf("put %s: %w", ref, err)
	}
	return nil
}

func (s *Store) write(folder, name string, content []byte) error {
	if err := s.root.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	temp := path.Join(temporary, rand.Text())
	f, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	// The content reaches the disk before its name does.
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = s.root.Rename(temp, name)
	}
	if err != nil {
		_ = s.root.Remove(temp) // else Open does it
	}
	return err
}

// Get implements blob.Store.
func (s *Store) Get(ctx context.Context, ref blob.Ref) ([]byte, error) {
	if _, _, _, err := ref.Parts(); err != nil {
		return nil, fmt.Errorf("get: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("get %s: %w", ref, err)
	}
	content, err := s.root.ReadFile(string(ref))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("get %s: %w", ref, blob.ErrMissing)
	case err != nil:
		return nil, fmt.Errorf("get %s: %w", ref, err)
	case !ref.Fits(content):
		return nil, fmt.Errorf("get %s: %w", ref, blob.ErrDamaged)
	}
	return content, nil
}

// sync makes the names in a folder durable.
func (s *Store) sync(folder string) error {
	d, err := s.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// makeFolder makes the folder and those above it, each durable in the one it
// stands in. Of a folder that was there already only its own name is made
// sure of, as far as this process may: it may be new from one that was killed.
func makeFolder(folder string) error {
	parent := filepath.Dir(folder)
	if info, err := os.Stat(folder); err == nil && info.IsDir() {
		if err := syncFolder(parent); !errors.Is(err, fs.ErrPermission) {
			return err
		}
		return nil
	}
	if parent != folder {
		if err := makeFolder(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(parent)
}

func syncFolder(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

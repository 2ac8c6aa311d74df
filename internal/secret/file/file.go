package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"onefold/internal/schema"
	"onefold/internal/secret"
)

// Store is a secret.Keeper on a file. The file is read for each call, so that
// what a person writes into it counts at once; one that is missing or cannot be
// read is secret.ErrUnavailable, since only a first start may make one.
type Store struct {
	path  string
	write sync.Mutex
}

// Open gives the store of a file, which need not exist yet.
func Open(path string) *Store { return &Store{path: path} }

func (s *Store) read(ctx context.Context) (Content, error) {
	if err := ctx.Err(); err != nil {
		return Content{}, fmt.Errorf("%w: %w", secret.ErrUnavailable, err)
	}
	c, err := Read(s.path)
	if err != nil {
		return c, fmt.Errorf("%w: %w", secret.ErrUnavailable, err)
	}
	return c, nil
}

// Get returns a secret.
func (s *Store) Get(ctx context.Context, name string) (secret.Secret, error) {
	c, err := s.read(ctx)
	if err != nil {
		return secret.Secret{}, err
	}
	return c.get(name)
}

// Put makes a value current.
func (s *Store) Put(ctx context.Context, name, value string) error {
	if err := secret.CheckPut(name, value); err != nil {
		return err
	}
	return s.change(ctx, func(c *Content) error {
		in, key := c.find(name)
		if in == nil {
			return fmt.Errorf("%w: a file of secrets keeps webhook and CRM secrets", secret.ErrRefused)
		}
		old := (*in)[key]
		if old == value {
			return nil
		}
		if *in == nil {
			*in = map[string]string{}
		}
		if c.Previous == nil {
			c.Previous = map[string]string{}
		}
		(*in)[key] = value
		if old != "" {
			c.Previous[name] = old
		}
		return nil
	})
}

// Revoke ends the previous value.
func (s *Store) Revoke(ctx context.Context, name string) error {
	return s.change(ctx, func(c *Content) error {
		if _, err := c.get(name); err != nil {
			return err
		}
		delete(c.Previous, name)
		return nil
	})
}

// List names the webhook and CRM secrets.
func (s *Store) List(ctx context.Context) ([]secret.Entry, error) {
	c, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	var found []secret.Entry
	for prefix, in := range map[string]map[string]string{schema.SecretWebhooks: c.Webhooks, schema.SecretCRM: c.CRM} {
		for key := range in {
			found = append(found, secret.Entry{Name: prefix + key, Previous: c.Previous[prefix+key] != ""})
		}
	}
	slices.SortFunc(found, func(a, b secret.Entry) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

// change reads, changes and replaces the file, one after another.
func (s *Store) change(ctx context.Context, how func(*Content) error) error {
	s.write.Lock()
	defer s.write.Unlock()
	c, err := s.read(ctx)
	if err != nil {
		return err
	}
	before := string(c.Text())
	if err := how(&c); err != nil {
		return err
	}
	if string(c.Text()) == before {
		return nil
	}
	return s.replace(c)
}

// Save writes the content whole or not at all. It never replaces one identifier
// key by another: that is secret.ErrRefused.
func (s *Store) Save(c Content) error {
	s.write.Lock()
	defer s.write.Unlock()
	have, err := Read(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case have.IdentifierKey != c.IdentifierKey:
		return fmt.Errorf("%w: another identifier key", secret.ErrRefused)
	}
	return s.replace(c)
}

// First writes the content of a file that does not exist; fs.ErrExist where
// somebody else's is there.
func (s *Store) First(c Content) error { return s.place(c, os.Link) }

func (s *Store) replace(c Content) error { return s.place(c, os.Rename) }

// place writes a file beside the store's (mode 0600, as os.CreateTemp makes
// them), and has put give it its name when it is complete and durable.
func (s *Store) place(c Content, put func(from, to string) error) error {
	folder := filepath.Dir(s.path)
	f, err := os.CreateTemp(folder, filepath.Base(s.path)+".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(c.Text())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := put(f.Name(), s.path); err != nil {
		return err
	}
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

var _ secret.Keeper = (*Store)(nil)

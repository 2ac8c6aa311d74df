package localcrm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The database. Its user is not a superuser, as the CRM's separation of
// organisations asks for.
const (
	databaseName = "crm"
	databaseUser = "crm_app"
)

// database starts PostgreSQL on a copy of the empty database kept in bin/crm, or
// makes that first.
func (s *Server) database(ctx context.Context, say func(string)) error {
	data := s.data()
	if _, err := os.Stat(s.tools.kept); errors.Is(err, fs.ErrNotExist) {
		say("schema, once for each version (about three minutes)")
		if err := s.make(ctx, data); err != nil {
			return err
		}
	} else if err := copyData(data, s.tools.kept); err != nil {
		return err
	}
	_, err := s.postgres(ctx, data)
	return err
}

// make makes the database with the schema by the CRM's own migrations, and keeps
// a copy. A crash leaves nothing that a later start would take for whole.
func (s *Server) make(ctx context.Context, data string) error {
	if err := errors.Join(os.Mkdir(data, 0o700), yield(data)); err != nil {
		return err
	}
	_, err := s.finish(ctx, command{path: s.tools.initdb, other: true, args: []string{
		"-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions",
	}})
	if err != nil {
		return err
	}
	_, err = s.finish(ctx, command{path: s.tools.postgres, other: true, args: []string{"--single", "-D", data, "postgres"},
		input: "CREATE ROLE " + databaseUser + " LOGIN\nCREATE DATABASE " + databaseName + " OWNER " + databaseUser + "\n"})
	if err != nil {
		return err
	}
	p, err := s.postgres(ctx, data)
	if err != nil {
		return err
	}
	if _, err = s.finish(ctx, command{path: s.tools.python, env: s.environment(s.dir), args: []string{"-m", "django", "migrate", "--verbosity", "0"}}); err != nil {
		return err
	}
	p.end()
	return keep(s.tools.kept, data)
}

// postgres starts it on a folder and waits until it takes connections.
func (s *Server) postgres(ctx context.Context, data string) (*part, error) {
	p, err := s.run("postgres", command{path: s.tools.postgres, other: true, args: []string{
		"-D", data, "-k", data, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=60",
	}})
	if err != nil {
		return nil, err
	}
	return p, p.await(ctx, func(context.Context) error {
		b, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		if err == nil && !strings.Contains(string(b), "\nready") {
			err = errors.New("starting")
		}
		return err
	})
}

func keep(kept, data string) error {
	part := kept + ".part"
	if err := errors.Join(os.RemoveAll(part), os.MkdirAll(filepath.Dir(kept), 0o755), os.CopyFS(part, os.DirFS(data))); err != nil { //nolint:gosec // an empty database
		return fmt.Errorf("keep the empty database: %w", err)
	}
	return os.Rename(part, kept)
}

func copyData(data, kept string) error {
	if err := os.CopyFS(data, os.DirFS(kept)); err != nil {
		return fmt.Errorf("copy the empty database: %w", err)
	}
	if err := os.Chmod(data, 0o700); err != nil { // PostgreSQL insists
		return err
	}
	return filepath.WalkDir(data, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return yield(path)
	})
}

package localcrm

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

//go:embed requirements.txt
var requirements []byte

// tools are the programs that a start needs.
type tools struct {
	python, initdb, postgres, redis string
	kept                            string // the empty database, if it was made
}

// find looks for the tools by name; the error lists each that is missing.
func find(ctx context.Context, root string) (tools, error) {
	root, err := filepath.Abs(root) // the parts run in folders of their own
	if err != nil {
		return tools{}, fmt.Errorf("find the module's folder: %w", err)
	}
	var missing []error
	program := func(name, debian string, folders ...string) string {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
		for _, folder := range folders {
			found, err := filepath.Glob(filepath.Join(folder, name))
			if err == nil && len(found) > 0 {
				return slices.Max(found)
			}
		}
		missing = append(missing, fmt.Errorf("%s is missing: install PostgreSQL or Redis (Debian's package %s)", name, debian))
		return ""
	}
	// Debian keeps PostgreSQL's programs off the path.
	const debian = "/usr/lib/postgresql/*/bin"
	t := tools{
		python:   filepath.Join(root, "bin", "crm", "venv", "bin", "python"),
		initdb:   program("initdb", "postgresql", debian),
		postgres: program("postgres", "postgresql", debian),
		redis:    program("redis-server", "redis-server"),
	}
	if _, err := os.Stat(t.python); err != nil {
		missing = append(missing, errors.New("the CRM is not installed: run `make test-crm`"))
	}
	if err := errors.Join(missing...); err != nil {
		return tools{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	version, err := exec.CommandContext(ctx, t.postgres, "--version").Output()
	if err != nil {
		return tools{}, fmt.Errorf("ask %s for its version: %w", t.postgres, err)
	}
	key := crc32.ChecksumIEEE(append(slices.Clone(requirements), version...))
	t.kept = filepath.Join(root, "bin", "crm", fmt.Sprintf("database-%08x", key))
	return t, nil
}

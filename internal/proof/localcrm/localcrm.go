// Package localcrm runs a real CRM on this machine for `make test-crm`: BottleCRM
// (PyPI django-crm, MIT) under gunicorn, on PostgreSQL and Redis of its own.
//
// It owns one invariant: nothing of it is reachable from outside or outlives its
// owner. Every part listens on a Unix socket in a folder of its own, none on a
// port; on Linux the kernel ends the parts with the process that started them.
//
// It refuses to install anything (the Makefile does), to read the environment and
// to keep state: Close throws everything away. Kept is only an empty database
// with the schema, in bin/crm, since making it takes minutes.
package localcrm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Options says what to start.
type Options struct {
	// Root is the module's folder; bin/crm in it has what make test-crm makes.
	Root string
	// Say, if given, is told of each step.
	Say func(step string)
}

// Server is a running CRM. Its methods may be called concurrently.
type Server struct {
	dir      string
	tools    tools
	web      string // the socket
	admin    string // a session of a person who may make organisations
	accounts atomic.Int64
	closing  sync.Once

	mu    sync.Mutex
	parts []*part // in the order of their start
}

// IntakeRate is how much each lead webhook takes: half of the server's default, so
// that a test is beyond it soon.
const IntakeRate = "60/min"

// startTimeout bounds the start of one part: seconds on an idle machine.
const startTimeout = 2 * time.Minute

// Start brings the server up. The error says what is missing on this machine, or
// ends with the last output of the part that failed. ctx bounds the start alone.
func Start(ctx context.Context, o Options) (*Server, error) {
	found, err := find(ctx, o.Root)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "onefold-crm-")
	if err != nil {
		return nil, fmt.Errorf("make the CRM's folder: %w", err)
	}
	s := &Server{dir: dir, tools: found}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if err := s.up(ctx, o.Say); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) up(ctx context.Context, say func(string)) error {
	// PostgreSQL runs as another user where this one is root.
	if err := os.Chmod(s.dir, 0o755); err != nil { //nolint:gosec // nothing secret is in it
		return fmt.Errorf("open the CRM's folder: %w", err)
	}
	say("database")
	if err := s.database(ctx, say); err != nil {
		return fmt.Errorf("bring up PostgreSQL: %w", err)
	}
	say("queue")
	if err := s.queue(ctx); err != nil {
		return fmt.Errorf("bring up Redis: %w", err)
	}
	say("server")
	web, err := s.serve(ctx, "web", "")
	if err != nil {
		return fmt.Errorf("bring up the CRM: %w", err)
	}
	s.web = web
	s.admin, err = s.signIn(ctx)
	return err
}

// Socket is the Unix socket where the server speaks HTTP.
func (s *Server) Socket() string { return s.web }

// WithoutPackaging starts a second server on the same database, as its own list
// of packages installs it: without `packaging`, so that it fails to hand over the
// mail about a new contact and answers 500 after it has made the contact. The
// result is its socket; it ends with Close.
func (s *Server) WithoutPackaging(ctx context.Context) (string, error) {
	shadow := filepath.Join(s.dir, "shadow")
	err := os.MkdirAll(shadow, 0o755) //nolint:gosec // nothing secret is in it
	if err == nil {
		err = os.WriteFile(filepath.Join(shadow, "packaging.py"), []byte("raise ModuleNotFoundError(\"No module named 'packaging'\")\n"), 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("hide the package: %w", err)
	}
	return s.serve(ctx, "bare", shadow)
}

// queue starts Redis, without files.
func (s *Server) queue(ctx context.Context) error {
	p, err := s.run("redis", command{path: s.tools.redis, args: []string{
		"--port", "0", "--unixsocket", filepath.Join(s.dir, "redis.sock"), "--save", "", "--appendonly", "no", "--dir", s.dir,
	}})
	if err != nil {
		return err
	}
	return p.await(ctx, func(ctx context.Context) error { return dials(ctx, filepath.Join(s.dir, "redis.sock")) })
}

// serve starts gunicorn and waits until it answers.
func (s *Server) serve(ctx context.Context, name, pythonPath string) (string, error) {
	dir := filepath.Join(s.dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	socket := filepath.Join(dir, "http.sock")
	p, err := s.run(name, command{
		path: s.tools.python, dir: dir, env: append(s.environment(dir), "PYTHONPATH="+pythonPath),
		args: []string{"-m", "gunicorn", "crm.wsgi", "--bind", "unix:" + socket, "--workers", "2", "--threads", "4", "--preload", "--no-control-socket"},
	})
	if err != nil {
		return "", err
	}
	return socket, p.await(ctx, func(ctx context.Context) error {
		return request(ctx, socket, "GET", "/healthz/", "", nil, nil)
	})
}

// data is PostgreSQL's folder, where its socket is too.
func (s *Server) data() string { return filepath.Join(s.dir, "pg") }

// environment is the whole environment of a Python process.
func (s *Server) environment(home string) []string {
	redis := filepath.Join(s.dir, "redis.sock")
	return []string{
		"HOME=" + home, "TMPDIR=" + home, "PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1",
		"DJANGO_SETTINGS_MODULE=crm.settings", "ENV_TYPE=dev", "SECRET_KEY=only-for-tests-on-this-machine-0123456789",
		"DBNAME=" + databaseName, "DBUSER=" + databaseUser, "DBPASSWORD=", "DBHOST=" + s.data(),
		"CELERY_BROKER_URL=redis+socket://" + redis, "CELERY_RESULT_BACKEND=redis+socket://" + redis, "CACHE_URL=unix://" + redis,
		"LEAD_INTAKE_THROTTLE_MINUTE=" + IntakeRate,
	}
}

// Close ends every part, the newest first, waits until it is gone and removes the
// folder. It may be called again and does nothing then.
func (s *Server) Close() {
	s.closing.Do(func() {
		s.mu.Lock()
		parts := s.parts
		s.mu.Unlock()
		for n := len(parts) - 1; n >= 0; n-- {
			parts[n].end()
		}
		_ = os.RemoveAll(s.dir)
	})
}

// errEnded says that a part ended before it was ready.
var errEnded = errors.New("it ended before it was ready")

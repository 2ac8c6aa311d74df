package localaws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// findPython is the interpreter of the project's virtual environment, known to
// have MiniStack in it.
func findPython(root string) (string, error) {
	if root == "" {
		var err error
		if root, err = moduleRoot(); err != nil {
			return "", err
		}
	}
	venv := filepath.Join(root, ".venv")
	found, err := filepath.Glob(filepath.Join(venv, "lib", "python3*", "site-packages", "ministack", "app.py"))
	if err != nil || len(found) == 0 {
		return "", ErrNotInstalled
	}
	python := filepath.Join(venv, "bin", "python")
	if _, err := os.Stat(python); err != nil {
		return "", ErrNotInstalled
	}
	return python, nil
}

// moduleRoot walks up from the working directory to the folder with go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the module root: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("find the module root: no go.mod above the working directory")
		}
		dir = parent
	}
}

// healthPath answers 200 once the emulator serves.
const healthPath = "/_ministack/health"

// awaitHealth polls until the emulator answers, it has ended, or ctx is done,
// and returns the version it reports.
func (s *Stack) awaitHealth(ctx context.Context) (string, error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		version, err := s.health(ctx)
		if err == nil {
			return version, nil
		}
		select {
		case <-s.done:
			return "", errors.New("it ended before it answered")
		case <-ctx.Done():
			return "", fmt.Errorf("no answer in time: %w", err)
		case <-tick.C:
		}
	}
}

// health is one request. It hangs rather than fails while the emulator loads,
// since the port is open from the first moment; so it ends with the child too.
func (s *Stack) health(ctx context.Context) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.endpoint+healthPath, http.NoBody)
	if err != nil {
		return "", fmt.Errorf("ask for health: %w", err)
	}
	// A client of its own: no proxy of the environment stands before loopback.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("ask for health: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("ask for health: status %d", resp.StatusCode)
	}
	var answer struct {
		Version string `json:"version"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return "", fmt.Errorf("read health: %w", err)
	}
	return answer.Version, nil
}

package mutation

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// Runner breaks the module and runs its tests. All fields are needed.
type Runner struct {
	Root string // the module's folder
	Temp string // where broken files may lie
	Go   string // the go command
}

var (
	// ErrEntry means that the entry is at fault: its place is gone, the broken
	// code does not compile, or its tests fail without it or do not exist.
	ErrEntry = errors.New("the entry is broken")
	// ErrSurvived means that the tests did not notice. A test is missing.
	ErrSurvived = errors.New("no test noticed")
)

// Catch makes a breakage and runs the tests of each of its packages until one
// of them fails. It returns the test that failed first in each package, or
// ErrSurvived with the package that noticed nothing, or ErrEntry.
func (r Runner) Catch(ctx context.Context, b Breakage) ([]string, error) {
	overlay, err := r.overlay(b)
	if err != nil {
		return nil, err
	}
	// A file that does not compile fails every test and proves nothing.
	if out, err := r.command(ctx, "build", "-overlay", overlay, "./"+path.Dir(b.File)).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s does not compile: %s", ErrEntry, b.Name, out)
	}
	var caught []string
	for _, pkg := range b.Caught {
		test, err := r.test(ctx, b, pkg, "-overlay", overlay)
		if err != nil {
			return caught, err
		}
		if test == "" {
			return caught, fmt.Errorf("%w: %s, in the tests of internal/%s", ErrSurvived, b.Name, pkg)
		}
		caught = append(caught, pkg+" "+test)
	}
	return caught, nil
}

// Sound runs the tests of an entry on the code as it is: they must pass, and
// there must be some. What fails anyway catches nothing.
func (r Runner) Sound(ctx context.Context, b Breakage) error {
	for _, pkg := range b.Caught {
		test, err := r.test(ctx, b, pkg)
		if err != nil {
			return err
		}
		if test != "" {
			return fmt.Errorf("%w: %s of internal/%s fails without it", ErrEntry, test, pkg)
		}
	}
	return nil
}

// overlay writes the broken file and the list by which the compiler reads it
// in the place of the other (go help build, -overlay).
func (r Runner) overlay(b Breakage) (string, error) {
	file, err := filepath.Abs(filepath.Join(r.Root, filepath.FromSlash(b.File)))
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrEntry, err)
	}
	broken, err := b.Apply(string(source))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrEntry, err)
	}
	dir, err := os.MkdirTemp(r.Temp, "broken-")
	if err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {file: filepath.Join(dir, "broken.go")}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, errors.Join(os.WriteFile(filepath.Join(dir, "broken.go"), []byte(broken), 0o600), os.WriteFile(overlay, list, 0o600))
}

func (r Runner) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.Go, args...)
	cmd.Dir = r.Root
	// What fails under a breakage is nothing for rapid to keep in testdata.
	cmd.Env = append(cmd.Environ(), "RAPID_NOFAILFILE=true")
	return cmd
}

// test runs tests of one package and returns the first that failed, or "" when
// all passed.
func (r Runner) test(ctx context.Context, b Breakage, pkg string, flags ...string) (string, error) {
	args := append([]string{"test", "-json", "-short", "-failfast", "-vet=off", "-timeout", "3m", "-run", b.Run}, flags...)
	out, err := r.command(ctx, append(args, "./internal/"+pkg)...).Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	report, readErr := read(out)
	var exit *exec.ExitError
	switch {
	case readErr != nil:
		return "", readErr
	case report.unbuilt:
		return "", fmt.Errorf("%w: the tests of internal/%s do not compile", ErrEntry, pkg)
	case report.failed != "":
		return report.failed, nil
	case errors.As(err, &exit) && report.ran:
		return "(the process died)", nil
	case err != nil:
		return "", fmt.Errorf("run the tests of internal/%s: %w", pkg, err)
	case !report.ran:
		return "", fmt.Errorf("%w: internal/%s has no test that %q names", ErrEntry, pkg, b.Run)
	}
	return "", nil
}

// report is what the output of one go test -json says.
type report struct {
	ran     bool   // at least one test began
	failed  string // the first top-level test that failed
	unbuilt bool
}

func read(out []byte) (report, error) {
	var rep report
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var line struct{ Action, Test, FailedBuild string }
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			continue // a line of the program under test
		}
		rep.ran = rep.ran || line.Action == "run"
		rep.unbuilt = rep.unbuilt || line.Action == "build-fail" || line.FailedBuild != ""
		if line.Action == "fail" && line.Test != "" && rep.failed == "" {
			rep.failed, _, _ = strings.Cut(line.Test, "/")
		}
	}
	return rep, lines.Err()
}

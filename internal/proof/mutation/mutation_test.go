package mutation_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"onefold/internal/proof/mutation"
)

// Kept small in an ordinary run: the whole list takes minutes.
var (
	all  = flag.Bool("all", false, "make every breakage of the list, one after the other")
	only = flag.String("only", "", "with -all: only the breakages whose names this expression matches")
)

const root = "../../.."

func list(t *testing.T) []mutation.Breakage {
	t.Helper()
	all, err := mutation.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func runner(t *testing.T) mutation.Runner {
	t.Helper()
	return mutation.Runner{Root: root, Temp: t.TempDir(), Go: "go"}
}

// TestEveryBreakageStillHasItsPlace: the code moves on, and the list with it.
func TestEveryBreakageStillHasItsPlace(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	word := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)+$`)
	for _, b := range list(t) {
		if !word.MatchString(b.Name) || names[b.Name] || b.Wrong == "" {
			t.Errorf("%q: a name of its own in words with hyphens, and what goes wrong", b.Name)
		}
		names[b.Name] = true
		source, err := os.ReadFile(filepath.Join(root, b.File))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := b.Apply(string(source)); err != nil {
			t.Error(err)
		}
		if strings.HasSuffix(b.File, "_test.go") || !strings.HasPrefix(b.File, "internal/") {
			t.Errorf("%s: breaks %s, which is not the program", b.Name, b.File)
		}
		if len(b.Caught) == 0 {
			t.Errorf("%s: nobody is to notice", b.Name)
		}
		for _, pkg := range b.Caught {
			tests, _ := filepath.Glob(filepath.Join(root, "internal", pkg, "*_test.go"))
			if len(tests) == 0 || !named(t, tests, b.Run) {
				t.Errorf("%s: internal/%s has no test that %q names", b.Name, pkg, b.Run)
			}
		}
	}
	// The list never gets shorter.
	if len(names) < 226 {
		t.Errorf("%d breakages, at least 226", len(names))
	}
}

// named tells whether a test of these files is one that -run chooses.
func named(t *testing.T, files []string, run string) bool {
	t.Helper()
	want, err := regexp.Compile(run)
	if err != nil {
		t.Fatal(err)
	}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range function.FindAllSubmatch(text, -1) {
			if want.Match(m[1]) {
				return true
			}
		}
	}
	return false
}

// TestTheRunnerCatches: a quick one of the list, as a taste of the whole.
func TestTheRunnerCatches(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the compiler")
	}
	r := runner(t)
	for _, b := range list(t) {
		if b.Name != "judge-without-fingerprint" {
			continue
		}
		b.Caught = b.Caught[:1]
		if err := r.Sound(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		caught, err := r.Catch(t.Context(), b)
		if err != nil || len(caught) != 1 || !strings.HasPrefix(caught[0], b.Caught[0]+" Test") {
			t.Errorf("%v, %v", caught, err)
		}
		return
	}
	t.Error("the taste is no longer on the list")
}

// TestTheRunnerTellsWhatProvesNothing: a change that breaks nothing survives,
// and an entry that is itself at fault is never a catch.
func TestTheRunnerTellsWhatProvesNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the compiler")
	}
	r := runner(t)
	base := mutation.Breakage{
		Name: "no-breakage", File: "internal/record/claim/claim.go", Old: "const SkewMargin = 60 * time.Second", New: "const SkewMargin = time.Minute",
		Caught: []string{"record/claim"},
	}
	for name, c := range map[string]struct {
		change func(*mutation.Breakage)
		want   error
	}{
		"breaks nothing":       {func(*mutation.Breakage) {}, mutation.ErrSurvived},
		"no longer there":      {func(b *mutation.Breakage) { b.Old = "no such text" }, mutation.ErrEntry},
		"there more than once": {func(b *mutation.Breakage) { b.Old = "time" }, mutation.ErrEntry},
		"changes nothing":      {func(b *mutation.Breakage) { b.New = b.Old }, mutation.ErrEntry},
		"no Go":                {func(b *mutation.Breakage) { b.New = "const (" }, mutation.ErrEntry},
		"does not compile":     {func(b *mutation.Breakage) { b.New = "const SkewMargin = nothing" }, mutation.ErrEntry},
		"no such test":         {func(b *mutation.Breakage) { b.Run = "TestNoSuchTest" }, mutation.ErrEntry},
		"no such file":         {func(b *mutation.Breakage) { b.File = "internal/record/claim/none.go" }, mutation.ErrEntry},
		"its tests do not build": {func(b *mutation.Breakage) {
			b.File, b.Old, b.New = "internal/record/claim/claim.go", "const SkewMargin = 60 * time.Second", "const Other = 60 * time.Second"
			b.Caught = []string{"idempotency"}
		}, mutation.ErrEntry},
	} {
		b := base
		c.change(&b)
		if caught, err := r.Catch(t.Context(), b); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, caught, err, c.want)
		}
	}
}

// TestEveryBreakageIsCaught makes all of them. `make mutate` runs it.
func TestEveryBreakageIsCaught(t *testing.T) {
	if !*all {
		t.Skip("make mutate makes every breakage")
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		t.Fatal(err)
	}
	r := runner(t)
	sound := map[string]error{}
	made, survived := 0, 0
	for _, b := range list(t) {
		if !chosen.MatchString(b.Name) {
			continue
		}
		made++
		// The same tests judge many entries; once is enough to see that they pass.
		tests := fmt.Sprint(b.Caught, b.Run)
		if _, known := sound[tests]; !known {
			sound[tests] = r.Sound(t.Context(), b)
		}
		begun := time.Now()
		caught, err := catch(t.Context(), r, b, sound[tests])
		took := time.Since(begun).Seconds()
		if err != nil {
			survived++
			t.Errorf("%-44s %5.1f s  %v\n    in %s; else: %s", b.Name, took, err, path.Base(b.File), b.Wrong)
			continue
		}
		t.Logf("%-44s %5.1f s  %s", b.Name, took, strings.Join(caught, ", "))
	}
	t.Logf("%d breakages made, %d caught, %d not", made, made-survived, survived)
	if made == 0 {
		t.Error("no breakage has such a name")
	}
}

func catch(ctx context.Context, r mutation.Runner, b mutation.Breakage, sound error) ([]string, error) {
	if sound != nil {
		return nil, sound
	}
	return r.Catch(ctx, b)
}

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onefold/internal/schema"
)

// A variable that nobody reads misleads whoever sets it; one that is needed and
// not set stops the function at its start.
func TestAnEnvironmentVariableThatNoConfigReads(t *testing.T) {
	sdk := map[string]bool{"AWS_SDK_UA_APP_ID": true} // read by the AWS SDK itself
	functions := core(t, nil).each(t, "AWS::Lambda::Function")
	for _, runs := range schema.Functions() {
		vars, _ := at(any(functions[title(string(runs.Function))+"Function"].Properties), "Environment", "Variables").(map[string]any)
		for name := range vars {
			read := slices.ContainsFunc(schema.Environment(), func(e schema.Env) bool {
				return e.Name == name && slices.Contains(e.For, runs.Function)
			})
			if !read && !sdk[name] {
				t.Errorf("%s is told %s and does not read it", runs.Function, name)
			}
		}
		if vars["AWS_SDK_UA_APP_ID"] != string(runs.Function) {
			t.Errorf("calls of %s cannot be told from others'", runs.Function)
		}
		for _, e := range schema.Environment() {
			if slices.Contains(e.For, runs.Function) && e.Needed && vars[e.Name] == nil {
				t.Errorf("%s needs %s", runs.Function, e.Name)
			}
		}
	}
}

// With everything on, every variable that is not for tests is set: one that is
// read and never set is a setting nobody can make.
func TestAVariableThatIsReadAndNeverSet(t *testing.T) {
	elsewhere := core(t, map[string]any{"region": "eu-central-1", "mailRegion": "eu-west-1", "sesRegion": "eu-west-1"})
	set := map[string]bool{}
	for _, r := range elsewhere.each(t, "AWS::Lambda::Function") {
		vars, _ := at(any(r.Properties), "Environment", "Variables").(map[string]any)
		for name := range vars {
			set[name] = true
		}
	}
	for _, e := range schema.Environment() {
		if !set[e.Name] && e.Name != schema.EnvHubSpotURL {
			t.Errorf("%s is read and never set", e.Name)
		}
	}
}

// Leases are reckoned with the schema's timeouts; a function that lives longer
// loses its claim while it works.
func TestAFunctionThatOutlivesItsLease(t *testing.T) {
	functions := core(t, nil).each(t, "AWS::Lambda::Function")
	for _, runs := range schema.Functions() {
		id := title(string(runs.Function)) + "Function"
		r, ok := functions[id]
		if !ok {
			t.Errorf("%s is not deployed", runs.Function)
			continue
		}
		must(t, id, r, runs.Timeout.Seconds(), "Timeout")
		must(t, id, r, runs.MemoryMB, "MemorySize")
		must(t, id, r, "onefold-prod-"+string(runs.Function), "FunctionName")
		must(t, id, r, "provided.al2023", "Runtime")
		must(t, id, r, []string{"arm64"}, "Architectures")
		must(t, id, r, "PassThrough", "TracingConfig", "Mode")
		// A fresh account has ten executions and refuses to reserve any.
		must(t, id, r, nil, "ReservedConcurrentExecutions")
	}
}

func TestTheArchitectureIsASetting(t *testing.T) {
	for id, r := range core(t, map[string]any{"architecture": "x86_64", "tracing": "true"}).each(t, "AWS::Lambda::Function") {
		must(t, id, r, []string{"x86_64"}, "Architectures")
		must(t, id, r, "Active", "TracingConfig", "Mode")
	}
}

// Without a group of the stack's, Lambda makes one that keeps logs for ever.
func TestALogGroupThatKeepsForEver(t *testing.T) {
	tpl := core(t, map[string]any{"logRetentionDays": "30"})
	groups := map[string]bool{}
	for id, r := range tpl.each(t, "AWS::Logs::LogGroup") {
		must(t, id, r, 30, "RetentionInDays")
		groups[written(r.Properties["LogGroupName"])] = true
	}
	for id, r := range tpl.each(t, "AWS::Lambda::Function") {
		name := "/aws/lambda/" + written(r.Properties["FunctionName"])
		must(t, id, r, name, "LoggingConfig", "LogGroup")
		if !groups[name] || !slices.Contains(r.DependsOn, strings.TrimSuffix(id, "Function")+"Logs") {
			t.Errorf("%s may write before %s is there", id, name)
		}
	}
}

func TestFunctionsThatAreNotBuilt(t *testing.T) {
	dir := t.TempDir()
	for _, runs := range schema.Functions()[1:] {
		folder := filepath.Join(dir, string(runs.Function))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "bootstrap"), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "optout", "bootstrap"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := missing(Config{Functions: dir, Architecture: "arm64"})
	if err == nil {
		t.Fatal("it would be deployed")
	}
	for _, word := range []string{"make build-functions ARCH=arm64", "ingest", "optout"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q says nothing of %q", err, word)
		}
	}
	if strings.Contains(err.Error(), "extract") {
		t.Errorf("%q complains of what is there", err)
	}
	if err := missing(Config{Functions: dir, Dormant: true}); err != nil {
		t.Errorf("a dormant stage has no functions: %v", err)
	}
}

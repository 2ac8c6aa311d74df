package main

// Real: the app, jsii, the CDK, cdk-nag. Missing: the functions' code, in whose
// place stands an empty file; no template depends on what is in it.
//
// A context is synthesised once for all tests, one after the other: the kernel
// of jsii is one process that answers one call at a time. It is closed at the
// end.

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"

	"onefold/internal/schema"
)

func TestMain(m *testing.M) {
	status := m.Run()
	jsii.Close()
	os.Exit(status)
}

// assembly is what one run of the app writes.
type assembly struct {
	templates templates
	raw       map[string]string // each template's text
	findings  []string          // errors and warnings that the CLI would show
}

// assemblies are those made before, by their context.
var assemblies = struct {
	sync.Mutex
	made map[string]assembly
}{made: map[string]assembly{}}

// everything is a context in which everything is on.
func everything() map[string]any {
	return map[string]any{
		"stage": "prod", "mailDomain": "in.example.com", "mailFrom": "bounce.in.example.com", "receiptRuleSet": "of-everybody",
		"probeFrom": "probe@in.example.com", "alarmEmail": "ops@example.com",
		"modelId": "eu.anthropic.claude-haiku-4-5-20251001-v1:0", "modelRegion": "eu-central-1", "modelRegions": "eu-central-1,eu-west-1",
		"modelOutput": "tool", "modelMaxTokens": "2048", "modelPrice": "1.10/5.50", "modelBudget": "2.50", "guardrail": "gr1abc2def3g:4",
	}
}

func assemble(change map[string]any) (assembly, error) {
	context := everything()
	maps.Copy(context, change)
	key, err := json.Marshal(context)
	if err != nil {
		return assembly{}, err
	}
	assemblies.Lock()
	defer assemblies.Unlock()
	if a, ok := assemblies.made[string(key)]; ok {
		return a, nil
	}
	a, err := synthesise(context)
	if err == nil {
		assemblies.made[string(key)] = a
	}
	return a, err
}

// synthesise runs the app in a folder of its own.
func synthesise(context map[string]any) (assembly, error) {
	dir, err := os.MkdirTemp("", "onefold-infra")
	if err != nil {
		return assembly{}, err
	}
	defer os.RemoveAll(dir)
	for _, r := range schema.Functions() {
		folder := filepath.Join(dir, "functions", string(r.Function))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return assembly{}, err
		}
		if err := os.WriteFile(filepath.Join(folder, "bootstrap"), nil, 0o755); err != nil {
			return assembly{}, err
		}
	}
	context["functions"] = filepath.Join(dir, "functions")
	cfg, err := ReadConfig(context)
	if err != nil {
		return assembly{}, err
	}
	out := filepath.Join(dir, "out")
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: text(out), AnalyticsReporting: boolean(false)})
	if err := build(app, cfg); err != nil {
		return assembly{}, err
	}
	app.Synth(nil)
	return readAssembly(out)
}

func readAssembly(dir string) (assembly, error) {
	a := assembly{templates: templates{}, raw: map[string]string{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.template.json"))
	if err != nil || len(files) == 0 {
		return a, fmt.Errorf("no templates: %w", err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			return a, err
		}
		var t template
		if err := json.Unmarshal(raw, &t); err != nil {
			return a, err
		}
		name := strings.TrimSuffix(filepath.Base(f), ".template.json")
		a.templates[name], a.raw[name] = t, string(raw)
		notes, err := os.ReadFile(filepath.Join(dir, name+".metadata.json"))
		if err != nil {
			return a, err
		}
		var about map[string][]struct {
			Type string
			Data any
		}
		if err := json.Unmarshal(notes, &about); err != nil {
			return a, err
		}
		for _, path := range slices.Sorted(maps.Keys(about)) {
			for _, n := range about[path] {
				if n.Type == "aws:cdk:error" || n.Type == "aws:cdk:warning" {
					a.findings = append(a.findings, fmt.Sprintf("%s: %v", path, n.Data))
				}
			}
		}
	}
	return a, nil
}

// core is the core stack of a context.
func core(t *testing.T, change map[string]any) template {
	t.Helper()
	a, err := assemble(change)
	if err != nil {
		t.Fatal(err)
	}
	for name, tpl := range a.templates {
		if !strings.HasSuffix(name, "-mail") && !strings.HasSuffix(name, "-ses") {
			return tpl
		}
	}
	t.Fatal("there is no core stack")
	return template{}
}

// each gives the resources of a type, by logical ID; there has to be one.
func (tpl template) each(t *testing.T, kind string) map[string]resource {
	t.Helper()
	out := map[string]resource{}
	for id, r := range tpl.Resources {
		if r.Type == kind {
			out[id] = r
		}
	}
	if len(out) == 0 {
		t.Fatalf("no %s in the template", kind)
	}
	return out
}

// at follows names and numbers into a value; nil where there is nothing.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			l, _ := v.([]any)
			if step >= len(l) {
				return nil
			}
			v = l[step]
		}
	}
	return v
}

// must compares a value of a resource.
func must(t *testing.T, id string, r resource, want any, path ...any) {
	t.Helper()
	if got := at(any(r.Properties), path...); !same(got, want) {
		t.Errorf("%s: %v is %v, not %v", id, path, written(got), want)
	}
}

func same(got, want any) bool {
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	return string(a) == string(b)
}

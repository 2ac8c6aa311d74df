package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onefold/internal/schema"
)

// stateful are the types of resources that hold what no deployment brings back,
// and what guards them.
var stateful = []string{
	"AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::S3::BucketPolicy", "AWS::KMS::Key", "AWS::KMS::Alias",
	"AWS::SecretsManager::Secret", "AWS::Cognito::UserPool",
}

func statefulOf(tpl template) map[string]string {
	out := map[string]string{}
	for id, r := range tpl.Resources {
		if slices.Contains(stateful, r.Type) {
			out[id] = r.Type
		}
	}
	return out
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// With another logical ID CloudFormation makes a new resource and leaves the
// old one behind: an empty table under the old name, or a deployment that
// fails half-way since the name is taken.
func TestAStatefulResourceWhoseLogicalIDChanged(t *testing.T) {
	var got []string
	for id, kind := range statefulOf(core(t, nil)) {
		got = append(got, id+" "+kind)
	}
	slices.Sort(got)
	want := lines(t, "logicalids.txt")
	if !slices.Equal(got, want) {
		t.Errorf("stateful resources are\n%s\nand were\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAStatefulResourceThatItsStackCouldDelete(t *testing.T) {
	tpl := core(t, nil)
	for id := range statefulOf(tpl) {
		if r := tpl.Resources[id]; r.DeletionPolicy != "Retain" || r.UpdateReplacePolicy != "Retain" {
			t.Errorf("%s: deletion %q, replacement %q", id, r.DeletionPolicy, r.UpdateReplacePolicy)
		}
	}
	for id, r := range tpl.Resources {
		if !slices.Contains(stateful, r.Type) && r.DeletionPolicy == "Retain" {
			t.Errorf("%s (%s) would be left behind by make destroy, and stand in the way of the next deployment", id, r.Type)
		}
	}
}

// CloudFormation makes or deletes one index of a table in one deployment, and
// fails with two. deployed-indexes.txt is what the last release has.
func TestTwoIndexChangesOfATableInOneDeployment(t *testing.T) {
	deployed := map[string]bool{}
	for _, line := range lines(t, "deployed-indexes.txt") {
		deployed[line] = true
	}
	changes := map[schema.Table]int{}
	now := map[string]bool{}
	for _, spec := range schema.Specs() {
		for _, ix := range spec.Indexes {
			word := string(spec.Name) + " " + ix.Name + " " + ix.Partition + " " + ix.Sort
			now[word] = true
			if !deployed[word] {
				changes[spec.Name]++
			}
		}
	}
	for word := range deployed {
		if table, _, _ := strings.Cut(word, " "); !now[word] {
			changes[schema.Table(table)]++
		}
	}
	for table, n := range changes {
		if n > 1 {
			t.Errorf("%s: %d index changes; release them one at a time, and note each release in testdata/deployed-indexes.txt", table, n)
		}
	}
}

// make destroy deploys this; make deploy brings the rest back. So it has to be
// exactly what keeps data, word for word as it is in the whole stack.
func TestADormantStageKeepsItsDataAndNothingElse(t *testing.T) {
	whole, dormant := core(t, nil), core(t, map[string]any{"dormant": "true"})
	want := slices.Sorted(maps.Keys(statefulOf(whole)))
	got := slices.Sorted(maps.Keys(dormant.Resources))
	if !slices.Equal(got, want) {
		t.Errorf("a dormant stage has %v, not %v", got, want)
	}
	for id, r := range dormant.Resources {
		if !same(r, whole.Resources[id]) {
			t.Errorf("%s changes when its stage falls asleep", id)
		}
	}
}

// A deployment without a setting that the last one had takes its resources
// away. make deploy and make destroy compare with these names.
func TestAStageRemembersWhichSettingsItHas(t *testing.T) {
	for name, change := range map[string]map[string]any{"awake": nil, "asleep": {"dormant": "true"}} {
		got := written(core(t, change).Outputs[schema.SettingsOutput].Value)
		if got != "alarmEmail guardrail mailDomain mailFrom modelBudget modelId modelMaxTokens modelOutput modelPrice modelRegion modelRegions probeFrom" {
			t.Errorf("%s it says %q", name, got)
		}
	}
	bare := map[string]any{"mailDomain": "", "mailFrom": "", "receiptRuleSet": "", "probeFrom": "", "alarmEmail": ""}
	maps.Copy(bare, byRules())
	if got := written(core(t, bare).Outputs[schema.SettingsOutput].Value); got != schema.NoSettings {
		t.Errorf("without settings it says %q", got)
	}
}

// The one way to lose data says so in two settings, and both are needed.
func TestDeletingDataTakesOffEveryProtection(t *testing.T) {
	tpl := core(t, map[string]any{"dormant": "true", "deleteData": "true"})
	for id, r := range tpl.Resources {
		if r.DeletionPolicy != "Delete" {
			t.Errorf("%s stays", id)
		}
	}
	for id, r := range tpl.each(t, "AWS::DynamoDB::Table") {
		must(t, id, r, false, "DeletionProtectionEnabled")
	}
	for id, r := range tpl.each(t, "AWS::Cognito::UserPool") {
		must(t, id, r, "INACTIVE", "DeletionProtection")
	}
}

// A name that two stages share lets the second one's deployment fail, or write
// into the first one's.
func TestTwoStagesOfAnAccountShareNoName(t *testing.T) {
	names := func(change map[string]any) map[string]string {
		a, err := assemble(change)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for stack, tpl := range a.templates {
			for id, r := range tpl.Resources {
				for _, p := range []string{
					"TableName", "BucketName", "FunctionName", "QueueName", "TopicName", "AliasName", "LogGroupName", "AlarmName",
					"DashboardName", "RoleName", "UserPoolName", "Domain", "ReceiptRuleSetName",
				} {
					if v, ok := r.Properties[p]; ok && !strings.HasPrefix(written(v), "<") {
						out[p+" "+written(v)] = stack + "/" + id
					}
				}
				if v, ok := r.Properties["Name"]; ok && r.Type != "AWS::Route53::RecordSet" {
					out[r.Type+" "+written(v)] = stack + "/" + id
				}
			}
		}
		return out
	}
	other := map[string]any{"stage": "test", "mailDomain": "in.example.org", "mailFrom": "bounce.in.example.org", "probeFrom": "probe@in.example.org"}
	ours, theirs := names(nil), names(other)
	if len(ours) < 40 {
		t.Fatalf("only %d names were found", len(ours))
	}
	for name, where := range ours {
		if also, ok := theirs[name]; ok {
			t.Errorf("%s is %s of one stage and %s of the other", name, where, also)
		}
	}
}

// A template that differs from one run to the next makes every deployment a
// change.
func TestTheSameContextGivesTheSameTemplates(t *testing.T) {
	first, err := assemble(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := synthesise(everything())
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range first.raw {
		if again.raw[name] != raw {
			t.Errorf("%s is another one the second time", name)
		}
	}
}

// CloudFormation's quota is 500 resources and 1 MB of template for a stack.
func TestAStackThatCloudFormationCannotTake(t *testing.T) {
	a, err := assemble(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, tpl := range a.templates {
		if len(tpl.Resources) > 400 || len(a.raw[name]) > 900_000 {
			t.Errorf("%s: %d resources in %d bytes", name, len(tpl.Resources), len(a.raw[name]))
		}
		if !json.Valid([]byte(a.raw[name])) {
			t.Errorf("%s is no JSON", name)
		}
	}
}

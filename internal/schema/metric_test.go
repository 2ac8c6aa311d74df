package schema_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"onefold/internal/schema"
)

func TestEveryRowOfTheMetricsSectionIsServed(t *testing.T) {
	t.Parallel()
	served := map[string][]string{}
	for _, m := range slices.Concat(schema.Metrics(), schema.AWSMetrics()) {
		if len(m.Rows) == 0 {
			t.Errorf("%s serves no requirement", m.Name)
		}
		for _, r := range m.Rows {
			served[r] = append(served[r], m.Name)
		}
	}
	for n := 1; n <= 13; n++ { // requirements 10.1 to 10.13
		row := fmt.Sprintf("10.%d", n)
		if len(served[row]) == 0 {
			t.Errorf("no metric serves %s", row)
		}
		delete(served, row)
	}
	for row, by := range served {
		t.Errorf("%v serve %s, which is no requirement", by, row)
	}
}

func TestAMetricIsNamedOnceAndSaysEnough(t *testing.T) {
	t.Parallel()
	word := regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
	seen := map[string]bool{}
	for _, m := range schema.Metrics() {
		if seen[m.Name] || !word.MatchString(m.Name) {
			t.Errorf("name %q is taken or no word", m.Name)
		}
		seen[m.Name] = true
		if m.Namespace != schema.MetricNamespace || m.Means == "" || m.Unit == "" || len(m.By) == 0 {
			t.Errorf("%s: namespace, meaning, unit or writer is missing", m.Name)
		}
		for _, f := range m.By {
			if _, ok := schema.RunsOf(f); !ok {
				t.Errorf("%s is written by %q, which is no function", m.Name, f)
			}
		}
	}
	for _, m := range schema.AWSMetrics() {
		if id := m.Namespace + " " + m.Name; seen[id] || m.Means == "" || m.Unit == "" {
			t.Errorf("%s is listed twice or says too little", id)
		} else {
			seen[id] = true
		}
	}
}

// What stops a duplicate or a mail is the system at work.
func TestConflictsAndBlocksNeverPage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		schema.DeliveriesDuplicate, schema.DeliveriesConflict, schema.InProgressConflicts, schema.UniqueConflicts, schema.DuplicatesPrevented,
		schema.SuppressionBlocks, schema.SendsPostponed, schema.MatchesAmbiguous, schema.DuplicatesSuspected, schema.OptOuts, schema.OptOutsDoubtful,
		schema.ProviderEventsAgain, schema.CRMAdopted, schema.ReviewsOpened,
	} {
		if m, ok := schema.MetricOf(name); !ok || m.Class == schema.Page {
			t.Errorf("%s pages, or is gone", name)
		}
	}
}

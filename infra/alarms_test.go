package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onefold/internal/schema"
)

const prefix = "onefold-prod-"

// alarmsOf lists the alarms by name without the stage.
func alarmsOf(ts templates) map[string]resource {
	out := map[string]resource{}
	for _, kind := range []string{"AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"} {
		for _, r := range ts.of(kind) {
			out[strings.TrimPrefix(written(r.Properties["AlarmName"]), prefix)] = r
		}
	}
	return out
}

func tells(r resource, topic string) bool {
	return strings.Contains(written(r.Properties["AlarmActions"]), topic)
}

func TestAtMostSixAlarmsWakeSomebody(t *testing.T) {
	var pages []string
	for name, r := range alarmsOf(synth(t)) {
		if strings.HasPrefix(written(r.Properties["AlarmDescription"]), "[page]") && r.Properties["AlarmActions"] != nil {
			pages = append(pages, name)
		}
	}
	slices.Sort(pages)
	if len(pages) == 0 || len(pages) > maxPages {
		t.Errorf("%d alarms wake somebody: %v", len(pages), pages)
	}
}

func TestAnAlarmTellsTheTopicOfItsClassOrACompositeDoes(t *testing.T) {
	all := alarmsOf(synth(t))
	for name, r := range all {
		page := strings.HasPrefix(written(r.Properties["AlarmDescription"]), "[page]")
		switch {
		case r.Properties["AlarmActions"] == nil:
			if !slices.ContainsFunc(slices.Collect(values(all)), func(c resource) bool {
				return strings.Contains(written(c.Properties["AlarmRule"]), `"`+prefix+name+`"`)
			}) {
				t.Errorf("%s tells nobody, and no composite has it", name)
			}
		case page == tells(r, "ickets"):
			t.Errorf("%s tells %s", name, written(r.Properties["AlarmActions"]))
		}
	}
}

func values(m map[string]resource) func(func(resource) bool) {
	return func(yield func(resource) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

func TestAQueueWithoutAlarm(t *testing.T) {
	ts := synth(t)
	watched := map[string]bool{}
	for _, r := range alarmsOf(ts) {
		for _, d := range listOf(r.Properties["Dimensions"]) {
			watched[written(d.(map[string]any)["Value"])] = true
		}
	}
	queues := ts.of("AWS::SQS::Queue")
	if len(queues) == 0 {
		t.Fatal("no queues")
	}
	for _, q := range queues {
		if name := written(q.Properties["QueueName"]); !watched[name] {
			t.Errorf("nobody watches %s", name)
		}
	}
}

func listOf(v any) []any {
	l, _ := v.([]any)
	return l
}

// A metric of class page or ticket has an alarm of that class, and an alarm
// reads only metrics that the catalogue describes.
func TestAlarmsAndTheCatalogueAgree(t *testing.T) {
	class := map[string]schema.Class{}
	for _, m := range slices.Concat(schema.Metrics(), schema.AWSMetrics()) {
		class[m.Namespace+" "+m.Name] = m.Class
	}
	gravest := map[string]schema.Class{}
	for name, r := range alarmsOf(synth(t)) {
		for _, id := range metricsOf(r) {
			if _, known := class[id]; !known {
				t.Errorf("%s reads %s, which the catalogue does not have", name, id)
			}
			c := schema.Ticket
			if strings.HasPrefix(written(r.Properties["AlarmDescription"]), "[page]") {
				c = schema.Page
			}
			if gravest[id] != schema.Page {
				gravest[id] = c
			}
		}
	}
	for id, c := range class {
		if got := gravest[id]; c == schema.Dashboard && got != "" || c != schema.Dashboard && got != c {
			t.Errorf("%s is of class %s, and its gravest alarm of %q", id, c, got)
		}
	}
}

var selected = regexp.MustCompile(`SELECT SUM\((\w+)\) FROM SCHEMA\("([\w/]+)"`)

func metricsOf(r resource) []string {
	if n := written(r.Properties["MetricName"]); r.Properties["MetricName"] != nil {
		return []string{written(r.Properties["Namespace"]) + " " + n}
	}
	var out []string
	for _, q := range listOf(r.Properties["Metrics"]) {
		if m := selected.FindStringSubmatch(written(q.(map[string]any)["Expression"])); m != nil {
			out = append(out, m[2]+" "+m[1])
		}
	}
	return out
}

// Of what is written in every run, silence is the worst news; of counts, the
// best.
func TestSilenceIsJudgedByWhatAMetricIs(t *testing.T) {
	every := map[string]bool{schema.OldestDueAge: true, schema.FeedAge: true}
	for name, r := range alarmsOf(synth(t)) {
		if r.Type == "AWS::CloudWatch::CompositeAlarm" {
			continue
		}
		got := written(r.Properties["TreatMissingData"])
		metric := written(r.Properties["MetricName"])
		if every[metric] != (got == "breaching") || got == "missing" || got == "" {
			t.Errorf("%s makes of a period without %s: %q", name, metric, got)
		}
	}
}

func TestTheRunbookHasASectionForEachAlarmAndNoOther(t *testing.T) {
	raw, err := os.ReadFile("../docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	page, said := string(raw), map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^### (.+)$").FindAllStringSubmatch(page, -1) {
		names := strings.Split(m[1], ", ")
		for _, name := range names {
			if said[name] {
				t.Errorf("%s has two sections", name)
			}
			said[name] = true
			// A description links to the name; of a heading with several
			// names, no name is the anchor.
			if len(names) > 1 && !strings.Contains(page, `<a id="`+name+`"></a>`) {
				t.Errorf("no anchor %s", name)
			}
		}
	}
	for _, m := range regexp.MustCompile(`\]\(#([^)]+)\)`).FindAllStringSubmatch(page, -1) {
		if !said[m[1]] && m[1] != "the-brake" {
			t.Errorf("a link to #%s leads nowhere", m[1])
		}
	}
	ts := synth(t)
	all := alarmsOf(ts)
	for name := range alarmsOf(synthWith(t, elsewhere())) {
		all[name] = resource{}
	}
	for name := range all {
		if !said[name] {
			t.Errorf("docs/runbook.md has no section %s", name)
		}
		delete(said, name)
	}
	for name := range said {
		t.Errorf("docs/runbook.md has a section %s, and there is no such alarm", name)
	}
}

func TestADescriptionFitsAndNamesItsSection(t *testing.T) {
	for name, r := range alarmsOf(synth(t)) {
		d := written(r.Properties["AlarmDescription"])
		if len(d) > 1024 || !strings.Contains(d, " First: ") || !strings.HasSuffix(d, "docs/runbook.md#"+name) {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestTheDashboardShowsEveryMetricOfOurs(t *testing.T) {
	boards := synth(t).of("AWS::CloudWatch::Dashboard")
	if len(boards) != 1 {
		t.Fatalf("%d dashboards", len(boards))
	}
	body := written(boards[0].Properties["DashboardBody"])
	for _, m := range schema.Metrics() {
		if !strings.Contains(body, `"`+m.Name+`"`) {
			t.Errorf("%s is not on it", m.Name)
		}
	}
	for _, m := range schema.AWSMetrics() {
		if !strings.Contains(body, `"`+m.Name) {
			t.Errorf("%s %s is not on it", m.Namespace, m.Name)
		}
	}
}

// SQS takes a message out of its queue's age when it was handed out three
// times, so the age says nothing where the reader fails for each message: a
// stage whose ingest does not start lost mail to the dead-letter queue with
// tickets alone.
func TestMailThatIngestCannotTakeWakesSomebody(t *testing.T) {
	all := alarmsOf(synth(t))
	page := written(all["deliveries-failing"].Properties["AlarmRule"])
	for name, r := range all {
		if written(r.Properties["MetricName"]) == "Errors" && strings.Contains(written(r.Properties["Dimensions"]), `"onefold-prod-ingest"`) &&
			strings.Contains(page, `"`+prefix+name+`"`) {
			return
		}
	}
	t.Errorf("the page %s does not hear of errors of ingest", page)
}

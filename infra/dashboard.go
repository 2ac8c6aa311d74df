package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"

	"onefold/internal/schema"
)

// question is a row of the dashboard: what an operator wants to know, and the
// panels that answer it, from left to right.
type question struct {
	asks   string
	panels []panel
}

// panel is a graph.
type panel struct {
	title  string
	lines  []signal
	expr   map[string]string // label → metric math or search, of the lines m1, m2, …
	alarms []string          // instead of lines: the states of these alarms
	region string            // "" for the stack's own
}

// The grid is 24 wide (CloudWatch User Guide, "Dashboard body structure and
// syntax", read 2026-11).
const (
	gridWidth   = 24
	headHeight  = 1
	panelHeight = 6
	perHour     = 3600
)

// addDashboard makes the one dashboard. It is read from top to bottom: the
// first three rows answer what is asked at night.
func addDashboard(c *Core) {
	body := c.Stack.ToJsonString(c.Cfg.dashboard(c.region(), *c.API.Ref(), func(name string) string {
		return arn(c.Stack, "cloudwatch", c.region(), "alarm:"+c.Cfg.name(name))
	}), nil)
	awscloudwatch.NewCfnDashboard(c.Stack, text("Dashboard"), &awscloudwatch.CfnDashboardProps{
		DashboardName: text(c.Cfg.whole()), DashboardBody: body,
	})
	c.output("DashboardName", c.Cfg.whole(), "the dashboard in CloudWatch")
}

func (c Config) dashboard(region, api string, alarmARN func(string) string) map[string]any {
	var widgets []any
	y := 0
	place := func(x, width, height int, kind string, properties map[string]any) {
		widgets = append(widgets, map[string]any{"type": kind, "x": x, "y": y, "width": width, "height": height, "properties": properties})
	}
	for _, q := range c.questions(api) {
		place(0, gridWidth, headHeight, "text", map[string]any{"markdown": "## " + q.asks, "background": "transparent"})
		y += headHeight
		width := gridWidth / len(q.panels)
		for i, p := range q.panels {
			if len(p.alarms) > 0 {
				var arns []string
				for _, name := range p.alarms {
					arns = append(arns, alarmARN(name))
				}
				place(i*width, width, panelHeight, "alarm", map[string]any{"title": p.title, "alarms": arns})
				continue
			}
			place(i*width, width, panelHeight, "metric", p.properties(first(p.region, region)))
		}
		y += panelHeight
	}
	return map[string]any{"start": "-PT24H", "periodOverride": "inherit", "widgets": widgets}
}

func (p panel) properties(region string) map[string]any {
	var metrics []any
	for i, s := range p.lines {
		line := []any{s.namespace, s.name}
		for _, d := range s.dims {
			line = append(line, d[0], d[1])
		}
		label := s.name
		if s.namespace == schema.NamespaceLambda || s.namespace == schema.NamespaceSQS {
			label = "${PROP('Dim." + s.dims[0][0] + "')}"
		}
		metrics = append(metrics, append(line, map[string]any{"id": fmt.Sprint("m", i+1), "stat": s.stat, "label": label}))
	}
	n := 0
	for label, expr := range sorted(p.expr) {
		n++
		metrics = append(metrics, []any{map[string]any{"id": fmt.Sprint("e", n), "expression": expr, "label": label}})
	}
	return map[string]any{
		"title": p.title, "view": "timeSeries", "region": region, "period": 300, "metrics": metrics,
		"yAxis": map[string]any{"left": map[string]any{"min": 0}},
	}
}

package emf_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// The rules of the embedded metric format, written from the specification and
// its JSON schema (CloudWatch User Guide, "Specification: Embedded metric
// format", read 2026-11), not from the code.

// units are those of the schema.
var units = strings.Fields(`Seconds Microseconds Milliseconds Bytes Kilobytes Megabytes Gigabytes Terabytes Bits Kilobits Megabits
	Gigabits Terabits Percent Count Bytes/Second Kilobytes/Second Megabytes/Second Gigabytes/Second Terabytes/Second Bits/Second
	Kilobits/Second Megabits/Second Gigabits/Second Terabits/Second Count/Second None`)

// parsed reads what one Write wrote: one line, one JSON object and nothing
// else, no member of any object named twice.
func parsed(written []byte) (map[string]any, error) {
	body, ok := bytes.CutSuffix(written, []byte("\n"))
	if !ok || bytes.ContainsAny(body, "\n\r") {
		return nil, fmt.Errorf("not one line: %q", written)
	}
	// A log event may have 1 MB, formerly 256 KB: the smaller holds everywhere.
	if len(written) > 256<<10 {
		return nil, fmt.Errorf("%d bytes", len(written))
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	v, err := once(d)
	if err != nil {
		return nil, fmt.Errorf("%w in %q", err, written)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the object: %q", written)
	}
	root, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("no object: %q", written)
	}
	return root, nil
}

func once(d *json.Decoder) (any, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('{'):
		o := map[string]any{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			if _, twice := o[name.(string)]; twice {
				return nil, fmt.Errorf("%q is named twice", name)
			}
			if o[name.(string)], err = once(d); err != nil {
				return nil, err
			}
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := once(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	return tok, nil
}

// embedded checks the document and returns its metrics, name to values. A
// document without _aws has none.
func embedded(root map[string]any) (map[string][]float64, error) {
	meta, has := root["_aws"]
	if !has {
		return nil, nil
	}
	aws, _ := meta.(map[string]any)
	at, isNumber := aws["Timestamp"].(json.Number)
	if _, err := at.Int64(); !isNumber || err != nil || strings.HasPrefix(at.String(), "-") {
		return nil, fmt.Errorf("timestamp %v", aws["Timestamp"])
	}
	directives, _ := aws["CloudWatchMetrics"].([]any)
	if len(directives) == 0 || len(aws) != 2 {
		return nil, fmt.Errorf("metadata %v", aws)
	}
	got := map[string][]float64{}
	for _, d := range directives {
		if err := directive(root, d, got); err != nil {
			return nil, err
		}
	}
	return got, nil
}

func directive(root map[string]any, v any, got map[string][]float64) error {
	d, _ := v.(map[string]any)
	space, _ := d["Namespace"].(string)
	if len(space) < 1 || len(space) > 255 || len(d) != 3 {
		return fmt.Errorf("namespace %q", space)
	}
	sets, _ := d["Dimensions"].([]any)
	if len(sets) == 0 {
		return fmt.Errorf("no dimension set: %v", d)
	}
	for _, s := range sets {
		names, ok := s.([]any)
		if !ok || len(names) > 30 {
			return fmt.Errorf("dimension set %v", s)
		}
		for _, n := range names {
			name, _ := n.(string)
			if value, isText := root[name].(string); !isText || value == "" || len(value) > 1024 || len(name) < 1 || len(name) > 250 {
				return fmt.Errorf("dimension %v has the target %v", n, root[name])
			}
		}
	}
	metrics, _ := d["Metrics"].([]any)
	if len(metrics) < 1 || len(metrics) > 100 {
		return fmt.Errorf("%d metrics", len(metrics))
	}
	for _, m := range metrics {
		def, _ := m.(map[string]any)
		name, _ := def["Name"].(string)
		unit, _ := def["Unit"].(string)
		if len(name) < 1 || len(name) > 255 || !slices.Contains(units, unit) || len(def) != 2 || got[name] != nil {
			return fmt.Errorf("definition %v", m)
		}
		values, err := target(root[name])
		if err != nil {
			return fmt.Errorf("metric %s: %w", name, err)
		}
		got[name] = values
	}
	return nil
}

func target(v any) ([]float64, error) {
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	if len(list) < 1 || len(list) > 100 {
		return nil, fmt.Errorf("%d values", len(list))
	}
	numbers := make([]float64, len(list))
	for i, e := range list {
		n, ok := e.(json.Number)
		f, err := n.Float64()
		if !ok || err != nil || f > 0x1p360 || f < -0x1p360 {
			return nil, fmt.Errorf("the target %v", e)
		}
		numbers[i] = f
	}
	return numbers, nil
}

// TestTheRulesTakeTheSpecificationsExample: and refuse what it forbids.
func TestTheRulesTakeTheSpecificationsExample(t *testing.T) {
	t.Parallel()
	const example = `{"_aws":{"Timestamp":1574109732004,"CloudWatchMetrics":[{"Namespace":"lambda-function-metrics","Dimensions":[["functionVersion"]],` +
		`"Metrics":[{"Name":"time","Unit":"Milliseconds"}]}]},"functionVersion":"$LATEST","time":100,"requestId":"989ffbf8"}`
	root, err := parsed([]byte(example + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := embedded(root); err != nil || got["time"][0] != 100 {
		t.Errorf("%v, %v", got, err)
	}
	for _, change := range [][2]string{
		{`"time":100`, `"time":"100"`}, {`"time":100`, `"times":100`}, {`Milliseconds`, `Fortnights`}, {`"functionVersion":"$LATEST"`, `"functionVersion":1`},
		{`1574109732004`, `"now"`}, {`"Metrics":[{"Name":"time","Unit":"Milliseconds"}]`, `"Metrics":[]`}, {`[["functionVersion"]]`, `[]`},
		{`"Namespace":"lambda-function-metrics",`, ``},
	} {
		root, err := parsed([]byte(strings.Replace(example, change[0], change[1], 1) + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := embedded(root); err == nil {
			t.Errorf("taken with %s", change[1])
		}
	}
	for _, bad := range []string{example, example + "\n\n", "[]\n", `{"a":1,"a":2}` + "\n", `{"a":{"b":1,"b":1}}` + "\n", example + "x\n", "{\n}\n"} {
		if _, err := parsed([]byte(bad)); err == nil {
			t.Errorf("taken: %q", bad)
		}
	}
}

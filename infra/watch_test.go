package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// templates are the stacks of one context, by name.
type templates map[string]template

type template struct {
	Resources map[string]resource
	Outputs   map[string]struct{ Value any }
}

type resource struct {
	Type           string
	Properties     map[string]any
	DependsOn      []string
	DeletionPolicy string

	UpdateReplacePolicy string
	Metadata            map[string]any
}

// of lists the resources of a type in all stacks.
func (ts templates) of(kind string) []resource {
	var out []resource
	for _, t := range ts {
		for _, r := range t.Resources {
			if r.Type == kind {
				out = append(out, r)
			}
		}
	}
	return out
}

// written is the template's JSON of a value, with references shown by name.
func written(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		if ref, ok := v["Ref"].(string); ok {
			return "<" + ref + ">"
		}
		if at, ok := v["Fn::GetAtt"].([]any); ok {
			return "<" + written(at[0]) + "." + written(at[1]) + ">"
		}
		if sub, ok := v["Fn::Sub"].(string); ok {
			return strings.NewReplacer("${", "<", "}", ">").Replace(sub)
		}
		if join, ok := v["Fn::Join"].([]any); ok {
			var b strings.Builder
			for _, part := range join[1].([]any) {
				b.WriteString(written(part))
			}
			return b.String()
		}
	}
	raw, _ := json.Marshal(v)
	return string(raw)
}

// synth gives the templates of a context in which everything is on.
func synth(t *testing.T) templates {
	t.Helper()
	return synthWith(t, nil)
}

// elsewhere is a context in which mail is received in another region than the
// one it is sent from, and TLS is asked for.
func elsewhere() map[string]any {
	return map[string]any{"mailTLS": "true", "region": "eu-central-1", "mailRegion": "eu-west-1"}
}

// synthWith gives those of a context with some keys changed.
func synthWith(t *testing.T, change map[string]any) templates {
	t.Helper()
	a, err := assemble(change)
	if err != nil {
		t.Fatal(err)
	}
	return a.templates
}

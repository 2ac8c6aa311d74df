package streamreader_test

import (
	"errors"
	"fmt"
	"testing"

	"onefold/internal/proof/streamreader"
	"onefold/internal/schema"
)

// passes tells whether a mapping with the patterns hands a record on.
func passes(t *testing.T, body string, patterns ...string) bool {
	t.Helper()
	m := usual()
	m.FilterCriteria = patterns
	w := newWorld(t, m, streamreader.Assume{})
	if err := w.r.Append("s", streamreader.Record{Sequence: "1", Item: "a", At: start, Body: []byte(body)}); err != nil {
		t.Fatal(err)
	}
	w.run()
	if len(w.handed) == 1 {
		w.wantCount(streamreader.Done, 1)
		return true
	}
	w.wantCount(streamreader.Passed, 1)
	return false
}

// Expected values by "Using event filtering with a DynamoDB event source": keys
// are joined by and, the texts of a list and the filters by or.
func TestFilters(t *testing.T) {
	t.Parallel()
	const fields = `{"dynamodb":{"NewImage":{"entity":{"S":["operation"]},"kind":{"S":["crm_note","crm_task"]}}}}`
	record := func(name, entity, kind string) string {
		return fmt.Sprintf(`{"eventName":%q,"dynamodb":{"NewImage":{"entity":{"S":%q},"kind":{"S":%q}}}}`, name, entity, kind)
	}
	for name, c := range map[string]struct {
		body     string
		patterns []string
		want     bool
	}{
		"no filter":                     {`{}`, nil, true},
		"first of a list":               {record("INSERT", "operation", "crm_note"), []string{fields}, true},
		"second of a list":              {record("MODIFY", "operation", "crm_task"), []string{fields}, true},
		"one of two keys":               {record("INSERT", "operation", "send_intent"), []string{fields}, false},
		"the other of two keys":         {record("INSERT", "event", "crm_note"), []string{fields}, false},
		"other case":                    {record("INSERT", "Operation", "crm_note"), []string{fields}, false},
		"one of two filters":            {record("INSERT", "event", ""), []string{fields, `{"dynamodb":{"NewImage":{"entity":{"S":["event"]}}}}`}, true},
		"a removal has no new image":    {`{"eventName":"REMOVE","dynamodb":{"Keys":{"pk":{"S":"a"}}}}`, []string{fields}, false},
		"a number where a text is due":  {`{"dynamodb":{"NewImage":{"entity":{"N":"1"},"kind":{"S":"crm_note"}}}}`, []string{fields}, false},
		"a text where an object is due": {`{"dynamodb":"operation"}`, []string{fields}, false},
		"eventName":                     {record("INSERT", "operation", "x"), []string{`{"eventName":["INSERT","MODIFY"]}`}, true},
		"another eventName":             {record("REMOVE", "operation", "x"), []string{`{"eventName":["INSERT","MODIFY"]}`}, false},
		"no JSON":                       {`{`, []string{fields}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := passes(t, c.body, c.patterns...); got != c.want {
				t.Errorf("passes: %v", got)
			}
		})
	}
}

func TestPatternsThatAreNotUnderstoodAreRefused(t *testing.T) {
	t.Parallel()
	for _, p := range []string{
		``, `[]`, `"x"`, `{}`, `{"dynamodb":{}}`, `{"dynamodb":[]}`, `{"dynamodb":"x"}`, `{"dynamodb":{"a":[1]}}`, `{"dynamodb":{"a":[null]}}`,
		`{"dynamodb":{"a":[true]}}`, `{"dynamodb":{"a":[{"prefix":"x"}]}}`, `{"dynamodb":{"a":[{"anything-but":["x"]}]}}`,
		`{"dynamodb":{"a":[{"exists":true}]}}`, `{"dynamodb":{"a":[{"numeric":["=",1]}]}}`, `{"dynamodb":{"$or":[{"a":["x"]}]}}`,
		// A key that no record has would hold back everything, unseen.
		`{"body":{"a":["x"]}}`, `{"Dynamodb":{"a":["x"]}}`,
		`{"dynamodb":{"a":["` + string(make([]byte, 4096)) + `"]}}`,
	} {
		m := usual()
		m.FilterCriteria = []string{p}
		if _, err := streamreader.New(m, streamreader.Assume{}); !errors.Is(err, streamreader.ErrInvalid) {
			t.Errorf("%.60s: %v", p, err)
		}
	}
}

// What our mappings let through, in the form in which a record comes.
func TestOurFilters(t *testing.T) {
	t.Parallel()
	image := func(entity, kind string) string {
		return fmt.Sprintf(`{"eventName":"MODIFY","dynamodb":{"NewImage":{"pk":{"S":"acme"},"entity":{"S":%q},"kind":{"S":%q},"version":{"N":"2"}}}}`, entity, kind)
	}
	for _, c := range []struct {
		f            schema.Function
		entity, kind string
		want         bool
	}{
		{schema.Extract, "event", "", true}, {schema.Extract, "delivery", "", false}, {schema.Extract, "extraction", "", false},
		{schema.CRMSync, "operation", "crm_contact", true}, {schema.CRMSync, "operation", "crm_note", true}, {schema.CRMSync, "operation", "crm_task", true},
		{schema.CRMSync, "operation", "send_intent", false}, {schema.CRMSync, "operation", "cancel_intents", false},
		{schema.Send, "operation", "send_intent", true}, {schema.Send, "operation", "cancel_intents", true}, {schema.Send, "operation", "crm_note", false},
	} {
		m, ok := schema.StreamMappingOf(c.f)
		if !ok {
			t.Fatalf("no mapping of %s", c.f)
		}
		if got := passes(t, image(c.entity, c.kind), m.FilterPattern()); got != c.want {
			t.Errorf("%s, %s %s: passes is %v", c.f, c.entity, c.kind, got)
		}
	}
}

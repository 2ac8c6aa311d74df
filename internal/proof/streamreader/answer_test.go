package streamreader_test

import (
	"testing"
	"time"

	"onefold/internal/proof/streamreader"
)

// Expected values by "Configuring partial batch response with DynamoDB and
// Lambda", success and failure conditions. The batch is 1 2 3 4; left is what
// the second call is handed, "" when all was settled.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer streamreader.Result
		left   string
	}{
		"an empty list":                  {streamreader.Result{Payload: []byte(`{"batchItemFailures":[]}`)}, ""},
		"a null list":                    {streamreader.Result{Payload: []byte(`{"batchItemFailures":null}`)}, ""},
		"an empty answer":                {streamreader.Result{Payload: []byte(`{}`)}, ""},
		"a null answer":                  {streamreader.Result{Payload: []byte(`null`)}, ""},
		"no answer":                      {streamreader.Result{}, ""},
		"one record":                     {naming("3"), "3 4"},
		"the lowest of several":          {naming("4", "2", "3"), "2 3 4"},
		"the last":                       {naming("4"), "4"},
		"an empty identifier":            {naming(""), "1 2 3 4"},
		"a record and an empty one":      {naming("3", ""), "1 2 3 4"},
		"a null identifier":              {streamreader.Result{Payload: []byte(`{"batchItemFailures":[{"itemIdentifier":null}]}`)}, "1 2 3 4"},
		"another key name":               {streamreader.Result{Payload: []byte(`{"batchItemFailures":[{"sequenceNumber":"3"}]}`)}, "1 2 3 4"},
		"an identifier of another batch": {naming("99"), "1 2 3 4"},
		"an identifier that is no text":  {streamreader.Result{Payload: []byte(`{"batchItemFailures":[{"itemIdentifier":3}]}`)}, "1 2 3 4"},
		"no object":                      {streamreader.Result{Payload: []byte(`"ok"`)}, "1 2 3 4"},
		"an error":                       {streamreader.Result{Failed: true}, "1 2 3 4"},
		// A list under a key that Lambda does not know is no list: success, and
		// the records are gone.
		"another name of the list": {streamreader.Result{Payload: []byte(`{"BatchItemFailures":[{"itemIdentifier":"3"}]}`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, usual(), streamreader.Assume{})
			w.put("s", 1, 4)
			w.do = func(call streamreader.Call) (streamreader.Result, time.Duration) {
				if len(w.handed) == 1 {
					return c.answer, 0
				}
				return streamreader.Result{}, 0
			}
			w.run()
			if c.left == "" {
				w.wantHanded("1 2 3 4")
			} else {
				w.wantHanded("1 2 3 4", c.left)
			}
			w.wantCount(streamreader.Done, 4)
		})
	}
}

func TestWithoutReportedFailuresAPartialAnswerIsNotRead(t *testing.T) {
	t.Parallel()
	m := usual()
	m.ReportBatchItemFailures = false
	w := newWorld(t, m, streamreader.Assume{})
	w.put("s", 1, 4)
	w.do = func(streamreader.Call) (streamreader.Result, time.Duration) { return naming("2"), 0 }
	w.run()
	w.wantHanded("1 2 3 4")
	w.wantCount(streamreader.Done, 4)
}

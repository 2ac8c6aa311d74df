package streamreader

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Result is what became of a call.
type Result struct {
	Throttled bool   // the function was not reached: a throttle, a service error
	Failed    bool   // it returned an error, died or ran into its timeout
	Payload   []byte // what it returned otherwise; nil is null
}

// read tells from which record on a batch is tried again: len(batch) when all
// are settled. Failed is a failure of the whole batch, as an error is.
func (m Mapping) read(a Result, batch []Record) (from int, failed bool) {
	if a.Failed {
		return 0, true
	}
	if !m.ReportBatchItemFailures {
		return len(batch), false
	}
	payload := bytes.TrimSpace(a.Payload)
	if len(payload) == 0 || bytes.Equal(payload, []byte("null")) {
		return len(batch), false
	}
	// By maps, since keys are matched exactly, which Go's fields are not.
	var res map[string]json.RawMessage
	var failures []map[string]any
	if json.Unmarshal(payload, &res) != nil {
		return 0, true
	}
	if list, ok := res["batchItemFailures"]; ok && json.Unmarshal(list, &failures) != nil {
		return 0, true
	}
	from = len(batch)
	for _, f := range failures {
		id, ok := f["itemIdentifier"].(string)
		i := slices.IndexFunc(batch, func(r Record) bool { return r.Sequence == id })
		if !ok || id == "" || i < 0 {
			return 0, true
		}
		from = min(from, i)
	}
	return from, false
}

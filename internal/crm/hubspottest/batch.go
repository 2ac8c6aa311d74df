package hubspottest

import (
	"maps"
	"net/http"
)

type upsertItem struct {
	ID         string            `json:"id"`
	IDProperty string            `json:"idProperty"`
	TraceID    string            `json:"objectWriteTraceId"`
	Properties map[string]string `json:"properties"`
}

// batchAnswer is the answer to a batch; errors make it 207.
type batchAnswer struct {
	Status    string       `json:"status"`
	Results   []wireObject `json:"results"`
	NumErrors int          `json:"numErrors,omitempty"`
	Errors    []*apiError  `json:"errors,omitempty"`
}

// upsertBatch makes or updates each input's record by a unique property. The
// request as a whole is refused if it is malformed or beyond 100 inputs, and,
// since "partial upserts are not supported when using email as the
// idProperty", if one input by e-mail fails. Else each input stands alone.
func upsertBatch(s *Server, t *tx, r request) (int, any, *apiError) {
	var in struct {
		Inputs []upsertItem `json:"inputs"`
	}
	if failed := r.decode(&in); failed != nil {
		return 0, nil, failed
	}
	if len(in.Inputs) == 0 || len(in.Inputs) > 100 {
		return 0, nil, invalid("The number of inputs must be from 1 to 100", "")
	}
	seen := map[string]bool{}
	for _, item := range in.Inputs {
		if !t.defs[r.kind][item.IDProperty].Unique {
			return 0, nil, notUnique(r.kind, item.IDProperty)
		}
		key := item.IDProperty + "\x00" + foldValue(item.IDProperty, item.ID)
		if item.ID == "" || seen[key] {
			return 0, nil, invalid("Duplicate or empty IDs found in batch input", "")
		}
		seen[key] = true
	}

	out := batchAnswer{Status: "COMPLETE", Results: []wireObject{}}
	for _, item := range in.Inputs {
		rec, made, failed := s.upsertOne(t, r.kind, item)
		if failed != nil {
			if item.IDProperty == "email" || s.opts.WholeBatch && len(in.Inputs) == 1 {
				return 0, nil, failed
			}
			failed.Context = map[string][]string{"id": {item.ID}, "objectWriteTraceId": {item.TraceID}}
			out.Errors = append(out.Errors, failed)
			continue
		}
		o := wire(rec, nil)
		o.New, o.TraceID = &made, item.TraceID
		out.Results = append(out.Results, o)
	}
	if out.NumErrors = len(out.Errors); out.NumErrors > 0 {
		return http.StatusMultiStatus, out, nil
	}
	return http.StatusOK, out, nil
}

func (s *Server) upsertOne(t *tx, kind string, item upsertItem) (rec *Record, made bool, failed *apiError) {
	if failed := writable(item.Properties); failed != nil {
		return nil, false, failed
	}
	if found := t.find(kind, item.IDProperty, item.ID); found != nil {
		rec, failed = s.update(t, found, item.Properties)
		return rec, false, failed
	}
	props := maps.Clone(item.Properties)
	if props == nil {
		props = map[string]string{}
	}
	if v, ok := props[item.IDProperty]; ok && foldValue(item.IDProperty, v) != foldValue(item.IDProperty, item.ID) {
		return nil, false, invalid("The idProperty's value differs from the input's id", "")
	}
	props[item.IDProperty] = item.ID
	rec, failed = s.create(t, kind, props)
	return rec, true, failed
}

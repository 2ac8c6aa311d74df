package salesforcetest

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// failure is an error of the API.
type failure struct {
	status        int
	code, message string
}

func bad(code, message string) *failure { return &failure{http.StatusBadRequest, code, message} }

// answer is what a request is answered with.
type answer struct {
	status   int
	modified time.Time // of the record, for the header
	body     any       // nil is none
}

// refusal is an error as the API sends it: a list.
func refusal(f *failure) answer {
	return answer{status: f.status, body: []any{map[string]any{"errorCode": f.code, "message": f.message, "fields": []string{}}}}
}

// wire is a record as JSON has it; a field without a value is null.
func (o *Org) wire(object string, r *Record, names []string) map[string]any {
	out := map[string]any{"attributes": map[string]string{"type": object, "url": "/services/data/v66.0/sobjects/" + object + "/" + r.ID}}
	for _, name := range names {
		v, ok := r.Fields[name]
		switch out[name] = nil; {
		case o.field(object, name).Type == "boolean":
			out[name] = v == "true"
		case ok:
			out[name] = v
		}
	}
	for name, v := range map[string]string{"Id": r.ID, "LastModifiedDate": r.Modified.Format("2006-01-02T15:04:05.000-0700")} {
		if _, asked := out[name]; asked {
			out[name] = v
		}
	}
	return out
}

// ServeHTTP serves the login and the API.
func (o *Org) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.busy.Add(1)
	defer o.busy.Done()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller is gone; it has sent no whole request
	}
	if r.URL.Path == "/services/oauth2/token" {
		var out answer
		o.locked(func() { out = o.login(r, string(body)) })
		o.send(w, out)
		return
	}
	n, f := o.received(r)
	out := answer{}
	switch f.Kind {
	case FailBefore:
		out = refusal(&failure{http.StatusInternalServerError, "UNKNOWN_EXCEPTION", "An unexpected error occurred"})
	case Throttle:
		out = refusal(&failure{http.StatusForbidden, "REQUEST_LIMIT_EXCEEDED", "TotalRequests Limit exceeded."})
	case Locked:
		out = refusal(bad("UNABLE_TO_LOCK_ROW", "unable to obtain exclusive access to this record"))
	case CutBefore:
		panic(http.ErrAbortHandler)
	default:
		if f.Kind == Expired {
			o.EndSessions()
		}
		out = o.act(r, body, f)
	}
	if f.Kind == CutAfter {
		panic(http.ErrAbortHandler)
	}
	if f.Kind == FailAfter {
		out = refusal(&failure{http.StatusServiceUnavailable, "SERVER_UNAVAILABLE", "server unavailable"})
	}
	o.locked(func() { o.calls[n].Status = out.status })
	o.send(w, out)
}

func (o *Org) send(w http.ResponseWriter, out answer) {
	if !out.modified.IsZero() {
		w.Header().Set("Last-Modified", out.modified.Format(http.TimeFormat))
	}
	if out.body == nil {
		w.WriteHeader(out.status)
		return
	}
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	w.WriteHeader(out.status)
	_ = json.NewEncoder(w).Encode(out.body)
}

var pathForm = regexp.MustCompile(`^/services/data/v[0-9]{2}\.0/(.*)$`)

// act does a request. A write has two steps: what it is about is looked up, and
// then it is saved; another may come between.
func (o *Org) act(r *http.Request, body []byte, f Fault) (out answer) {
	save := func() answer { return out }
	o.locked(func() { out, save = o.begin(r, body) })
	if f.Kind == Hold {
		f.Entered()
		<-f.Until
	}
	if save != nil {
		o.locked(func() { out = save() })
	}
	return out
}

func (o *Org) begin(r *http.Request, body []byte) (out answer, save func() answer) {
	if !o.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] {
		return refusal(&failure{http.StatusUnauthorized, "INVALID_SESSION_ID", "Session expired or invalid"}), nil
	}
	if o.opts.Limit > 0 && len(o.calls) > o.opts.Limit {
		return refusal(&failure{http.StatusForbidden, "REQUEST_LIMIT_EXCEEDED", "TotalRequests Limit exceeded."}), nil
	}
	nowhere := refusal(&failure{http.StatusNotFound, "NOT_FOUND", "The requested resource does not exist"})
	m := pathForm.FindStringSubmatch(r.URL.Path)
	if m == nil {
		return nowhere, nil
	}
	parts := strings.Split(m[1], "/")
	for len(parts) < 5 {
		parts = append(parts, "")
	}
	object, second, third := parts[1], parts[2], parts[3]
	switch {
	case m[1] == "query" && r.Method == http.MethodGet:
		return o.query(r.FormValue("q")), nil
	case m[1] == "tooling/sobjects/CustomField" && r.Method == http.MethodPost:
		return o.makeField(body), nil
	case parts[0] != "sobjects" || o.fields[object] == nil || parts[4] != "":
		return nowhere, nil
	case second == "describe" && third == "" && r.Method == http.MethodGet:
		return o.describe(object), nil
	case second == "" && r.Method == http.MethodPost:
		return out, o.upsert(r, object, "", "", body)
	case third != "":
		return o.external(r, object, second, third, body)
	case second == "" || r.Method != http.MethodGet && r.Method != http.MethodPatch && r.Method != http.MethodDelete:
		return refusal(&failure{http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "HTTP Method not allowed"}), nil
	}
	found := o.row(object, second)
	switch {
	case found == nil || found.Hidden:
		return nowhere, nil
	case r.Method == http.MethodPatch:
		return out, func() answer { return o.change(r, object, found, body, "") }
	case r.Method == http.MethodDelete:
		return out, func() answer { return o.remove(found) }
	}
	return o.read(r, object, found), nil
}

package salesforcetest

import (
	"net/http"
	"strings"
	"time"
)

func (o *Org) read(r *http.Request, object string, found *Record) answer {
	if found.Deleted {
		return refusal(&failure{http.StatusNotFound, "ENTITY_IS_DELETED", "entity is deleted"})
	}
	var names []string
	if asked := r.FormValue("fields"); asked != "" {
		names = strings.Split(asked, ",")
	} else {
		for _, f := range o.fields[object] {
			names = append(names, f.Name)
		}
	}
	for _, name := range names {
		if o.field(object, name) == nil {
			return refusal(bad("INVALID_FIELD", "No such column '"+name+"' on entity '"+object+"'"))
		}
	}
	return answer{status: http.StatusOK, modified: found.Modified, body: o.wire(object, found, names)}
}

// external is a request by an external ID: the record is looked up before it is
// saved.
func (o *Org) external(r *http.Request, object, name, value string, body []byte) (answer, func() answer) {
	f := o.field(object, name)
	if f == nil || !f.ExternalID {
		return refusal(&failure{http.StatusNotFound, "NOT_FOUND", "Provided external ID field does not exist or is not accessible: " + name}), nil
	}
	hits := o.seen(object, func(x *Record) bool {
		has := x.Fields[f.Name]
		return has == value || f.Unique && has != "" && f.same(has, value)
	})
	nobody := refusal(&failure{http.StatusNotFound, "NOT_FOUND", "The requested resource does not exist"})
	switch {
	case len(hits) > 1:
		var urls []string
		for _, h := range hits {
			urls = append(urls, "/services/data/v66.0/sobjects/"+object+"/"+h.ID)
		}
		return answer{status: http.StatusMultipleChoices, body: urls}, nil
	case r.Method == http.MethodGet && len(hits) == 1:
		return o.read(r, object, hits[0]), nil
	case r.Method == http.MethodPatch && len(hits) == 1:
		return answer{}, func() answer { return o.change(r, object, hits[0], body, f.Name) }
	case r.Method == http.MethodPatch && r.FormValue("updateOnly") != "true":
		return answer{}, o.upsert(r, object, f.Name, value, body)
	}
	return nobody, nil
}

// upsert makes a record for which no other was found.
func (o *Org) upsert(r *http.Request, object, external, value string, body []byte) func() answer {
	return func() answer {
		values, failed := o.values(object, body, external)
		if failed != nil {
			return refusal(failed)
		}
		if external != "" {
			values[external] = value
		}
		made, failed := o.save(object, &Record{}, values, r.Header)
		if failed != nil {
			return refusal(failed)
		}
		out := map[string]any{"id": made.ID, "success": true, "errors": []string{}}
		if external != "" {
			out["created"] = true
		}
		return answer{status: http.StatusCreated, body: out}
	}
}

// remove puts a record into the recycle bin.
func (o *Org) remove(found *Record) answer {
	if found.Deleted {
		return refusal(&failure{http.StatusNotFound, "ENTITY_IS_DELETED", "entity is deleted"})
	}
	found.Deleted = true
	return answer{status: http.StatusNoContent}
}

// change writes to a record if it is as the request's condition says.
func (o *Org) change(r *http.Request, object string, found *Record, body []byte, external string) answer {
	if found.Deleted {
		return refusal(&failure{http.StatusNotFound, "ENTITY_IS_DELETED", "entity is deleted"})
	}
	if since := r.Header.Get("If-Unmodified-Since"); since != "" {
		at, err := time.Parse(http.TimeFormat, since)
		switch {
		case err != nil:
			return refusal(bad("INVALID_HEADER", "If-Unmodified-Since"))
		case found.Modified.Truncate(time.Second).After(at):
			return answer{status: http.StatusPreconditionFailed}
		}
	}
	values, failed := o.values(object, body, external)
	if failed == nil {
		_, failed = o.save(object, found, values, r.Header)
	}
	switch {
	case failed != nil:
		return refusal(failed)
	case external != "":
		return answer{status: http.StatusOK, body: map[string]any{"id": found.ID, "success": true, "created": false, "errors": []string{}}}
	}
	return answer{status: http.StatusNoContent}
}

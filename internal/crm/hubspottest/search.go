package hubspottest

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// searchObjects answers from the index, which does not show changes younger
// than the lag. It knows the operator EQ, all filters of a group and any group.
func searchObjects(_ *Server, t *tx, r request) (int, any, *apiError) {
	var in struct {
		Groups []struct {
			Filters []struct {
				Property string `json:"propertyName"`
				Operator string `json:"operator"`
				Value    string `json:"value"`
			} `json:"filters"`
		} `json:"filterGroups"`
		Properties []string `json:"properties"`
	}
	if failed := r.decode(&in); failed != nil {
		return 0, nil, failed
	}
	results := []wireObject{}
	for _, rec := range t.indexed(r.kind) {
		matches := len(in.Groups) == 0
		for _, g := range in.Groups {
			all := true
			for _, f := range g.Filters {
				if f.Operator != "EQ" {
					return 0, nil, invalid("Only the operator EQ is supported here", "")
				}
				all = all && foldValue(f.Property, rec.Properties[f.Property]) == foldValue(f.Property, f.Value)
			}
			matches = matches || all
		}
		if matches {
			results = append(results, wire(rec, in.Properties))
		}
	}
	return http.StatusOK, map[string]any{"total": len(results), "results": results}, nil
}

// indexed are the records as the index has them.
func (t *tx) indexed(kind string) []*Record {
	var out []*Record
	for key, versions := range t.seen {
		if !strings.HasPrefix(key, kind+"/") {
			continue
		}
		v := visible(versions, t.old)[0]
		if !v.UpdatedAt.After(t.old) && !v.Archived {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b *Record) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// visible drops the versions that one not younger than the time has replaced.
func visible(versions []*Record, at time.Time) []*Record {
	for i := len(versions) - 1; i > 0; i-- {
		if !versions[i].UpdatedAt.After(at) {
			return versions[i:]
		}
	}
	return versions
}

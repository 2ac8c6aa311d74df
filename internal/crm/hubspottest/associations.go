package hubspottest

import (
	"net/http"
	"slices"
	"strings"
)

// associate makes the default association; repeated, it changes nothing.
func associate(_ *Server, t *tx, r request) (int, any, *apiError) {
	from, failed := t.target(r)
	if failed != nil {
		return 0, nil, failed
	}
	toKind, toID := r.PathValue("toKind"), r.PathValue("toID")
	if t.live(toKind, toID) == nil {
		return 0, nil, notFound()
	}
	link := toKind + "/" + toID
	if !slices.Contains(from.Associations, link) {
		next := from.clone()
		next.Associations = append(next.Associations, link)
		t.save(next)
	}
	return http.StatusOK, map[string]any{
		"status": "COMPLETE",
		"results": []any{map[string]any{
			"from": map[string]string{"id": from.ID},
			"to":   map[string]string{"id": toID},
		}},
	}, nil
}

// listAssociations gives the links of a record, from whichever side made them.
func listAssociations(_ *Server, t *tx, r request) (int, any, *apiError) {
	rec, failed := t.target(r)
	if failed != nil {
		return 0, nil, failed
	}
	toKind := r.PathValue("toKind")
	results := []map[string]string{}
	for _, link := range rec.Associations {
		if kind, id, _ := strings.Cut(link, "/"); kind == toKind {
			results = append(results, map[string]string{"toObjectId": id})
		}
	}
	for _, other := range t.list(toKind) {
		if slices.Contains(other.Associations, rec.Type+"/"+rec.ID) {
			results = append(results, map[string]string{"toObjectId": other.ID})
		}
	}
	return http.StatusOK, map[string]any{"results": results}, nil
}

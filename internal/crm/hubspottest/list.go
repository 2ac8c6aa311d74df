package hubspottest

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// listObjects gives a page of the records that are not archived, in the order of
// their IDs, after the one that the cursor names; that one may be archived by
// now. It is no search: there is no index that lags.
func listObjects(_ *Server, t *tx, r request) (int, any, *apiError) {
	q := r.URL.Query()
	limit := 10
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 100 {
			return 0, nil, invalid("limit must be from 1 to 100", "")
		}
		limit = n
	}
	after, err := int64(0), error(nil)
	if text := q.Get("after"); text != "" {
		if after, err = strconv.ParseInt(text, 10, 64); err != nil {
			return 0, nil, invalid("after is not a cursor", "")
		}
	}
	if q.Get("archived") == "true" {
		return 0, nil, invalid("Only records that are not archived are listed here", "")
	}
	var names []string
	if list := q.Get("properties"); list != "" {
		names = strings.Split(list, ",")
	}
	answer := map[string]any{}
	results := []wireObject{}
	for _, rec := range t.list(r.kind) {
		if id, _ := strconv.ParseInt(rec.ID, 10, 64); id <= after {
			continue
		}
		if len(results) == limit {
			last := results[limit-1].ID
			next := url.Values{"after": {last}, "limit": {strconv.Itoa(limit)}}
			answer["paging"] = map[string]any{"next": map[string]string{"after": last, "link": "?" + next.Encode()}}
			break
		}
		results = append(results, wire(&rec, names))
	}
	answer["results"] = results
	return http.StatusOK, answer, nil
}

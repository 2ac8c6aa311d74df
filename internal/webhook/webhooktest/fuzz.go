package webhooktest

import (
	"bytes"
	"sort"
	"strings"
	"testing"

	"onefold/internal/webhook"
)

// Fuzz gives a source any headers and bytes: it never panics, says nothing of
// an event in an error, and of a source with proof takes only the body that
// was signed.
func Fuzz(f *testing.F, k Kit) {
	good := k.request(f, "one")
	f.Add(good.Method, block(good.Headers), good.Body)
	f.Add("GET", "", []byte(nil))
	f.Add("OPTIONS", block(good.Headers), []byte("{}"))
	f.Add("POST", strings.ReplaceAll(block(good.Headers), ",", ",,"), good.Body)
	f.Add("POST", block(k.Request(f, k.Secrets[2], k.Now, "one").Headers), good.Body)
	f.Add("POST", block(good.Headers), bytes.Repeat([]byte("[{"), 50))
	f.Fuzz(func(t *testing.T, method, headers string, body []byte) {
		r := webhook.Request{Method: method, URL: good.URL, Headers: webhook.Header{}, Body: body}
		for line := range strings.SplitSeq(headers, "\n") {
			if name, value, ok := strings.Cut(line, ": "); ok {
				r.Headers[strings.ToLower(name)] = value
			}
		}
		set := k.usual(t)
		got, err := k.Source.Open(r, set)
		if err != nil {
			if len(got.Deliveries) > 0 || got.Reply != nil || got.Visit != "" {
				t.Fatal("an error beside an event")
			}
			return
		}
		if len(got.Deliveries) > webhook.MaxDeliveries {
			t.Fatalf("%d deliveries", len(got.Deliveries))
		}
		for _, d := range got.Deliveries {
			whole(t, d)
		}
		if !k.Source.About().Public && !k.BodyUncovered && !bytes.Equal(body, good.Body) {
			t.Fatal("taken: a body that nobody signed")
		}
	})
}

func block(h webhook.Header) string {
	var lines []string
	for name, value := range h {
		lines = append(lines, name+": "+value)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

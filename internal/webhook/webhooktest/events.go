package webhooktest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
)

func valid(t *testing.T, k Kit) {
	got := k.opens(t, k.request(t, "one"), k.usual(t))
	if len(got) != 1 {
		t.Fatalf("%d deliveries, want 1", len(got))
	}
	other := k.opens(t, k.request(t, "two"), k.usual(t))
	if other[0].ID == got[0].ID {
		t.Error("two events have one ID")
	}
	if other[0].Once != "" && other[0].Once == got[0].Once {
		t.Error("two events have one word to be used once")
	}
}

func repeated(t *testing.T, k Kit) {
	first := k.opens(t, k.request(t, "one"), k.usual(t))
	k.Now = k.Now.Add(90 * time.Second) // the sender's next try, signed anew
	again := k.opens(t, k.request(t, "one"), k.usual(t))
	if !same(first, again) {
		t.Errorf("the second try is another event: %q and %q, the same content: %t", first[0].ID, again[0].ID, first[0].Fingerprint == again[0].Fingerprint)
	}
}

func batch(t *testing.T, k Kit) {
	if !k.Batch {
		return
	}
	all := k.opens(t, k.request(t, "one", "two", "three"), k.usual(t))
	if len(all) != 3 {
		t.Fatalf("%d deliveries, want 3", len(all))
	}
	for i, event := range []string{"one", "two", "three"} {
		// However the sender groups them next time, each is the event it was.
		alone := k.opens(t, k.request(t, event), k.usual(t))
		if !same(alone, all[i:i+1]) {
			t.Errorf("event %d has another ID or content alone than among others", i+1)
		}
	}
}

// headers: of HTTP, names have no case and the order of different headers has
// no meaning; a gateway may join duplicates.
func headers(t *testing.T, k Kit) {
	r := k.request(t, "one")
	want := k.opens(t, r, k.usual(t))
	for name, spell := range map[string]func(string) string{"upper": strings.ToUpper, "mixed": mixed} {
		all := map[string][]string{}
		for header, value := range r.Headers {
			all[spell(header)] = []string{value}
		}
		spelt := clone(r)
		spelt.Headers = webhook.HeaderOf(all)
		if got := k.opens(t, spelt, k.usual(t)); !same(got, want) {
			t.Errorf("headers in %s case: another event", name)
		}
	}
	for header, value := range r.Headers {
		for _, joined := range []string{value + "," + value, value + ", " + value, "x," + value, value + ",x"} {
			twice := clone(r)
			twice.Headers[header] = joined
			got, err := k.Source.Open(twice, k.usual(t))
			if err == nil && len(got.Deliveries) > 0 && !k.sameOf(header, got.Deliveries, want) {
				t.Errorf("%s twice: another event", header)
			}
		}
	}
	more := clone(r)
	more.Headers["x-of-nobody"], more.Headers["user-agent"] = "1", "sample/1.0"
	if got := k.opens(t, more, k.usual(t)); !same(got, want) {
		t.Error("headers of others make another event")
	}
}

func mixed(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// sameOf tells whether a request with a changed header is still the same event:
// by its ID, or, where the header is one that the proof does not cover, by the
// word that the sender uses once.
func (k Kit) sameOf(header string, got, want []webhook.Delivery) bool {
	for i := range got {
		if len(got) != len(want) || got[i].Once != want[i].Once {
			return false
		}
	}
	return same(got, want) || slices.Contains(k.Uncovered, header) && len(got) == 1 && got[0].Once != ""
}

func mediaType(t *testing.T, k Kit) {
	r := k.request(t, "one")
	want := k.opens(t, r, k.usual(t))
	for _, media := range []string{"", "application/octet-stream", "text/x-nothing", ";;;"} {
		typed := clone(r)
		typed.Headers["content-type"] = media
		got, err := k.Source.Open(typed, k.usual(t))
		switch {
		case err != nil && !errors.Is(err, webhook.ErrKind) && !errors.Is(err, webhook.ErrMalformed):
			t.Errorf("%q: %v, want ErrKind or ErrMalformed", media, err)
		case err == nil && !same(got.Deliveries, want):
			t.Errorf("%q: another event", media)
		}
	}
}

func sizes(t *testing.T, k Kit) {
	about := k.Source.About()
	for name, body := range map[string][]byte{
		"empty": {}, "largest, of zeros": make([]byte, about.MaxBody),
		"largest, nested":    []byte(strings.Repeat("[", about.MaxBody)),
		"largest, separated": []byte(strings.Repeat("&", about.MaxBody)),
	} {
		r := k.request(t, "one")
		r.Body = body
		start := time.Now()
		got, err := k.Source.Open(r, k.usual(t))
		if err == nil && len(got.Deliveries) > 0 && !k.BodyUncovered {
			t.Errorf("%s: taken", name)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: answered after %s", name, took)
		}
	}
}

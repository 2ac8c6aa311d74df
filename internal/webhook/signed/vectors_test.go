package signed_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/signed"
)

// vector is a signature that others made; its origin says who.
type vector struct {
	Scheme, Origin, Source, Secret, Body string
	At                                   int64
	Headers                              webhook.Header
}

func vectors(t *testing.T) []vector {
	t.Helper()
	b, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func preset(t *testing.T, scheme string) signed.Source {
	t.Helper()
	for _, p := range signed.Presets() {
		if p.About.Scheme == scheme {
			return source(t, p.Scheme, p.About)
		}
	}
	t.Fatalf("no preset %s", scheme)
	return signed.Source{}
}

// TestVectorsOfOthersVerify: the bodies of the vectors are no events (some are
// no JSON), so what is told of them is that they are malformed, which nobody is
// told of a body that is not authentic.
func TestVectorsOfOthersVerify(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	for _, v := range vectors(t) {
		met[v.Scheme] = true
		s, err := webhook.TextSecret(v.Secret)
		if err != nil {
			t.Fatal(err)
		}
		set := webhook.Setting{Content: webhook.ContentForm, Secrets: []webhook.Secret{s}, Now: time.Unix(v.At, 0)}
		r := webhook.Request{Method: "POST", Headers: v.Headers, Body: []byte(v.Body)}
		got, err := preset(t, v.Scheme).Open(r, set)
		if err != nil && !errors.Is(err, webhook.ErrMalformed) && !errors.Is(err, webhook.ErrBadID) {
			t.Errorf("%s: %v, want it authentic", v.Source, err)
		}
		if err == nil && len(got.Deliveries) != 1 {
			t.Errorf("%s: %+v", v.Source, got)
		}
		r.Body = append(r.Body, ' ')
		if _, err := preset(t, v.Scheme).Open(r, set); !errors.Is(err, webhook.ErrBadSignature) {
			t.Errorf("%s with a byte more: %v, want ErrBadSignature", v.Source, err)
		}
		if v.Origin == "" || !strings.HasPrefix(v.Source, "https://") {
			t.Errorf("%s: a vector without its origin", v.Scheme)
		}
	}
	if len(met) != len(signed.Presets()) {
		t.Errorf("vectors of %d schemes, and there are %d", len(met), len(signed.Presets()))
	}
}

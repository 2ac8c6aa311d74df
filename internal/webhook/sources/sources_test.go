package sources_test

import (
	"errors"
	"testing"

	"onefold/internal/webhook/signed"
	"onefold/internal/webhook/sources"
)

func TestEachSchemeIsThereOnceUnderItsOwnWord(t *testing.T) {
	t.Parallel()
	all, err := sources.All()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range all {
		a := s.About()
		if seen[a.Scheme] || seen[a.Name] {
			t.Errorf("%s is there twice", a.Scheme)
		}
		seen[a.Scheme], seen[a.Name] = true, true
		made, err := sources.New(a.Scheme, sources.Options{
			Origins: []string{"https://www.demo.example"}, HMAC: &signed.Scheme{Header: "x-sig", ID: signed.ID{Header: "x-id"}},
			Topics: []string{"arn:aws:sns:eu-west-1:123456789012:mail"}, PublicURL: "https://hooks.demo.example/v1/demo/x",
		})
		if err != nil || made.About().Scheme != a.Scheme {
			t.Errorf("%s: %v", a.Scheme, err)
		}
	}
	if _, err := sources.New("none", sources.Options{}); !errors.Is(err, sources.ErrUnknown) {
		t.Errorf("%v, want ErrUnknown", err)
	}
	for _, scheme := range []string{"hmac", "own-form", "sns"} {
		if _, err := sources.New(scheme, sources.Options{}); err == nil || errors.Is(err, sources.ErrUnknown) {
			t.Errorf("%s without its options: %v", scheme, err)
		}
	}
}

package webhook_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"onefold/internal/webhook"
)

// RFC 6901, section 5, as far as its values are texts or numbers.
func TestPointersAreThoseOfRFC6901(t *testing.T) {
	t.Parallel()
	tree, err := webhook.ReadJSON([]byte(`{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}`))
	if err != nil {
		t.Fatal(err)
	}
	const space = " "
	for pointer, want := range map[string]string{
		"/foo/0": "bar", "/": "0", "/a~1b": "1", "/c%d": "2", "/e^f": "3", "/g|h": "4", `/i\j`: "5", `/k"l`: "6", "/" + space: "7", "/m~0n": "8",
		"": "", "/foo": "", "/foo/2": "", "/foo/-": "", "/foo/00": "", "/foo/bar": "", "/nothing": "", "foo": "",
	} {
		if got := webhook.TextAt(tree, pointer); got != want {
			t.Errorf("%q: %q, want %q", pointer, got, want)
		}
	}
}

func TestAFingerprintLeavesOutWhatChangesBetweenTries(t *testing.T) {
	t.Parallel()
	print := func(body string, without ...string) string {
		tree, err := webhook.ReadJSON([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := webhook.FingerprintWithout(tree, without)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := print(`{"id":1,"attempt":0,"deep":{"try":1,"a/b":9}}`, "/attempt", "/deep/try", "/deep/a~1b")
	if again := print(`{"attempt":7,"deep":{},"id":1}`, "/attempt", "/deep/try", "/deep/a~1b", "/not/there", ""); again != first {
		t.Error("a second try is other content")
	}
	if other := print(`{"id":2,"attempt":0,"deep":{}}`, "/attempt"); other == first {
		t.Error("other content is the same")
	}
	if print(`{"n":9007199254740993}`) == print(`{"n":9007199254740992}`) {
		t.Error("large numbers were rounded")
	}
}

func TestJSONIsOneValueInUTF8(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{", `{}{}`, `{} x`, "\xff", `{"a":"` + "\xff" + `"}`, "\ufeff{}", strings.Repeat("[", 20_000)} {
		if _, err := webhook.ReadJSON([]byte(body)); !errors.Is(err, webhook.ErrMalformed) {
			t.Errorf("%.20q: %v, want ErrMalformed", body, err)
		}
	}
	if tree, err := webhook.ReadJSON([]byte(" 12 ")); err != nil || tree != json.Number("12") {
		t.Errorf("%v, %v", tree, err)
	}
}

func TestADerivedIDIsOfEachPartAndItsPlace(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range [][]string{{"a", "b", "c"}, {"b", "a", "c"}, {"ab", "c", "d"}, {"a", "bc", "d"}, {"a", "b", "c", ""}, {"a", "b", "c", "d"}} {
		id, err := webhook.DerivedID(p[0], p[1], p[2], p[3:]...)
		if err != nil || !webhook.ValidID(id) || seen[id] {
			t.Errorf("%v: %q, %v", p, id, err)
		}
		seen[id] = true
	}
	for _, p := range [][3]string{{"", "b", "c"}, {"a", "", "c"}, {"a", "b", ""}} {
		if _, err := webhook.DerivedID(p[0], p[1], p[2]); !errors.Is(err, webhook.ErrBadID) {
			t.Errorf("%v: %v, want ErrBadID", p, err)
		}
	}
}

func TestHeadersThatStandTwiceAreJoined(t *testing.T) {
	t.Parallel()
	h := webhook.HeaderOf(map[string][]string{"X-Sig": {"a", "b"}, "Content-Type": {"Application/JSON; charset=utf-8"}})
	if h.Get("x-SIG") != "a,b" || h.Get("none") != "" || h.MediaType() != "application/json" {
		t.Errorf("%v", h)
	}
}

func TestATextSecretShowsNothingOfItself(t *testing.T) {
	t.Parallel()
	s, err := webhook.TextSecret("  hunter2 of a provider\n")
	if err != nil || s.Text() != "hunter2 of a provider" || s.IsZero() {
		t.Fatalf("%v", err)
	}
	for _, bad := range []string{"", " \n", strings.Repeat("x", 4097), "whsk_private", "whpk_public"} {
		if _, err := webhook.TextSecret(bad); err == nil || len(bad) > 2 && strings.Contains(err.Error(), bad) {
			t.Errorf("%.10q: %v", bad, err)
		}
	}
	if webhook.Sign(s, "x", base, nil) != "" {
		t.Error("a text that is no key of the scheme signs")
	}
}

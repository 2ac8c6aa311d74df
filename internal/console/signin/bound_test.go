package signin_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// RFC 6749 section 4.1.3: a client that does not authenticate says its ID in the
// form, and a code is taken once: an issuer that sees a malformed request may
// count the code as used.
func TestACodeIsSentOnceAndByAClientWithoutASecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	state := w.leave(t, "/demo/")
	if res := w.back(state, "code"); res.StatusCode != http.StatusSeeOther {
		t.Errorf("%d, log %s", res.StatusCode, w.logs.String())
	}
	if len(w.is.redeemed) != 1 || w.is.redeemed[0] != "client, no password" {
		t.Errorf("redeemed %q", w.is.redeemed)
	}
}

// RFC 6265 section 6.1: 4,096 bytes are what every browser keeps of a cookie. One
// that is larger is not kept at all, and the sign-in would begin for ever anew.
func TestEachCookieIsOneThatABrowserKeeps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var groups []string
	for n := range 80 {
		groups = append(groups, fmt.Sprintf("tenant:%02d-%s", n, strings.Repeat("x", 37)), fmt.Sprintf("tenant:%s %d", strings.Repeat("<", 110), n))
	}
	w.is.claims = map[string]any{"email": strings.Repeat("<", 100), "cognito:groups": groups}
	state := w.leave(t, "/demo/?"+strings.Repeat("&", 900))
	if res := w.back(state, "code"); res.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d, log %s", res.StatusCode, w.logs.String())
	}
	res := w.b.do(http.MethodGet, "https://api.example.com/console/demo/")
	if res.StatusCode != http.StatusOK {
		t.Errorf("%d", res.StatusCode)
	}
	if w.b.largest > 4096 {
		t.Errorf("a cookie of %d bytes", w.b.largest)
	}
}

// A group names a tenant in the form that tenants have; anything else is no
// group of ours, and shown to nobody.
func TestAGroupThatNamesNoTenantGivesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.is.claims = map[string]any{"cognito:groups": []string{"tenant:../demo", "tenant:Demo", "tenant:", "tenant:de mo", "xtenant:demo", "tenant:shop"}}
	w.back(w.leave(t, "/"), "code")
	for _, c := range w.b.cookies {
		text, _, _ := strings.Cut(c.Value, ".")
		var s struct {
			Value struct {
				Tenants []string `json:"tenants"`
			} `json:"value"`
		}
		if err := json.Unmarshal(decoded(t, text), &s); err != nil || len(s.Value.Tenants) != 1 || s.Value.Tenants[0] != "shop" {
			t.Errorf("tenants %q, %v", s.Value.Tenants, err)
		}
	}
}

// An answer is signed by what the issuer knows a person by. A display name is
// nobody's alone, and at many issuers its owner's to change.
func TestADisplayNameSignsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		claims map[string]any
		want   string
	}{
		"an address":      {map[string]any{"name": "Ada, the other one", "cognito:username": "u-1"}, "grace@example.com"},
		"no address":      {map[string]any{"name": "Ada, the other one", "email": "", "cognito:username": "u-1"}, "u-1"},
		"nothing but IDs": {map[string]any{"name": "Ada, the other one", "email": ""}, "s-1"},
	} {
		w := newWorld(t)
		w.is.claims = c.claims
		w.back(w.leave(t, "/"), "code")
		res := w.b.do(http.MethodGet, "https://api.example.com/console/demo/")
		body, _ := io.ReadAll(res.Body)
		if s := string(body); !strings.Contains(s, "<bdi>"+c.want+"</bdi>") || strings.Contains(s, "Ada") {
			t.Errorf("%s: %s", name, s)
		}
	}
}

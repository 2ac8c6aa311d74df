package salesforcetest_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/crm/salesforcetest"
)

var key = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

// begins is when an org's time stands still.
var begins = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// assertion is one that is accepted, with other claims; "alg" is its header's.
func assertion(t *testing.T, change map[string]any) string {
	t.Helper()
	claims := map[string]any{"iss": "client", "sub": "u@example.com", "aud": "https://login.example.com", "exp": begins.Add(2 * time.Minute).Unix()}
	maps.Copy(claims, change)
	alg := "RS256"
	if a, is := change["alg"].(string); is {
		alg = a
	}
	body, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"`+alg+`"}`)) + "." + base64.RawURLEncoding.EncodeToString(body)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key(), crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func post(t *testing.T, h http.Handler, form url.Values) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/services/oauth2/token", strings.NewReader(form.Encode())))
	var out map[string]string
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || (w.Code == http.StatusOK) != (out["access_token"] != "") {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return out
}

const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

func login(t *testing.T, h http.Handler, change map[string]any) map[string]string {
	t.Helper()
	return post(t, h, url.Values{"grant_type": {grant}, "assertion": {assertion(t, change)}})
}

// What help.salesforce.com asks of an assertion (remoteaccess_oauth_jwt_flow).
func TestALoginNeedsASignedAssertionOfAFewMinutes(t *testing.T) {
	t.Parallel()
	o := start(t, salesforcetest.Options{})
	if got := login(t, o, nil); got["instance_url"] == "" || got["token_type"] != "Bearer" {
		t.Errorf("%v", got)
	}
	for _, c := range []struct {
		what   string
		change map[string]any
		code   string
	}{
		{"another app", map[string]any{"iss": "another"}, "invalid_client_id"},
		{"another user", map[string]any{"sub": "v@example.com"}, "invalid_grant"},
		{"another audience", map[string]any{"aud": "https://org.example.com"}, "invalid_grant"},
		{"an assertion that has ended", map[string]any{"exp": begins.Unix()}, "invalid_grant"},
		{"one that lives too long", map[string]any{"exp": begins.Add(4 * time.Minute).Unix()}, "invalid_grant"},
		{"another algorithm", map[string]any{"alg": "none"}, "invalid_grant"},
	} {
		if got := login(t, o, c.change); got["error"] != c.code {
			t.Errorf("%s: %v, want %s", c.what, got, c.code)
		}
	}
	good := assertion(t, nil)
	other := assertion(t, map[string]any{"exp": begins.Add(time.Minute).Unix()})
	forged := good[:strings.LastIndex(good, ".")] + other[strings.LastIndex(other, "."):]
	if got := post(t, o, url.Values{"grant_type": {grant}, "assertion": {forged}}); got["error"] != "invalid_grant" {
		t.Errorf("another's signature: %v", got)
	}
	if got := post(t, o, url.Values{"grant_type": {"password"}, "assertion": {good}}); got["error"] != "unsupported_grant_type" {
		t.Errorf("another grant: %v", got)
	}
	o.Close()
	if got := login(t, o, nil); got["error"] != "invalid_grant" || o.Logins() != 2 {
		t.Errorf("a closed org: %v after %d logins", got, o.Logins())
	}
}

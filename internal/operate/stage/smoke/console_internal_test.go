package smoke

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"onefold/internal/operate/stage"
)

// A console that cannot sign people in still sends /console on to /console/, as
// Go's mux does: that is no sign-in page.
func TestAConsoleThatSignsNobodyInIsNotVerified(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status int // of the first page
		want   Outcome
	}{
		{"it sends to sign in", http.StatusSeeOther, Verified},
		{"it is closed", http.StatusServiceUnavailable, Failed},
		{"the gateway has no such route", http.StatusNotFound, Failed},
	} {
		mux := http.NewServeMux()
		mux.HandleFunc("/console/", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://issuer.example/authorize")
			w.WriteHeader(c.status)
		})
		mux.HandleFunc("/issuer/.well-known/openid-configuration", func(http.ResponseWriter, *http.Request) {})
		web := httptest.NewServer(mux)
		t.Cleanup(web.Close)
		l := &look{
			Options: Options{HTTP: web.Client()}, cloud: &stage.Cloud{},
			outputs: map[string]string{"ConsoleIssuer": web.URL + "/issuer", "ApiUrl": web.URL},
		}
		if got, found := console(t.Context(), l); got != c.want {
			t.Errorf("%s: %s, %s", c.name, got, found)
		}
	}
}

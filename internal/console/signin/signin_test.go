package signin_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"onefold/internal/console"
	"onefold/internal/console/signin"
)

// issuer is a small OpenID provider: it signs whoever asks in as grace, and
// checks the code verifier (RFC 7636 section 4.6).
type issuer struct {
	*httptest.Server
	key    *rsa.PrivateKey
	claims map[string]any // put over the usual ones
	asked  url.Values     // of the latest authorization request
	down   bool
	now    func() time.Time

	redeemed []string // who asked for tokens, each time
}

func newIssuer(t *testing.T, now func() time.Time) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	is := &issuer{key: key, now: now}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		if is.down {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": is.URL, "authorization_endpoint": is.URL + "/authorize", "token_endpoint": is.URL + "/token", "jwks_uri": is.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Algorithm: "RS256", Use: "sig"}}})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		_, _, basic := r.BasicAuth()
		is.redeemed = append(is.redeemed, r.PostFormValue("client_id")+map[bool]string{true: ", a password", false: ", no password"}[basic])
		challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if r.PostFormValue("code") != "code" || base64.RawURLEncoding.EncodeToString(challenge[:]) != is.asked.Get("code_challenge") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":"invalid_grant"}`)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": is.token(t)})
	})
	is.Server = httptest.NewServer(mux)
	t.Cleanup(is.Close)
	return is
}

func (is *issuer) token(t *testing.T) string {
	claims := map[string]any{
		"iss": is.URL, "aud": "client", "sub": "s-1", "exp": is.now().Add(time.Hour).Unix(), "iat": is.now().Unix(),
		"nonce": is.asked.Get("nonce"), "email": "grace@example.com", "cognito:groups": []string{"tenant:demo", "other", "tenant:"},
	}
	maps.Copy(claims, is.claims)
	b, err := json.Marshal(claims)
	if err != nil {
		t.Error(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: is.key, KeyID: "k"}}, nil)
	if err != nil {
		t.Error(err)
		return ""
	}
	signed, err := signer.Sign(b)
	if err != nil {
		t.Error(err)
		return ""
	}
	s, err := signed.CompactSerialize()
	if err != nil {
		t.Error(err)
	}
	return s
}

// browser keeps cookies and follows nothing by itself.
type browser struct {
	t       *testing.T
	site    http.Handler
	cookies map[string]*http.Cookie
	largest int // bytes of a cookie's name, value and attributes
}

func (b *browser) do(method, target string) *http.Response {
	b.t.Helper()
	r := httptest.NewRequestWithContext(b.t.Context(), method, target, http.NoBody)
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	rec := httptest.NewRecorder()
	b.site.ServeHTTP(rec, r)
	res := rec.Result()
	for _, c := range res.Cookies() {
		if !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" || c.SameSite != http.SameSiteLaxMode || !strings.HasPrefix(c.Name, "__Host-") {
			b.t.Errorf("cookie %s can be set or read by others", c.Name)
		}
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
			continue
		}
		b.cookies[c.Name] = c
		b.largest = max(b.largest, len(c.String()))
	}
	return res
}

type world struct {
	is   *issuer
	b    *browser
	keys []string
	at   time.Time
	logs strings.Builder
	fail error
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{keys: []string{"current key of this test"}, at: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	now := func() time.Time { return w.at }
	w.is = newIssuer(t, now)
	g, err := signin.New(signin.Config{
		Issuer: w.is.URL, ClientID: "client", Base: "https://api.example.com/console", Now: now,
		Keys: func(context.Context) ([]string, error) { return w.keys, w.fail },
		Log:  slog.New(slog.NewTextHandler(&w.logs, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	site := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(rw, "%s %s", r.URL.Path, who(r))
	})
	w.b = &browser{t: t, site: g.Guard(site), cookies: map[string]*http.Cookie{}}
	return w
}

// who asks the real site who has signed in: the answers' name is its.
func who(r *http.Request) string {
	rec := httptest.NewRecorder()
	(&console.Service{}).Site().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", http.NoBody).WithContext(r.Context()))
	return rec.Body.String()
}

// leave goes to a page without a session and returns the question's state.
func (w *world) leave(t *testing.T, path string) string {
	t.Helper()
	res := w.b.do(http.MethodGet, "https://api.example.com/console"+path)
	to, err := url.Parse(res.Header.Get("Location"))
	if res.StatusCode != http.StatusSeeOther || err != nil || !strings.HasPrefix(to.String(), w.is.URL+"/authorize?") {
		t.Fatalf("%d to %s", res.StatusCode, to)
	}
	w.is.asked = to.Query()
	return w.is.asked.Get("state")
}

func (w *world) back(state, code string) *http.Response {
	return w.b.do(http.MethodGet, "https://api.example.com/console/-/callback?state="+url.QueryEscape(state)+"&code="+code)
}

func TestAPersonSignsInAndGoesOnWhereSheWanted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	state := w.leave(t, "/demo/?after=x")
	if w.is.asked.Get("redirect_uri") != "https://api.example.com/console/-/callback" || w.is.asked.Get("code_challenge_method") != "S256" ||
		w.is.asked.Get("client_id") != "client" || len(state) < 32 {
		t.Errorf("asked %v", w.is.asked)
	}
	res := w.back(state, "code")
	if to := res.Header.Get("Location"); res.StatusCode != http.StatusSeeOther || to != "/console/demo/?after=x" {
		t.Fatalf("%d to %s, log %s", res.StatusCode, to, w.logs.String())
	}
	res = w.b.do(http.MethodGet, "https://api.example.com/console/demo/")
	body, _ := io.ReadAll(res.Body)
	if s := string(body); !strings.HasPrefix(s, "/demo/ ") || !strings.Contains(s, "grace@example.com") || !strings.Contains(s, `href="./demo/"`) || strings.Contains(s, `href="./other/"`) {
		t.Errorf("%s", body)
	}
	if w.b.do(http.MethodGet, "https://api.example.com/console/-/out"); len(w.b.cookies) != 0 {
		t.Errorf("cookies after signing out: %v", w.b.cookies)
	}
	w.leave(t, "/")
}

func TestNothingIsReachedWithoutASession(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*world){
		"no cookie": func(w *world) { clear(w.b.cookies) },
		"changed content": func(w *world) {
			w.session(func(c *http.Cookie) {
				text, mac, _ := strings.Cut(c.Value, ".")
				b, _ := base64.RawURLEncoding.DecodeString(text)
				c.Value = base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(b), "demo", "evil", 1))) + "." + mac
			})
		},
		"no signature": func(w *world) { w.session(func(c *http.Cookie) { c.Value, _, _ = strings.Cut(c.Value, ".") }) },
		"other key":    func(w *world) { w.keys = []string{"another key of this test"} },
		"empty key": func(w *world) {
			w.keys = []string{"current key of this test", ""}
			w.session(func(c *http.Cookie) { c.Value = "e30." })
		},
		"session ended": func(w *world) { w.at = w.at.Add(signin.SessionFor) },
		"the question's cookie in its place": func(w *world) {
			w.session(func(c *http.Cookie) {
				w.b.do(http.MethodGet, "https://api.example.com/console/")
				other := newQuestion(w)
				c.Value = other
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.back(w.leave(t, "/"), "code")
			if res := w.b.do(http.MethodGet, "https://api.example.com/console/demo/"); res.StatusCode != http.StatusOK {
				t.Fatalf("%d with a session", res.StatusCode)
			}
			spoil(w)
			if res := w.b.do(http.MethodGet, "https://api.example.com/console/demo/"); res.StatusCode != http.StatusSeeOther {
				t.Errorf("%d", res.StatusCode)
			}
			if res := w.b.do(http.MethodPost, "https://api.example.com/console/demo/t1"); res.StatusCode != http.StatusUnauthorized {
				t.Errorf("POST: %d", res.StatusCode)
			}
		})
	}
}

func decoded(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (w *world) session(change func(*http.Cookie)) { change(w.b.cookies["__Host-onefold-session"]) }

// newQuestion is the cookie that another browser is sent away with.
func newQuestion(w *world) string {
	other := &browser{t: w.b.t, site: w.b.site, cookies: map[string]*http.Cookie{}}
	other.do(http.MethodGet, "https://api.example.com/console/")
	return other.cookies["__Host-onefold-ask"].Value
}

func TestARotatedKeySignsNobodyOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.back(w.leave(t, "/"), "code")
	w.keys = []string{"next key of this test", "current key of this test"}
	if res := w.b.do(http.MethodGet, "https://api.example.com/console/"); res.StatusCode != http.StatusOK {
		t.Errorf("%d", res.StatusCode)
	}
}

func TestAnAnswerThatIsNotToOurQuestionSignsNobodyIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*world)
		state  string
		code   string
		want   int
	}{
		"another state":      {nil, "other", "code", http.StatusBadRequest},
		"no state":           {nil, "-", "code", http.StatusBadRequest},
		"she said no":        {nil, "", "", http.StatusBadRequest},
		"another browser":    {func(w *world) { clear(w.b.cookies) }, "", "code", http.StatusBadRequest},
		"after ten minutes":  {func(w *world) { w.at = w.at.Add(signin.AskFor) }, "", "code", http.StatusBadRequest},
		"a code of nobody":   {nil, "", "stolen", http.StatusForbidden},
		"another client":     {func(w *world) { w.is.claims = map[string]any{"aud": "other"} }, "", "code", http.StatusForbidden},
		"another issuer":     {func(w *world) { w.is.claims = map[string]any{"iss": "https://issuer.example"} }, "", "code", http.StatusForbidden},
		"another nonce":      {func(w *world) { w.is.claims = map[string]any{"nonce": "other"} }, "", "code", http.StatusForbidden},
		"no nonce":           {func(w *world) { w.is.claims = map[string]any{"nonce": ""} }, "", "code", http.StatusForbidden},
		"an old token":       {func(w *world) { w.is.claims = map[string]any{"exp": w.at.Add(-time.Hour).Unix()} }, "", "code", http.StatusForbidden},
		"another signer":     {func(w *world) { w.is.key, _ = rsa.GenerateKey(rand.Reader, 2048) }, "", "code", http.StatusForbidden},
		"another verifier":   {func(w *world) { w.is.asked.Set("code_challenge", "other") }, "", "code", http.StatusForbidden},
		"nobody with a name": {func(w *world) { w.is.claims = map[string]any{"email": "", "sub": ""} }, "", "code", http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			state := w.leave(t, "/demo/")
			if c.change != nil {
				c.change(w)
			}
			switch c.state {
			case "":
			case "-":
				state = ""
			default:
				state = c.state
			}
			if res := w.back(state, c.code); res.StatusCode != c.want {
				t.Errorf("%d, want %d", res.StatusCode, c.want)
			}
			if w.b.cookies["__Host-onefold-session"] != nil {
				t.Error("signed in")
			}
			if s := w.logs.String(); strings.Contains(s, "grace") || strings.Contains(s, "eyJ") {
				t.Errorf("the log quotes the token: %s", s)
			}
			// The answer was the only one to its question.
			if res := w.back(state, "code"); res.StatusCode == http.StatusSeeOther {
				t.Error("a question was answered twice")
			}
		})
	}
}

func TestAFaultIsSaidAndPasses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.is.down = true
	if res := w.b.do(http.MethodGet, "https://api.example.com/console/"); res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("the issuer is down: %d", res.StatusCode)
	}
	w.is.down = false
	w.fail = errors.New("no secrets")
	if res := w.b.do(http.MethodGet, "https://api.example.com/console/"); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("no keys: %d", res.StatusCode)
	}
	w.fail = nil
	w.leave(t, "/")
}

func TestAGateThatLeaksIsNotMade(t *testing.T) {
	t.Parallel()
	for name, base := range map[string]string{"relative": "/console", "with a slash": "https://api.example.com/console/", "no host": "https:///console", "none": ""} {
		if _, err := signin.New(signin.Config{Base: base, Issuer: "i", ClientID: "c", Now: time.Now, Log: slog.Default(), Keys: func(context.Context) ([]string, error) { return nil, nil }}); err == nil {
			t.Errorf("%s: made", name)
		}
	}
	if _, err := signin.New(signin.Config{Base: "https://api.example.com/console"}); err == nil {
		t.Error("made without keys")
	}
}

// Package signin lets people into the console by OpenID Connect: the
// authorization code flow with PKCE, for a client without a secret.
//
// Its invariant: nothing behind the gate is reached without a session that
// this gate made from an ID token of its issuer, for its client, in answer to
// its own question (state, nonce and code verifier). It keeps no state of its
// own: what it must remember lies in cookies that it signs, so any instance
// serves any request. It refuses to be mounted elsewhere than at the path it
// was told.
//
// Sources: OpenID Connect Core 1.0 section 3.1; RFC 7636 (PKCE); RFC 6265bis on the
// __Host- prefix.
package signin

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"onefold/internal/console"
	"onefold/internal/policy/tenant"
)

// Config is what a gate needs. All fields but Client are needed.
type Config struct {
	Issuer   string // as in the ID token's iss
	ClientID string
	// Base is the address of the site as browsers see it, without a slash at
	// its end: https://api.example.com/console. The issuer sends people back to
	// Base + "/-/callback".
	Base string
	// Keys are the secrets that sign cookies, the current one first. All of
	// them are taken, so that a rotation signs nobody out.
	Keys func(ctx context.Context) ([]string, error)
	Now  func() time.Time
	Log  *slog.Logger
	// Client asks the issuer; nil is a client with a time limit of 10 s.
	Client *http.Client
}

// How long a person may take at the issuer, and how long a session lasts. A
// session ends by itself: who is removed from a group keeps what she had until
// then.
const (
	AskFor     = 10 * time.Minute
	SessionFor = 8 * time.Hour
)

// maxTenants is how many tenants fit a session's cookie: with names of the
// greatest length it stays below the 4,096 bytes that every browser keeps (RFC 6265
// section 6.1). maxSealed leaves room there for a cookie's name and attributes.
const (
	maxTenants = 50
	maxSealed  = 3900
)

// groupPrefix is before the tenant's name in the groups of an ID token.
const groupPrefix = "tenant:"

// The cookies. Browsers take the prefix only with Secure, Path=/ and without
// Domain, so no neighbour of the host can set them.
const (
	askCookie     = "__Host-onefold-ask"
	sessionCookie = "__Host-onefold-session"
)

// Gate is the sign-in. It is safe for concurrent use.
type Gate struct {
	cfg  Config
	path string // of Base

	mu       sync.Mutex
	provider *oidc.Provider
}

// New makes a gate and asks nobody yet.
func New(cfg Config) (*Gate, error) {
	u, err := url.Parse(cfg.Base)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.HasSuffix(u.Path, "/"):
		return nil, errors.New("signin: the base address is not an absolute one without a slash at its end")
	case cfg.Issuer == "" || cfg.ClientID == "" || cfg.Keys == nil || cfg.Now == nil || cfg.Log == nil:
		return nil, errors.New("signin: issuer, client, keys, clock and log are needed")
	}
	if cfg.Client == nil {
		cfg.Client = &http.Client{Timeout: 10 * time.Second}
	}
	return &Gate{cfg: cfg, path: u.Path}, nil
}

// Guard puts the gate before a handler that is mounted at the path of Base,
// which is stripped. The handler finds who has signed in by
// console.WithReviewer.
func (g *Gate) Guard(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /-/callback", g.callback)
	mux.HandleFunc("GET /-/out", g.out)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		keys, err := g.cfg.Keys(r.Context())
		if err != nil {
			g.fault(w, r, "read_keys", err)
			return
		}
		s, ok := open[session](r, sessionCookie, keys, g.cfg.Now())
		if !ok {
			g.ask(w, r, keys)
			return
		}
		who := console.Reviewer{Name: s.Name, Tenants: s.Tenants}
		next.ServeHTTP(w, r.WithContext(console.WithReviewer(r.Context(), who)))
	})
	return http.StripPrefix(g.path, mux)
}

// question is what a person was sent away with.
type question struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	To       string `json:"to"` // path below Base to go on with
}

// session is who has signed in.
type session struct {
	Name    string   `json:"name"`
	Tenants []string `json:"tenants"`
}

// ask sends a person to the issuer. What was posted is not kept: a form that
// was sent without a session is sent again by the person.
func (g *Gate) ask(w http.ResponseWriter, r *http.Request, keys []string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		page(w, http.StatusUnauthorized, "Your session has ended", "Nothing was done. Sign in again and repeat your answer.", g.path+"/")
		return
	}
	flow, err := g.flow(r.Context())
	if err != nil {
		g.fault(w, r, "ask_issuer", err)
		return
	}
	q := question{State: oauth2.GenerateVerifier(), Nonce: oauth2.GenerateVerifier(), Verifier: oauth2.GenerateVerifier(), To: r.URL.RequestURI()}
	until := g.cfg.Now().Add(AskFor)
	// What begins with two slashes would be another host where Base has no path.
	// A cookie that no browser keeps would have the sign-in begin for ever anew.
	if strings.HasPrefix(q.To, "//") || len(seal(q, keys[0], askCookie, until)) > maxSealed {
		q.To = "/"
	}
	set(w, askCookie, seal(q, keys[0], askCookie, until), AskFor)
	redirect(w, flow.AuthCodeURL(q.State, oidc.Nonce(q.Nonce), oauth2.S256ChallengeOption(q.Verifier)))
}

// flow is the client of the issuer, whose addresses are asked for once. A
// failure is not remembered.
func (g *Gate) flow(ctx context.Context) (*oauth2.Config, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.provider == nil {
		// Not the request's context: the provider keeps it for its keys.
		p, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), g.cfg.Client), g.cfg.Issuer)
		if err != nil {
			return nil, err
		}
		g.provider = p
	}
	endpoint := g.provider.Endpoint()
	// A client without a secret names itself in the form (RFC 6749 section 4.1.3).
	// Left to find out, the library would try a password first, and send the code
	// a second time after an issuer has counted it as used.
	endpoint.AuthStyle = oauth2.AuthStyleInParams
	return &oauth2.Config{
		ClientID: g.cfg.ClientID, Endpoint: endpoint, RedirectURL: g.cfg.Base + "/-/callback", Scopes: []string{oidc.ScopeOpenID, "email"},
	}, nil
}

// callback takes the issuer's answer.
func (g *Gate) callback(w http.ResponseWriter, r *http.Request) {
	keys, err := g.cfg.Keys(r.Context())
	if err != nil {
		g.fault(w, r, "read_keys", err)
		return
	}
	q, ok := open[question](r, askCookie, keys, g.cfg.Now())
	forget(w, askCookie)
	given := r.URL.Query()
	if !ok || !equal(q.State, given.Get("state")) || given.Get("code") == "" {
		// Too late, another browser, a forged link, or a person who said no.
		page(w, http.StatusBadRequest, "You are not signed in", "Begin again: this sign-in is not complete, or took longer than ten minutes.", g.path+"/")
		return
	}
	s, err := g.redeem(r.Context(), q, given.Get("code"))
	if err != nil {
		g.cfg.Log.LogAttrs(r.Context(), slog.LevelWarn, "sign-in refused", slog.String("error", word(err)))
		page(w, http.StatusForbidden, "You are not signed in", "The issuer's answer could not be taken. Begin again.", g.path+"/")
		return
	}
	set(w, sessionCookie, seal(s, keys[0], sessionCookie, g.cfg.Now().Add(SessionFor)), SessionFor)
	redirect(w, g.path+q.To)
}

// Why an answer was not taken. No error of the issuer or its library is
// written down: it may quote a token.
var (
	errExchange = errors.New("code_not_exchanged")
	errNoToken  = errors.New("no_id_token")
	errToken    = errors.New("id_token_refused")
	errNonce    = errors.New("nonce_is_another")
	errNoName   = errors.New("no_name_in_token")
)

// redeem turns a code into who has signed in.
func (g *Gate) redeem(ctx context.Context, q question, code string) (session, error) {
	flow, err := g.flow(ctx)
	if err != nil {
		return session{}, errExchange
	}
	ctx = oidc.ClientContext(ctx, g.cfg.Client)
	token, err := flow.Exchange(ctx, code, oauth2.VerifierOption(q.Verifier))
	if err != nil {
		return session{}, errExchange
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return session{}, errNoToken
	}
	g.mu.Lock()
	verifier := g.provider.VerifierContext(oidc.ClientContext(context.WithoutCancel(ctx), g.cfg.Client), &oidc.Config{ClientID: g.cfg.ClientID, Now: g.cfg.Now})
	g.mu.Unlock()
	id, err := verifier.Verify(ctx, raw)
	if err != nil {
		return session{}, errToken
	}
	if !equal(id.Nonce, q.Nonce) {
		return session{}, errNonce
	}
	var claims struct {
		Groups   []string `json:"cognito:groups"`
		Username string   `json:"cognito:username"`
		Email    string   `json:"email"`
	}
	if err := id.Claims(&claims); err != nil {
		return session{}, errToken
	}
	s := session{Name: firstName(claims.Email, claims.Username, id.Subject)}
	for _, group := range claims.Groups {
		if t, ok := strings.CutPrefix(group, groupPrefix); ok && tenant.ValidName(t) && len(s.Tenants) < maxTenants {
			s.Tenants = append(s.Tenants, t)
		}
	}
	if s.Name == "" {
		return session{}, errNoName
	}
	return s, nil
}

// firstName is the first that can stand as a person's name with an answer. The
// display name is not among them: it is nobody's alone, and its owner's to change.
func firstName(names ...string) string {
	for _, n := range names {
		if n = strings.TrimSpace(n); console.IsName(n) {
			return n
		}
	}
	return ""
}

func (g *Gate) out(w http.ResponseWriter, _ *http.Request) {
	forget(w, sessionCookie)
	page(w, http.StatusOK, "You are signed out", "The issuer may still know you: sign out there too on a machine that others use.", g.path+"/")
}

func (g *Gate) fault(w http.ResponseWriter, r *http.Request, step string, err error) {
	g.cfg.Log.LogAttrs(r.Context(), slog.LevelError, "sign-in not possible", slog.String("step", step), slog.String("error", word(err)))
	w.Header().Set("Retry-After", "30")
	page(w, http.StatusServiceUnavailable, "Signing in does not work just now", "Try again in a minute; the log of the console says more.", g.path+"/")
}

// word is an error that may be written down.
func word(err error) string {
	for _, known := range []error{errExchange, errNoToken, errToken, errNonce, errNoName, context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "not_available"
}

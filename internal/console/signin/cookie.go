package signin

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"
	"time"
)

// sealed is a cookie's content: what it says and until when.
type sealed[T any] struct {
	Until int64 `json:"until"` // Unix seconds
	Value T     `json:"value"`
}

// seal signs a value for one cookie and no other. It hides nothing: what is in
// a cookie its owner may read.
func seal[T any](value T, key, cookie string, until time.Time) string {
	b, _ := json.Marshal(sealed[T]{until.Unix(), value}) // texts always encode
	text := base64.RawURLEncoding.EncodeToString(b)
	return text + "." + base64.RawURLEncoding.EncodeToString(sum(text, key, cookie))
}

// open reads a cookie that one of the keys has signed and whose time has not
// come.
func open[T any](r *http.Request, cookie string, keys []string, now time.Time) (T, bool) {
	var s sealed[T]
	for _, c := range r.CookiesNamed(cookie) {
		text, mac, _ := strings.Cut(c.Value, ".")
		given, err := base64.RawURLEncoding.DecodeString(mac)
		if err != nil {
			continue
		}
		for _, key := range keys {
			if key == "" || !hmac.Equal(given, sum(text, key, cookie)) {
				continue
			}
			b, err := base64.RawURLEncoding.DecodeString(text)
			if err == nil && json.Unmarshal(b, &s) == nil && now.Before(time.Unix(s.Until, 0)) {
				return s.Value, true
			}
		}
	}
	var none T
	return none, false
}

func sum(text, key, cookie string) []byte {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(cookie + "\n" + text))
	return h.Sum(nil)
}

func set(w http.ResponseWriter, name, value string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(life.Seconds()), Secure: true, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, // the issuer's redirect is a navigation from another site
	})
}

func forget(w http.ResponseWriter, name string) {
	http.SetCookie(w, &http.Cookie{Name: name, Path: "/", MaxAge: -1, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

func equal(a, b string) bool {
	return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

// redirect is http.Redirect without the body, and with an address that was
// made here.
func redirect(w http.ResponseWriter, to string) {
	private(w.Header())
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

func private(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

func page(w http.ResponseWriter, status int, title, text, again string) {
	h := w.Header()
	private(h)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>%[1]s</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:12vh auto 0;padding:0 1rem}</style>
<main><h1>%[1]s</h1><p>%[2]s</p><p><a href="%[3]s">Sign in</a></p></main></html>
`, html.EscapeString(title), html.EscapeString(text), html.EscapeString(again))
}

package salesforcetest

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// longest is how far off the end of an assertion may be.
const longest = 3 * time.Minute

// login is the JWT bearer flow: an assertion by the app that is signed with the key
// of its certificate, for a user that it is approved for.
func (o *Org) login(r *http.Request, body string) answer {
	refuse := func(code, why string) answer {
		return answer{status: http.StatusBadRequest, body: map[string]string{"error": code, "error_description": why}}
	}
	form, err := url.ParseQuery(body)
	if err != nil || r.Method != http.MethodPost || form.Get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		return refuse("unsupported_grant_type", "grant type not supported")
	}
	var header struct{ Alg string }
	var claims struct {
		Iss, Sub, Aud string
		Exp           int64
	}
	parts := strings.Split(form.Get("assertion"), ".")
	if len(parts) != 3 || decode(parts[0], &header) != nil || decode(parts[1], &claims) != nil {
		return refuse("invalid_grant", "invalid assertion")
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	end := time.Unix(claims.Exp, 0)
	switch {
	case claims.Iss != o.opts.ClientID:
		return refuse("invalid_client_id", "client identifier invalid")
	case err != nil || header.Alg != "RS256" || rsa.VerifyPKCS1v15(o.opts.Key, crypto.SHA256, sum[:], signature) != nil:
		return refuse("invalid_grant", "invalid assertion")
	case claims.Aud != o.opts.Audience:
		return refuse("invalid_grant", "audience is invalid")
	case !end.After(o.now()) || end.After(o.now().Add(longest)):
		return refuse("invalid_grant", "expired authorization code")
	case claims.Sub != o.opts.Username || o.closed:
		return refuse("invalid_grant", "user hasn't approved this consumer")
	}
	o.logins++
	token := fmt.Sprintf("00D5g!session-%d", o.logins)
	o.tokens[token] = true
	instance := "http://" + r.Host // there is no other host of this one
	return answer{status: http.StatusOK, body: map[string]string{
		"access_token": token, "scope": "api", "instance_url": instance, "id": instance + "/id/00D5g/0055g", "token_type": "Bearer",
	}}
}

func decode(part string, into any) error {
	b, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// Logins is how many sessions were begun.
func (o *Org) Logins() (n int) {
	o.locked(func() { n = o.logins })
	return n
}

// EndSessions lets every session run out.
func (o *Org) EndSessions() { o.locked(func() { clear(o.tokens) }) }

// Close ends every session and refuses logins from now on.
func (o *Org) Close() {
	o.locked(func() {
		clear(o.tokens)
		o.closed = true
	})
}

// Package basicauth checks the user and password that a provider sends which
// signs nothing (RFC 7617), since they stand in the webhook's address.
//
// Its invariant: a request passes only with the whole "user:password" of one of
// the secrets, compared in constant time. It proves who sent and nothing of
// what: whoever can read one request can send any other, so such an address is
// given to the provider alone, and only by https.
package basicauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"

	"onefold/internal/webhook"
)

// Is tells whether a secret is of this form: a user, a colon, a password.
func Is(s webhook.Secret) bool {
	user, password, ok := strings.Cut(s.Text(), ":")
	return ok && user != "" && password != ""
}

// Check checks a request's Authorization header against the secrets; those of
// another form count for nothing. webhook.ErrNoSecret where none is left.
func Check(h webhook.Header, secrets []webhook.Secret) error {
	offered, err := read(h.Get("authorization"))
	if err != nil {
		return err
	}
	known, fits := false, 0
	for _, s := range secrets {
		if !Is(s) {
			continue
		}
		known = true
		// Hashes, since the comparison is in constant time for one length only.
		want, got := sha256.Sum256([]byte(s.Text())), sha256.Sum256(offered)
		fits |= subtle.ConstantTimeCompare(want[:], got[:])
	}
	switch {
	case !known:
		return webhook.Refuse(webhook.ErrNoSecret, "secret_missing", "the endpoint's secret is no user:password; the delivery will be taken when it is")
	case fits != 1:
		return webhook.Refuse(webhook.ErrBadSignature, "password_invalid", "send the user and password of the endpoint")
	}
	return nil
}

// read takes "Basic" and its base64. Two headers, joined by a comma, are none.
func read(value string) ([]byte, error) {
	if value == "" {
		return nil, webhook.Refuse(webhook.ErrMissingHeader, "header_missing", "the address has user:password@ before its host, sent as basic authorization")
	}
	scheme, encoded, _ := strings.Cut(value, " ")
	text, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(encoded))
	if err != nil || !strings.EqualFold(scheme, "basic") || strings.ContainsAny(encoded, "\r\n") {
		return nil, webhook.Refuse(webhook.ErrBadSignature, "password_invalid", "send basic authorization")
	}
	return text, nil
}

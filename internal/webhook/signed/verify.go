package signed

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // HMAC-SHA1 is what some senders have; its strength does not rest on collisions
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"strings"
	"time"

	"onefold/internal/webhook"
)

// proof is what a request's headers say in the scheme.
type proof struct {
	offered   []string // signatures, not yet decoded
	timestamp string   // as sent
	id        string   // of the ID header
}

// proofOf reads the headers. Of duplicate headers, which are joined by commas,
// every signature counts and every timestamp has to be the same.
func (s Scheme) proofOf(h webhook.Header) (proof, error) {
	p := proof{id: h.Get(s.ID.Header)}
	value := h.Get(s.Header)
	stamps := []string{}
	for part := range strings.SplitSeq(value, ",") {
		part = strings.TrimSpace(part)
		if s.Pair == "" {
			if text, ok := strings.CutPrefix(part, s.Prefix); ok && text != "" {
				p.offered = append(p.offered, text)
			}
			continue
		}
		name, text, _ := strings.Cut(part, "=")
		switch {
		case name == s.Pair && text != "":
			p.offered = append(p.offered, text)
		case s.Timestamp != nil && name == s.Timestamp.Pair:
			stamps = append(stamps, text)
		}
	}
	if t := s.Timestamp; t != nil && t.Header != "" {
		stamps = []string{h.Get(t.Header)}
	}
	switch {
	case value == "", s.Timestamp != nil && (len(stamps) == 0 || stamps[0] == ""), s.signsID() && p.id == "":
		return p, webhook.ErrMissingHeader
	case len(p.offered) == 0:
		return p, webhook.ErrBadSignature
	}
	for _, other := range stamps {
		if other != stamps[0] {
			return p, webhook.ErrBadTimestamp
		}
		p.timestamp = other
	}
	return p, nil
}

func (s Scheme) signsID() bool { return strings.Contains(s.signed(), "{id}") }

// verify tells whether one of the secrets made one of the signatures. It runs
// through all of both: time must not tell which fitted.
func (s Scheme) verify(parts []string, r webhook.Request, p proof, secrets []webhook.Secret) error {
	known, fits := false, false
	for i, secret := range secrets {
		key, ok := s.key(secret)
		if !ok {
			// Whoever signs with a current secret that nobody can read would be
			// told that he signs wrongly.
			if i == 0 && !secret.IsZero() {
				return webhook.ErrNoSecret
			}
			continue
		}
		known = true
		want := s.mac(parts, key, r, p)
		for _, text := range p.offered {
			if got, ok := s.decode(text); ok && hmac.Equal(got, want) {
				fits = true
			}
		}
	}
	switch {
	case !known:
		return webhook.ErrNoSecret
	case !fits:
		return webhook.ErrBadSignature
	}
	return nil
}

func (s Scheme) mac(parts []string, key []byte, r webhook.Request, p proof) []byte {
	m := hmac.New(s.hash(), key)
	s.write(m, parts, r, p)
	return m.Sum(nil)
}

// write puts what is signed into a hash, which never fails.
func (Scheme) write(m hash.Hash, parts []string, r webhook.Request, p proof) {
	for _, part := range parts {
		switch part {
		case "{body}":
			m.Write(r.Body)
		case "{timestamp}":
			m.Write([]byte(p.timestamp))
		case "{id}":
			m.Write([]byte(p.id))
		case "{method}":
			m.Write([]byte(r.Method))
		case "{url}":
			m.Write([]byte(r.URL))
		default:
			m.Write([]byte(part))
		}
	}
}

func (s Scheme) hash() func() hash.Hash {
	switch s.Algorithm {
	case "sha512":
		return sha512.New
	case "sha1":
		return sha1.New
	}
	return sha256.New
}

func (s Scheme) key(secret webhook.Secret) ([]byte, bool) {
	text := secret.Text()
	if text == "" {
		return nil, false
	}
	switch s.Key {
	case "hex":
		key, err := hex.DecodeString(text)
		return key, err == nil && len(key) > 0
	case "base64":
		key, err := base64.StdEncoding.Strict().DecodeString(text)
		return key, err == nil && len(key) > 0
	}
	return []byte(text), true
}

func (s Scheme) decode(text string) ([]byte, bool) {
	if s.Encoding == "base64" {
		b, err := base64.StdEncoding.Strict().DecodeString(text)
		return b, err == nil && !strings.ContainsAny(text, "\r\n")
	}
	b, err := hex.DecodeString(text)
	return b, err == nil
}

// checkAge is asked only of what is authentic.
func (s Scheme) checkAge(p proof, now time.Time) error {
	if s.Timestamp == nil {
		return nil
	}
	at, err := s.Timestamp.read(p.timestamp)
	if err != nil {
		return err
	}
	tolerance := time.Duration(s.Timestamp.Tolerance) * time.Second
	switch {
	case now.Sub(at) > tolerance:
		return webhook.ErrTooOld
	case at.Sub(now) > tolerance:
		return webhook.ErrTooNew
	}
	return nil
}

// read takes plain digits without a leading zero, 15 at most: no overflow, and
// nothing that could be read with the body behind it, or with an ID that ends in
// a zero before it, as another number of the same worth.
func (t Timestamp) read(text string) (time.Time, error) {
	if text == "" || len(text) > 15 || text[0] == '0' {
		return time.Time{}, webhook.ErrBadTimestamp
	}
	var n int64
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return time.Time{}, webhook.ErrBadTimestamp
		}
		n = n*10 + int64(text[i]-'0')
	}
	if t.Unit == "ms" {
		return time.UnixMilli(n), nil
	}
	return time.Unix(n, 0), nil
}

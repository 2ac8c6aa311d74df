// Package webhook says what a source of deliveries is (Source) and holds what the
// sources share: the rules of Standard Webhooks 1.0.0
// (https://www.standardwebhooks.com), refusals and status codes, IDs,
// fingerprints, and reading JSON and forms. Each provider's source is a package
// below; package sources lists them.
//
// Its invariant: nothing of a request is believed before one of the given secrets
// has signed exactly its bytes. Verify returns nil only if that is so of this ID,
// this timestamp and this body, the timestamp is near now and the ID can be a key.
//
// It refuses to know where secrets are kept, to remember what it has seen (a
// repeated delivery is the ledger's matter, for far longer than the
// timestamp's tolerance) and to accept unsigned requests in any mode.
//
// # Differences from the reference implementation
//
// The Go library of the specification's authors (libraries v0.0.1) is the
// oracle of the tests, not the implementation, for these differences:
//
//   - The present time is an argument.
//   - A timestamp exactly five minutes old is refused. The library's own test
//     expects so, but its code compares "older than" and refuses only because
//     the test's clock moves on; at the exact instant it accepts.
//   - A timestamp is plain digits. The library also takes "+1" and "007", and
//     checks the signature over the number written anew.
//   - The signature is checked before the timestamp's age, so that too old and
//     too new are said only of what is authentic.
//   - Duplicate signature headers joined by a comma are read in full; the
//     library reads the first signature of each.
//   - An empty or short secret is refused; the library takes any.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how far the signed timestamp may be from now: less than this
// into the past, at most this into the future.
const Tolerance = 5 * time.Minute

// MaxIDSize bounds a delivery ID, in bytes. The specification names no bound;
// 256 leaves room for it in a DynamoDB key of 1,024 bytes.
const MaxIDSize = 256

// Verify checks a request against the endpoint's secrets: the current one and,
// while a sender is moved over, the previous one. Secrets that are none of this
// scheme are passed over.
// body is the raw bytes as sent, after any base64 of the transport.
//
// The order: first the shape of the headers, which anybody may learn; then the
// signature; and only for what is authentic its age, then its ID. The ID is
// MaxIDSize printable ASCII bytes (0x21 to 0x7E) at most.
//
// Signed content is "ID.timestamp.body", so an ID that holds full stops could
// be read as a shorter ID with another timestamp and a body that begins with
// digits and a full stop. Neither of our contents allows that: a form is a JSON
// object and begins with a brace, raw mail has the ID that MailID makes. Other
// content would have to forbid the full stop here.
func Verify(secrets []Secret, h Headers, body []byte, now time.Time) error {
	if !h.complete() {
		return ErrMissingHeader
	}
	at, ok := parseTimestamp(h.Timestamp)
	if !ok {
		return ErrBadTimestamp
	}
	known, matched := false, 0
	offered := signatures(h.Signature)
	// Neither loop ends early: time must not tell which secret or which
	// signature fitted.
	for _, s := range secrets {
		if !s.isStandard() {
			continue
		}
		known = true
		want := []byte(s.mac(h.ID, h.Timestamp, body))
		for _, got := range offered {
			matched |= subtle.ConstantTimeCompare([]byte(got), want)
		}
	}
	switch {
	case !known:
		return ErrNoSecret
	case matched != 1:
		return ErrBadSignature
	case now.Sub(at) >= Tolerance:
		return ErrTooOld
	case at.Sub(now) > Tolerance:
		return ErrTooNew
	case !validID(h.ID):
		return ErrBadID
	}
	return nil
}

// Sign gives the value of webhook-signature for a request sent at the time
// given, whose webhook-timestamp is that time's Unix seconds. It is for senders
// and tests. The zero secret gives "", which no one accepts.
func Sign(secret Secret, id string, at time.Time, body []byte) string {
	if !secret.isStandard() {
		return ""
	}
	return "v1," + secret.mac(id, strconv.FormatInt(at.Unix(), 10), body)
}

// mac is the base64 of the signature, over the timestamp's text as received:
// what was signed is what was sent.
func (s Secret) mac(id, timestamp string, body []byte) string {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte(id + "." + timestamp + "."))
	m.Write(body)
	return base64.StdEncoding.EncodeToString(m.Sum(nil))
}

// signatures lists the v1 signatures of a header value: entries divided by
// spaces, each a version and a signature divided by a comma. An entry may hold
// several such pairs, because gateways join duplicate headers by a comma, which
// base64 never holds. v1a (ed25519) and versions not known are passed over.
func signatures(value string) []string {
	var found []string
	for _, entry := range strings.Fields(value) {
		parts := strings.Split(entry, ",")
		for i := 0; i+1 < len(parts); i += 2 {
			if parts[i] == "v1" {
				found = append(found, parts[i+1])
			}
		}
	}
	return found
}

// parseTimestamp takes 1 to 12 digits with no leading zero: until the year
// 33658, and far from any overflow.
func parseTimestamp(s string) (time.Time, bool) {
	if s == "" || len(s) > 12 || s[0] == '0' {
		return time.Time{}, false
	}
	var seconds int64
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return time.Time{}, false
		}
		seconds = seconds*10 + int64(s[i]-'0')
	}
	return time.Unix(seconds, 0), true
}

func validID(id string) bool {
	if id == "" || len(id) > MaxIDSize {
		return false
	}
	for i := range len(id) {
		if id[i] < 0x21 || id[i] > 0x7E {
			return false
		}
	}
	return true
}

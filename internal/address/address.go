// Package address reads one email address and makes the two kinds of key that
// the product compares addresses by.
//
// Its invariant: a SuppressionKey is never narrower than an IdentityKey. Two
// addresses that any identity rule takes for one person always share a
// suppression key, so an opt-out can never miss the person it came from.
//
// It refuses what mail between strangers has no use for: address literals,
// comments, source routes, folding white space and domains of one label. It
// does no look-ups: an address it accepts need not exist.
package address

import (
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits in bytes. The local part: RFC 5321 section 4.5.3.1.1. The whole: the
// path of 256 (section 4.5.3.1.3) less its angle brackets.
const (
	MaxLocal = 64
	MaxTotal = 254
)

// What Parse refuses. No error holds any part of the address; a caller shows
// the word and keeps the input to itself.
var (
	ErrNoAt      = errors.New("address: no at-sign")
	ErrEmpty     = errors.New("address: empty local part")
	ErrLocal     = errors.New("address: local part has a character or dot out of place")
	ErrQuote     = errors.New("address: quoted local part is malformed")
	ErrTooLong   = errors.New("address: too long")
	ErrDomain    = errors.New("address: domain is not a host name")
	ErrOneLabel  = errors.New("address: domain has only one label")
	ErrLiteral   = errors.New("address: address literals are refused")
	ErrNotUTF8   = errors.New("address: not valid UTF-8")
	ErrForbidden = errors.New("address: control, invisible or unassigned character")
)

// Address is one mailbox in canonical form, as Parse makes it: Local in NFC,
// quoted only where it must be and with its case kept; Domain in lower-case
// ASCII (punycode). The zero value is no address.
type Address struct {
	Local  string
	Domain string
}

// String is the address as SMTP takes it. Parse of it gives the same Address.
func (a Address) String() string { return a.Local + "@" + a.Domain }

// Parse reads one addr-spec (RFC 5321 section 4.1.2, RFC 6531 for UTF-8 local
// parts) without display name or surrounding white space. On error there is
// no address; the caller keeps the text for a person and sends nothing to it.
func Parse(s string) (Address, error) {
	if len(s) > 4*MaxTotal {
		return Address{}, ErrTooLong
	}
	if !utf8.ValidString(s) {
		return Address{}, ErrNotUTF8
	}
	content, rest, err := readLocal(s)
	if err != nil {
		return Address{}, err
	}
	domain, err := canonicalDomain(rest)
	if err != nil {
		return Address{}, err
	}
	// The length is judged as written and as kept: NFC can lengthen a text.
	local := quoteLocal(norm.NFC.String(content))
	written := len(s) - len(rest) - 1
	if written > MaxLocal || len(local) > MaxLocal || len(local)+1+len(domain) > MaxTotal {
		return Address{}, ErrTooLong
	}
	return Address{Local: local, Domain: domain}, nil
}

// readLocal gives the content of the local part, unquoted, and what follows
// the at-sign.
func readLocal(s string) (content, domain string, err error) {
	if strings.HasPrefix(s, `"`) {
		return readQuoted(s)
	}
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return "", "", ErrNoAt
	}
	local := s[:at]
	if local == "" {
		return "", "", ErrEmpty
	}
	if err := graphic(local); err != nil {
		return "", "", err
	}
	if !dotAtom(local) {
		return "", "", ErrLocal
	}
	return local, s[at+1:], nil
}

// readQuoted reads Quoted-string (RFC 5321): quoted pairs are ASCII only, and
// an empty one names nobody.
func readQuoted(s string) (content, domain string, err error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
			if i >= len(s) || s[i] < 0x20 || s[i] > 0x7e {
				return "", "", ErrQuote
			}
			b.WriteByte(s[i])
		case c == '"':
			if i+1 >= len(s) || s[i+1] != '@' {
				return "", "", ErrQuote
			}
			if b.Len() == 0 {
				return "", "", ErrEmpty
			}
			return b.String(), s[i+2:], graphic(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return "", "", ErrQuote
}

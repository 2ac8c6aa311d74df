package blob

import (
	"errors"
	"fmt"
	"strings"

	"onefold/internal/digest"
)

// ErrInvalid means that a reference is not of the form that RefOf makes, or
// that content is put under a name that is not its own. Nothing was stored; it
// is a bug in the caller, or a reference from outside.
var ErrInvalid = errors.New("blob: invalid reference")

// ErrDamaged means that what is stored under the name is not the content that
// was put there. It goes to a person.
var ErrDamaged = errors.New("blob: content does not fit its name")

// Parts takes a reference apart. A store calls it before it does anything with
// a reference: what passes is safe as a path and as an object key, since a
// tenant is a name of at most 64 letters, digits, dots, dashes and underscores
// that does not begin with a dot, and the rest is lower-case hex.
func (r Ref) Parts() (tenant, event, content string, err error) {
	parts := strings.Split(string(r), "/")
	if len(parts) != 3 || !isName(parts[0]) || !isHex(parts[1], 40) || !isHex(parts[2], 64) {
		return "", "", "", fmt.Errorf("%w: of %d bytes", ErrInvalid, len(r))
	}
	return parts[0], parts[1], parts[2], nil
}

// Fits tells whether the reference names this content.
func (r Ref) Fits(content []byte) bool {
	_, _, want, err := r.Parts()
	return err == nil && digest.Content(content) == want
}

func isName(s string) bool {
	for i, c := range []byte(s) {
		word := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !word && c != '-' && c != '_' && (c != '.' || i == 0) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

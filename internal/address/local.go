package address

import (
	"strings"
	"unicode"
)

// graphic refuses what a reader could not see or type. The ASCII space stays:
// a quoted local part may hold it, a dot-atom is checked for it elsewhere.
func graphic(s string) error {
	for _, r := range s {
		if r == ' ' {
			continue
		}
		if !unicode.IsGraphic(r) || unicode.Is(unicode.Z, r) {
			return ErrForbidden
		}
	}
	return nil
}

// dotAtom is RFC 5321 Dot-string with the UTF-8 of RFC 6531.
func dotAtom(s string) bool {
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" {
			return false
		}
		for _, r := range atom {
			if r < 0x80 && !atext(byte(r)) {
				return false
			}
		}
	}
	return true
}

func atext(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) >= 0
}

// quoteLocal writes a content in its shortest form: RFC 5321 section 4.1.2
// says that "a"@x and a@x are one mailbox, so only one form may be kept.
func quoteLocal(content string) string {
	if dotAtom(content) {
		return content
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(content) {
		if content[i] == '"' || content[i] == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(content[i])
	}
	b.WriteByte('"')
	return b.String()
}

// unquoteLocal undoes quoteLocal.
func unquoteLocal(local string) string {
	if len(local) < 2 || local[0] != '"' || local[len(local)-1] != '"' {
		return local
	}
	var b strings.Builder
	for i := 1; i < len(local)-1; i++ {
		if local[i] == '\\' && i+1 < len(local)-1 {
			i++
		}
		b.WriteByte(local[i])
	}
	return b.String()
}

// Package charsets finds the character set that a label of mail means.
//
// Its invariant: labels are read by their shape, since mail programs write one
// name in many ways; what it does not know it says so, and guesses nothing.
package charsets

import (
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Find is the encoding of a label, nil for one that is not known. Labels are
// read by their shape: mail programs write the same name with other signs
// between its parts, and Windows' code pages under a dozen prefixes.
func Find(label string) encoding.Encoding {
	enc, err := htmlindex.Get(label)
	if err != nil || enc == encoding.Replacement {
		enc, _ = ianaindex.MIME.Encoding(label) // nil for unknown and for unsupported
	}
	if enc != nil {
		return enc
	}
	if m := codePage.FindStringSubmatch(label); m != nil {
		if enc := pageNamed(m[1]); enc != nil {
			return enc
		}
	}
	return spellings()[spelling(label)]
}

// codePage is a Windows or IBM code page by its number: cp-1250, win1251, x-cp932,
// windows-950, ibm850 …
var codePage = regexp.MustCompile(`^(?:x-)?(?:cp|windows|win|ms|msdos|dos|ibm|ccsid|codepage|oem)[-_ ]?0*(\d{3,5})$`)

// pageNamed is a code page ("Code Page Identifiers", Microsoft, read 2026-12).
// Those of one byte that are not here have no table in our library.
func pageNamed(number string) encoding.Encoding {
	for name, pages := range map[string]string{
		"windows-874": "874", "shift_jis": "932 943", "gbk": "936 1386", "euc-kr": "949 970 1363 51949", "big5": "950 1370",
		"euc-jp": "20932 51932", "iso-2022-jp": "50220 50221 50222", "gb18030": "54936", "koi8-r": "20866", "koi8-u": "21866",
		"macintosh": "10000", "utf-8": "65001", "utf-16le": "1200", "utf-16be": "1201", "ibm866": "866",
	} {
		for page := range strings.FieldsSeq(pages) {
			if page == number {
				enc, _ := htmlindex.Get(name)
				return enc
			}
		}
	}
	for page, enc := range map[string]encoding.Encoding{
		"437": charmap.CodePage437, "850": charmap.CodePage850, "852": charmap.CodePage852, "855": charmap.CodePage855, "858": charmap.CodePage858,
		"860": charmap.CodePage860, "862": charmap.CodePage862, "863": charmap.CodePage863, "865": charmap.CodePage865,
	} {
		if page == number {
			return enc
		}
	}
	if n, err := strconv.Atoi(number); err == nil && n > 28590 && n <= 28606 {
		enc, _ := htmlindex.Get("iso-8859-" + strconv.Itoa(n-28590))
		return enc
	}
	enc, _ := htmlindex.Get("windows-" + number)
	return enc
}

// spelling is a label without the signs between its parts and without what some
// programs put behind it.
func spelling(label string) string {
	label = strings.TrimSuffix(strings.TrimSuffix(label, "_charset"), "-charset")
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.TrimPrefix(label, "x-"))
}

// spellings are the encodings that mail is written in, by the spelling of their
// names.
var spellings = sync.OnceValue(func() map[string]encoding.Encoding {
	all := map[string]encoding.Encoding{}
	for _, name := range []string{
		"utf-8", "iso-8859-1", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8", "iso-8859-9",
		"iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "latin1", "latin2", "koi8-r", "koi8-u", "macintosh",
		"windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258",
		"gbk", "gb2312", "gb18030", "big5", "big5-hkscs", "euc-jp", "iso-2022-jp", "shift_jis", "sjis", "euc-kr", "ks_c_5601-1987", "ksc5601", "tis-620",
	} {
		if enc, err := htmlindex.Get(name); err == nil && enc != encoding.Replacement {
			all[spelling(name)] = enc
		}
	}
	all["uhc"] = all["euckr"] // UHC is code page 949
	all["ujis"] = all["eucjp"]
	all["utf32"], all["ucs4"] = utf32.UTF32(utf32.BigEndian, utf32.UseBOM), utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	all["utf32le"], all["utf32be"] = utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	return all
})

// IsUTF7 reports whether a label is one of UTF-7's (RFC 2152).
func IsUTF7(label string) bool {
	switch spelling(label) {
	case "utf7", "unicode11utf7", "csunicode11utf7", "utf7imap", "cp65000", "unicode20utf7":
		return true
	}
	return false
}

// DecodeUTF7 reads UTF-7 (RFC 2152): ASCII, "+-" for a plus, and base64 of
// UTF-16 between a plus and what ends it. What is no such run stays as it is.
func DecodeUTF7(b []byte) string {
	var out strings.Builder
	s := strings.ToValidUTF8(string(b), "\ufffd")
	for {
		plus := strings.IndexByte(s, '+')
		if plus < 0 {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(s[:plus])
		s = s[plus+1:]
		end := 0
		for end < len(s) && isBase64(s[end]) {
			end++
		}
		units, ok := utf16Of(s[:end])
		switch {
		case end == 0 && strings.HasPrefix(s, "-"):
			out.WriteByte('+')
		case end == 0 || !ok:
			out.WriteString("+" + s[:end])
		default:
			for _, r := range utf16.Decode(units) {
				out.WriteRune(r)
			}
		}
		if s = s[end:]; strings.HasPrefix(s, "-") {
			s = s[1:]
		}
	}
}

// utf16Of reads a run that holds whole units and no character more ("fewer than
// six bits are left over", RFC 2152 rule 2): else a plus in an address would
// begin one.
func utf16Of(run string) ([]uint16, bool) {
	raw, err := base64.RawStdEncoding.DecodeString(run)
	if n := len(raw) / 2; err != nil || n == 0 || len(run) != (16*n+5)/6 {
		return nil, false
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
	}
	return units, true
}

func isBase64(c byte) bool {
	return c < utf8.RuneSelf && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/')
}

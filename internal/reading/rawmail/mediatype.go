package rawmail

import (
	"strconv"
	"strings"
)

// params are the parameters of a Content-Type or Content-Disposition, names in
// lower case, in order.
type params []param

type param struct{ name, value string }

// readMediaType reads a Content-Type (RFC 2045 section 5.1). One that cannot
// be read is text (section 5.2), or a multipart if it names a boundary.
func readMediaType(value string, w *warnings) (string, params) {
	if strings.TrimSpace(value) == "" {
		return "", nil
	}
	word, ps := readParams(value)
	kind, sub, _ := strings.Cut(word, "/")
	if token(kind) && token(sub) {
		return word, ps
	}
	w.add(warnMIME)
	if strings.HasPrefix(kind, "multipart") && ps.get("boundary", w) != "" {
		return "multipart/mixed", ps
	}
	return "text/plain", ps
}

func token(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?=`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// readParams takes "word; name=value; name="value"" apart. What stands between
// is tolerated: missing semicolons, spaces, quotes that do not close.
func readParams(value string) (word string, ps params) {
	value = cut(value, maxParams)
	end := strings.IndexAny(value, "; \t,")
	if end < 0 {
		return strings.ToLower(value), nil
	}
	word, rest := strings.ToLower(value[:end]), value[end:]
	for len(ps) < maxParamCount {
		rest = strings.TrimLeft(rest, "; \t,")
		eq := strings.IndexAny(rest, "=;")
		if eq < 0 {
			break
		}
		if rest[eq] == ';' {
			rest = rest[eq:]
			continue
		}
		// Of two words before the equals sign the last is the name.
		name := ""
		if words := strings.Fields(rest[:min(eq, 200)]); len(words) > 0 {
			name = strings.ToLower(words[len(words)-1])
		}
		var v string
		v, rest = paramValue(name, strings.TrimLeft(rest[eq+1:], " \t"))
		ps = append(ps, param{name, v})
	}
	return word, ps
}

func paramValue(name, s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		stop := ";"
		if name == "boundary" || name == "charset" {
			stop = "; \t" // file names hold spaces even where nobody quotes them; these do not
		}
		if end := strings.IndexAny(s, stop); end >= 0 {
			return strings.TrimSpace(s[:end]), s[end:]
		}
		return strings.TrimSpace(s), ""
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:]
		// Other pairs stay: a path of Windows is not meant as quoting.
		case c == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// get gives a parameter, with the extensions of RFC 2231 before the plain form:
// charset (section 4), then continuations (section 3).
func (ps params) get(name string, w *warnings) string {
	var raw strings.Builder
	label, extended := "", false
	// take adds the parameter of that name, or of that name with an asterisk.
	take := func(key string, plain bool) bool {
		for _, p := range ps {
			switch {
			case plain && p.name == key:
				raw.WriteString(p.value)
				return true
			case p.name == key+"*":
				v := p.value
				if parts := strings.SplitN(v, "'", 3); !extended && len(parts) == 3 {
					label, v = parts[0], parts[2]
				}
				extended = true
				raw.Write(unpercent(v))
				return true
			}
		}
		return false
	}
	if !take(name, false) {
		for n := 0; n < maxParamCount && take(name+"*"+strconv.Itoa(n), true); n++ { // each call takes one
		}
	}
	if raw.Len() == 0 {
		take(name, true)
	}
	if !extended {
		return raw.String()
	}
	text, _ := decodeCharset([]byte(raw.String()), label, w)
	return text
}

func unpercent(s string) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if hi, lo := unhex(s[i+1]), unhex(s[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}

package authres

import "strings"

// result is what one method came to: its words in lower case, the values of
// its properties as they are in the field, quotes included.
type result struct {
	method, word string
	props        map[string]string
}

// parse reads the value of an Authentication-Results field (RFC 8601 section
// 2.2). ok is false for what is not of its form or of another version: nothing in
// such a field may be believed. Comments and quoted strings may hold what the
// sender chose, so neither ends a result or begins one.
func parse(value string) (id string, results []result, ok bool) {
	p := scanner{s: value}
	id = unquote(p.word(";"))
	if !p.ends() && p.word(";") != "1" {
		return id, nil, false
	}
	for !p.bad && p.next(';') {
		if p.ends() { // nothing behind a semicolon: many servers end so
			continue
		}
		r := result{method: p.name(), props: map[string]string{}}
		if r.method == "none" && p.ends() {
			continue
		}
		r.method, _, _ = strings.Cut(r.method, "/") // its version
		r.word = strings.ToLower(p.value())
		for !p.bad && !p.ends() {
			name := p.name()
			if _, twice := r.props[name]; twice {
				p.bad = true
			}
			r.props[name] = p.value()
		}
		results = append(results, r)
	}
	return id, results, !p.bad && id != "" && p.at == len(p.s)
}

// scanner reads a structured field (RFC 5322 section 3.2) word by word.
type scanner struct {
	s   string
	at  int
	bad bool // the field is not of the form
}

// ends reports whether a result, or the field, ends here.
func (p *scanner) ends() bool {
	p.space()
	return p.at == len(p.s) || p.s[p.at] == ';'
}

// next takes one character.
func (p *scanner) next(c byte) bool {
	p.space()
	if p.at < len(p.s) && p.s[p.at] == c {
		p.at++
		return true
	}
	return false
}

// space passes over white space and comments, which may be nested.
func (p *scanner) space() {
	depth := 0
	for ; p.at < len(p.s); p.at++ {
		switch c := p.s[p.at]; {
		case c == '(':
			depth++
		case depth > 0 && c == '\\':
			p.at++
		case depth > 0 && c == ')':
			depth--
		case depth == 0 && !strings.ContainsRune(" \t\r\n", rune(c)):
			return
		}
	}
	p.at = min(p.at, len(p.s))
	p.bad = p.bad || depth > 0
}

// word reads up to white space, a comment or one of stops. A quoted string in
// it holds any of these.
func (p *scanner) word(stops string) string {
	p.space()
	begin, quoted := p.at, false
	for ; p.at < len(p.s); p.at++ {
		switch c := p.s[p.at]; {
		case quoted && c == '\\':
			p.at++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '(' || strings.ContainsRune(" \t\r\n", rune(c)) || strings.ContainsRune(stops, rune(c))):
			return p.s[begin:p.at]
		}
	}
	p.at = min(p.at, len(p.s))
	p.bad = p.bad || quoted
	return p.s[begin:]
}

// name reads the name of a method or of a property, whose parts may be
// separated: "dkim / 1", "header . from".
func (p *scanner) name() string {
	name := p.word("=;")
	for p.space(); p.at < len(p.s) && (strings.ContainsRune("./", rune(p.s[p.at])) || strings.HasSuffix(name, ".") || strings.HasSuffix(name, "/")); p.space() {
		part := p.word("=;")
		if part == "" {
			break
		}
		name += part
	}
	p.bad = p.bad || name == "" || strings.Contains(name, `"`)
	return strings.ToLower(name)
}

// value reads what follows a name.
func (p *scanner) value() string {
	if !p.next('=') {
		p.bad = true
		return ""
	}
	v := p.word(";")
	p.bad = p.bad || v == ""
	return v
}

// unquote gives a word without the quotes that it has.
func unquote(s string) string {
	if !strings.ContainsAny(s, `"\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] != '"':
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

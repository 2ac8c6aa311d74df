package htmltext

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// imply closes what an opening tag ends where its own end tag was left out (HTML,
// section 13.1.2.4): else a hidden paragraph, cell or item would hide all that
// follows it.
func (r *renderer) imply(tag string) {
	switch tag {
	case "li":
		r.end([]string{"li"}, "ul", "ol")
	case "dt", "dd":
		r.end([]string{"dt", "dd"}, "dl")
	case "td", "th":
		r.end([]string{"td", "th"}, "table")
	case "tr":
		r.end([]string{"tr"}, "table")
	case "tbody", "thead", "tfoot":
		r.end([]string{"tbody", "thead", "tfoot", "tr"}, "table")
	case "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table", "pre", "blockquote", "div", "section", "article", "header", "footer", "address", "center":
		if r.top().name == "head" {
			r.cut(len(r.stack) - 1)
		}
		r.end([]string{"p"}, "td", "th", "table")
	case "span", "a", "b", "i", "strong", "em", "font":
		if r.top().name == "head" {
			r.cut(len(r.stack) - 1)
		}
	}
}

// maxImplied is how many open elements are looked at for one that ends.
const maxImplied = 50

// end closes the innermost element of one of the names, unless a stop is nearer.
func (r *renderer) end(names []string, stops ...string) {
	open := 0
	for _, n := range names {
		open += r.count[n]
	}
	if open == 0 {
		return
	}
	for i := len(r.stack) - 1; i >= max(0, len(r.stack)-maxImplied); i-- {
		switch name := r.stack[i].name; {
		case slices.Contains(names, name):
			r.cut(i)
			return
		case slices.Contains(stops, name):
			return
		}
	}
}

// conceal adds to an element what keeps people from seeing it.
func conceal(t html.Token, e *element) {
	switch t.Data {
	case "head", "title", "style", "script", "template", "noscript", "iframe", "noembed", "noframes", "svg", "object", "textarea", "select":
		e.hidden = true
	}
	for _, a := range t.Attr {
		switch a.Key {
		case "hidden":
			e.hidden = true
		case "style":
			concealStyle(a.Val, e)
		}
	}
}

func concealStyle(style string, e *element) {
	zeroHeight, clipped := false, false
	for decl := range strings.SplitSeq(strings.ToLower(style), ";") {
		key, value, _ := strings.Cut(decl, ":")
		key = strings.TrimSpace(key)
		value = strings.TrimSpace(strings.ReplaceAll(value, "!important", ""))
		switch key {
		case "display":
			e.hidden = e.hidden || value == "none"
		case "visibility":
			switch value {
			case "hidden", "collapse":
				e.unseen = true
			case "visible", "initial":
				e.unseen = false
			}
		case "mso-hide":
			e.hidden = e.hidden || value == "all"
		case "font-size":
			e.size(value)
		case "font":
			for word := range strings.FieldsSeq(value) {
				if size, _, _ := strings.Cut(word, "/"); isDigit(word[0]) && !weight(size) {
					e.size(size)
				}
			}
		case "opacity":
			e.hidden = e.hidden || zero(value)
		case "height", "max-height", "width", "max-width":
			zeroHeight = zeroHeight || zero(value)
		case "overflow":
			clipped = value == "hidden"
		}
	}
	e.hidden = e.hidden || zeroHeight && clipped
}

// size takes a font size. One that is relative to nothing is nothing.
func (e *element) size(value string) {
	relative := strings.HasSuffix(value, "%") || strings.HasSuffix(value, "em") && !strings.HasSuffix(value, "rem") ||
		strings.HasSuffix(value, "ex") || value == "smaller" || value == "larger" || value == "inherit" || value == ""
	switch {
	case zero(value):
		e.tiny = true
	case !relative:
		e.tiny = false
	}
}

// weight is a font's weight, a number without a unit.
func weight(s string) bool { return len(s) == 3 && strings.HasSuffix(s, "00") }

// zero is true of 0, 0px, 0.0em and the like.
func zero(value string) bool {
	number := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz% ")
	return number != "" && strings.Trim(number, "0.") == ""
}

package rawmail

import (
	"strings"

	"golang.org/x/net/html"
)

// renderHTML gives the text a reader would see: no comments, no scripts, no
// hidden elements, so that a text hidden from people is hidden from the model
// too. Quoted blocks get the marks of plain text.
//
// It sees inline styles and attributes only: what a style sheet hides, or a
// colour equal to the background, is still text here.
func renderHTML(src string) string {
	r := htmlRenderer{}
	z := html.NewTokenizer(strings.NewReader(shortTags(src)))
	z.SetMaxBuf(maxHTML + 1)
	for r.out.Len() <= MaxText {
		switch z.Next() {
		case html.ErrorToken:
			return r.out.String()
		case html.TextToken:
			if !r.hidden() {
				r.write(string(z.Text()))
			}
		case html.StartTagToken:
			t := z.Token()
			r.open(t, false)
		case html.SelfClosingTagToken:
			t := z.Token()
			r.open(t, true)
		case html.EndTagToken:
			name, _ := z.TagName()
			r.close(string(name))
		case html.CommentToken, html.DoctypeToken:
		}
	}
	return r.out.String()
}

// maxOpen bounds the stack of open elements: unclosed tags are common.
const maxOpen = 400

type element struct {
	name   string
	hidden bool // it or one around it is
	quote  int  // blockquotes around it, itself included
	pre    bool
}

type htmlRenderer struct {
	out     strings.Builder
	stack   []element
	breaks  int  // line ends owed before the next text
	space   bool // a space owed
	midLine bool // text stands on the current line
}

func (r *htmlRenderer) top() element {
	if len(r.stack) == 0 {
		return element{}
	}
	return r.stack[len(r.stack)-1]
}

func (r *htmlRenderer) hidden() bool { return r.top().hidden }

func (r *htmlRenderer) open(t html.Token, selfClosing bool) {
	switch t.Data {
	case "br":
		if !r.hidden() {
			r.breaks++
		}
		return
	case "img", "hr", "input", "meta", "link", "col", "wbr", "area", "base", "embed", "source", "track":
		if t.Data == "hr" {
			r.newBlock(1)
		}
		return
	case "body":
		for len(r.stack) > 0 && r.top().hidden { // an unclosed head
			r.stack = r.stack[:len(r.stack)-1]
		}
	}
	if selfClosing && t.Data != "div" && t.Data != "p" {
		return
	}
	e := r.top()
	e.name = t.Data
	e.hidden = e.hidden || hiddenElement(t)
	if e.hidden {
		// What is not shown breaks no line either.
		if len(r.stack) < maxOpen {
			r.stack = append(r.stack, e)
		}
		return
	}
	e.pre = e.pre || t.Data == "pre"
	switch t.Data {
	case "blockquote":
		e.quote = min(e.quote+1, 10)
		r.newBlock(1)
	case "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre":
		r.newBlock(2)
	case "div", "tr", "section", "article", "header", "footer", "dt", "dd", "address", "center":
		r.newBlock(1)
	case "li":
		r.newBlock(1)
	case "td", "th":
		r.space = true
	}
	if len(r.stack) < maxOpen {
		r.stack = append(r.stack, e)
	}
	if t.Data == "li" {
		r.emit("-")
		r.space = true
	}
}

func (r *htmlRenderer) close(name string) {
	for i := len(r.stack) - 1; i >= 0; i-- {
		if r.stack[i].name != name {
			continue
		}
		if r.stack[i].hidden {
			r.stack = r.stack[:i]
			return
		}
		switch name {
		case "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre", "blockquote":
			r.newBlock(2)
		case "div", "tr", "li", "section", "article", "header", "footer", "dt", "dd", "address", "center":
			r.newBlock(1)
		}
		r.stack = r.stack[:i]
		return
	}
}

// newBlock owes n line ends, unless the line is empty already.
func (r *htmlRenderer) newBlock(n int) {
	if r.hidden() {
		return
	}
	if !r.midLine {
		n--
	}
	r.breaks = max(r.breaks, n)
}

func (r *htmlRenderer) write(text string) {
	if r.top().pre {
		first := true
		for line := range strings.SplitSeq(text, "\n") {
			if !first {
				r.breaks++
			}
			first = false
			r.emit(strings.TrimSuffix(line, "\r"))
		}
		return
	}
	if text == "" {
		return
	}
	for i := 0; i < len(text); {
		if width := spaceAt(text, i); width > 0 {
			r.space = true
			i += width
			continue
		}
		begin := i
		for i < len(text) && spaceAt(text, i) == 0 {
			i++
		}
		r.emit(text[begin:i])
	}
}

// spaceAt is the width of white space at i, and of the mark that newsletters
// fill their previews with; 0 for none.
func spaceAt(s string, i int) int {
	switch s[i] {
	case ' ', '\n', '\t', '\r':
		return 1
	case 0xe2:
		if strings.HasPrefix(s[i:], "\u200c") {
			return 3
		}
	}
	return 0
}

// quoteMarks are as many as there are counted levels.
const quoteMarks = "> > > > > > > > > > "

func (r *htmlRenderer) emit(text string) {
	if text == "" {
		return
	}
	mark := quoteMarks[:2*r.top().quote]
	if r.out.Len() == 0 {
		r.out.WriteString(mark)
		r.breaks, r.space = 0, false
	}
	if r.breaks > 0 {
		for range min(r.breaks, 3) - 1 {
			r.out.WriteString("\n" + strings.TrimRight(mark, " "))
		}
		r.out.WriteString("\n" + mark)
		r.breaks, r.space = 0, false
	} else if r.space && r.midLine {
		r.out.WriteByte(' ')
	}
	r.space = false
	r.out.WriteString(text)
	r.midLine = true
}

// hiddenElement knows what no mail program shows.
func hiddenElement(t html.Token) bool {
	switch t.Data {
	case "head", "title", "style", "script", "template", "noscript", "iframe", "noembed", "noframes", "svg", "object", "textarea", "select":
		return true
	}
	for _, a := range t.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "style":
			if hiddenStyle(a.Val) {
				return true
			}
		}
	}
	return false
}

func hiddenStyle(style string) bool {
	zeroHeight, clipped := false, false
	for decl := range strings.SplitSeq(strings.ToLower(style), ";") {
		key, value, _ := strings.Cut(decl, ":")
		key = strings.TrimSpace(key)
		value = strings.TrimSpace(strings.ReplaceAll(value, "!important", ""))
		switch key {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "mso-hide":
			if value == "all" {
				return true
			}
		case "font-size", "opacity":
			if zero(value) {
				return true
			}
		case "height", "max-height", "width", "max-width":
			zeroHeight = zeroHeight || zero(value)
		case "overflow":
			clipped = value == "hidden"
		}
	}
	return zeroHeight && clipped
}

// zero is true of 0, 0px, 0.0em and the like.
func zero(value string) bool {
	number := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz% ")
	return number != "" && strings.Trim(number, "0.") == ""
}

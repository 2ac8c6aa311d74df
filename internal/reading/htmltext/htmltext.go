// Package htmltext gives the text that a reader of an HTML mail sees: no
// comments, no scripts, no hidden elements, so that a text hidden from people is
// hidden from the model too. Quoted blocks get the marks of plain text, and so does
// what a mail program itself has set apart as an older mail (quotes.go).
//
// Its invariant: any bytes are rendered in time and memory bounded by MaxSource
// and the limit, without a panic. It sees inline styles and attributes only: what
// a style sheet hides, or a colour equal to the background, is still text here.
package htmltext

import (
	"strings"

	"golang.org/x/net/html"
)

// MaxSource is the most bytes of decoded HTML that are rendered.
const MaxSource = 2 << 20

// Render is the visible text of at most MaxSource bytes of HTML. It ends soon
// after limit bytes of text: the caller cuts the rest off.
func Render(src string, limit int) string {
	r := renderer{count: map[string]int{}}
	z := html.NewTokenizer(strings.NewReader(shortTags(src, limit)))
	z.SetMaxBuf(MaxSource + 1)
	for r.out.Len() <= limit {
		switch z.Next() {
		case html.ErrorToken:
			return r.out.String()
		case html.TextToken:
			text := string(z.Text())
			if r.top().name == "head" && strings.TrimSpace(text) != "" {
				r.cut(len(r.stack) - 1) // only the body holds text
			}
			if e := r.top(); !e.hidden && !e.tiny && !e.unseen {
				r.write(text)
			}
		case html.StartTagToken:
			r.open(tagOf(z), false)
		case html.SelfClosingTagToken:
			r.open(tagOf(z), true)
		case html.EndTagToken:
			name, _ := z.TagName()
			r.close(string(name))
		case html.CommentToken, html.DoctypeToken:
		}
	}
	return r.out.String()
}

// tagOf is the present tag with the attributes that count here: all of them may
// take many times the memory of the text.
func tagOf(z *html.Tokenizer) html.Token {
	name, more := z.TagName()
	t := html.Token{Data: string(name)}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if k := string(key); k == "hidden" || k == "style" || k == "id" || k == "class" {
			t.Attr = append(t.Attr, html.Attribute{Key: k, Val: string(value)})
		}
	}
	return t
}

// maxOpen bounds the stack of open elements: unclosed tags are common.
const maxOpen = 400

type element struct {
	name   string
	hidden bool // it or one around it is, with all that it holds
	tiny   bool // its text has the size of nothing, unless a child has another
	unseen bool // it is not seen, unless a child is
	quote  int  // quotations around it, itself included
	gmail  bool // Gmail's container: what follows a quotation inside it is an answer
	pre    bool
}

type renderer struct {
	out     strings.Builder
	stack   []element
	count   map[string]int // open elements by name
	breaks  int            // line ends owed before the next text
	space   bool           // a space owed
	midLine bool           // text stands on the current line
	rest    int            // 1 where all that follows is an older mail
}

func (r *renderer) top() element {
	if len(r.stack) == 0 {
		return element{}
	}
	return r.stack[len(r.stack)-1]
}

func (r *renderer) hidden() bool { return r.top().hidden }

// push opens an element, where there is room for one more.
func (r *renderer) push(e element) {
	if len(r.stack) < maxOpen {
		r.stack = append(r.stack, e)
		r.count[e.name]++
	}
}

// cut closes all elements from a place in the stack on.
func (r *renderer) cut(from int) {
	for _, e := range r.stack[from:] {
		r.count[e.name]--
	}
	r.stack = r.stack[:from]
}

func (r *renderer) open(t html.Token, selfClosing bool) {
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
			r.cut(len(r.stack) - 1)
		}
	}
	r.imply(t.Data)
	if selfClosing && t.Data != "div" && t.Data != "p" {
		return
	}
	e := r.top()
	e.name, e.gmail = t.Data, false
	conceal(t, &e)
	if e.hidden {
		// What is not shown breaks no line either.
		r.push(e)
		return
	}
	e.pre = e.pre || t.Data == "pre"
	r.older(t, &e)
	switch t.Data {
	case "blockquote":
		e.quote++
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
	r.push(e)
	if t.Data == "li" && !e.tiny && !e.unseen {
		r.emit("-")
		r.space = true
	}
}

func (r *renderer) close(name string) {
	if r.count[name] == 0 {
		return // looking through the stack for each would cost its depth
	}
	for i := len(r.stack) - 1; i >= 0; i-- {
		if r.stack[i].name != name {
			continue
		}
		if r.stack[i].hidden {
			r.cut(i)
			return
		}
		switch name {
		case "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre", "blockquote":
			r.newBlock(2)
		case "div", "tr", "li", "section", "article", "header", "footer", "dt", "dd", "address", "center":
			r.newBlock(1)
		}
		if name == "blockquote" && i > 0 && r.stack[i-1].gmail {
			r.stack[i-1].quote--
			r.stack[i-1].gmail = false
		}
		r.cut(i)
		return
	}
}

// newBlock owes n line ends, unless the line is empty already.
func (r *renderer) newBlock(n int) {
	if r.hidden() {
		return
	}
	if !r.midLine {
		n--
	}
	r.breaks = max(r.breaks, n)
}

func (r *renderer) write(text string) {
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
const maxQuote = 10
const quoteMarks = "> > > > > > > > > > "

func (r *renderer) emit(text string) {
	if text == "" {
		return
	}
	mark := quoteMarks[:2*min(r.top().quote+r.rest, maxQuote)]
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

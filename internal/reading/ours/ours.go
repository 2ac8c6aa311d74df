// Package ours finds what we sent in what comes back: mail programs quote
// without a mark, and what we wrote is nobody's wish.
//
// Its invariant: the writer's first line and a line of up to three words stay,
// since an answer can be a word of ours.
package ours

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Value is in a text of ours where each mail has a value of its own, of any number
// of words.
const Value = "\ufffc"

// What of a mail is ours and not the writer's.
const (
	minWords = 8      // equal one after another, on however many lines; or two lines
	short    = 3      // words of a line that is the writer's even if it is equal
	maxWords = 20_000 // of a mail that are compared; what comes after stays
)

// texts is what we send, to be looked up. It may be used by several at once.
type texts struct {
	ids  map[string]int32 // of each word, from 1
	runs map[[minWords]int32]bool
	// lines are where a line comes: counted through all texts, so that the next
	// line of a text has the next number. A line with a value is a pattern.
	lines    map[string][]int
	patterns []pattern
}

type pattern struct {
	pieces [][]string // around the values
	at     int
	long   bool // else a line of more words than short could be anybody's
}

// newTexts takes the texts of the mails that we send, whole.
func newTexts(sent []string) *texts {
	o := &texts{ids: map[string]int32{}, runs: map[[minWords]int32]bool{}, lines: map[string][]int{}}
	at := 0
	for _, text := range sent {
		var run []int32
		for line := range strings.SplitSeq(text, "\n") {
			var words []string
			for _, w := range wordsOf(line) {
				words = append(words, w.text)
				if run = append(run, o.id(w.text)); w.text == Value {
					run = nil
				} else if len(run) >= minWords {
					o.runs[[minWords]int32(run[len(run)-minWords:])] = true
				}
			}
			if len(words) > 0 {
				o.addLine(words, at)
				at++
			}
		}
		at++ // the next text's first line does not follow
	}
	return o
}

func (o *texts) id(word string) int32 {
	if o.ids[word] == 0 {
		o.ids[word] = int32(len(o.ids) + 1)
	}
	return o.ids[word]
}

func (o *texts) addLine(words []string, at int) {
	pieces := [][]string{nil}
	for _, w := range words {
		if w == Value {
			pieces = append(pieces, nil)
		} else {
			pieces[len(pieces)-1] = append(pieces[len(pieces)-1], w)
		}
	}
	if len(pieces) == 1 {
		key := strings.Join(words, " ")
		o.lines[key] = append(o.lines[key], at)
	} else if told := len(words) - len(pieces) + 1; told > 0 {
		o.patterns = append(o.patterns, pattern{pieces, at, told > short})
	}
}

// places are the numbers of the lines that equal one of the mail.
func (o *texts) places(line []word) []int {
	words := make([]string, len(line))
	for n, w := range line {
		words[n] = w.text
	}
	found := slices.Clone(o.lines[strings.Join(words, " ")])
	for _, p := range o.patterns {
		if (p.long || len(words) <= short) && p.matches(words) {
			found = append(found, p.at)
		}
	}
	return found
}

func (p pattern) matches(words []string) bool {
	first, last := p.pieces[0], p.pieces[len(p.pieces)-1]
	if len(words) < len(first)+len(last) || !slices.Equal(words[:len(first)], first) || !slices.Equal(words[len(words)-len(last):], last) {
		return false
	}
	words = words[len(first) : len(words)-len(last)]
	for _, piece := range p.pieces[1 : len(p.pieces)-1] {
		for len(words) >= len(piece) && !slices.Equal(words[:len(piece)], piece) {
			words = words[1:]
		}
		if len(words) < len(piece) {
			return false
		}
		words = words[len(piece):]
	}
	return true
}

// word is one of a text: in lower case without the marks around it, and where it
// is, in bytes.
type word struct {
	text       string
	begin, end int
}

func wordsOf(line string) (words []word) {
	for begin, end := 0, 0; begin < len(line); begin = end {
		rest := line[begin:]
		begin += len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
		if end = strings.IndexFunc(line[begin:], unicode.IsSpace); end < 0 {
			end = len(line) - begin
		}
		end += begin
		text := line[begin:end]
		if strings.Contains(text, Value) {
			text = Value
		} else {
			text = strings.ToLower(strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
		}
		if text != "" {
			words = append(words, word{text, begin, end})
		}
	}
	return words
}

// line is a line of a mail, with what of it is ours.
type line struct {
	text   string
	words  []word
	ours   []bool // of words: in a run of minWords
	places []int  // as texts.places
	run    bool   // the line before or after it is ours too
}

// equal tells whether nothing in the line is the writer's.
func (l line) equal() bool {
	return len(l.places) > 0 || !slices.Contains(l.ours, false)
}

// cut is a text without what is ours.
type cut struct {
	Rest  string
	Ours  []string // the pieces that were cut
	Equal int      // lines that are ours, kept ones included
	Only  bool     // there are no others
}

// without cuts what is ours out of a text, line breaks aside. begins: its first
// line is the writer's.
func (o *texts) without(text string, begins bool) (c cut) {
	var kept, piece []string
	end := func() {
		if len(piece) > 0 {
			c.Ours, piece = append(c.Ours, strings.Join(piece, "\n")), nil
		}
	}
	said, long := false, false // by the writer; a line that is not short
	for _, l := range o.compare(text) {
		stays := len(l.words) <= short || begins && len(l.words) > 0
		switch {
		case len(l.words) == 0:
			kept = append(kept, l.text)
			continue
		case !stays && (l.run || !slices.Contains(l.ours, false)):
			piece = append(piece, l.text)
			c.Equal, long = c.Equal+1, true
			continue
		case !stays && slices.Contains(l.ours, true):
			var mine string
			l.text, mine = l.parted()
			piece = append(piece, mine)
		}
		end()
		begins = false
		if l.equal() {
			c.Equal, long = c.Equal+1, long || len(l.words) > short
		} else {
			said = true
		}
		kept = append(kept, l.text)
	}
	end()
	c.Rest, c.Only = strings.TrimSpace(gaps.ReplaceAllString(strings.Join(kept, "\n"), "\n\n")), long && !said
	return c
}

var gaps = regexp.MustCompile(`\n[ \t]*\n\s*\n`)

// parted gives the words of a line that are the writer's, and those that are ours.
func (l line) parted() (theirs, mine string) {
	var a, b []string
	for n, w := range l.words {
		if text := l.text[w.begin:w.end]; l.ours[n] {
			b = append(b, text)
		} else {
			a = append(a, text)
		}
	}
	return strings.Join(a, " "), strings.Join(b, " ")
}

// compare finds what of a text is ours.
func (o *texts) compare(text string) []line {
	var lines []line
	var at []int // of the latest words: their line, their number in it
	var run [minWords]int32
	length, count := 0, 0
	before := -1 // the last line with words
	for n, t := range strings.Split(text, "\n") {
		l := line{text: t}
		if count < maxWords {
			l.words = wordsOf(t)
		}
		count += len(l.words)
		l.ours = make([]bool, len(l.words))
		lines = append(lines, l)
		if len(l.words) == 0 {
			continue
		}
		lines[n].places = o.places(l.words)
		if before >= 0 && slices.ContainsFunc(lines[before].places, func(p int) bool { return slices.Contains(lines[n].places, p+1) }) {
			lines[before].run, lines[n].run = true, true
		}
		before = n
		for i, w := range l.words {
			copy(run[:], run[1:])
			run[minWords-1] = o.ids[w.text]
			at = append(at, n, i)
			if length++; o.ids[w.text] == 0 {
				length = 0
			}
			if length >= minWords && o.runs[run] {
				for k := len(at) - 2*minWords; k < len(at); k += 2 {
					lines[at[k]].ours[at[k+1]] = true
				}
			}
		}
	}
	return lines
}

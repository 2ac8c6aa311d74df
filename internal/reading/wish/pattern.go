package wish

import (
	"fmt"
	"slices"
	"strings"
)

// pattern is what a run of words is compared with.
type pattern []*item

// item is one place of a pattern: a word of a set, or with gap > 0 up to so
// many words of any kind within the clause.
type item struct {
	id       int // of the set, in the index
	words    map[string]bool
	prefixes []string
	optional bool
	gap      int
	bars     map[string]bool // words that a gap does not pass
}

// gaps are the words that a gap may pass: between parts that belong together,
// between a request and its object, and between an objection and what it is to.
func gaps(place string) int {
	switch place {
	case "..":
		return 2
	case "...":
		return 5
	case "....":
		return 10
	}
	return 0
}

// itemIndex knows every set of words, and of a word the sets it is in. Most
// sets of most languages are met by no word of a message, so that nearly all
// patterns fall out before they are compared.
type itemIndex struct {
	byText map[string]*item
	byWord map[string][]int
	byStem map[string][]stem // by the first two bytes
}

type stem struct {
	prefix string
	id     int
}

func newItemIndex() itemIndex {
	return itemIndex{byText: map[string]*item{}, byWord: map[string][]int{}, byStem: map[string][]stem{}}
}

// pattern reads one line of a list.
func (x *itemIndex) pattern(text string, classes map[string]string) (pattern, error) {
	var p pattern
	for _, place := range strings.Fields(text) {
		it := &item{id: -1}
		if it.gap = gaps(place); it.gap > 0 {
			it.optional = true
		} else {
			place, it.optional = strings.CutSuffix(place, "?")
			whole, err := expand(place, classes)
			if err != nil {
				return nil, err
			}
			if err := x.fill(it, whole); err != nil {
				return nil, err
			}
		}
		p = append(p, it)
	}
	return p, nil
}

// expand writes out the classes that a place names.
func expand(place string, classes map[string]string) (string, error) {
	alternatives := strings.Split(place, "|")
	for i, a := range alternatives {
		if name, is := strings.CutPrefix(a, "@"); is {
			if classes[name] == "" {
				return "", fmt.Errorf("%w: no class %q", errListForm, name)
			}
			alternatives[i] = classes[name]
		}
	}
	return strings.Join(alternatives, "|"), nil
}

func (x *itemIndex) fill(it *item, place string) error {
	if same := x.byText[place]; same != nil {
		it.id, it.words, it.prefixes = same.id, same.words, same.prefixes
		return nil
	}
	it.words = map[string]bool{}
	for _, alternative := range strings.Split(place, "|") {
		text, isPrefix := strings.CutSuffix(alternative, "*")
		var b strings.Builder
		for _, r := range text {
			writeFolded(&b, r)
		}
		switch {
		case isPrefix && b.Len() >= 2:
			it.prefixes = append(it.prefixes, b.String())
		case !isPrefix && b.Len() > 0:
			it.words[b.String()] = true
		default:
			return fmt.Errorf("%w: %q", errListForm, alternative)
		}
	}
	it.id = len(x.byText)
	x.byText[place] = it
	for w := range it.words {
		x.byWord[w] = append(x.byWord[w], it.id)
	}
	for _, s := range it.prefixes {
		x.byStem[s[:2]] = append(x.byStem[s[:2]], stem{s, it.id})
	}
	return nil
}

// note marks the sets that the message's words are in.
func (x *itemIndex) note(m *message) {
	m.met = make([]bool, len(x.byText))
	seen := make(map[string]bool, len(m.words))
	for _, w := range m.words {
		if seen[w.text] {
			continue
		}
		seen[w.text] = true
		for _, id := range x.byWord[w.text] {
			m.met[id] = true
		}
		if len(w.text) < 2 {
			continue
		}
		for _, s := range x.byStem[w.text[:2]] {
			if strings.HasPrefix(w.text, s.prefix) {
				m.met[s.id] = true
			}
		}
	}
}

// known tells whether the lists hold a word.
func (x *itemIndex) known(w string) bool {
	return len(x.byWord[w]) > 0 || len(w) > 1 && slices.ContainsFunc(x.byStem[w[:2]], func(s stem) bool { return strings.HasPrefix(w, s.prefix) })
}

// possible tells cheaply whether the message has a word for each place that
// needs one.
func (p pattern) possible(m message) bool {
	for _, it := range p {
		if !it.optional && !m.met[it.id] {
			return false
		}
	}
	return true
}

// matchAt compares the pattern with the words from i on, within the sentence
// of the first, and returns where the match ends; -1 for no match.
func (p pattern) matchAt(words []word, i int) int {
	if i >= len(words) {
		return -1
	}
	return p.match(words, i, words[i].sentence)
}

func (p pattern) match(words []word, i, sentence int) int {
	if len(p) == 0 {
		return i
	}
	if p[0].gap > 0 {
		return p[1:].pass(words, i, sentence, p[0].gap, p[0].bars)
	}
	if i < len(words) && words[i].sentence == sentence && p[0].matches(words[i].text) {
		if end := p[1:].match(words, i+1, sentence); end >= 0 {
			return end
		}
	}
	if p[0].optional {
		return p[1:].match(words, i, sentence)
	}
	return -1
}

// pass compares after a gap, the shortest first. A gap stays within its clause
// and on this side of what bars it.
func (p pattern) pass(words []word, i, sentence, gap int, bars map[string]bool) int {
	for n := 0; n <= gap && i+n <= len(words); n++ {
		if n > 0 && (i == 0 || words[i+n-1].clause != words[i-1].clause || bars[words[i+n-1].text]) {
			break
		}
		if end := p.match(words, i+n, sentence); end >= 0 {
			return end
		}
	}
	return -1
}

func (it *item) matches(w string) bool {
	return it.words[w] || slices.ContainsFunc(it.prefixes, func(s string) bool { return strings.HasPrefix(w, s) })
}

// find returns the first match of the pattern from a position on, or -1.
func (p pattern) find(words []word, from int) (start, end int) {
	for i := from; i < len(words); i++ {
		if end := p.matchAt(words, i); end > i {
			return i, end
		}
	}
	return -1, -1
}

// anyIn tells whether one of the patterns stands in a part of the message.
func (m message) anyIn(patterns []pattern, words []word) bool {
	for _, p := range patterns {
		if !p.possible(m) {
			continue
		}
		if start, _ := p.find(words, 0); start >= 0 {
			return true
		}
	}
	return false
}

package guard

import (
	"bufio"
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// The lists are data that people read and mend; words/README.md states their
// form.
//
//go:embed words/*.txt
var wordFiles embed.FS

// loadLists reads the embedded lists once. What it returns is never written
// to afterwards.
var loadLists = sync.OnceValues(func() (*wordLists, error) { return readLists(wordFiles) })

// wordLists is every language's list. Greetings and footers are common to
// all, since people mix them.
type wordLists struct {
	languages []languageList
	polite    []pattern
	footers   []pattern
}

// languageList is one file.
type languageList struct {
	name                    string
	word, only, alone       []phrase
	phrases, mention, short []phrase
	not, third, pause, ask  []pattern
	polite, footer          []pattern // moved to wordLists
}

// phrase is a pattern with the id that a Finding shows.
type phrase struct {
	id      string
	pattern pattern
}

// pattern is what a run of words is compared with.
type pattern []item

// item is one place of a pattern.
type item struct {
	words    []string
	prefixes []string
	optional bool
}

var errListForm = errors.New("opt-out list: line not understood")

func readLists(files fs.FS) (*wordLists, error) {
	names, err := fs.Glob(files, "words/*.txt")
	if err != nil {
		return nil, fmt.Errorf("list opt-out words: %w", err)
	}
	all := &wordLists{}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read opt-out words: %w", err)
		}
		l := languageList{name: strings.TrimSuffix(path.Base(name), ".txt")}
		if err := l.read(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all.languages = append(all.languages, l)
		all.polite = append(all.polite, l.polite...)
		all.footers = append(all.footers, l.footer...)
	}
	return all, nil
}

func (lang *languageList) read(text []byte) error {
	phrases := map[string]*[]phrase{
		"word": &lang.word, "only": &lang.only, "alone": &lang.alone,
		"phrase": &lang.phrases, "mention": &lang.mention, "short": &lang.short,
	}
	patterns := map[string]*[]pattern{
		"not": &lang.not, "third": &lang.third, "pause": &lang.pause, "ask": &lang.ask,
		"polite": &lang.polite, "footer": &lang.footer,
	}
	section, number := "", 0
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		number++
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "[") {
			section = strings.Trim(line, "[]")
			continue
		}
		id, rest, named := strings.Cut(line, "=")
		if into := phrases[section]; into != nil && named {
			*into = append(*into, phrase{strings.TrimSpace(id), parsePattern(rest)})
		} else if into := patterns[section]; into != nil && !named {
			*into = append(*into, parsePattern(line))
		} else {
			return fmt.Errorf("%w: line %d", errListForm, number)
		}
	}
	return nil
}

func parsePattern(text string) pattern {
	var p pattern
	for _, place := range strings.Fields(text) {
		var it item
		place, it.optional = strings.CutSuffix(place, "?")
		for _, alternative := range strings.Split(place, "|") {
			stem, isPrefix := strings.CutSuffix(alternative, "*")
			var b strings.Builder
			for _, r := range stem {
				writeFolded(&b, r)
			}
			if isPrefix {
				it.prefixes = append(it.prefixes, b.String())
			} else {
				it.words = append(it.words, b.String())
			}
		}
		p = append(p, it)
	}
	return p
}

// possible tells cheaply whether the message has a word for each place that
// needs one: of most languages it has none, and long texts are read faster.
func (p pattern) possible(m message) bool {
	for _, it := range p {
		if !it.optional && len(it.prefixes) == 0 && !slices.ContainsFunc(it.words, func(w string) bool { return m.vocabulary[w] }) {
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

func (it item) matches(w string) bool {
	for _, s := range it.words {
		if s == w {
			return true
		}
	}
	for _, s := range it.prefixes {
		if strings.HasPrefix(w, s) {
			return true
		}
	}
	return false
}

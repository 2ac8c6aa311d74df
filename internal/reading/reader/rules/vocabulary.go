package rules

import (
	_ "embed" // words*.txt
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The lists are data that people read and mend; words.txt states their form.
//
//go:embed words.txt
var wordFile string

//go:embed classes.txt
var classFile string

//go:embed guarded.txt
var guardedFile string

// loadVocabulary reads the embedded lists once; the result is never written to
// afterwards. The second vocabulary is that of guarded.txt, which alone is
// looked for in quoted text too.
var loadVocabulary = sync.OnceValues(func() (both [2]*vocabulary, err error) {
	if both[0], err = readVocabulary(wordFile, classFile); err != nil {
		return both, err
	}
	both[1], err = readVocabulary(guardedFile)
	return both, err
})

// run is a line of a section: words that stand one after the other, each
// whole or, as a stem, at the beginning of a word.
type run struct {
	section  string
	language string // "" for any
	weight   int64
	words    []string
	stems    []bool
}

// vocabulary holds the runs, in the form of plain, found by their first word.
type vocabulary struct {
	runs     []run
	byWord   map[string][]int
	byStem   map[string][]int // by the first two bytes of a stem
	suffixes map[string][]string
	sections map[string]map[string]bool // whole runs, for is
	function map[string][]string        // a function word and the languages it is of
}

func readVocabulary(texts ...string) (*vocabulary, error) {
	v := &vocabulary{
		byWord: map[string][]int{}, byStem: map[string][]int{}, suffixes: map[string][]string{},
		sections: map[string]map[string]bool{}, function: map[string][]string{},
	}
	for n, text := range texts {
		section, language := "", ""
		for number, line := range strings.Split(text, "\n") {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if name, found := strings.CutPrefix(line, "["); found {
				section, language, _ = strings.Cut(strings.TrimSuffix(name, "]"), " ")
				if v.sections[section] == nil {
					v.sections[section] = map[string]bool{}
				}
				continue
			}
			if section == "" || !v.add(section, language, line) {
				return nil, fmt.Errorf("rules vocabulary: list %d, line %d not understood", n+1, number+1)
			}
		}
	}
	return v, nil
}

func (v *vocabulary) add(section, language, line string) bool {
	if section == "function" {
		for _, w := range strings.Fields(line) {
			if plain(w) != w {
				return false
			}
			v.function[w] = append(v.function[w], language)
		}
		return true
	}
	r := run{section: section, language: language, weight: 1}
	if rest, found := strings.CutPrefix(line, "2 "); found {
		line, r.weight = rest, 2
	}
	if end, is := strings.CutPrefix(line, "*"); is {
		v.suffixes[section] = append(v.suffixes[section], end)
		return plain(end) == end && end != ""
	}
	for _, w := range strings.Fields(line) {
		w, stem := strings.CutSuffix(w, "*")
		if plain(w) != w || len(w) < 2 && stem || w == "" {
			return false
		}
		r.words, r.stems = append(r.words, w), append(r.stems, stem)
	}
	if strings.Join(strings.Fields(line), " ") != line {
		return false
	}
	if first := r.words[0]; r.stems[0] {
		v.byStem[first[:2]] = append(v.byStem[first[:2]], len(v.runs))
	} else {
		v.byWord[first] = append(v.byWord[first], len(v.runs))
	}
	if !slices.Contains(r.stems, true) {
		v.sections[section][line] = true
	}
	v.runs = append(v.runs, r)
	return true
}

// found is what the lists say of one text.
type found struct {
	score map[string]int64 // by section: the weights of its runs, each counted once
	kinds map[string]int   // by section: how many of its runs were met
	first map[string]int   // by section: the word at which the first begins
	words int
}

func (f found) meets(section string) bool { return f.kinds[section] > 0 }

// find looks for every run in a plain text. Runs of a language count only
// where the text is in that language, as far as its function words tell.
func (v *vocabulary) find(plainText string) found {
	words := strings.Fields(plainText)
	return v.findIn(words, v.languages(words))
}

// findIn is find in a part of a text whose languages are known.
func (v *vocabulary) findIn(words []string, spoken func(string) bool) found {
	f := found{score: map[string]int64{}, kinds: map[string]int{}, first: map[string]int{}, words: len(words)}
	counted := make([]bool, len(v.runs))
	for i, w := range words {
		for _, n := range v.byWord[w] {
			v.count(&f, n, i, words, spoken, counted)
		}
		if len(w) < 2 {
			continue
		}
		for _, n := range v.byStem[w[:2]] {
			v.count(&f, n, i, words, spoken, counted)
		}
	}
	return f
}

func (v *vocabulary) count(f *found, n, i int, words []string, spoken func(string) bool, counted []bool) {
	r := &v.runs[n]
	if counted[n] || !r.at(words, i) || !spoken(r.language) {
		return
	}
	counted[n] = true
	f.score[r.section] += r.weight
	if f.kinds[r.section]++; f.kinds[r.section] == 1 {
		f.first[r.section] = i
	}
}

func (r *run) at(words []string, i int) bool {
	if len(words)-i < len(r.words) {
		return false
	}
	for n, w := range r.words {
		if words[i+n] != w && (!r.stems[n] || !strings.HasPrefix(words[i+n], w)) {
			return false
		}
	}
	return true
}

// languages tells which languages a text may be in: all of those of which it
// has at least a third as many function words as of the one it has most of.
// Where it has next to none, it may be in any.
func (v *vocabulary) languages(words []string) func(string) bool {
	counts := map[string]int{}
	most := 0
	for _, w := range words {
		for _, l := range v.function[w] {
			counts[l]++
			most = max(most, counts[l])
		}
	}
	return func(language string) bool {
		return language == "" || most < fewestKnown || counts[language]*3 >= most
	}
}

// fewestKnown is how many function words it takes to know a language.
const fewestKnown = 3

// meets tells whether any run of the section stands in a plain text.
func (v *vocabulary) meets(section, plainText string) bool { return v.find(plainText).meets(section) }

// is tells whether a plain text is one of the section's runs.
func (v *vocabulary) is(section, plainText string) bool { return v.sections[section][plainText] }

// names tells whether one plain word is of the section: whole, by a stem, or
// by an ending ("*kauppa").
func (v *vocabulary) names(section, w string) bool {
	if v.sections[section][w] {
		return true
	}
	if len(w) >= 2 {
		for _, n := range v.byStem[w[:2]] {
			if r := v.runs[n]; r.section == section && len(r.words) == 1 && strings.HasPrefix(w, r.words[0]) {
				return true
			}
		}
	}
	return slices.ContainsFunc(v.suffixes[section], func(end string) bool {
		return len(w) > len(end)+1 && strings.HasSuffix(w, end)
	})
}

// plain is a text as bare words: lower case, without marks, signs and
// invisible characters, one space between. Apostrophes join.
func plain(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	gap := false
	for _, r := range norm.NFKD.String(strings.ReplaceAll(text, "´", "'")) {
		switch {
		case r < 0x80 && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9'):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteByte(byte(r))
		case unicode.In(r, unicode.Mn, unicode.Cf) || strings.ContainsRune("'’‘ʼ`", r):
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			switch r = unicode.ToLower(r); r {
			case 'ß':
				b.WriteString("ss")
			case 'ø':
				b.WriteRune('o')
			case 'ł':
				b.WriteRune('l')
			case 'æ':
				b.WriteString("ae")
			case 'œ':
				b.WriteString("oe")
			default:
				b.WriteRune(r)
			}
		default:
			gap = true
		}
	}
	return b.String()
}

package wish

import (
	"bufio"
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

// The lists are data that people read and mend; words/README.md states their
// form.
//
//go:embed words/*.txt words/frames
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
	real      map[string]bool // words of their own, near one of a wish
	items     itemIndex
}

// languageList is one file, and the frames in its words.
type languageList struct {
	name    string
	number  int               // its place among the languages
	classes map[string]string // by name, as written
	elided  []elision
	kin     []string // languages so near that a text may be of either

	word, only, alone       []phrase
	phrases, mention, short []phrase
	that                    []phrase
	frames, net             []frame
	brief, ours             []frame

	not, cond, unless       []pattern
	third, pause, resume    []pattern
	instead, elsewhere      []pattern
	order, machine, sender  []pattern
	receive, want, ask, how []pattern
	just, mailing           []pattern
	common, also            []pattern
	polite, footer, real    []pattern // moved to wordLists
	news, ourMail           []pattern // words for mailings; and for mail and lists
	about, yours            []pattern // ... and what mail brings; "your mail"
}

// phrase is a pattern with the id that a Finding shows.
type phrase struct {
	id      string
	pattern pattern
}

var errListForm = errors.New("opt-out list: line not understood")

func readLists(files fs.FS) (*wordLists, error) {
	names, err := fs.Glob(files, "words/*.txt")
	if err != nil {
		return nil, fmt.Errorf("list opt-out words: %w", err)
	}
	all := &wordLists{items: newItemIndex(), real: map[string]bool{}}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read opt-out words: %w", err)
		}
		l := languageList{name: strings.TrimSuffix(path.Base(name), ".txt"), number: len(all.languages), classes: map[string]string{}}
		if err := l.read(text, &all.items); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		l.barGaps()
		all.languages = append(all.languages, l)
		all.polite = append(all.polite, l.polite...)
		all.footers = append(all.footers, l.footer...)
		for _, p := range l.real {
			maps.Copy(all.real, p[0].words)
		}
	}
	if err := all.readFrames(files); err != nil {
		return nil, err
	}
	all.joinKin()
	return all, nil
}

// joinKin adds to each language what raises doubt in its kin: "til høsten" puts
// off a wish in Danish, too, where the wish was met by its Norwegian words.
func (l *wordLists) joinKin() {
	alone := slices.Clone(l.languages)
	for i := range l.languages {
		to := &l.languages[i]
		for _, from := range alone {
			if !slices.Contains(to.kin, from.name) {
				continue
			}
			to.unless = slices.Concat(to.unless, from.unless)
			to.third = slices.Concat(to.third, from.third)
			to.pause = slices.Concat(to.pause, from.pause)
			to.instead = slices.Concat(to.instead, from.instead)
			to.elsewhere = slices.Concat(to.elsewhere, from.elsewhere)
			to.machine = slices.Concat(to.machine, from.machine)
			to.order = slices.Concat(to.order, from.order)
			to.how = slices.Concat(to.how, from.how)
		}
	}
}

// barGaps keeps the gaps of clear phrases from passing a negation: "I want not
// to be removed" holds the words of a wish and is none.
func (lang *languageList) barGaps() {
	bars := map[string]bool{}
	for _, p := range lang.not {
		if len(p) == 1 {
			maps.Copy(bars, p[0].words)
		}
	}
	for _, p := range lang.phrases {
		for _, it := range p.pattern {
			if it.gap > 0 {
				it.bars = bars
			}
		}
	}
}

func (lang *languageList) read(text []byte, items *itemIndex) error {
	phrases := map[string]*[]phrase{
		"word": &lang.word, "only": &lang.only, "alone": &lang.alone,
		"phrase": &lang.phrases, "mention": &lang.mention, "short": &lang.short, "that": &lang.that,
	}
	patterns := map[string]*[]pattern{
		"not": &lang.not, "if": &lang.cond, "unless": &lang.unless,
		"third": &lang.third, "pause": &lang.pause, "resume": &lang.resume, "instead": &lang.instead, "elsewhere": &lang.elsewhere, "machine": &lang.machine, "order": &lang.order, "common": &lang.common, "also": &lang.also, "sender": &lang.sender, "just": &lang.just,
		"receive": &lang.receive, "want": &lang.want, "ask": &lang.ask,
		"mailing": &lang.mailing, "how": &lang.how, "polite": &lang.polite, "footer": &lang.footer, "real": &lang.real,
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
		id = strings.TrimSpace(id)
		if named {
			line = rest
		}
		p, err := items.pattern(line, lang.classes)
		if err != nil {
			return fmt.Errorf("%w: line %d", err, number)
		}
		switch into, plain := phrases[section], patterns[section]; {
		case section == "class" && named && len(strings.Fields(line)) == 1:
			if lang.classes[id] != "" {
				return fmt.Errorf("%w: line %d: class written twice", errListForm, number)
			}
			lang.classes[id], err = expand(strings.TrimSpace(line), lang.classes)
			if err != nil {
				return fmt.Errorf("%w: line %d", err, number)
			}
		case section == "elide" && named:
			for _, short := range strings.Fields(line) {
				lang.elided = append(lang.elided, elision{short, id})
			}
		case into != nil && named:
			*into = append(*into, phrase{id, p})
		case section == "kin" && !named:
			lang.kin = append(lang.kin, line)
		case plain != nil && !named:
			*plain = append(*plain, p)
		default:
			return fmt.Errorf("%w: line %d", errListForm, number)
		}
	}
	return nil
}

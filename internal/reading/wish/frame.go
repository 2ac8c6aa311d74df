package wish

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// frameReach is how many words the parts of a frame may lie apart.
const frameReach = 12

// framesFile states once, for all languages, which classes of words make a
// wish when they stand together; words/README.md states its form.
const framesFile = "words/frames"

// frame is a wish by its parts: one word of each set, in any order, near each
// other. Word order, what stands between and which of the words it is may be
// as the language likes, so that a few sets meet what no list of sentences
// would.
type frame struct {
	phrase
	negated bool // a negation is one of the parts
}

// readFrames writes out the frames with the classes of each language.
func (l *wordLists) readFrames(files fs.FS) error {
	text, err := fs.ReadFile(files, framesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read opt-out frames: %w", err)
	}
	for i := range l.languages {
		lang := &l.languages[i]
		lang.elide()
		if err := lang.readFrames(string(text), &l.items); err != nil {
			return fmt.Errorf("%s for %s: %w", framesFile, lang.name, err)
		}
	}
	return nil
}

func (lang *languageList) readFrames(text string, items *itemIndex) error {
	var into *[]frame
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		switch line = strings.TrimSpace(line); line {
		case "":
			continue
		case "[frame]":
			into = &lang.frames
			continue
		case "[net]":
			into = &lang.net
			continue
		case "[brief]":
			into = &lang.brief
			continue
		case "[ours]":
			into = &lang.ours
			continue
		}
		id, places, named := strings.Cut(line, "=")
		if !named || into == nil || strings.ContainsAny(places, ".?") {
			return fmt.Errorf("%w: %q", errListForm, line)
		}
		p, err := items.pattern(places, lang.classes)
		if err != nil {
			return err
		}
		*into = append(*into, frame{phrase{strings.TrimSpace(id), p}, strings.Contains(places, "@neg")})
	}
	for _, group := range []struct {
		into   *[]pattern
		places string
	}{
		{&lang.news, "@news"},
		{&lang.ourMail, "@news|@post|@lists"},
		{&lang.about, "@news|@post|@things|@lists|@addr"},
		{&lang.yours, "@your .. @news|@post|@lists"},
		{&lang.yours, "@news|@post|@lists @your"},
	} {
		p, err := items.pattern(group.places, lang.classes)
		if err != nil {
			return err
		}
		*group.into = append(*group.into, p)
	}
	return nil
}

// elide adds to each class the words that are written together with the short
// word before them: in French "m'envoyer" is a word of sending and one of the
// sender. A text loses its apostrophes when it is read.
func (lang *languageList) elide() {
	also := map[string][]string{}
	for name, class := range lang.classes {
		words := strings.Split(class, "|")
		for _, w := range slices.Clone(words) {
			if len(w) < 4 || !strings.ContainsRune("aeiouhéêèôà", []rune(w)[0]) {
				continue
			}
			for _, e := range lang.elided {
				words = append(words, e.short+w)
				if e.class != "" {
					also[e.class] = append(also[e.class], e.short+w)
				}
			}
		}
		lang.classes[name] = strings.Join(words, "|")
	}
	for name, words := range also {
		if class := lang.classes[name]; class != "" {
			slices.Sort(words)
			lang.classes[name] = class + "|" + strings.Join(slices.Compact(words), "|")
		}
	}
}

// elision is a short word that loses its vowel before one that begins with a
// vowel, with the class that it is of itself, if any.
type elision struct{ short, class string }

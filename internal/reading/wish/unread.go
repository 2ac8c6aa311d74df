package wish

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed words/unread
var unreadWords string

// others are the words by which languages that are not read are known.
var others = sync.OnceValue(func() []map[string]bool {
	var languages []map[string]bool
	for line := range strings.Lines(unreadWords) {
		_, listed, _ := strings.Cut(line, "=")
		words := map[string]bool{}
		for _, w := range read(listed).words {
			words[w.text] = true
		}
		languages = append(languages, words)
	}
	return languages
})

const (
	judged      = 8 << 10 // bytes by which a language is judged
	fewest      = 4       // words, or letters of another script, from which letters tell one
	oneIn       = 8       // words, of which one has a letter that no language read has
	fewestKnown = 12      // words from which those that are known tell one
	shareKnown  = 20      // of 100
)

// foreign are letters that none of the languages of the lists has.
const foreign = "čďđěğıľĺňőřšşșťțţůűžăāēģīķļņūėįųạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹơưə"

// Unread tells whether a text is in a language that OptOut does not read: what
// it finds there is no answer.
func Unread(text string) bool {
	lists, err := loadLists()
	return err != nil || lists.unread(text)
}

// unread tells whether a text is in none of the languages of the lists: by its
// script, by letters that they do not have, since it has more of another
// language's words than of the commonest of each that is read, or since hardly a
// word is known. A capitalised word may be a name and tells nothing, but for the
// first.
func (l *wordLists) unread(text string) bool {
	text = text[:min(len(text), judged)]
	latin, other, plain, odd := 0, 0, 0, 0
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) }) {
		for _, r := range w {
			if unicode.Is(unicode.Latin, r) {
				latin++
			} else if unicode.IsLetter(r) {
				other++
			}
		}
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) {
			continue
		}
		plain++
		if strings.ContainsAny(w, foreign) {
			odd++
		}
	}
	if other > latin && other >= fewest || plain >= fewest && odd*oneIn >= plain {
		return true
	}
	if text == strings.ToUpper(text) {
		text = strings.ToLower(text)
	}
	var words []word
	for i, w := range read(text).words {
		if w.text[0] > '9' && len(w.text) > 1 && (i == 0 || !w.upper) {
			words = append(words, w)
		}
	}
	strange := 0
	for _, language := range others() {
		strange = max(strange, countIn(words, func(w string) bool { return language[w] }))
	}
	spoken := 0
	for _, lang := range l.languages {
		n := 0
		for _, p := range slices.Concat(lang.common, lang.also) {
			n += countIn(words, p[0].matches)
		}
		spoken = max(spoken, n)
	}
	known := countIn(words, l.items.known)
	return strange > spoken || len(words) >= fewestKnown && known*100 < len(words)*shareKnown
}

func countIn(words []word, is func(string) bool) int {
	n := 0
	for _, w := range words {
		if is(w.text) {
			n++
		}
	}
	return n
}

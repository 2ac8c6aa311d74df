package wish

import (
	"strings"
	"unicode"
)

const (
	fewestUnread = 4  // words, or signs of another script, from which a language is judged
	oneIn        = 8  // words, of which one has letters that no language read has
	shareUnread  = 12 // of 100 words that are known, in a text of a dozen
	longUnread   = 12
)

// foreign are letters that none of the languages of the lists has.
const foreign = "čćďđěğıľĺňőřšşșťțţůűžăāēģīķļņūėįųạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹơưə"

// Unread tells whether a text is in a language that OptOut does not read: what
// it finds there is no answer.
func Unread(text string) bool {
	lists, err := loadLists()
	return err != nil || lists.unread(text)
}

// unread tells whether a text is in none of the languages of the lists: by its
// script, by letters that they do not have, or since hardly a word is known. A
// capitalised word may be a name and tells nothing.
func (l *wordLists) unread(text string) bool {
	latin, other, strange := 0, 0, 0
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) }) {
		name, odd := false, false
		for i, r := range w {
			name = name || i == 0 && unicode.IsUpper(r)
			switch {
			case unicode.Is(unicode.Latin, r):
				latin++
				odd = odd || !name && strings.ContainsRune(foreign, r)
			case unicode.IsLetter(r):
				other++
			}
		}
		if odd {
			strange++
		}
	}
	if other > latin && other >= fewestUnread {
		return true
	}
	known, of := 0, 0
	for _, w := range read(text).words {
		if w.upper && !w.lineStart || w.text[0] <= '9' {
			continue
		}
		of++
		if len(l.items.byWord[w.text]) > 0 {
			known++
		}
	}
	return of >= fewestUnread && strange*oneIn >= of || of >= longUnread && known*100 < of*shareUnread
}

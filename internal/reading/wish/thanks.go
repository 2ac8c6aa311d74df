package wish

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"
)

//go:embed words/thanks
var thanksText []byte

// thanksLists are the patterns of words/thanks. Their words are in an index of
// their own: they tell nothing of a wish, nor of a language.
type thanksLists struct{ said, join, goods, never []pattern }

var loadThanks = sync.OnceValues(func() (*thanksLists, error) {
	t, index := &thanksLists{}, newItemIndex()
	sections := map[string]*[]pattern{"[said]": &t.said, "[join]": &t.join, "[for]": &t.goods, "[never]": &t.never}
	var into *[]pattern
	for lines := bufio.NewScanner(bytes.NewReader(thanksText)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "" || line[0] == '#':
		case sections[line] != nil:
			into = sections[line]
		default:
			p, err := index.pattern(line, nil)
			if err != nil || into == nil {
				return nil, fmt.Errorf("%w: thanks: %q", errors.Join(errListForm, err), line)
			}
			*into = append(*into, p)
		}
	}
	return t, nil
})

const (
	longestAnswer = 2000 // bytes, what mail programs add with it
	longestThanks = 40   // words of a message that says thanks and nothing else
	longestGoods  = 8    // words for what is thanked for
)

// OnlyThanks tells whether an answer says nothing but thanks, that something was
// received or is well, and goodbye: nobody has to answer it. from is the name of
// who wrote it. A question, a number or a word more makes it another message.
// Wishes not to be mailed are OptOut's.
func OnlyThanks(subject string, inReply bool, visible, signature, from string) bool {
	subject, isReply := CutReplyPrefix(subject)
	if !isReply && !(inReply && subject == "") || strings.ContainsAny(signature, "?？") {
		return false
	}
	if strings.TrimSpace(visible) == "" {
		return onlyThanks(signature, from)
	}
	return onlyThanks(visible, from)
}

func onlyThanks(text, from string) bool {
	if len(text) > longestAnswer {
		return false
	}
	lists, err := loadLists()
	if err != nil {
		return false // unreachable: see OptOut
	}
	t, err := loadThanks()
	if err != nil {
		return false // unreachable: as above
	}
	m := lists.dropFooters(lists.read(text))
	if len(m.words) > longestThanks || len(m.questions) > 0 {
		return false
	}
	names := map[string]bool{}
	for _, w := range read(from).words {
		names[w.text] = true
	}
	said := len(m.words) == 0 && strings.ContainsFunc(text, unicode.IsSymbol)
	for i := 0; i < len(m.words); {
		end, polite := t.thanks(m.words, i), lists.skipPolite(m.words, i)
		if end > i {
			end = lists.skipCalled(m.words, end)
		}
		// "Thanks in advance" is longer than thanks, and none.
		said = said || end > i && end >= polite
		end = max(end, polite)
		if end <= i && i > 0 {
			if end = skipName(m.words, i); end == i && (names[m.words[i].text] || startsWith(t.join, m.words[i:])) {
				end++
			}
		}
		if end <= i {
			return false
		}
		i = end
	}
	return said
}

// thanks is where the longest thanks that begin at a word end; i or less for none.
func (t *thanksLists) thanks(words []word, i int) (end int) {
	for _, p := range t.said {
		end = max(end, p.matchAt(words, i))
	}
	for _, p := range t.goods {
		if e := p.matchAt(words, i); e > i {
			end = max(end, t.thing(words, e))
		}
	}
	return end
}

// thing is where what is thanked for ends, with its clause or before "and"; 0 if
// it is more than the name of a thing.
func (t *thanksLists) thing(words []word, i int) int {
	end := i
	for end < len(words) && words[end].clause == words[i-1].clause && (end == i || !startsWith(t.join, words[end:])) {
		w := words[end]
		says := w.text == "i" && w.upper || startsWith(t.never, words[end:]) // "i" is a small word in many languages
		if says || end-i == longestGoods || strings.ContainsFunc(w.text, unicode.IsDigit) {
			return 0
		}
		end++
	}
	if end == i {
		return 0
	}
	return end
}

// skipCalled passes a name at the end of a clause: "Thanks Alex".
func (l *wordLists) skipCalled(words []word, i int) int {
	end := i
	for end < len(words) && end-i < 2 && words[end].upper && words[end].clause == words[i-1].clause && !words[end].lineStart {
		if e, _, _ := l.bareAt(words, end); e > end {
			return i
		}
		end++
	}
	if end < len(words) && words[end].clause == words[i-1].clause && !words[end].lineStart {
		return i
	}
	return end
}
